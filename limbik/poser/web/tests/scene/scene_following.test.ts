// The view goes along with a figure that walks away, and stays where the figure is posed.

import { Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { Following } from "../../src/scene/following";

/** How far the view has gone after `seconds`, drawn sixty times a second. */
function travelled(following: Following, seconds: number, start = 0): Vector3 {
  const way = new Vector3();
  for (let k = 0; k <= 60 * seconds; k++) {
    const step = following.step(start + (1000 * k) / 60);
    if (step) way.add(step);
  }
  return way;
}

describe("Following", () => {
  it("comes within the leeway of a figure that has walked away", () => {
    const following = new Following();
    following.seen(0, new Vector3(1, 1, 0), true);
    following.seen(1, new Vector3(4, 1, 4), true);
    const way = travelled(following, 4);
    expect(way.length()).toBeCloseTo(5 - 0.2, 2);
    expect(way.x / way.z).toBeCloseTo(3 / 4);
    expect(following.step(9000)).toBeNull(); // and rests
  });
  it("makes up 63 % of the way in 0.3 s", () => {
    const following = new Following();
    following.seen(0, new Vector3(), true);
    following.seen(1, new Vector3(1.2, 0, 0), true);
    expect(travelled(following, 0.3).x).toBeCloseTo(1 - Math.exp(-1), 2);
  });
  it("stands still for sways, crouches and jumps", () => {
    const following = new Following();
    following.seen(0, new Vector3(), true);
    following.seen(1, new Vector3(0.1, 0.45, -0.1), true);
    expect(travelled(following, 1).length()).toBe(0);
    following.seen(2, new Vector3(0.1, 1.5, -0.1), true); // but not for a climb
    expect(travelled(following, 4, 2000).y).toBeCloseTo(1, 2);
  });
  it("comes back with a figure that starts again", () => {
    const following = new Following();
    following.seen(0, new Vector3(), true);
    following.seen(9, new Vector3(3, 0, 0), true);
    const there = travelled(following, 4).x;
    following.seen(0, new Vector3(), true);
    expect(there).toBeCloseTo(2.8, 2);
    // It is met 0.2 ahead now, and was 0.2 behind.
    expect(there + travelled(following, 4, 9000).x).toBeCloseTo(0.2, 2);
  });
  it("stays where the figure is posed within a frame, and where it is told to", () => {
    const following = new Following();
    following.seen(7, new Vector3(), true);
    following.seen(7, new Vector3(5, 0, 0), true);
    expect(travelled(following, 1).length()).toBe(0);
    following.seen(8, new Vector3(9, 0, 0), false);
    expect(travelled(following, 1).length()).toBe(0);
    following.forget();
    following.seen(9, new Vector3(-9, 0, 0), true);
    expect(travelled(following, 1).length()).toBe(0);
  });
});
