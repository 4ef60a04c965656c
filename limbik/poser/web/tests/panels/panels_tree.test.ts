// The tree of joints and its filter.

import { describe, expect, it } from "vitest";
import type { JointInfo } from "../../src/net/messages";
import { rows, search } from "../../src/panels/controls/tree";

const joint = (name: string, parent: number, role = "", kind = "revolute"): JointInfo => ({
  name, parent, role, kind, first: 0, count: 1, offset: [0, 0, 0], wxyz: [1, 0, 0, 0], parts: [],
});

// Children come before a later sibling's children in a file, but need not: Neck is last here.
const JOINTS = [
  joint("Hips", -1, "hips", "free (ZXY)"),
  joint("Spine", 0),
  joint("LeftArm", 1, "left upper arm"),
  joint("LeftHand", 2, "left hand"),
  joint("RightArm", 1, "right upper arm"),
  joint("Neck", 1, "neck", "ball (swing–twist)"),
];
const names = (found: { joint: number }[]): string[] => found.map((row) => JOINTS[row.joint]!.name);

describe("rows", () => {
  it("come in the order of the tree, with their depth", () => {
    const found = rows(JOINTS, "", new Set());
    expect(names(found)).toEqual(["Hips", "Spine", "LeftArm", "LeftHand", "RightArm", "Neck"]);
    expect(found.map((row) => row.depth)).toEqual([0, 1, 2, 3, 2, 2]);
    expect(found.map((row) => row.branches)).toEqual([true, true, true, false, false, false]);
  });
  it("hide what is below a folded joint", () => {
    expect(names(rows(JOINTS, "", new Set([2])))).toEqual(["Hips", "Spine", "LeftArm", "RightArm", "Neck"]);
  });
  it("keep the ancestors of what matches, folded or not", () => {
    const found = rows(JOINTS, "left hand", new Set([0]));
    expect(names(found)).toEqual(["Hips", "Spine", "LeftArm", "LeftHand"]);
    expect(found.map((row) => row.matches)).toEqual([false, false, false, true]);
  });
  it("find by kind, and nothing for nonsense", () => {
    expect(names(rows(JOINTS, "swing", new Set()))).toEqual(["Hips", "Spine", "Neck"]);
    expect(rows(JOINTS, "wing nut", new Set())).toEqual([]);
  });
  it("hold a chain of ten thousand joints", () => {
    const chain = Array.from({ length: 10_000 }, (_, j) => joint(`Link${j}`, j - 1));
    expect(rows(chain, "", new Set()).at(-1)!.depth).toBe(9999);
  });
});

describe("search", () => {
  it("puts what begins with the words first", () => {
    const found = search(JOINTS, "ri").map((j) => JOINTS[j]!.name);
    expect(found).toEqual(["RightArm"]);
    expect(search(JOINTS, "h").map((j) => JOINTS[j]!.name).slice(0, 1)).toEqual(["Hips"]);
    expect(search(JOINTS, "hand arm").length).toBe(0);
    expect(search(JOINTS, "arm left").map((j) => JOINTS[j]!.name)).toEqual(["LeftArm"]);
  });
});
