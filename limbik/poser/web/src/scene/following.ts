// Going along with a figure that travels as time runs, so that it stays in view.
//
// Only the way that it went is followed, so that wherever somebody turns or moves the view in between,
// there it stays relative to the figure.

import { Vector3 } from "three";

/** How far the figure may go from the middle before the view follows, in scene units: a sway, a
 *  crouch or a jump is seen best from where one stands. */
const LEEWAY = { across: 0.2, upwards: 0.5 };

/** Seconds in which most of the way is made up. */
const LAG = 0.3;

/** Longer pauses between two frames count as this long (seconds). */
const LONGEST = 0.25;

export class Following {
  private before: { frame: number; place: Vector3 } | null = null;
  private readonly ahead = new Vector3();
  private then = 0;

  /** The figure is at a place (scene units) in a frame; only what time does to it is followed. */
  seen(frame: number, place: Vector3, follows: boolean): void {
    if (!follows) this.ahead.set(0, 0, 0);
    else if (this.before && this.before.frame !== frame) this.ahead.add(place).sub(this.before.place);
    this.before = { frame, place: place.clone() };
  }

  /** Forget where it was: another figure is shown, or somebody looked elsewhere. */
  forget(): void {
    this.before = null;
    this.ahead.set(0, 0, 0);
  }

  /** How far to move the view now; null when it is near enough.  `now` in ms. */
  step(now: number): Vector3 | null {
    const seconds = Math.min((now - this.then) / 1000, LONGEST);
    this.then = now;
    const { x, y, z } = this.ahead;
    const far = Math.hypot(x, z);
    const across = Math.max(0, far - LEEWAY.across) / Math.max(far, 1e-9);
    const up = Math.sign(y) * Math.max(0, Math.abs(y) - LEEWAY.upwards);
    const step = new Vector3(across * x, up, across * z);
    if (step.length() < 1e-4) return null;
    step.multiplyScalar(1 - Math.exp(-Math.max(seconds, 0) / LAG));
    this.ahead.sub(step);
    return step;
  }
}
