// Views with a name: the six that are square to the floor's lines, and from a corner.

import { MathUtils, Spherical } from "three";

export type ViewName = "front" | "back" | "left" | "right" | "top" | "below" | "corner";

/** Turn from the front and height above the horizon, degrees.  All but the corner are square to the
 *  floor's lines and orthographic. */
const VIEWS: Record<ViewName, [turn: number, height: number]> = {
  front: [0, 0],
  back: [180, 0],
  left: [90, 0],
  right: [-90, 0],
  top: [0, 90],
  below: [0, -90],
  corner: [28, 14],
};

export type SquareName = Exclude<ViewName, "corner">;

/** A view turned by more than this from a square one (radians) is none. */
const ASKEW = 1e-4;

/** The same direction as `to`, at most half a turn away from `from`. */
export function shortestTurn(from: number, to: number): number {
  return from + MathUtils.euclideanModulo(to - from + Math.PI, 2 * Math.PI) - Math.PI;
}

/** The quarter turn that is nearest to a turn, radians. */
export function nearestQuarter(turn: number): number {
  return (Math.round(turn / (Math.PI / 2)) * Math.PI) / 2;
}

/** Turn `offset`, which keeps its length, to a named view of a figure that looks along `heading`. */
export function turnTo(offset: Spherical, view: ViewName, heading: number): void {
  const [turn, height] = VIEWS[view];
  offset.theta = (view === "corner" ? heading : nearestQuarter(heading)) + MathUtils.degToRad(turn);
  offset.phi = MathUtils.degToRad(90 - height);
}

/** Whether a direction is another one than that of a square view. */
export function isAskew(now: Spherical, name: SquareName, heading: number): boolean {
  const meant = new Spherical(1);
  turnTo(meant, name, heading);
  meant.makeSafe();
  return Math.abs(now.phi - meant.phi) > ASKEW || Math.abs(shortestTurn(0, now.theta - meant.theta)) > ASKEW;
}

/** Whether a square view sees the floor from its edge. */
export function isLevel(name: SquareName): boolean {
  return VIEWS[name][1] === 0;
}
