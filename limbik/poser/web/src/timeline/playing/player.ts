// Playing: the frame that belongs to the present moment, asked for once a screen refresh.

import type { App } from "../../state/app";
import type { Timeline } from "../../net/messages";

type Rate = Pick<Timeline, "fps" | "frames" | "loop">;

/** The frame `seconds` after `start` was shown, and whether the end has been passed. */
export function frameAfter(start: number, seconds: number, { fps, frames, loop }: Rate): { frame: number; ended: boolean } {
  const last = Math.max(frames - 1, 0);
  const ran = start + seconds * fps;
  if (!loop) return { frame: Math.min(ran, last), ended: ran >= last };
  if (last === 0) return { frame: 0, ended: false };
  // The last frame is shown as long as any other, then the first one follows.
  return { frame: Math.min(ran % frames, last), ended: false };
}

/** The frame that playing begins with: at the end of what does not loop, the first. */
export function firstFrame(frame: number, { frames, loop }: Rate): number {
  return !loop && frame >= frames - 1 ? 0 : frame;
}

/** Plays while `ui.playing` is on. */
export class Player {
  private start: { frame: number; time: number; rate: string } | null = null;
  private sent = 0;

  constructor(
    private readonly app: App,
    private readonly now: () => number = () => performance.now(),
    private readonly nextRefresh: (f: () => void) => void = (f) => requestAnimationFrame(f),
  ) {
    app.on("ui", () => {
      if (this.app.ui.playing && !this.start) this.play();
      else if (!this.app.ui.playing && this.start) this.pause();
    });
  }

  private play(): void {
    const timeline = this.app.state?.timeline;
    if (!timeline) return;
    this.begin(firstFrame(this.app.frame, timeline), timeline);
    this.nextRefresh(() => this.tick());
  }

  private begin(frame: number, { fps, frames, loop }: Timeline): void {
    this.start = { frame, time: this.now(), rate: `${fps} ${frames} ${loop}` };
    this.sent = frame;
  }

  private tick(): void {
    const timeline = this.app.state?.timeline;
    if (!this.start || !timeline) return;
    // Another rate or length counts from where it was changed.
    if (this.start.rate !== `${timeline.fps} ${timeline.frames} ${timeline.loop}`) this.begin(this.sent, timeline);
    const seconds = (this.now() - this.start.time) / 1000;
    const { frame, ended } = frameAfter(this.start.frame, seconds, timeline);
    this.sent = frame;
    if (ended) {
      this.app.set({ playing: false });
      return;
    }
    this.app.scrub(frame, true);
    this.nextRefresh(() => this.tick());
  }

  /** Ends on a whole frame: between two there is nothing to key. */
  private pause(): void {
    this.start = null;
    const frames = this.app.state?.timeline.frames ?? 1;
    this.app.scrub(Math.min(Math.round(this.sent), frames - 1), false);
  }
}
