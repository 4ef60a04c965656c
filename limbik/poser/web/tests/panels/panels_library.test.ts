// Pictures of poses: what is cut out, and how it travels.

import { describe, expect, it } from "vitest";
import { fitWords } from "../../src/panels/sections/library";
import { boundsOf, inPieces } from "../../src/panels/sections/thumbnail";

describe("the picture of a pose", () => {
  it("is a square around what is not transparent", () => {
    const pixels = new Uint8ClampedArray(4 * 20 * 10);
    for (const [x, y] of [[5, 2], [6, 7]] as const) pixels[4 * (y * 20 + x) + 3] = 255;
    const { x, y, size } = boundsOf(pixels, 20, 10);
    expect(size).toBeCloseTo(1.08 * 6);
    expect(x + size / 2).toBeCloseTo(6);
    expect(y + size / 2).toBeCloseTo(5);
  });

  it("is all of it where nothing is drawn", () => {
    expect(boundsOf(new Uint8ClampedArray(4 * 6), 3, 2)).toEqual({ x: 0, y: 0, size: 3 });
  });

  it("travels in pieces that make the whole", () => {
    expect(inPieces("abcdefg", 3)).toEqual(["abc", "def", "g"]);
    expect(inPieces("")).toEqual([]);
  });
});

it("a pose says what it is of where it does not fit", () => {
  const pose = { id: "1", name: "Sit", figure: "robot", picture: false, fit: "none" } as const;
  expect(fitWords(pose)).toContain("robot");
  expect(fitWords({ ...pose, fit: "roles" })).toContain("bone by bone");
});
