// The centre of mass, the hull of what a figure stands on, and where props are.

import { Ray, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import type { BodyInfo, EffectorInfo, FigureInfo, PropInfo } from "../../src/net/messages";
import { balanceOf, centreOfMass, depthIn, type Flat, hullOf } from "../../src/scene/balance";
import { onFloor, propPlace, rayToProp, reachBelow } from "../../src/scene/propPlace";

const SQUARE: Flat[] = [[0, 0], [2, 0], [2, 2], [0, 2]];
const TURNED = Math.SQRT1_2; // half the angle's cosine and sine of a quarter turn

// A hip on which two feet hang: joints 0, 1 and 2.
const figure = {
  up: "y", floor: 0, size: 2,
  joints: [{ parent: -1 }, { parent: 0 }, { parent: 0 }],
} as unknown as FigureInfo;
const pose = {
  positions: [0, 1, 0, -0.2, 0, 0, 0.2, 0, 0],
  wxyz: [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
  q: [],
};
const sole = (joint: number) => ({
  joint,
  points: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.2], [-0.1, 0.2]].map(([x, z]) => ({ joint, at: [x, 0, z] as [number, number, number] })),
});
const body: BodyInfo = {
  figure: 1,
  feet: [1, 2],
  masses: [{ joint: 0, mass: 3, center: [0.4, 0, 0] }, { joint: 1, mass: 1, center: [0, 0, 0.4] }],
  soles: [{ joint: 0, points: [] }, sole(1), sole(2)],
  shapes: [],
};
const pin = (joint: number): EffectorInfo => ({ id: joint, joint, mode: "pin", at: [0, 0, 0] }) as unknown as EffectorInfo;

const box: PropInfo = {
  id: 9, kind: "box", name: "Box", position: [1, 0.5, 0], wxyz: [1, 0, 0, 0], size: [0.4, 0.2, 0.2],
  parts: [{ ball: false, center: [0, 0, 0], half: [0.2, 0.1, 0.1] }], holds: [], mesh: "",
};

describe("the hull", () => {
  it("has the corners alone, counter-clockwise", () => {
    expect(hullOf([[1, 1], ...SQUARE, [1, 0], [0.5, 1.5]])).toEqual(SQUARE);
  });

  it("tells how far inside and outside a point is", () => {
    expect(depthIn(SQUARE, [0.5, 1])).toBeCloseTo(0.5);
    expect(depthIn(SQUARE, [2.3, 2.4])).toBeCloseTo(-0.5);
    expect(depthIn([[0, 0], [2, 0]], [1, 1])).toBeCloseTo(-1); // a line holds nothing
  });
});

describe("balance", () => {
  it("weighs the masses where their joints are", () => {
    expect(centreOfMass(body, pose)?.distanceTo(new Vector3(0.25, 0.75, 0.1))).toBeCloseTo(0);
    expect(centreOfMass({ ...body, masses: [] }, pose)).toBeNull();
  });

  it("stands on the pins, and without any on the feet", () => {
    // Seen from above (z, x): both soles reach from x = -0.3 to 0.3 and from z = -0.1 to 0.2.
    expect(balanceOf(figure, body, [], pose)?.inside).toBeCloseTo(0.05);
    expect(balanceOf(figure, body, [pin(2)], pose)?.inside).toBeCloseTo(0.05);
    expect(balanceOf(figure, body, [pin(1)], pose)?.inside).toBeCloseTo(-0.35);
  });

  it("does not stand on a pin above the centre of mass", () => {
    expect(balanceOf(figure, body, [pin(0)], pose)?.inside).toBeCloseTo(0.05);
  });
});

describe("a prop", () => {
  it("that is held is where the joint brings it", () => {
    const turned = { ...pose, wxyz: [1, 0, 0, 0, TURNED, 0, 0, TURNED, 1, 0, 0, 0] };
    const held: PropInfo = { ...box, holds: [{ joint: 1, position: [-0.3, 0, 0], wxyz: [1, 0, 0, 0] }] };
    // The joint is 0.3 to the left of the prop in the prop's frame, which is turned by a quarter about z.
    const place = propPlace(held, turned);
    expect(place.position.x).toBeCloseTo(-0.2);
    expect(place.position.y).toBeCloseTo(0.3);
    expect(propPlace(box, turned).position.toArray()).toEqual([1, 0.5, 0]);
  });

  it("is met by rays where its parts are", () => {
    const place = propPlace(box, null);
    const ray = (x: number) => new Ray(new Vector3(x, 0.5, 5), new Vector3(0, 0, -1));
    expect(rayToProp(ray(1.19), box, place)).toBeCloseTo(4.9);
    expect(rayToProp(ray(1.21), box, place)).toBe(Infinity);
  });

  it("does not go below the floor, however it is turned", () => {
    const flat = propPlace(box, null).quaternion;
    const upright = flat.clone().setFromAxisAngle(new Vector3(0, 0, 1), Math.PI / 2);
    expect(reachBelow(box, flat, 1)).toBeCloseTo(0.1);
    expect(reachBelow(box, upright, 1)).toBeCloseTo(0.2);
    expect(onFloor(box, new Vector3(1, -3, 0), upright, 1, 0).y).toBeCloseTo(0.2);
    expect(onFloor(box, new Vector3(1, 0.7, 0), flat, 1, 0).y).toBeCloseTo(0.7);
  });
});
