// Frames along a strip of pixels: where a frame is drawn, which one is under the pointer, and
// which ones are written out.

/** The part of a timeline that is in view. */
export interface View {
  /** Frame at the left end, and frames from end to end. */
  from: number;
  across: number;
}

export interface Tick {
  frame: number;
  x: number;
  label: string | null;
}

const LABEL = 56; // pixels from one written frame to the next, at least
const FEWEST = 8; // frames in view at the closest
const MARGIN = 18; // pixels at either end, so that a key on the first frame is whole

/** All frames in view. */
export function wholeView(frames: number): View {
  return { from: 0, across: Math.max(frames - 1, 1) };
}

export class Ruler {
  constructor(
    readonly frames: number,
    readonly width: number,
    readonly view: View = wholeView(frames),
  ) {}

  /** Pixels a frame. */
  get scale(): number {
    return Math.max(this.width - 2 * MARGIN, 1) / this.view.across;
  }

  x(frame: number): number {
    return MARGIN + (frame - this.view.from) * this.scale;
  }

  /** The frame at a pixel, not rounded, inside the timeline. */
  frame(x: number): number {
    return clampFrame(this.at(x), this.frames);
  }

  /** The whole frame nearest to a pixel. */
  nearest(x: number): number {
    return Math.round(this.frame(x));
  }

  /** Frames between written ones: 1, 2, 5, 10, 20, … so that the labels do not touch. */
  get step(): number {
    const least = LABEL / this.scale;
    const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
    return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least) ?? 10 * power;
  }

  ticks(): Tick[] {
    const step = this.step;
    const small = step % 5 === 0 ? step / 5 : step === 1 ? 1 : step / 2;
    const first = Math.max(0, Math.ceil(this.at(0) / small));
    const last = Math.min(this.frames - 1, this.at(this.width));
    const ticks: Tick[] = [];
    for (let frame = first * small; frame <= last; frame += small) {
      ticks.push({ frame, x: this.x(frame), label: frame % step === 0 ? String(frame) : null });
    }
    return ticks;
  }

  /** The view with `factor` times as many frames, the one under pixel `x` staying there. */
  zoomed(factor: number, x: number): View {
    const whole = wholeView(this.frames).across;
    const across = Math.min(Math.max(this.view.across * factor, FEWEST), whole);
    const fixed = this.at(x);
    return this.inside({ from: fixed - ((fixed - this.view.from) * across) / this.view.across, across });
  }

  /** The view moved by pixels. */
  panned(pixels: number): View {
    return this.inside({ from: this.view.from + pixels / this.scale, across: this.view.across });
  }

  private inside(view: View): View {
    const whole = wholeView(this.frames);
    if (view.across >= whole.across) return whole;
    return { ...view, from: Math.min(Math.max(view.from, 0), whole.across - view.across) };
  }

  private at(x: number): number {
    return this.view.from + (x - MARGIN) / this.scale;
  }
}

export function clampFrame(frame: number, frames: number): number {
  return Math.min(Math.max(frame, 0), Math.max(frames - 1, 0));
}

/** `by`, made smaller so that frames moved by it stay on the timeline. */
export function clampShift(moved: number[], by: number, frames: number): number {
  if (moved.length === 0) return 0;
  const [low, high] = [Math.min(...moved), Math.max(...moved)];
  return Math.min(Math.max(by, -low), frames - 1 - high);
}

/** The key before (−1) or after (+1) a frame, or null. */
export function neighbour(keys: number[], frame: number, side: -1 | 1): number | null {
  const near = 1e-6; // a frame that came through a float32 is still on its key
  const beyond = keys.filter((key) => (side < 0 ? key < frame - near : key > frame + near));
  if (beyond.length === 0) return null;
  return side < 0 ? Math.max(...beyond) : Math.min(...beyond);
}

/** "Frame 12 of 120, 0.40 s", for people who listen. */
export function spoken(frame: number, frames: number, fps: number): string {
  const number = Number.isInteger(frame) ? String(frame) : frame.toFixed(1);
  return `Frame ${number} of ${frames - 1}, ${(frame / fps).toFixed(2)} s`;
}
