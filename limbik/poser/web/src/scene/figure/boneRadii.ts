// How thick bones are drawn, and which of them are a trunk.

import type { Bone, FigureInfo, Vec3 } from "../../net/messages";

/** Parts of the trunk, which run into each other without a waist between them. */
const TRUNK = new Set(["hips", "spine", "chest", "upperchest"]);

/** So many bones from one joint are a palm, or the body of a spider: they grow until they touch. */
const HUB = 4;

/** "leftUpperArm" and "left upper arm" are the same role. */
export function plainRole(role: string): string {
  return role.toLowerCase().replace(/[^a-z]/g, "");
}

/** Plain roles without their side, those of the nearest ancestor where a joint has none. */
export function parts(figure: FigureInfo): string[] {
  const found: string[] = [];
  for (const joint of figure.joints) {
    const own = plainRole(joint.role).replace(/^(left|right)/, "");
    found.push(own || (joint.parent >= 0 ? found[joint.parent]! : ""));
  }
  return found;
}

export function isTrunk(part: string): boolean {
  return TRUNK.has(part);
}

function distance(a: Vec3, b: Vec3): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** The radius of every bone in the figure's unit: its own, or more where many begin together. */
export function boneRadii(figure: FigureInfo): number[] {
  const part = parts(figure);
  const radii = figure.bones.map((bone) => bone.radius);
  for (const [joint, group] of bonesByJoint(figure)) {
    if (group.length < HUB || !["", "hand"].includes(part[joint]!)) continue;
    for (const k of group) {
      const bone = figure.bones[k]!;
      const others = group.filter((l) => l !== k).map((l) => distance(bone.to, figure.bones[l]!.to));
      const touching = 0.8 * Math.min(...others);
      const most = Math.min(0.66 * distance(bone.from, bone.to), 1.7 * bone.radius);
      radii[k] = Math.max(bone.radius, Math.min(touching, most));
    }
  }
  return radii;
}

/** The bones that are worth drawing.  Many files have a root on the floor, with the hips on it: what
 *  joins the two is no part of the body. */
export function visibleBones(figure: FigureInfo): Bone[] {
  const hips = figure.joints.findIndex((joint) => plainRole(joint.role) === "hips");
  const above = new Set<number>();
  for (let i = hips < 0 ? -1 : figure.joints[hips]!.parent; i >= 0; i = figure.joints[i]!.parent) above.add(i);
  return figure.bones.filter((bone) => !above.has(bone.joint));
}

/** Indices of the bones that begin at each joint's origin. */
export function bonesByJoint(figure: FigureInfo): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  figure.bones.forEach((bone: Bone, k) => {
    if (Math.hypot(...bone.from) > 1e-4 * figure.size) return;
    groups.set(bone.joint, [...(groups.get(bone.joint) ?? []), k]);
  });
  return groups;
}
