// Frames before parts agree with limbik: the numbers are from Figure.frames and swing_and_twist
// (tests/poser/web/test_edit_frames.py checks that they still are).

import type { Quaternion } from "three";
import { describe, expect, it } from "vitest";
import type { FigureInfo } from "../../src/net/messages";
import { ballRotation, type Ball, frameBefore, isBall, jointFrame, swingTwistOf } from "../../src/edit/frames";
import numbers from "./edit_frames.json";

const figure = { joints: numbers.joints } as unknown as FigureInfo;

/** How far two rotations are apart as quaternions, q and −q being one (angleTo is blunt near 0). */
function apart(one: Quaternion, other: Quaternion): number {
  const sign = Math.sign(one.dot(other));
  return Math.hypot(...one.toArray().map((value, k) => value - sign * other.toArray()[k]!));
}

describe("frameBefore", () => {
  it.each(figure.joints.map((joint, index) => [joint.name, index] as const))(
    "with all parts is the frame of %s",
    (_, index) => {
      const here = frameBefore(figure, numbers, index, figure.joints[index]!.parts.length);
      const there = jointFrame(numbers, index);
      expect(here.position.distanceTo(there.position)).toBeLessThan(1e-7);
      expect(apart(here.quaternion, there.quaternion)).toBeLessThan(1e-7);
    },
  );

  it("without parts is the placement on the parent", () => {
    const frame = frameBefore(figure, numbers, 0, 0);
    expect(frame.position.toArray()).toEqual([0.1, 0.9, 0.05]);
    expect(frame.quaternion.y).toBeCloseTo(Math.sin(0.3), 9);
  });

  it("follows the driver of a coupled turn", () => {
    const finger = figure.joints.findIndex((joint) => joint.name === "Finger");
    const moved = { ...numbers, q: numbers.q.map((value, k) => (k === 12 ? value + 1 : value)) };
    const [a, b] = [numbers, moved].map((pose) => frameBefore(figure, pose, finger, 1).quaternion);
    expect(a!.angleTo(b!)).toBeCloseTo(0.7, 6); // scale · 1 rad
  });
});

describe("swingTwistOf", () => {
  it.each(Object.entries(numbers.swingTwist))("decomposes the exponential ball of %s", (name, expected) => {
    const part = figure.joints.find((joint) => joint.name === name)!.parts.find(isBall) as Ball;
    swingTwistOf(part, numbers.q).forEach((value, k) => expect(value).toBeCloseTo(expected[k]!, 7));
  });

  it("puts the ball together again", () => {
    const ball: Ball = { kind: "exponential", coordinate: 0, twist: [0, 0.6, 0.8], swing: [1, 0, 0] };
    for (const q of [[0.3, -1.1, 0.4], [2.4, 0.1, -1], [0, 0, 0], [0, 3, 0.5]]) {
      const same: Ball = { ...ball, kind: "swing-twist" };
      const again = ballRotation(same, swingTwistOf(ball, q));
      expect(apart(again, ballRotation(ball, q))).toBeLessThan(1e-9);
    }
  });
});
