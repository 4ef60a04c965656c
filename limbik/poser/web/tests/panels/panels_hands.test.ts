// Which sliders a hand has.

import { describe, expect, it } from "vitest";
import { slidersOf } from "../../src/panels/sections/hands";
import type { HandInfo } from "../../src/net/messages";

function hand(fingers: string[], curls: number[]): HandInfo {
  return { side: "left", joint: 0, fingers, curls, spread: 0.5, shapes: [] };
}

describe("sliders of a hand", () => {
  it("are one for each finger, one for the four, and the spread", () => {
    const sliders = slidersOf([hand(["Thumb", "Index", "Middle", "Ring", "Little"], [1, 0, 0.2, 0.4, 0.6])]);
    expect(sliders.map(({ finger }) => finger)).toEqual(["all", "Thumb", "Index", "Middle", "Ring", "Little", "spread"]);
    expect(sliders[0]?.value).toBeCloseTo(0.3);
    expect(sliders.at(-1)?.value).toBe(0.5);
  });

  it("are two for a mitten, which cannot be spread", () => {
    const sliders = slidersOf([hand(["Thumb", "Index"], [0.1, 0.9])]);
    expect(sliders.map(({ label }) => label)).toEqual(["Thumb", "Fingers"]);
  });

  it("are none without a hand", () => expect(slidersOf([])).toEqual([]));
});
