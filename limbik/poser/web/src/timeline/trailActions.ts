// Turning motion trails on and off.

import type { App } from "../state/app";

/** Shows the trail of the selected joint, or hides it. */
export function toggleTrail(app: App): void {
  const { joint, trails } = app.ui;
  if (joint === null) {
    if (trails.length > 0) app.set({ trails: [] });
    else app.note("Select a joint or an effector first: its way over time is drawn.", (ui) => ui.joint !== null);
    return;
  }
  app.set({ trails: trails.includes(joint) ? trails.filter((other) => other !== joint) : [...trails, joint] });
}
