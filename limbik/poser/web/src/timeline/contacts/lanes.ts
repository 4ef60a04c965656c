// Contacts along the timeline: one lane for each joint, and what a drag may do to a span.

import type { Contact, JointInfo } from "../../net/messages";

export interface Lane {
  joint: number;
  label: string;
  contacts: Contact[];
}

export interface Span {
  start: number;
  end: number; // the frame after the last
}

export type Grip = "start" | "end" | "whole";

/** Joints that have a lane though they have no contact yet. */
const ALWAYS = /^(left|right) foot$/;

const SHORT: Record<string, string> = { left: "L", right: "R" };

/** "L foot" for the role "left foot", else the joint's name. */
export function laneLabel({ name, role }: Pick<JointInfo, "name" | "role">): string {
  const [side = "", ...part] = role.split(" ");
  return SHORT[side] && part.length > 0 ? `${SHORT[side]} ${part.join(" ")}` : name;
}

/** Lanes of the joints that have contacts, and of the feet, in the figure's order. */
export function lanesOf(contacts: readonly Contact[], joints: readonly Pick<JointInfo, "name" | "role">[]): Lane[] {
  return joints.flatMap((joint, index) => {
    const own = contacts.filter((contact) => contact.joint === index);
    if (own.length === 0 && !ALWAYS.test(joint.role)) return [];
    return [{ joint: index, label: laneLabel(joint), contacts: own }];
  });
}

/** The span after a drag by so many frames: whole frames, one at least, not into its neighbours. */
export function draggedSpan(span: Span, others: readonly Span[], grip: Grip, by: number, frames: number): Span {
  const before = Math.max(0, ...others.filter((other) => other.end <= span.start).map((other) => other.end));
  const after = Math.min(frames, ...others.filter((other) => other.start >= span.end).map((other) => other.start));
  const step = Math.round(by);
  const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
  if (grip === "start") return { start: clamp(span.start + step, before, span.end - 1), end: span.end };
  if (grip === "end") return { start: span.start, end: clamp(span.end + step, span.start + 1, after) };
  const shift = clamp(step, before - span.start, after - span.end);
  return { start: span.start + shift, end: span.end + shift };
}

/** A span of at most `length` frames from a frame on, where none is yet; null where there is one. */
export function newSpan(others: readonly Span[], frame: number, length: number, frames: number): Span | null {
  const start = Math.min(Math.max(Math.round(frame), 0), frames - 1);
  if (others.some((other) => other.start <= start && start < other.end)) return null;
  const after = Math.min(frames, ...others.filter((other) => other.start > start).map((other) => other.start));
  return { start, end: Math.min(start + Math.max(1, Math.round(length)), after) };
}

/** "Frames 12 to 30". */
export function spokenSpan({ start, end }: Span): string {
  return end - start > 1 ? `frames ${start} to ${end - 1}` : `frame ${start}`;
}
