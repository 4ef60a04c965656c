// The motion that a clip was retargeted from, drawn beside the figure or through it as a ghost.

import { Group, Matrix4, Vector3 } from "three";
import type { App } from "../../state/app";
import type { FigureInfo, OriginHeader } from "../../net/messages";
import { facing } from "../framing";
import type { Palette } from "../palette";
import { Capsules } from "./capsules";
import { Ghost } from "./ghosts";

/** How far beside the figure its source stands, of the figure's size. */
const BESIDE = 0.55;

export interface OriginMotion {
  figure: FigureInfo;
  frames: number;
  placement: number[]; // column by column
  poses: Float32Array; // frames × (positions[joints × 3], wxyz[joints × 4])
}

/** What GET /origin gives. */
export function readOrigin(bytes: ArrayBuffer): OriginMotion {
  const size = new DataView(bytes).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(bytes, 4, size));
  const { figure, frames, placement } = JSON.parse(text) as OriginHeader;
  const poses = new Float32Array(bytes, 4 + size);
  if (poses.length !== frames * figure.joints.length * 7) {
    throw new Error("The source's motion has not as many numbers as it should.");
  }
  return { figure, frames, placement, poses };
}

/** Positions and rotations of a frame, the nearest whole one. */
export function originPose({ figure, frames, poses }: OriginMotion, frame: number) {
  const joints = figure.joints.length;
  const at = Math.min(Math.max(Math.round(frame), 0), frames - 1) * joints * 7;
  return { positions: poses.subarray(at, at + 3 * joints), wxyz: poses.subarray(at + 3 * joints, at + 7 * joints) };
}

/** Follows `state.origin` and `ui.source`. */
export class OriginGhost {
  /** In the figure's axes and unit. */
  readonly group = new Group();
  private shown: { id: number; motion: OriginMotion; body: Capsules; ghost: Ghost } | null = null;
  private fetching: { id: number; abort: AbortController } | null = null;

  constructor(
    private readonly app: App,
    private readonly palette: () => Palette,
    private readonly wake: () => void,
    private readonly arrived: () => void,
  ) {
    app.on("state", () => this.follow());
    app.on("ui", () => this.pose());
    app.on("pose", () => this.pose());
  }

  /** Points of the source as it is drawn, or none: 3 numbers each. */
  outline(): Float32Array {
    if (!this.shown || !this.group.visible) return new Float32Array();
    const { positions } = originPose(this.shown.motion, this.app.pose?.frame ?? 0);
    const out = new Float32Array(positions);
    const at = new Vector3();
    for (let i = 0; i < out.length; i += 3) at.fromArray(out, i).applyMatrix4(this.shown.ghost.group.matrix).toArray(out, i);
    return out;
  }

  paint(): void {
    if (!this.shown) return;
    this.shown.ghost.material.color.copy(this.palette().ghost);
    this.shown.ghost.material.opacity = 0.75;
  }

  private follow(): void {
    const id = this.app.state?.origin?.id ?? null;
    if (id === (this.fetching?.id ?? this.shown?.id ?? null)) return;
    this.clear();
    if (id !== null) void this.load(id);
  }

  private clear(): void {
    this.fetching?.abort.abort();
    this.fetching = null;
    this.shown?.ghost.dispose();
    this.shown?.body.dispose();
    this.shown = null;
    this.wake();
  }

  private async load(id: number): Promise<void> {
    const abort = new AbortController();
    this.fetching = { id, abort };
    try {
      const motion = readOrigin(await this.app.origin(id, abort.signal));
      if (abort.signal.aborted) return;
      const first = originPose(motion, 0);
      const body = new Capsules(motion.figure, first.positions, first.wxyz, this.palette());
      const ghost = new Ghost(body, 1);
      ghost.group.matrixAutoUpdate = false;
      this.group.add(ghost.group);
      this.shown = { id, motion, body, ghost };
      this.fetching = null;
      this.paint();
      this.pose();
      this.arrived();
    } catch (error) {
      if (!abort.signal.aborted) this.app.note(error instanceof Error ? error.message : String(error));
    }
  }

  private pose(): void {
    const { shown, app } = this;
    const { figure, pose, ui } = app;
    this.group.visible = ui.source !== "off";
    this.wake();
    if (!shown || !figure || !pose || !this.group.visible) return;
    const { positions, wxyz } = originPose(shown.motion, pose.frame);
    shown.ghost.pose(positions, wxyz);
    const placement = new Matrix4().fromArray(shown.motion.placement);
    if (ui.source === "beside") placement.premultiply(new Matrix4().setPosition(this.side(figure)));
    shown.ghost.group.matrix.copy(placement);
    shown.ghost.group.matrixWorldNeedsUpdate = true;
  }

  /** The step to the figure's left as it stands at the clip's start, which does not change while it turns. */
  private side(figure: FigureInfo): Vector3 {
    const { motion } = this.shown!;
    const first = originPose(motion, 0);
    const ahead = new Vector3(...facing(motion.figure, first.positions));
    ahead.transformDirection(new Matrix4().fromArray(motion.placement));
    const up = new Vector3(Number(figure.up === "x"), Number(figure.up === "y"), Number(figure.up === "z"));
    return up.cross(ahead).setLength(BESIDE * figure.size);
  }
}
