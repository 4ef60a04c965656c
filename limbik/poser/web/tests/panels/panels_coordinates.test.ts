// Sliders' ends, limits to begin with, and values on their way.

import { describe, expect, it } from "vitest";
import type { FigureInfo, JointInfo, Limit, Part, Vec3 } from "../../src/net/messages";
import { ends, fault, firstLimit, isEulerBall } from "../../src/panels/sections/coordinates";
import { coordinateLabel, shortName, withLabels } from "../../src/edit/coordinateNames";
import { Latest } from "../../src/net/latestOnly";
import { nextTheme, resolved } from "../../src/panels/bar/theme";

const BALL: JointInfo = {
  name: "Arm", parent: -1, role: "", kind: "ball (swing–twist)", first: 0, count: 3, offset: [0, 0, 0], wxyz: [1, 0, 0, 0],
  parts: [{ kind: "swing-twist", coordinate: 0, twist: [1, 0, 0], swing: [0, 1, 0] }], axes: [],
};
const RAIL: JointInfo = {
  name: "Rail", parent: 0, role: "", kind: "prismatic", first: 3, count: 1, offset: [0, 0, 0], wxyz: [1, 0, 0, 0],
  parts: [{ kind: "slide", axis: [1, 0, 0], coordinate: 3, scale: 1, shift: 0, driver: -1 }], axes: [],
};
const FIGURE: FigureInfo = {
  id: 1, name: "test", unit: "m", up: "y", size: 2, floor: 0, joints: [BALL, RAIL], bones: [], mesh: false, clips: [],
  file: "", builtin: "", mirrors: false, limbs: [],
  coordinates: ["Arm.swing1", "Arm.swing2", "Arm.twist", "Rail.tx"].map((name, c) => ({
    name, joint: c < 3 ? 0 : 1, slides: c === 3, rest: 0,
  })),
};

describe("ends of a slider", () => {
  it("come from the cone around its center, and from the twist", () => {
    const cone: Limit = { kind: "cone", swing: [1, 0.5], center: [0.2, -0.1], twist: [-0.3, null] };
    expect(ends(FIGURE, BALL, cone, 0).lower).toBeCloseTo(-0.8, 12);
    expect(ends(FIGURE, BALL, cone, 1).upper).toBeCloseTo(0.4, 12);
    expect(ends(FIGURE, BALL, cone, 2)).toEqual({ lower: -0.3, upper: Math.PI, limited: true });
  });
  it("are half a turn, or the figure's size, without limits", () => {
    expect(ends(FIGURE, BALL, null, 0)).toEqual({ lower: -Math.PI, upper: Math.PI, limited: false });
    expect(ends(FIGURE, RAIL, null, 0)).toEqual({ lower: -2, upper: 2, limited: false });
  });
  it("hold a range beyond half a turn", () => {
    const range: Limit = { kind: "range", lower: [4], upper: [null] };
    expect(ends(FIGURE, RAIL, range, 0)).toEqual({ lower: 4, upper: 4, limited: true });
  });
});

describe("a first limit", () => {
  it("allows the pose at hand", () => {
    const limit = firstLimit(FIGURE, { ...BALL, parts: [], axes: [] }, [2, -3, 0], false);
    expect(limit).toEqual({ kind: "range", lower: [-Math.PI / 2, -3, -Math.PI / 2], upper: [2, Math.PI / 2, Math.PI / 2] });
  });
  it("ends a rail, and lets a body that turns move about", () => {
    expect(firstLimit(FIGURE, RAIL, [1.4], false)).toEqual({ kind: "range", lower: [-1], upper: [1.4] });
    const free: JointInfo = { ...BALL, first: 2, count: 2, parts: [], axes: [] }; // a turn and a slide
    expect(firstLimit(FIGURE, free, [0, 0.4], false)).toEqual({
      kind: "range", lower: [-Math.PI / 2, null], upper: [Math.PI / 2, null],
    });
  });
  it("is a cone on a ball", () => {
    const third = Math.PI / 3;
    expect(firstLimit(FIGURE, BALL, [0, 0.2, 0], true)).toEqual({
      kind: "cone", swing: [third, third], center: [0, 0], twist: [-Math.PI / 4, Math.PI / 4],
    });
  });
  it("is a cone as wide as the pose needs", () => {
    const limit = firstLimit(FIGURE, BALL, [1.2, -1.6, 1], true);
    expect(limit.kind === "cone" && limit.swing?.[0]).toBeCloseTo(2.2, 12);
    expect(limit.kind === "cone" && limit.twist).toEqual([-Math.PI / 4, 1]);
  });
});

it("knows a ball of three angles", () => {
  const turn = (coordinate: number): Part => ({ kind: "turn", axis: [1, 0, 0], coordinate, scale: 1, shift: 0, driver: -1 });
  const three: JointInfo = { ...BALL, parent: 0, parts: [turn(0), turn(1), turn(2)] };
  expect(isEulerBall(three)).toBe(true);
  expect(isEulerBall({ ...three, parent: -1 })).toBe(false); // a root goes all the way round
  expect(isEulerBall({ ...three, parts: [turn(0), turn(1), turn(-1)] })).toBe(false); // one is driven
  expect(isEulerBall({ ...BALL, parent: 0 })).toBe(false);
});

it("names what is wrong with a limit", () => {
  expect(fault({ kind: "range", lower: [0, null], upper: [1, -1] })).toBe("");
  expect(fault({ kind: "range", lower: [2], upper: [1] })).toContain("above");
  expect(fault({ kind: "cone", swing: [0, 1], center: [0, 0], twist: [null, null] })).toContain("0°");
  expect(fault({ kind: "cone", swing: null, center: [0, 0], twist: [1, 0] })).toContain("twist");
});

it("shortens the names of coordinates", () => {
  expect(["Hips.ty", "LeftArm.swing2", "LeftLeg.rx", "elbow"].map(shortName)).toEqual(["move y", "swing 2", "turn x", "elbow"]);
});

it("sends one value at a time, then the newest, then what comes last", async () => {
  const log: (number | string)[] = [];
  const answers: (() => void)[] = [];
  const latest = new Latest<number>((value) => {
    log.push(value);
    return new Promise((answer, refuse) => answers.push(value === 3 ? () => refuse(new Error("no")) : () => answer(0)));
  });
  const settle = () => new Promise((after) => setTimeout(after));
  for (const value of [1, 2, 3]) latest.give(value);
  latest.then(() => log.push("drop"));
  expect(log).toEqual([1]);
  answers[0]!();
  await settle();
  expect(log).toEqual([1, 3]);
  answers[1]!(); // a refusal does not stop what follows
  await settle();
  expect(log).toEqual([1, 3, "drop"]);
  latest.give(4);
  expect(log).toEqual([1, 3, "drop", 4]);
});

it("goes through the themes", () => {
  expect(["auto", "light", "dark"].map((theme) => nextTheme(theme as "auto"))).toEqual(["light", "dark", "auto"]);
  expect(resolved("auto", true)).toBe("dark");
  expect(resolved("light", true)).toBe("light");
});

describe("names of coordinates", () => {
  const axes = [
    { name: "flex", axis: [0, 0.9, Math.sqrt(0.19)] as Vec3, part: -1 },
    { name: "spread", axis: [0, Math.sqrt(0.19), -0.9] as Vec3, part: -1 },
    { name: "twist", axis: [1, 0, 0] as Vec3, part: -1 },
  ];
  const body: FigureInfo = { ...FIGURE, joints: [{ ...BALL, axes }, RAIL] };
  it("are anatomical where the axes are, with a sign", () => {
    const labels = [0, 1, 2, 3].map((c) => coordinateLabel(body, c));
    expect(labels).toEqual(["flex", "−spread", "twist", "move x"]);
    expect([0, 1, 2].map((c) => coordinateLabel(FIGURE, c))).toEqual(["swing 1", "swing 2", "twist"]);
  });
  it("are the joint's own where its axes lie between them", () => {
    const half = Math.SQRT1_2;
    const between = [{ name: "flex", axis: [0, half, half] as Vec3, part: -1 }];
    expect(coordinateLabel({ ...FIGURE, joints: [{ ...BALL, axes: between }, RAIL] }, 0)).toBe("swing 1");
  });
  it("are those of the sentence too", () => {
    expect(withLabels(body, "Arm.swing1 at its lower limit (5°) and Arm.twist at its upper limit (9°) hold it back")).toBe(
      "Arm flex at its lower limit (5°) and Arm twist at its upper limit (9°) hold it back",
    );
  });
});
