// The curve editor's arithmetic: scales, handles, which frames are sampled, and the ease of several keys.

import { describe, expect, it } from "vitest";
import { draggedHandles, handlePoints, isFlat, joinedAbove, scaleOf, ticks, valueAt, yOf } from "../../src/timeline/curves/curves";
import { commonEase } from "../../src/timeline/curves/ease";
import { Asking, sampled, windowAround } from "../../src/timeline/playing/sampling";
import { strength } from "../../src/scene/trails";

describe("the scale of a curve", () => {
  it("has all values inside and goes there and back", () => {
    const scale = scaleOf([-1, 3, 2], 100);
    expect(yOf(scale, 3)).toBeCloseTo(10);
    expect(yOf(scale, -1)).toBeCloseTo(90);
    expect(valueAt(scale, yOf(scale, 1.234))).toBeCloseTo(1.234);
  });

  it("does not blow up a curve that hardly moves", () => {
    const { low, high } = scaleOf([1, 1 + 1e-9], 100);
    expect(high - low).toBeCloseTo(0.1);
    expect(scaleOf([], 100)).toEqual({ low: -1, high: 1, height: 100 });
  });

  it("knows curves that do not move, and the joints above that do", () => {
    expect(isFlat([[1, 2], [1, 2 + 1e-6]])).toBe(true);
    expect(isFlat([[1, 2], [1, 2.1]])).toBe(false);
    const joints = [{ parent: -1, count: 6 }, { parent: 0, count: 3 }, { parent: 1, count: 0 }, { parent: 2, count: 2 }];
    expect(joinedAbove(joints as Parameters<typeof joinedAbove>[0], 3, 3)).toEqual([1, 0]);
  });

  it("is written at round values", () => {
    expect(ticks({ low: -47, high: 52, height: 1 })).toEqual([-40, -20, 0, 20, 40]);
    expect(ticks({ low: 0.01, high: 0.048, height: 1 }).map((t) => t.toFixed(2))).toEqual(["0.01", "0.02", "0.03", "0.04"]);
  });
});

describe("handles", () => {
  const [from, to]: [number, number][] = [[10, 1], [30, 3]];

  it("are drawn between their keys and dragged back to the same numbers", () => {
    const points = handlePoints(from!, to!, [0.25, 0, 0.75, 1.5]);
    expect(points).toEqual([[15, 1], [25, 4]]);
    expect(draggedHandles([0, 0, 1, 1], 0, points[0]!, from!, to!)).toEqual([0.25, 0, 1, 1]);
    expect(draggedHandles([0, 0, 1, 1], 1, points[1]!, from!, to!)).toEqual([0, 0, 0.75, 1.5]);
  });

  it("stay between their keys in time, and keep their value where both keys have the same", () => {
    expect(draggedHandles([0.2, 0.4, 1, 1], 0, [99, 2], from!, to!)).toEqual([1, 0.5, 1, 1]);
    expect(draggedHandles([0.2, 0.4, 1, 1], 0, [20, 2], [10, 1], [30, 1])).toEqual([0.5, 0.4, 1, 1]);
  });
});

describe("samples", () => {
  it("are every frame of a short timeline, with the keys of a long one", () => {
    expect(sampled(0, 5, [2])).toEqual([0, 1, 2, 3, 4, 5]);
    const long = sampled(0, 100_000, [777, 12_345]);
    expect(long.length).toBeLessThanOrEqual(402);
    expect(long).toContain(777);
    expect(long).toContain(12_345);
    expect([long[0], long.at(-1)]).toEqual([0, 100_000]);
    expect(sampled(3.2, 2.1, [])).toEqual([]);
  });

  it("are of a window that moves in steps", () => {
    expect(windowAround(50, 200, 240)).toEqual([0, 199]);
    expect(windowAround(490, 1000, 240)).toEqual(windowAround(500, 1000, 240));
    expect(windowAround(0, 1000, 240)).toEqual([0, 240]);
    expect(windowAround(999, 1000, 240)).toEqual([759, 999]);
  });

  it("are asked for once, and again when the question has changed meanwhile", async () => {
    let key = "a";
    const asked: string[] = [];
    const answers: (string | null)[] = [];
    const asking = new Asking<string>(
      () => (key ? { key, ask: () => { asked.push(key); return Promise.resolve(key); } } : null),
      (answer) => answers.push(answer),
    );
    asking.changed();
    key = "b";
    asking.changed(); // waits for the first
    expect(asked).toEqual(["a"]);
    await new Promise((resolve) => setTimeout(resolve));
    expect(asked).toEqual(["a", "b"]);
    expect(answers).toEqual(["a", "b"]);
    key = "";
    asking.changed();
    expect(answers.at(-1)).toBeNull();
  });
});

describe("what is drawn", () => {
  it("fades with its distance in time", () => {
    expect(strength(10, 10, 100)).toBe(1);
    expect(strength(60, 10, 100)).toBeCloseTo(0.5);
    expect(strength(500, 10, 100)).toBe(0.25);
  });

  it("says one ease for several keys, or that they differ", () => {
    expect(commonEase([{ ease: "in" }, { ease: "in" }])).toBe("in");
    expect(commonEase([{ ease: null }])).toBe("");
    expect(commonEase([{ ease: null }, { ease: "in" }])).toBeNull();
  });
});
