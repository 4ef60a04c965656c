// Onion skins: which frames around the present one are shown, and asking for them.

import type { App } from "../../state/app";

const EACH_SIDE = 3;
const PAUSE = 80; // ms between asking, while the frame changes

/** Keys around a frame, nearest three a side; a clip, which has few, by steps instead. */
export function skins(frame: number, keys: number[], frames: number, step: number | null): number[] {
  const around = step === null ? keys : steps(frame, step);
  const inside = around.filter((other) => other >= 0 && other < frames && Math.abs(other - frame) > 1e-3);
  const before = inside.filter((other) => other < frame).sort((a, b) => b - a);
  const after = inside.filter((other) => other > frame).sort((a, b) => a - b);
  return [...before.slice(0, EACH_SIDE).reverse(), ...after.slice(0, EACH_SIDE)];
}

function steps(frame: number, step: number): number[] {
  return Array.from({ length: EACH_SIDE }, (_, i) => (i + 1) * step).flatMap((by) => [frame - by, frame + by]);
}

/** Keeps `app.frames` up to date while onion skins are wanted; not while playing. */
export class Onion {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = "";
  private busy = false;

  constructor(private readonly app: App) {
    for (const event of ["ui", "state", "pose"] as const) app.on(event, () => this.later());
  }

  private later(): void {
    const { onion, playing } = this.app.ui;
    if (!onion) this.asked = "";
    if (onion && !playing) this.timer ??= setTimeout(() => this.ask(), PAUSE);
  }

  private ask(): void {
    this.timer = undefined;
    const { state, ui } = this.app;
    if (!state || !ui.onion || ui.playing || this.busy) return;
    const { keys, frames, fps, clip } = state.timeline;
    const step = clip === null ? null : Math.max(1, Math.round(fps / 10));
    const wanted = skins(Math.round(this.app.frame), keys.map((key) => key.frame), frames, step);
    const question = `${state.figure} ${state.revision} ${wanted.join(" ")}`;
    if (question === this.asked) return;
    this.asked = question;
    if (wanted.length === 0) {
      this.app.setFrames({ command: 0, frames: [] });
      return;
    }
    this.busy = true;
    const done = (): void => {
      this.busy = false;
      this.later();
    };
    this.app.do("frames", { frames: wanted }).then(done, done); // a refusal has been noted
  }
}
