// Moving and choosing effectors without a pointer; shortcuts.ts gives these their keys.

import { Quaternion, type Vector3 } from "three";
import type { App } from "../state/app";
import type { Stage } from "../scene/stage";
import { toVec3, toWxyz } from "./frames";
import { effectorsOf, Hand, turnOf } from "./dragState";
import { viewAxes, viewOf } from "./view";

/** One step, as a share of the figure's size. */
const STEP = 0.01;
/** One step of a turn, radians. */
const TURN = Math.PI / 60;
/** Steps that follow each other within this time are one drag, and so one undo step (ms). */
const PAUSE = 450;

interface Walk {
  effector: number;
  point: Vector3;
  /** Null until the effector is turned, so that moving alone asks for no orientation. */
  turned: Quaternion | null;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const walks = new WeakMap<App, Walk>();

/** The walk of the selected effector, begun where there is none; null when none is selected. */
function walking(app: App): Walk | null {
  const effector = effectorsOf(app).find((one) => one.id === app.ui.effector);
  if (!effector || !app.figure) return null;
  const walk = walks.get(app);
  if (walk?.effector === effector.id) return walk;
  endNudge(app);
  const hand = new Hand(app, () => undefined);
  const begun = { effector: effector.id, point: hand.targetOf(effector), turned: null, timer: undefined };
  walks.set(app, begun);
  return begun;
}

function step(app: App, walk: Walk): void {
  app.drag(walk.effector, toVec3(walk.point), walk.turned && toWxyz(walk.turned));
  clearTimeout(walk.timer);
  walk.timer = setTimeout(() => endNudge(app), PAUSE);
}

/**
 * Moves the target of the selected effector by steps of a hundredth of the figure's size: dx to the
 * right and dy upwards as seen, dz away from the eye.  False when no effector is selected.
 */
export function nudge(app: App, stage: Stage, dx: number, dy: number, dz: number): boolean {
  const walk = walking(app);
  if (!walk || !app.figure) return false;
  const [right, up, away] = viewAxes(viewOf(stage));
  const size = STEP * app.figure.size;
  walk.point
    .addScaledVector(right, dx * size)
    .addScaledVector(up, dy * size)
    .addScaledVector(away, dz * size);
  step(app, walk);
  return true;
}

/**
 * Turns the selected effector by steps of 3°, as seen: dx to the right about the upright axis, dy
 * upwards, dz clockwise.  This gives it an orientation goal.  False when none is selected.
 */
export function turn(app: App, stage: Stage, dx: number, dy: number, dz: number): boolean {
  const effector = app.selectedEffector();
  const walk = effector?.mode === "aim" ? null : walking(app);
  if (!walk || !effector) return false;
  walk.turned ??= (new Hand(app, () => undefined).orientationOf(effector) ?? turnOf(app, effector)).clone();
  const [right, up, away] = viewAxes(viewOf(stage));
  for (const [axis, by] of [[up, dx], [right, -dy], [away, dz]] as const) {
    walk.turned.premultiply(new Quaternion().setFromAxisAngle(axis.clone().normalize(), by * TURN));
  }
  step(app, walk);
  return true;
}

/** Ends a row of nudges at once, before another command. */
export function endNudge(app: App): void {
  const walk = walks.get(app);
  if (!walk) return;
  clearTimeout(walk.timer);
  walks.delete(app);
  app.drop();
}

function choose(app: App, by: 1 | -1): void {
  const effectors = effectorsOf(app);
  if (effectors.length === 0) return;
  const now = effectors.findIndex((effector) => effector.id === app.ui.effector);
  const next = now < 0 ? (by > 0 ? 0 : effectors.length - 1) : (now + by + effectors.length) % effectors.length;
  app.selectEffector(effectors[next]?.id ?? null);
}

export function selectNext(app: App): void {
  choose(app, 1);
}

export function selectPrevious(app: App): void {
  choose(app, -1);
}
