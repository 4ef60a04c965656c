// Which frames a curve or a trail is drawn from, and asking the server for them.

import type { App } from "../../state/app";

const MOST = 400; // the server answers 512 at once

/** At most MOST frames from `first` to `last`, with the keys among them, in order. */
export function sampled(first: number, last: number, keys: readonly number[]): number[] {
  const [from, to] = [Math.ceil(first), Math.floor(last)];
  if (to < from) return [];
  const inside = keys.filter((key) => key >= from && key <= to).slice(0, MOST / 2);
  const step = Math.max(1, Math.ceil((to - from) / (MOST - inside.length - 1)));
  const frames = new Set<number>(inside);
  for (let frame = from; frame <= to; frame += step) frames.add(frame);
  frames.add(to);
  return [...frames].sort((a, b) => a - b);
}

/** The part of a timeline around a frame that is drawn: all of it, or a window that moves in steps. */
export function windowAround(frame: number, frames: number, most: number): [first: number, last: number] {
  if (frames <= most) return [0, frames - 1];
  const step = most / 4;
  const middle = Math.round(frame / step) * step;
  const first = Math.min(Math.max(middle - most / 2, 0), frames - 1 - most);
  return [first, first + most];
}

/** Asks one question at a time, and again when the answer it has is old. */
export class Asking<Answer> {
  private busy = false;
  private asked = "";

  constructor(
    private readonly question: () => { key: string; ask: () => Promise<Answer> } | null,
    private readonly answered: (answer: Answer | null) => void,
  ) {}

  /** Call whenever the question may have become another. */
  changed(): void {
    if (this.busy) return;
    const now = this.question();
    if (!now) {
      if (this.asked) this.answered(null);
      this.asked = "";
      return;
    }
    if (now.key === this.asked) return;
    this.asked = now.key;
    this.busy = true;
    const done = (): void => {
      this.busy = false;
      this.changed();
    };
    now.ask().then((answer) => {
      this.answered(answer);
      done();
    }, done); // a refusal has been noted
  }
}

/** What the timeline says depends on this: another one, another answer. */
export function version(app: App): string {
  const { state } = app;
  return state ? `${state.figure} ${state.revision}` : "";
}
