// Whether a pin counts as held where something else cannot be reached.
//
// A goal is met within 1e-4 of the figure's size, and the status is "Reached" where all are.  Where a drag
// goes out of reach, the pins carry a share of what is missing, about a thousandth: the drag is what is short, and
// a pin that gave way by less than can be seen is held.  So is it in a pose that nobody solved for, after such
// a drag for instance.

import type { GoalReport } from "../net/protocol";

/** What a pin may give way: a part of the figure's size, and radians. */
const LENGTH = 1e-3;
const ANGLE = 1e-2;
/** Another goal has to be so many times further off; where none is, the pin itself is what is short. */
const FURTHER = 10;

/** Whether the pin with this report, one of `goals`, is held on a figure of this size; `solved`: the pose is
 *  an answer to these goals. */
export function isHeld(pin: GoalReport, goals: readonly GoalReport[], size: number, solved = true): boolean {
  if (pin.ok) return true;
  const [length, angle] = [pin.length || 0, pin.angle || 0]; // NaN where it does not ask for one
  if (length > LENGTH * size || angle > ANGLE) return false;
  if (!solved) return true;
  const off = Math.max(length / size, angle);
  return goals.some((goal) => !goal.ok && Math.max((goal.length || 0) / size, goal.angle || 0) >= FURTHER * off);
}
