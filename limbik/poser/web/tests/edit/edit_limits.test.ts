// Gauges and their handles: curves of limits, and limits from handles.

import { Vector3 } from "three";
import { describe, expect, it } from "vitest";
import type { Limit, Part } from "../../src/net/messages";
import { axesOf, type Ball, type Mover } from "../../src/edit/frames";
import { endSwing, inWords, withEnd, withSwing } from "../../src/edit/limits/handles";
import { across, arcDirection, type Cone, drawnArc, edgeDirections, shapesOf, swingTo, swungDirection, twistDirection } from "../../src/edit/limits/shapes";

const ball: Ball = { kind: "swing-twist", coordinate: 7, twist: [0, 1, 0], swing: [0, 0, 1] };
const shoulder = { first: 7, count: 3, parts: [ball] as Part[] };
const cone: Limit = { kind: "cone", swing: [1.2, 0.7], center: [0.2, -0.1], twist: [-0.5, 0.9] };
const turn = (axis: [number, number, number], coordinate: number): Mover => ({ kind: "turn", axis, coordinate, scale: 1, shift: 0, driver: -1 });
const elbow = { first: 4, count: 2, parts: [turn([1, 0, 0], 4), turn([0, 1, 0], 5)] };

function coneShape(limit: Limit): Cone {
  return shapesOf(shoulder, limit, [0, 1, 0]).find((shape) => shape.shape === "cone") as Cone;
}

describe("cones", () => {
  it("swing t by exp(s₁u + s₂v), v = t × u", () => {
    const axes = axesOf(ball);
    expect(axes.v.toArray()).toEqual([1, 0, 0]);
    // A quarter turn about u = z brings y to −x, one about v = x brings y to z.
    expect(swungDirection(axes, Math.PI / 2, 0).distanceTo(new Vector3(-1, 0, 0))).toBeLessThan(1e-9);
    expect(swungDirection(axes, 0, Math.PI / 2).distanceTo(new Vector3(0, 0, 1))).toBeLessThan(1e-9);
  });

  it("have an edge on the ellipse, and closed", () => {
    const shape = coneShape(cone);
    const edge = edgeDirections(shape, 64);
    expect(edge).toHaveLength(65);
    expect(edge[0]!.distanceTo(edge[64]!)).toBeLessThan(1e-9);
    for (const way of edge) {
      const [x, y] = swingTo(shape.axes, way);
      expect(((x - 0.2) / 1.2) ** 2 + ((y + 0.1) / 0.7) ** 2).toBeCloseTo(1, 7);
    }
  });

  it("are boxes where two ranges make them, open ends just before half a turn", () => {
    const shape = coneShape({ kind: "range", lower: [-1, -0.5, null], upper: [0.6, null, null] });
    expect(shape.box).toBe(true);
    expect(shape.half[0]).toBeCloseTo(0.8);
    expect(shape.center[0]).toBeCloseTo(-0.2);
    expect(shape.center[1] + shape.half[1]).toBeCloseTo((179 * Math.PI) / 180);
    for (const way of edgeDirections({ ...shape, half: [0.8, 0.5], center: [-0.2, 0] }, 40)) {
      const [x, y] = swingTo(shape.axes, way);
      expect(Math.max(Math.abs(x + 0.2) / 0.8, Math.abs(y) / 0.5)).toBeCloseTo(1, 7);
    }
  });

  it("come with a twist that is measured after the swing", () => {
    const axes = axesOf(ball);
    expect(twistDirection(axes, 0, 0, Math.PI / 2).distanceTo(axes.v)).toBeLessThan(1e-9);
    const [way, tip] = [twistDirection(axes, 0.4, -0.9, 0.3), swungDirection(axes, 0.4, -0.9)];
    expect(way.dot(tip)).toBeCloseTo(0, 9);
  });
});

describe("arcs", () => {
  it("have their zero across the axis, along the bone", () => {
    expect(across(new Vector3(1, 0, 0), new Vector3(3, 0, 4)).toArray()).toEqual([0, 0, 1]);
    expect(across(new Vector3(0, 1, 0), new Vector3(0, 2, 0)).dot(new Vector3(0, 1, 0))).toBe(0);
    const [arc] = shapesOf(elbow, null, [0, 1, 0]);
    if (arc?.shape !== "arc") throw new Error("a turn is an arc");
    expect(arcDirection(arc, Math.PI / 2).distanceTo(new Vector3(0, 0, 1))).toBeLessThan(1e-9);
  });

  it("go half way round at open ends and once around at most", () => {
    expect(drawnArc(null, null)).toEqual([-Math.PI, Math.PI]);
    expect(drawnArc(0, null)).toEqual([0, Math.PI]);
    expect(drawnArc(-7, 7)).toEqual([-Math.PI, Math.PI]);
    expect(drawnArc(-0.5, 2)).toEqual([-0.5, 2]);
  });

  it("are not drawn for turns that follow another", () => {
    const coupled: Part = { ...turn([1, 0, 0], -1), driver: 2 };
    expect(shapesOf({ first: 4, parts: [coupled] }, null, [0, 1, 0])).toEqual([]);
  });
});

describe("handles", () => {
  const limit: Limit = { kind: "range", lower: [0, -1], upper: [2.5, 1] };
  const [bend] = shapesOf(elbow, limit, [0, 1, 0]);

  it("move one end of one coordinate", () => {
    if (bend?.shape !== "arc") throw new Error("a turn is an arc");
    expect(withEnd(elbow, limit, bend, "upper", 2.1)).toEqual({ kind: "range", lower: [0, -1], upper: [2.1, 1] });
    expect(limit.upper).toEqual([2.5, 1]); // and leave the old limit alone
  });

  it("do not let the ends pass each other", () => {
    if (bend?.shape !== "arc") throw new Error("a turn is an arc");
    expect(withEnd(elbow, limit, bend, "lower", 3)).toMatchObject({ lower: [2.5, -1] });
    expect(withEnd(elbow, limit, bend, "upper", 99)).toMatchObject({ upper: [2 * Math.PI, 1] });
  });

  it("make a limit where there was none", () => {
    const second = shapesOf(elbow, null, [0, 1, 0])[1];
    if (second?.shape !== "arc") throw new Error("a turn is an arc");
    expect(withEnd(elbow, null, second, "lower", -0.4)).toEqual({ kind: "range", lower: [null, -0.4], upper: [null, null] });
  });

  it("move one end of a cone's axis and leave the opposite one", () => {
    const shape = coneShape(cone);
    expect(endSwing(shape, "a+")).toEqual([1.4, -0.1]);
    const moved = withSwing(shoulder, cone, shape, "a+", [1.0, -0.1]);
    if (moved.kind !== "cone" || !moved.swing) throw new Error("a cone stays one");
    expect(moved.swing[0]).toBeCloseTo(1.0);
    expect(moved.center[0]).toBeCloseTo(0.0);
    expect(moved.center[0] - moved.swing[0]).toBeCloseTo(-1.0); // as before: 0.2 − 1.2
    expect([moved.swing[1], moved.center[1], moved.twist]).toEqual([0.7, -0.1, [-0.5, 0.9]]);
  });

  it("move both ends with Alt", () => {
    const moved = withSwing(shoulder, cone, coneShape(cone), "b-", [0.2, -1.0], true);
    if (moved.kind !== "cone" || !moved.swing) throw new Error("a cone stays one");
    expect(moved.swing[1]).toBeCloseTo(0.9);
    expect(moved.center[1]).toBeCloseTo(-0.1);
  });

  it("keep a cone open and away from half a turn", () => {
    const shape = coneShape(cone);
    const shut = withSwing(shoulder, cone, shape, "a+", [-3, 0]) as Extract<Limit, { kind: "cone" }>;
    expect(shut.swing![0]).toBeCloseTo(Math.PI / 360);
    const far = withSwing(shoulder, cone, shape, "center", [3, 0]) as Extract<Limit, { kind: "cone" }>;
    expect(Math.hypot(...far.center) + Math.max(...far.swing!)).toBeLessThanOrEqual((179.001 * Math.PI) / 180);
  });

  it("turn a twist without touching the cone, and boxes into ranges", () => {
    const twist = shapesOf(shoulder, cone, [0, 1, 0]).find((shape) => shape.shape === "twist");
    if (twist?.shape !== "twist") throw new Error("a cone has a twist");
    expect(withEnd(shoulder, cone, twist, "lower", -0.8)).toEqual({ ...cone, twist: [-0.8, 0.9] });
    const range: Limit = { kind: "range", lower: [-1, -0.5, -2], upper: [0.6, 0.5, 2] };
    const moved = withSwing(shoulder, range, coneShape(range), "b+", [0, 0.9]) as Extract<Limit, { kind: "range" }>;
    expect(moved.upper[1]).toBeCloseTo(0.9);
    expect(moved.lower[1]).toBeCloseTo(-0.5);
    expect(moved.upper[2]).toBe(2);
  });

  it("say their value in degrees or in the figure's unit", () => {
    expect(inWords(-Math.PI / 4, false, "m")).toBe("−45.0°");
    expect(inWords(-1e-9, false, "m")).toBe("0.0°");
    expect(inWords(0.1234, true, "m")).toBe("0.123 m");
  });
});
