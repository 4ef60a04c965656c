// The view by keyboard: the number pad turns it, arrows do while no effector is selected.

import type { ViewName } from "./namedViews";
import type { Viewpoint } from "./viewpoint";

const STEP = Math.PI / 24;
const CLOSER = 1.15;

const VIEWS: Record<string, [plain: ViewName, ctrl: ViewName]> = {
  Numpad1: ["front", "back"],
  Numpad3: ["left", "right"],
  Numpad7: ["top", "below"],
};

const TURNS: Record<string, [turn: number, lift: number]> = {
  Numpad4: [-1, 0],
  Numpad6: [1, 0],
  Numpad8: [0, 1],
  Numpad2: [0, -1],
};

const ARROWS: Record<string, [turn: number, lift: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** What keys do to the view. */
export interface Movable {
  viewpoint: Viewpoint;
  view(name: ViewName): void;
  /** Bring what is selected into view. */
  frameSelected(): void;
}

/** Whether a key was for the view.  Arrows are (with Shift they move it sideways) where `arrows` holds. */
export function moveView(event: KeyboardEvent, stage: Movable, arrows: boolean): boolean {
  const { viewpoint } = stage;
  const view = VIEWS[event.code];
  if (view) {
    stage.view(event.ctrlKey ? view[1] : view[0]);
    return true;
  }
  if (event.code === "Numpad5") {
    viewpoint.toggleProjection();
    return true;
  }
  if (event.code === "NumpadDecimal") {
    stage.frameSelected();
    return true;
  }
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const arrow = arrows && plain ? ARROWS[event.code] : undefined;
  const turn = TURNS[event.code] ?? arrow;
  if (turn) {
    if (event.shiftKey || (event.ctrlKey && !arrow)) viewpoint.pan(0.05 * turn[0], 0.05 * turn[1]);
    else viewpoint.orbit(STEP * turn[0], STEP * turn[1]);
    return true;
  }
  if (plain && (event.key === "+" || event.key === "=")) viewpoint.dolly(CLOSER);
  else if (plain && (event.key === "-" || event.key === "_")) viewpoint.dolly(1 / CLOSER);
  else return false;
  return true;
}
