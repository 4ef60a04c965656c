import { describe, expect, it } from "vitest";
import type { FigureInfo, JointInfo } from "../../src/net/messages";
import { ease, enclose, facing, fit, gridSpacing, sideOf } from "../../src/scene/framing";
import { shortestTurn } from "../../src/scene/namedViews";

function joint(name: string, role = ""): JointInfo {
  return { name, role, parent: -1, kind: "", first: 0, count: 0, offset: [0, 0, 0], wxyz: [1, 0, 0, 0], parts: [], axes: [] };
}

function figure(up: "x" | "y" | "z", joints: JointInfo[]): FigureInfo {
  return {
    id: 1, name: "", unit: "m", up, size: 1, floor: 0, joints, coordinates: [], bones: [], mesh: false,
    clips: [], file: "", builtin: "", mirrors: false, limbs: [],
  };
}

describe("gridSpacing", () => {
  it("puts a person on metres, in whatever unit", () => {
    expect(gridSpacing(1.8)).toEqual({ minor: 0.1, major: 1 });
    const cm = gridSpacing(180);
    expect(cm.major).toBeCloseTo(100, 9);
    expect(cm.minor).toBeCloseTo(10, 9);
  });

  it("keeps the strong lines between a quarter and one and a quarter of the size apart", () => {
    for (let size = 1e-3; size < 1e4; size *= 1.1) {
      const { minor, major } = gridSpacing(size);
      expect(major / size).toBeGreaterThan(0.2);
      expect(major / size).toBeLessThan(1.25);
      const lines = Math.round(major / minor);
      expect([5, 10]).toContain(lines);
      expect(minor * lines).toBeCloseTo(major, 12);
    }
  });

  it("has lines even for a figure without a size", () => {
    expect(gridSpacing(0).major).toBe(1);
    expect(gridSpacing(NaN).minor).toBe(0.1);
  });
});

describe("fit", () => {
  it("brings the outermost point exactly to the edge of the picture", () => {
    const points = [-1, -2, 0.5, 3, 1, -0.5, 0, 4, 0.2];
    for (const aspect of [0.5, 1, 2]) {
      const { center, distance } = fit(points, 40, aspect, false, 1);
      const edge = Math.tan((20 * Math.PI) / 180);
      let furthest = 0;
      for (let i = 0; i < 9; i += 3) {
        const depth = distance - (points[i + 2]! - center[2]);
        const x = (points[i]! - center[0]) / depth / (edge * aspect);
        const y = (points[i + 1]! - center[1]) / depth / edge;
        furthest = Math.max(furthest, Math.abs(x), Math.abs(y));
      }
      expect(furthest).toBeCloseTo(1, 12);
    }
  });

  it("stands further away for a narrower picture", () => {
    const points = [-1, 0, 0, 1, 0, 0];
    expect(fit(points, 30, 0.5).distance).toBeCloseTo(2 * fit(points, 30, 1).distance, 12);
  });
});

describe("enclose", () => {
  it("encloses the chosen points", () => {
    const points = [0, 0, 0, 2, 0, 0, 100, 0, 0];
    expect(enclose(points, [0, 1])).toEqual({ center: [1, 0, 0], radius: 1 });
    expect(enclose(points).radius).toBe(50);
    expect(enclose([])).toEqual({ center: [0, 0, 0], radius: 0 });
  });
});

describe("sideOf", () => {
  it.each([
    ["LeftArm", "", "left"],
    ["RightHandIndex1", "", "right"],
    ["mixamorig:LeftFoot", "", "left"],
    ["hand.l", "", "left"],
    ["upper_arm_R", "", "right"],
    ["R1Femur", "", "right"],
    ["L4Foot", "", "left"],
    ["bone12", "left upper arm", "left"],
    ["bone13", "rightLowerLeg", "right"],
    ["Collar", "", "middle"],
    ["Lumbar", "", "middle"],
    ["Root", "", "middle"],
    ["RootJoint", "", "middle"],
  ])("%s (%s) is %s", (name, role, side) => expect(sideOf(name, role)).toBe(side));
});

describe("facing", () => {
  it("is left × up where left and right are known", () => {
    const joints = [joint("LeftHand"), joint("RightHand")];
    expect(facing(figure("y", joints), [1, 5, 0, -1, 2, 0])).toEqual([-0, 0, 1]);
    const z = facing(figure("z", joints), [0, 1, 0, 0, -1, 0]);
    expect(z[0]).toBe(1);
    expect(Math.abs(z[1])).toBe(0);
    const x = facing(figure("x", joints), [0, 0, 1, 0, 0, -1]);
    expect(x[1]).toBe(1);
  });

  it("is the usual front for everything else", () => {
    expect(facing(figure("z", [joint("link1")]), [0, 0, 0])).toEqual([1, 0, 0]);
    expect(facing(figure("y", [joint("Root")]), [0, 0, 0])).toEqual([0, 0, 1]);
  });
});

describe("gliding", () => {
  it("never turns by more than half a turn", () => {
    for (const from of [-7, 0, 2.5]) {
      for (let to = -9; to < 9; to += 0.37) {
        const end = shortestTurn(from, to);
        expect(Math.abs(end - from)).toBeLessThanOrEqual(Math.PI + 1e-12);
        expect(Math.cos(end)).toBeCloseTo(Math.cos(to), 12);
        expect(Math.sin(end)).toBeCloseTo(Math.sin(to), 12);
      }
    }
  });

  it("starts and ends at rest", () => {
    expect([ease(0), ease(0.5), ease(1)]).toEqual([0, 0.5, 1]);
    expect(ease(0.01)).toBeLessThan(1e-5);
  });

  it("looks only at width and height where there is no perspective", () => {
    const standing = [-1, 0, 0, 1, 0, 3];
    const lying = [-1, 0, 0, 1, 0, 0];
    expect(fit(standing, 30, 1, true).distance).toBeCloseTo(fit(lying, 30, 1, true).distance, 12);
  });
});
