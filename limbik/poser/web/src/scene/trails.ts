// Motion trails: the way of chosen joints over time, with a dot for each frame and each key.

import { BufferGeometry, Color, Float32BufferAttribute, Group, Line, LineBasicMaterial, Points, PointsMaterial } from "three";
import type { App } from "../state/app";
import { Asking, sampled, version, windowAround } from "../timeline/playing/sampling";
import type { Palette } from "./palette";

const WINDOW = 240; // frames of a long clip that are drawn around the present one

export interface TrailSamples {
  joints: number[];
  frames: number[];
  points: number[][]; // frames × (joints × 3)
}

/** How strong the colour of a frame is: fading with its distance from the present one. */
export function strength(frame: number, now: number, span: number): number {
  return Math.max(0.25, 1 - Math.abs(frame - now) / Math.max(span, 1));
}

export class Trails {
  /** In the figure's axes and unit. */
  readonly group = new Group();
  private samples: TrailSamples | null = null;
  private readonly asking: Asking<TrailSamples>;

  constructor(
    private readonly app: App,
    private readonly palette: () => Palette,
    private readonly wake: () => void,
  ) {
    this.asking = new Asking(
      () => this.question(),
      (samples) => {
        this.samples = samples;
        this.draw();
      },
    );
    for (const event of ["ui", "state"] as const) app.on(event, () => this.asking.changed());
    app.on("pose", () => {
      this.asking.changed();
      this.draw();
    });
    app.on("figure", () => app.ui.trails.length > 0 && app.set({ trails: [] }));
  }

  private question(): { key: string; ask: () => Promise<TrailSamples> } | null {
    const { app } = this;
    const { trails, playing } = app.ui;
    const timeline = app.state?.timeline;
    const joints = trails.filter((joint) => joint < (app.figure?.joints.length ?? 0));
    if (!timeline || joints.length === 0 || app.replay) return null;
    const still = this.samples !== null && playing; // what is drawn serves until it stops
    const [first, last] = still
      ? [this.samples!.frames[0]!, this.samples!.frames.at(-1)!]
      : windowAround(app.frame, timeline.frames, WINDOW);
    const frames = sampled(first, last, timeline.keys.map((key) => key.frame));
    return {
      key: `${version(app)} ${joints.join(",")} ${first} ${last}`,
      ask: async () => {
        const reply = await app.do("samples", { frames, joints, coordinates: [] });
        return { joints, frames, points: "points" in reply ? (reply.points ?? []) : [] };
      },
    };
  }

  private draw(): void {
    for (const child of [...this.group.children] as (Line | Points)[]) {
      child.geometry.dispose();
      (child.material as LineBasicMaterial).dispose();
      child.removeFromParent();
    }
    this.wake();
    const { samples, app } = this;
    if (!samples || samples.points.length === 0) return;
    const keys = new Set(app.state?.timeline.keys.map((key) => key.frame));
    samples.joints.forEach((_, k) => this.trail(samples, k, keys));
  }

  private trail({ frames, points }: TrailSamples, k: number, keys: ReadonlySet<number>): void {
    const now = this.app.frame;
    const span = 0.6 * (frames.at(-1)! - frames[0]!);
    const { before, after, top } = this.palette();
    const places: number[] = [];
    const colors: number[] = [];
    const ofKeys: number[] = [];
    frames.forEach((frame, i) => {
      const at = points[i]!.slice(3 * k, 3 * k + 3);
      places.push(...at);
      if (keys.has(frame)) ofKeys.push(...at);
      const color = new Color().copy(top).lerp(frame < now ? before : after, strength(frame, now, span));
      colors.push(color.r, color.g, color.b);
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
    geometry.setAttribute("color", new Float32BufferAttribute(colors, 3));
    // Seen through the body: a hand that goes behind the back is followed there.
    const seen = { depthTest: false, transparent: true } as const;
    const line = new Line(geometry, new LineBasicMaterial({ vertexColors: true, ...seen }));
    const dots = new Points(geometry.clone(), new PointsMaterial({ vertexColors: true, size: 4, sizeAttenuation: false, ...seen }));
    const marks = new BufferGeometry();
    marks.setAttribute("position", new Float32BufferAttribute(ofKeys, 3));
    const key = new Points(marks, new PointsMaterial({ color: this.palette().selected, size: 9, sizeAttenuation: false, ...seen }));
    for (const one of [line, dots, key]) {
      one.renderOrder = 5;
      one.frustumCulled = false;
      this.group.add(one);
    }
  }
}
