// A figure that stands elsewhere is at rest; one that is bent, turned or slid along a rail is not.

import { describe, expect, it } from "vitest";
import type { FigureInfo } from "../../src/net/messages";
import { isRestPose } from "../../src/panels/over/restPose";

function figureWith(slides: number): FigureInfo {
  const slide = { kind: "slide" };
  const turn = { kind: "turn" };
  return {
    size: 2,
    joints: [
      { parent: -1, parts: [...Array(slides).fill(slide), turn] },
      { parent: 0, parts: [turn] },
    ],
    coordinates: [
      ...Array.from({ length: slides }, () => ({ joint: 0, slides: true, rest: 1 })),
      { joint: 0, slides: false, rest: 0 },
      { joint: 1, slides: false, rest: 0.5 },
    ],
  } as unknown as FigureInfo;
}

describe("the rest pose", () => {
  const body = figureWith(3);
  it("is one wherever the figure stands", () => {
    expect(isRestPose(body, [1, 1, 1, 0, 0.5])).toBe(true);
    expect(isRestPose(body, [4, 1, -2, 0, 0.5])).toBe(true);
  });
  it("is none where a joint is bent or the body is turned", () => {
    expect(isRestPose(body, [1, 1, 1, 0, 0.51])).toBe(false);
    expect(isRestPose(body, [1, 1, 1, 0.1, 0.5])).toBe(false);
    expect(isRestPose(body, [1, 1, 1])).toBe(false);
  });
  it("is none where a robot has moved along its rail", () => {
    const robot = figureWith(1);
    expect(isRestPose(robot, [1.0001, 0, 0.5])).toBe(true);
    expect(isRestPose(robot, [1.1, 0, 0.5])).toBe(false);
  });
});
