// Moving and choosing effectors without a pointer; shortcuts.ts gives these their keys.

import { Vector3 } from "three";
import type { App } from "../app";
import type { Stage } from "../scene/stage";
import { effectorsOf, Hand } from "./hand";
import { viewAxes, viewOf } from "./view";

/** One step, as a share of the figure's size. */
const STEP = 0.01;
/** Steps that follow each other within this time are one drag, and so one undo step (ms). */
const PAUSE = 450;

interface Walk {
  effector: number;
  point: Vector3;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const walks = new WeakMap<App, Walk>();

/**
 * Moves the target of the selected effector by steps of a hundredth of the figure's size: dx to the
 * right and dy upwards as seen, dz away from the eye.  False when no effector is selected.
 */
export function nudge(app: App, stage: Stage, dx: number, dy: number, dz: number): boolean {
  const effector = effectorsOf(app).find((one) => one.id === app.ui.effector);
  if (!effector || !app.figure) return false;
  let walk = walks.get(app);
  if (walk && walk.effector !== effector.id) {
    endNudge(app);
    walk = undefined;
  }
  walk ??= { effector: effector.id, point: new Hand(app, () => undefined).targetOf(effector), timer: undefined };
  walks.set(app, walk);
  const [right, up, away] = viewAxes(viewOf(stage));
  const step = STEP * app.figure.size;
  walk.point
    .addScaledVector(right, dx * step)
    .addScaledVector(up, dy * step)
    .addScaledVector(away, dz * step);
  app.drag(effector.id, [walk.point.x, walk.point.y, walk.point.z], null);
  clearTimeout(walk.timer);
  walk.timer = setTimeout(() => endNudge(app), PAUSE);
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
