// Where a coordinate may go, as a slider shows it, and limits as somebody starts to set them.

import type { FigureInfo, JointInfo, Limit } from "../../net/messages";

export interface Ends {
  lower: number;
  upper: number;
  /** Whether these are limits, and not only the ends of the slider. */
  limited: boolean;
}

/** The index in a joint's coordinates at which its ball begins, or -1. */
export function ballAt(joint: JointInfo): number {
  const ball = joint.parts.find((part) => part.kind === "exponential" || part.kind === "swing-twist");
  return ball ? ball.coordinate - joint.first : -1;
}

/** Whether a joint turns about three axes in a row: a ball that has a cone only in other coordinates. */
export function isEulerBall(joint: JointInfo): boolean {
  return joint.parent >= 0 && joint.parts.length === 3 && joint.parts.every((part) => part.kind === "turn" && part.coordinate >= 0);
}

/** Ends of the slider of the k-th coordinate of a joint, in radians or the figure's unit. */
export function ends(figure: FigureInfo, joint: JointInfo, limit: Limit | null, k: number): Ends {
  const slides = figure.coordinates[joint.first + k]?.slides ?? false;
  const reach = slides ? figure.size : Math.PI;
  let lower: number | null = null;
  let upper: number | null = null;
  if (limit?.kind === "range") {
    lower = limit.lower[k] ?? null;
    upper = limit.upper[k] ?? null;
  } else if (limit?.kind === "cone") {
    const at = k - ballAt(joint);
    const ball = joint.parts.find((part) => part.kind === "swing-twist");
    // A cone says where the swing of a swing–twist ball ends; a rotation vector has no such ends.
    if (ball && at >= 0 && at < 2 && limit.swing) {
      lower = limit.center[at]! - limit.swing[at]!;
      upper = limit.center[at]! + limit.swing[at]!;
    } else if (ball && at === 2) {
      [lower, upper] = limit.twist;
    }
  }
  const limited = lower !== null || upper !== null;
  return { lower: lower ?? Math.min(-reach, upper ?? 0), upper: upper ?? Math.max(reach, lower ?? 0), limited };
}

/** A limit to begin with where there was none: the pose at hand stays allowed.
 *
 * `q` are the joint's coordinates. */
export function firstLimit(figure: FigureInfo, joint: JointInfo, q: readonly number[], cone: boolean): Limit {
  const quarter = Math.PI / 2;
  if (cone && ballAt(joint) >= 0) {
    const [s1 = 0, s2 = 0, twist = 0] = q.slice(ballAt(joint));
    const open = Math.min(Math.max(Math.PI / 3, 1.1 * Math.hypot(s1, s2)), (179 * Math.PI) / 180);
    const ends: [number, number] = [Math.min(-Math.PI / 4, twist), Math.max(Math.PI / 4, twist)];
    return { kind: "cone", swing: [open, open], center: [0, 0], twist: ends };
  }
  const own = figure.coordinates.slice(joint.first, joint.first + q.length);
  const rail = own.every((coordinate) => coordinate.slides);
  // A body that turns and also moves about keeps its freedom to move; a rail ends somewhere.
  const reach = (k: number): number => (!own[k]?.slides ? quarter : rail ? figure.size / 2 : Infinity);
  const end = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    kind: "range",
    lower: q.map((value, k) => end(Math.min(-reach(k), value))),
    upper: q.map((value, k) => end(Math.max(reach(k), value))),
  };
}

/** Why a limit cannot be set, or an empty string. */
export function fault(limit: Limit): string {
  if (limit.kind === "range") {
    const wrong = limit.lower.some((low, k) => {
      const high = limit.upper[k] ?? null;
      return low !== null && high !== null && low > high;
    });
    return wrong ? "The lower end is above the upper end." : "";
  }
  const [low, high] = limit.twist;
  if (low !== null && high !== null && low > high) return "The lower end of the twist is above its upper end.";
  if (limit.swing && !(limit.swing[0] > 0 && limit.swing[1] > 0)) return "The swing of a cone must be more than 0°.";
  return "";
}
