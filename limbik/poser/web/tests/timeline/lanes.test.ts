// Contacts on the timeline: their lanes, and what drags make of their spans.

import { describe, expect, it } from "vitest";
import type { Contact } from "../../src/net/messages";
import { draggedSpan, laneLabel, lanesOf, newSpan, spokenSpan } from "../../src/timeline/contacts/lanes";

const contact = (id: number, joint: number, start: number, end: number): Contact => ({ id, joint, start, end, held: false });

describe("lanes", () => {
  const joints = ["hips", "left foot", "left hand", "right foot"].map((role) => ({ name: role.toUpperCase(), role }));

  it("are those of the feet and of whatever has a contact, in the figure's order", () => {
    const lanes = lanesOf([contact(1, 2, 5, 9), contact(2, 3, 0, 4), contact(3, 2, 20, 30)], joints);
    expect(lanes.map(({ joint, contacts }) => [joint, contacts.map(({ id }) => id)])).toEqual([
      [1, []],
      [2, [1, 3]],
      [3, [2]],
    ]);
  });

  it("are named by their role where it has a side", () => {
    expect(laneLabel({ name: "lfoot", role: "left foot" })).toBe("L foot");
    expect(laneLabel({ name: "Tail", role: "" })).toBe("Tail");
  });
});

describe("a drag of a contact", () => {
  const others = [contact(2, 0, 0, 10), contact(3, 0, 40, 50)];
  const own = { start: 15, end: 25 };

  it("moves one end by whole frames", () => {
    expect(draggedSpan(own, others, "end", 4.6, 100)).toEqual({ start: 15, end: 30 });
    expect(draggedSpan(own, others, "start", -3.4, 100)).toEqual({ start: 12, end: 25 });
  });

  it("leaves one frame, and stops at its neighbours and at the ends of the timeline", () => {
    expect(draggedSpan(own, others, "end", -30, 100)).toEqual({ start: 15, end: 16 });
    expect(draggedSpan(own, others, "end", 30, 100)).toEqual({ start: 15, end: 40 });
    expect(draggedSpan(own, others, "start", -30, 100)).toEqual({ start: 10, end: 25 });
    expect(draggedSpan(own, [], "whole", 200, 60)).toEqual({ start: 50, end: 60 });
    expect(draggedSpan(own, others, "whole", -200, 60)).toEqual({ start: 10, end: 20 });
  });
});

describe("a new contact", () => {
  it("fills the room up to the next one", () => {
    expect(newSpan([{ start: 20, end: 30 }], 12.4, 15, 100)).toEqual({ start: 12, end: 20 });
    expect(newSpan([], 95, 15, 100)).toEqual({ start: 95, end: 100 });
    expect(newSpan([{ start: 20, end: 30 }], 25, 15, 100)).toBeNull();
  });

  it("is spoken by its first and last frame", () => {
    expect(spokenSpan({ start: 3, end: 9 })).toBe("frames 3 to 8");
    expect(spokenSpan({ start: 3, end: 4 })).toBe("frame 3");
  });
});
