// Handles of limits: which ends a shape has, and what a limit becomes when an end is moved.

import type { Limit, Part } from "../../net/messages";
import { type Shape, SWING_END } from "./shapes";

export type End = "lower" | "upper" | "a+" | "a-" | "b+" | "b-" | "center";

/** Limits narrower than this cannot be grabbed again: half a degree. */
export const NARROWEST = Math.PI / 360;

/** The ends of a shape that can be moved. */
export function endsOf(shape: Shape): End[] {
  return shape.shape === "cone" ? ["a+", "a-", "b+", "b-", "center"] : ["lower", "upper"];
}

/** The value of an end: a number for ends of ranges, two swing numbers for those of a cone. */
export function endSwing(shape: Extract<Shape, { shape: "cone" }>, end: End): [number, number] {
  const [a, b] = shape.half;
  const [x, y] = shape.center;
  const places: Record<string, [number, number]> = {
    "a+": [x + a, y],
    "a-": [x - a, y],
    "b+": [x, y + b],
    "b-": [x, y - b],
  };
  return places[end] ?? [x, y];
}

/** The limit as ranges, one pair a coordinate of the joint, to be changed. */
function ranges(joint: { count: number }, limit: Limit | null): Extract<Limit, { kind: "range" }> {
  const open = (): null[] => new Array<null>(joint.count).fill(null);
  if (limit?.kind !== "range") return { kind: "range", lower: open(), upper: open() };
  return { kind: "range", lower: [...limit.lower], upper: [...limit.upper] };
}

/** A limit with one end of a range at `value`; the ends cannot pass each other. */
export function withEnd(
  joint: { count: number; parts: Part[] },
  limit: Limit | null,
  shape: Exclude<Shape, { shape: "cone" }>,
  end: "lower" | "upper",
  value: number,
): Limit {
  const widest = shape.shape === "bar" ? Infinity : 2 * Math.PI;
  const other = end === "lower" ? shape.upper : shape.lower;
  let moved = Math.max(-widest, Math.min(widest, value));
  if (other !== null) moved = end === "lower" ? Math.min(moved, other) : Math.max(moved, other);
  if (shape.shape === "twist" && limit?.kind !== "range") {
    const twist: [number | null, number | null] = [shape.lower, shape.upper];
    twist[end === "lower" ? 0 : 1] = moved;
    return limit === null
      ? { kind: "cone", swing: null, center: [0, 0], twist }
      : { ...limit, twist };
  }
  const changed = ranges(joint, limit);
  changed[end][shape.slot] = moved;
  return changed;
}

/**
 * A limit with one end of a cone's axes, or its centre, at the swing (s₁, s₂).  The opposite end
 * stays where it is; with `both` it moves as far the other way and the centre stays.
 */
export function withSwing(
  joint: { count: number; parts: Part[] },
  limit: Limit | null,
  cone: Extract<Shape, { shape: "cone" }>,
  end: End,
  swing: [number, number],
  both = false,
): Limit {
  const half: [number, number] = [...cone.half];
  const center: [number, number] = [...cone.center];
  if (end === "center") {
    const room = Math.max(0, SWING_END - Math.max(...half));
    const far = Math.hypot(...swing);
    const keep = far > room ? room / far : 1;
    [center[0], center[1]] = [swing[0] * keep, swing[1] * keep];
  } else {
    const k = end[0] === "a" ? 0 : 1;
    const sign = end[1] === "+" ? 1 : -1;
    const moved = sign * Math.min(SWING_END, sign * swing[k]);
    const opposite = center[k] - sign * half[k];
    const wide = both ? 2 * sign * (moved - center[k]) : sign * (moved - opposite);
    half[k] = Math.max(NARROWEST, wide / 2);
    if (!both) center[k] = opposite + sign * half[k];
  }
  if (!cone.box) {
    const twist = limit?.kind === "cone" ? limit.twist : ([null, null] as [null, null]);
    return { kind: "cone", swing: half, center, twist };
  }
  const changed = ranges(joint, limit);
  const ball = joint.parts[cone.part];
  const first = joint.parts
    .slice(0, cone.part)
    .reduce((slots, part) => slots + ("axis" in part ? Number(part.coordinate >= 0) : 3), 0);
  if (ball) {
    for (const k of [0, 1] as const) {
      changed.lower[first + k] = center[k] - half[k];
      changed.upper[first + k] = center[k] + half[k];
    }
  }
  return changed;
}

/** "−35.2°", or a length in the figure's unit. */
export function inWords(value: number, slides: boolean, unit: string): string {
  const shown = slides ? value : (value * 180) / Math.PI;
  const digits = slides ? 3 : 1;
  const text = (Object.is(Number(shown.toFixed(digits)), -0) ? 0 : shown).toFixed(digits);
  return slides ? `${text.replace("-", "−")} ${unit}`.trim() : `${text.replace("-", "−")}°`;
}
