// From a figure's capsules to shapes: how thick each bone is at its ends, where balls are, what joins.

import type { Bone, FigureInfo, Vec3 } from "../../net/messages";
import { isTrunk, parts, plainRole } from "./boneRadii";
import { cornersFor, isBall, type BoneShape } from "./shapes";

/** A ball is so much of the thinnest bone that meets in it. */
const BALL = 0.8;

/** Ends of bones are so much of the ball they run into, so that the ball is seen. */
const NECK = 0.86;

export interface Shaped {
  bone: Bone;
  shape: BoneShape;
  /** The joint at which it ends, −1 where there is none. */
  end: number;
}

function near(a: Vec3, b: Vec3, least: number): boolean {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) <= least;
}

/** Which joints show a ball, and how thick it is; elsewhere bones run into each other. */
export interface Ball {
  radius: number; // 0 where no bone meets
  shown: boolean;
  trunk: boolean;
}

/** Bones shorter than this share of their thickness hide the balls at their ends. */
const STOUT = 0.5;

/** Beyond this, a bone is drawn as a ball around its middle. */
const KNOB = 1.2;

/** The ball at every joint, from the bones that meet there. */
export function ballsOf(figure: FigureInfo, radii: readonly number[]): Ball[] {
  const least = 1e-4 * figure.size;
  const part = parts(figure);
  const meeting: { radius: number; stout: boolean; trunk: boolean; begins: boolean }[][] = figure.joints.map(() => []);
  figure.bones.forEach((bone, k) => {
    const length = Math.hypot(...([0, 1, 2].map((i) => bone.to[i]! - bone.from[i]!) as Vec3));
    const end = figure.joints.findIndex((joint) => joint.parent === bone.joint && near(bone.to, joint.offset, least));
    const trunk = isTrunk(part[bone.joint]!) && (end < 0 || isTrunk(part[end]!));
    const one = { radius: radii[k]!, stout: radii[k]! > STOUT * length, trunk };
    if (near(bone.from, [0, 0, 0], least)) meeting[bone.joint]!.push({ ...one, begins: true });
    figure.joints.forEach((joint, i) => {
      const ends = joint.parent === bone.joint && near(bone.to, joint.offset, least);
      if (ends) meeting[i]!.push({ ...one, begins: false });
    });
  });
  return figure.joints.map((joint, i) => {
    // Arms and legs that begin in a trunk do not give it a waist.
    const trunk = meeting[i]!.filter((one) => one.trunk);
    const counted = trunk.length > 0 ? trunk : meeting[i]!;
    if (counted.length === 0) return { radius: 0, shown: false, trunk: false };
    const sizes = counted.map((one) => one.radius);
    const even = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    const radius = trunk.length > 0 ? even : Math.min(...sizes);
    const own = counted.filter((one) => one.begins);
    const hidden = trunk.length > 0 || (own.length > 0 && own.every((one) => one.stout));
    if (hidden) return { radius, shown: false, trunk: trunk.length > 0 };
    return { radius: BALL * radius, shown: joint.parts.length > 0, trunk: false };
  });
}

/** The shape of every bone: full in the middle, and fitting the balls at its ends. */
export function shapes(figure: FigureInfo, radii: readonly number[], balls: readonly Ball[]): Shaped[] {
  const least = 1e-4 * figure.size;
  const part = parts(figure);
  const into = ({ radius, shown }: Ball): number => (shown ? NECK * radius : radius);
  return figure.bones.map((bone, k) => {
    const ball = balls[bone.joint]!;
    const start = near(bone.from, [0, 0, 0], least) ? into(balls[bone.joint]!) : 0;
    const next = figure.joints.findIndex(
      (joint, i) => joint.parent === bone.joint && balls[i]!.radius > 0 && near(bone.to, joint.offset, least),
    );
    // A head is round up to its end, also where a joint stands there that carries nothing.
    const isHead = plainRole(figure.joints[bone.joint]!.role) === "head";
    const carries = figure.bones.some((one) => one.joint === next && !near(one.to, one.from, least));
    const child = isHead && !carries ? -1 : next;
    const along = [0, 1, 2].map((i) => bone.to[i]! - bone.from[i]!) as Vec3;
    const length = Math.hypot(...along);
    const limb = !isTrunk(part[bone.joint]!);
    const stacked = limb && !ball.shown && child >= 0 && radii[k]! > STOUT * length; // a neck of many bones
    const straight = ball.trunk ? length === 0 || radii[k]! >= 0.8 * ball.radius : stacked;
    const belly = length === 0 || straight ? ball.radius : radii[k]!;
    const corners = cornersFor(belly / figure.size);
    // Short and thick is a knob, a head or a palm: it needs no waist at its ends.
    const stout = belly / Math.max(length, 1e-12);
    const tip = belly * (0.62 + 0.3 * Math.min(1, stout));
    const meets = child >= 0 ? into(balls[child]!) : tip;
    const end = straight ? meets : Math.min(belly, meets);
    // A bone that ends freely is rounded off before its end, not beyond it.
    const free = child < 0 && length > 0;
    const egg = free && stout > 0.4;
    const keep = free && !egg ? Math.max(0.2, 1 - end / length) : 1;
    if (!straight && !egg && stout > KNOB) {
      const middle = [0, 1, 2].map((i) => bone.from[i]! + along[i]! / 2) as Vec3;
      return { bone, shape: { from: middle, to: middle, start: belly, belly, end: belly, corners }, end: child };
    }
    const shape: BoneShape = {
      from: bone.from,
      to: [0, 1, 2].map((i) => bone.from[i]! + keep * along[i]!) as Vec3,
      start: Math.min(belly, start > 0 ? start : tip),
      belly,
      end,
      straight,
      egg: egg && !straight,
      corners,
    };
    return { bone, shape, end: child };
  });
}

/** Marks the straight bones that go on in each other; they bend together at the joint between them. */
export function join(shaped: readonly Shaped[]): Shaped[] {
  const goesOn = shaped.map(({ shape, end }) =>
    shape.straight && end >= 0 && !isBall(shape)
      ? shaped.findIndex(
          (next) =>
            next.bone.joint === end &&
            next.shape.straight &&
            !isBall(next.shape) &&
            !next.shape.wide === !shape.wide &&
            next.end >= 0,
        )
      : -1,
  );
  return shaped.map((one, k) => ({
    ...one,
    shape: { ...one.shape, joins: { start: goesOn.includes(k), end: goesOn[k]! >= 0 } },
  }));
}
