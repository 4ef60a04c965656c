// A pin that gave way by less than can be seen, while another goal is far away, is held.

import { describe, expect, it } from "vitest";
import type { GoalReport } from "../../src/net/protocol";
import { isHeld } from "../../src/state/pins";

const SIZE = 2.168; // metres: the built-in human

function report(length: number, ok: boolean, angle = NaN): GoalReport {
  return { effector: 1, length, angle, ok, position: [0, 0, 0], wxyz: null };
}

describe("a pin", () => {
  it("is held 0.6 mm off while a hand is a metre short", () => {
    const pin = report(0.0006, false);
    expect(isHeld(pin, [pin, report(1.1, false)], SIZE)).toBe(true);
  });

  it("is not held where it is itself what is short", () => {
    const pin = report(0.0006, false);
    expect(isHeld(pin, [pin, report(0.0001, true)], SIZE)).toBe(false);
    expect(isHeld(pin, [pin, report(0.001, false)], SIZE)).toBe(false);
  });

  it("is not held where that can be seen", () => {
    const [moved, turned] = [report(0.004, false), report(0, false, 0.03)];
    expect(isHeld(moved, [moved, report(1.1, false)], SIZE)).toBe(false);
    expect(isHeld(turned, [turned, report(1.1, false)], SIZE)).toBe(false);
  });

  it("is held by what cannot be seen in a pose that nobody solved for", () => {
    const pin = report(0.0006, false);
    expect(isHeld(pin, [pin], SIZE, false)).toBe(true);
    expect(isHeld(report(0.004, false), [], SIZE, false)).toBe(false);
  });

  it("is held where the server says so", () => {
    expect(isHeld(report(0.0001, true), [], SIZE)).toBe(true);
  });
});
