// The curve editor's arithmetic: values and frames to pixels and back, and the handles of an ease.

import type { FigureInfo, Key } from "../../net/messages";

export interface Scale {
  low: number;
  high: number;
  height: number; // pixels
}

const MARGIN = 10; // pixels above the highest and below the lowest value
const STILL = 1e-4; // radians or units: a curve that moves by less is flat
const LEAST = 0.05; // a curve that hardly moves is not blown up further than this range

/** A scale on which all values are inside, with some room. */
export function scaleOf(values: readonly number[], height: number): Scale {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (!Number.isFinite(low)) return { low: -1, high: 1, height };
  const middle = (low + high) / 2;
  const half = Math.max((high - low) / 2, LEAST);
  return { low: middle - half, high: middle + half, height };
}

/** Whether no curve moves: rows of values, one a frame. */
export function isFlat(values: readonly (readonly number[])[]): boolean {
  const first = values[0] ?? [];
  return values.every((row) => row.every((value, k) => Math.abs(value - first[k]!) < STILL));
}

/** The joints above one that move it, the nearest first: at most `most` of those that have coordinates. */
export function joinedAbove(joints: FigureInfo["joints"], joint: number, most: number): number[] {
  const out: number[] = [];
  for (let i = joints[joint]?.parent ?? -1; i >= 0 && out.length < most; i = joints[i]!.parent) {
    if (joints[i]!.count > 0) out.push(i);
  }
  return out;
}

export function yOf({ low, high, height }: Scale, value: number): number {
  return MARGIN + ((high - value) / (high - low)) * (height - 2 * MARGIN);
}

export function valueAt({ low, high, height }: Scale, y: number): number {
  return high - ((y - MARGIN) / (height - 2 * MARGIN)) * (high - low);
}

/** Round values between low and high to write at the side: 3 to 6 of them. */
export function ticks({ low, high }: Scale): number[] {
  const least = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= least) ?? 10 * power;
  const out: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high + 1e-9; value += step) out.push(Math.round(value / step) * step);
  return out;
}

type Handles = Key["handles"];

/** Where the two handles of a key's way to the next are: frame and value. */
export function handlePoints(from: [number, number], to: [number, number], [x1, y1, x2, y2]: Handles): [number, number][] {
  const at = (x: number, y: number): [number, number] => [from[0] + x * (to[0] - from[0]), from[1] + y * (to[1] - from[1])];
  return [at(x1, y1), at(x2, y2)];
}

/** The handles after one of them was dragged to a frame and a value; between equal values only its time
 *  changes. */
export function draggedHandles(
  handles: Handles,
  which: 0 | 1,
  [frame, value]: [number, number],
  from: [number, number],
  to: [number, number],
): Handles {
  const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);
  const x = clamp((frame - from[0]) / (to[0] - from[0]), 0, 1);
  const apart = to[1] - from[1];
  const y = Math.abs(apart) < 1e-6 ? handles[2 * which + 1]! : clamp((value - from[1]) / apart, -2, 3);
  return which === 0 ? [x, y, handles[2], handles[3]] : [handles[0], handles[1], x, y];
}
