// Going about in time: steps, jumps to keys, playing, and a key for what is in view.

import type { App } from "../state/app";
import { clampFrame, neighbour } from "./ruler";

/** Shows a whole frame, and stops playing. */
export function goTo(app: App, frame: number): void {
  if (!app.state) return;
  if (app.ui.playing) app.set({ playing: false });
  app.scrub(clampFrame(Math.round(frame), app.state.timeline.frames));
}

export function stepBy(app: App, frames: number): void {
  goTo(app, Math.round(app.frame) + frames);
}

/** The key before or after; without one, the first or the last frame. */
export function goToKey(app: App, side: -1 | 1): void {
  const timeline = app.state?.timeline;
  if (!timeline) return;
  const keys = timeline.keys.map((key) => key.frame);
  goTo(app, neighbour(keys, app.frame, side) ?? (side < 0 ? 0 : timeline.frames - 1));
}

export function togglePlaying(app: App): void {
  if (app.state && app.state.timeline.frames > 1) app.set({ playing: !app.ui.playing });
}

/** A key that holds the pose and the goals, at a frame or at the one in view. */
export async function insertKey(app: App, frame: number = app.frame): Promise<void> {
  if (app.replay || !app.state) return;
  const whole = clampFrame(Math.round(frame), app.state.timeline.frames);
  if (Math.abs(whole - app.frame) > 1e-3 || app.ui.playing) goTo(app, whole);
  await app.do("key.insert", { frame: whole, pose: true, goals: true });
}
