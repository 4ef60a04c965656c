// Onion skins around a frame, the selection of keys, and how fast answers come.

import { describe, expect, it } from "vitest";
import { Pace } from "../../src/net/latency";
import { clicked } from "../../src/timeline/diamonds";
import { skins } from "../../src/timeline/playing/onion";

describe("onion skins", () => {
  it("are the three nearest keys on either side", () => {
    expect(skins(25, [0, 10, 20, 25, 30, 40, 50, 60, 5], 100, null)).toEqual([5, 10, 20, 30, 40, 50]);
    expect(skins(0, [0], 100, null)).toEqual([]);
  });

  it("are steps in a clip, inside it", () => {
    expect(skins(8, [], 20, 5)).toEqual([3, 13, 18]);
  });
});

describe("clicking keys", () => {
  it("selects one, or with Shift one more or less", () => {
    expect([...clicked(new Set([1, 2]), 3, false)]).toEqual([3]);
    expect([...clicked(new Set([1, 2]), 3, true)]).toEqual([1, 2, 3]);
    expect([...clicked(new Set([1, 2]), 2, true)]).toEqual([1]);
  });

  it("keeps several selected while one of them is dragged", () => {
    expect([...clicked(new Set([1, 2]), 2, false)]).toEqual([1, 2]);
  });
});

describe("Pace", () => {
  it("has the newest round trip and the median", () => {
    const pace = new Pace();
    expect(pace.roundTrip).toEqual({ last: NaN, median: NaN });
    for (const ms of [9, 1, 5, 3, 7]) pace.answered(ms);
    expect(pace.roundTrip).toEqual({ last: 7, median: 5 });
    for (let i = 0; i < 121; i++) pace.answered(2);
    expect(pace.roundTrip.median).toBe(2);
  });

  it("counts the solves of the last second", () => {
    const pace = new Pace();
    for (let t = 0; t <= 3000; t += 10) pace.solved(t);
    expect(pace.rate(3000)).toBe(101);
    expect(pace.rate(3500)).toBe(51);
    expect(pace.rate(9000)).toBe(0);
  });
});
