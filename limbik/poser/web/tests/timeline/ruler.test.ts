// Frames and pixels: there and back, zooming, the written frames, and neighbouring keys.

import { describe, expect, it } from "vitest";
import { clampShift, neighbour, Ruler, spoken } from "../../src/timeline/ruler";

describe("Ruler", () => {
  const ruler = new Ruler(100, 1026); // 10 pixels a frame between margins of 18

  it("keeps the first and the last frame off the ends", () => {
    expect(ruler.x(0)).toBe(18);
    expect(ruler.x(99)).toBe(1008);
    expect(new Ruler(1, 500).x(0)).toBe(18);
  });

  it("goes from pixels to frames and back", () => {
    for (const frame of [0, 17, 42.5, 99]) expect(ruler.frame(ruler.x(frame))).toBeCloseTo(frame, 12);
    expect(ruler.nearest(ruler.x(17) + 4.9)).toBe(17);
    expect(ruler.nearest(ruler.x(17) + 5.1)).toBe(18);
    expect(ruler.nearest(-50)).toBe(0);
    expect(ruler.nearest(5000)).toBe(99);
  });

  it("writes frames so far apart that they do not touch", () => {
    expect(ruler.step).toBe(10);
    expect(new Ruler(20, 2000).step).toBe(1);
    expect(new Ruler(3000, 1000).step).toBe(200);
    expect(new Ruler(1, 10).step).toBeGreaterThan(0);
    for (const frames of [1, 7, 121, 601, 5000, 100_000]) {
      const { step, scale } = new Ruler(frames, 900);
      expect(step * scale).toBeGreaterThanOrEqual(56);
    }
  });

  it("draws ticks between written frames, none outside the timeline", () => {
    const ticks = ruler.ticks();
    expect(ticks.map(({ frame }) => frame).slice(0, 6)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(ticks.filter(({ label }) => label !== null).map(({ label }) => label)).toEqual(
      ["0", "10", "20", "30", "40", "50", "60", "70", "80", "90"],
    );
    expect(ticks.at(-1)?.frame).toBe(98);
  });

  it("zooms about the frame under the pointer", () => {
    const x = 300;
    const closer = new Ruler(100, 1026, ruler.zoomed(0.5, x));
    expect(closer.frame(x)).toBeCloseTo(ruler.frame(x), 12);
    expect(closer.scale).toBeCloseTo(20, 12);
    expect(closer.zoomed(10, x)).toEqual({ from: 0, across: 99 });
  });

  it("never leaves the timeline", () => {
    const closer = new Ruler(100, 1026, ruler.zoomed(0.1, 0));
    expect(closer.view).toEqual({ from: 0, across: 9.9 });
    expect(closer.panned(-500).from).toBe(0);
    expect(closer.panned(1e6).from).toBeCloseTo(89.1, 12);
    expect(ruler.zoomed(1e-6, 500).across).toBe(8);
  });
});

describe("keys", () => {
  it("stop at the ends when they are moved together", () => {
    expect(clampShift([3, 10], -5, 100)).toBe(-3);
    expect(clampShift([3, 90], 20, 100)).toBe(9);
    expect(clampShift([3, 90], 4, 100)).toBe(4);
    expect(clampShift([], 4, 100)).toBe(0);
  });

  it("have neighbours, and a frame on a key is not its own", () => {
    expect(neighbour([30, 0, 12], 12, -1)).toBe(0);
    expect(neighbour([30, 0, 12], 12, 1)).toBe(30);
    expect(neighbour([30, 0, 12], 12.5, -1)).toBe(12);
    expect(neighbour([30, 0, 12], 30, 1)).toBeNull();
  });
});

it("says where the playhead is", () => {
  expect(spoken(12, 121, 30)).toBe("Frame 12 of 120, 0.40 s");
  expect(spoken(12.25, 121, 30)).toBe("Frame 12.3 of 120, 0.41 s");
});
