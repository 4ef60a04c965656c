// Rings on the selected joint, one for each way it turns: flex, spread and twist on a body.
//
// A joint turns by itself and what is below goes along; what is pinned stays put.  On an effector that
// has an orientation goal the rings turn the goal.

import { Color, Group, Quaternion, type Vector3 } from "three";
import { Latest } from "../../net/latestOnly";
import type { TurnAxis, Vec4 } from "../../net/messages";
import type { Stage } from "../../scene/stage";
import type { App } from "../../state/app";
import { AXIS_COLOURS } from "../colours";
import { effectorsOf, type Hand } from "../dragState";
import { frameBefore, jointFrame, toWxyz, vector } from "../frames";
import type { Label } from "../label";
import { Strokes } from "../strokes";
import { spotOf, towardsEye, unitsPerPixel, viewOf, worldScale } from "../view";
import { nearestAngle, type Ring, ringPoints, turnedBy } from "./ringAngle";

const RADIUS = 74; // pixels; those of one joint differ a little
const REACH = { mouse: 8, touch: 20 }; // pixels
const FINE = 0.2; // with Alt
const SNAP = (5 * Math.PI) / 180; // with Ctrl

interface Held {
  index: number;
  axis: TurnAxis;
  ring: Ring;
  grabbed: number;
  /** Of the pointer, and of the ring after snapping. */
  angle: number;
  shown: number;
  x: number;
  y: number;
  start: Quaternion;
  value: number;
  moved: boolean;
}

export class Rings {
  readonly group = new Group();
  private readonly strokes: { front: Strokes; back: Strokes }[] = [];
  private held: Held | null = null;
  private over: number | null = null;
  private readonly turns: Latest<{ joint: number; wxyz: Vec4 } | { coordinate: number; value: number }>;

  constructor(
    private readonly stage: Stage,
    private readonly app: App,
    private readonly hand: Hand,
    private readonly label: Label,
  ) {
    this.group.name = "rings";
    stage.world.add(this.group);
    this.turns = new Latest((turn) => ("joint" in turn ? app.do("joint.turn", turn) : app.do("coordinate.set", turn)));
  }

  get holding(): boolean {
    return this.held !== null;
  }

  /** The joint that has rings: the selected one, in the tool that rotates, or on a limb in FK. */
  private joint(): number | null {
    const { ui, replay, state, figure, pose } = this.app;
    if (replay || ui.playing || ui.joint === null || ui.prop !== null || !state || !figure || !pose) return null;
    const direct = ui.tool === "direct" && state.fk.includes(ui.joint);
    if ((ui.tool !== "rotate" && !direct) || state.figure !== figure.id || this.app.locked(ui.joint)) return null;
    return ui.joint;
  }

  private axes(): TurnAxis[] {
    const joint = this.joint();
    return joint === null ? [] : (this.app.figure?.joints[joint]?.axes ?? []);
  }

  /** The ring of an axis, in the figure's axes and unit. */
  private ring(axis: TurnAxis, index: number): Ring | null {
    const { figure, pose } = this.app;
    const joint = this.joint();
    if (joint === null || !figure || !pose) return null;
    const own = jointFrame(pose, joint);
    const frame = axis.part < 0 ? own : frameBefore(figure, pose, joint, axis.part);
    const view = viewOf(this.stage);
    const pixel = unitsPerPixel(view, spotOf(view, own.position).depth) / worldScale(view);
    return {
      center: own.position,
      axis: vector(axis.axis).applyQuaternion(frame.quaternion).normalize(),
      radius: (RADIUS - 5 * index) * pixel,
    };
  }

  /** The ring near a place on the canvas, and how many pixels away it is; what faces the eye comes first. */
  private near(x: number, y: number, kind: "mouse" | "touch"): { index: number; pixels: number } | null {
    const view = viewOf(this.stage);
    let best: { index: number; pixels: number } | null = null;
    this.axes().forEach((axis, index) => {
      const ring = this.ring(axis, index);
      if (!ring) return;
      const eye = towardsEye(view, ring.center);
      for (const point of ringPoints(ring, 120)) {
        const spot = spotOf(view, point);
        const behind = point.sub(ring.center).dot(eye) < -0.05 * ring.radius ? 3 : 0;
        const pixels = Math.hypot(spot.x - x, spot.y - y) + behind;
        if (spot.depth > 0 && pixels < (best?.pixels ?? REACH[kind])) best = { index, pixels };
      }
    });
    return best;
  }

  /** Whether a press here takes hold of a ring. */
  hit(x: number, y: number, kind: "mouse" | "touch"): boolean {
    return this.near(x, y, kind) !== null;
  }

  hover(x: number, y: number): boolean {
    const found = this.near(x, y, "mouse")?.index ?? null;
    if (found !== this.over) this.stage.render();
    this.over = found;
    const axis = found === null ? undefined : this.axes()[found];
    if (axis) this.label.show(axis.name, x, y);
    return axis !== undefined;
  }

  leave(): void {
    if (this.over !== null) this.stage.render();
    this.over = null;
  }

  grab(x: number, y: number, kind: "mouse" | "touch"): boolean {
    const index = this.near(x, y, kind)?.index;
    const axis = index === undefined ? undefined : this.axes()[index];
    const ring = axis && this.ring(axis, index!);
    const { pose, figure, ui } = this.app;
    if (index === undefined || !axis || !ring || !pose || !figure || ui.joint === null) return false;
    const part = axis.part < 0 ? undefined : figure.joints[ui.joint]?.parts[axis.part];
    const value = part && "axis" in part && part.coordinate >= 0 ? (pose.q[part.coordinate] ?? 0) : 0;
    const goal = this.goal();
    const start = (goal && this.hand.orientationOf(goal)) ?? jointFrame(pose, ui.joint).quaternion;
    const grabbed = nearestAngle(viewOf(this.stage), ring, x, y);
    this.held = { index, axis, ring, grabbed, angle: 0, shown: 0, x, y, start: start.clone(), value, moved: false };
    if (goal) this.hand.grab(goal.id);
    this.stage.render();
    return true;
  }

  /** The effector on the joint whose orientation is a goal, if any. */
  private goal() {
    return effectorsOf(this.app).find((one) => one.joint === this.app.ui.joint && one.wxyz !== null && one.mode !== "aim");
  }

  drag(x: number, y: number, keys: { altKey: boolean; ctrlKey: boolean }): void {
    const { held } = this;
    const { figure, ui } = this.app;
    if (!held || !figure || ui.joint === null) return;
    const by = turnedBy(viewOf(this.stage), held.ring, held.grabbed, held, { x, y });
    held.angle += by * (keys.altKey ? FINE : 1);
    held.grabbed += by * (keys.altKey ? FINE : 1);
    [held.x, held.y] = [x, y];
    held.shown = keys.ctrlKey ? SNAP * Math.round(held.angle / SNAP) : held.angle;
    held.moved = true;
    const turned = new Quaternion().setFromAxisAngle(held.ring.axis, held.shown).multiply(held.start);
    const goal = this.goal();
    const part = held.axis.part < 0 ? undefined : figure.joints[ui.joint]?.parts[held.axis.part];
    if (goal) this.hand.move(this.hand.targetOf(goal), toWxyz(turned));
    else if (part && "axis" in part && part.coordinate >= 0) {
      this.turns.give({ coordinate: part.coordinate, value: held.value + held.shown / (part.scale || 1) });
    } else this.turns.give({ joint: ui.joint, wxyz: toWxyz(turned) });
    this.label.show(this.words(), x, y);
    this.stage.render();
  }

  private words(): string {
    const { held } = this;
    if (!held) return "";
    const degrees = (180 / Math.PI) * held.shown;
    return `${held.axis.name} ${degrees < 0 ? "−" : "+"}${Math.abs(degrees).toFixed(1)}°`;
  }

  release(): void {
    const { held } = this;
    this.held = null;
    this.label.hide();
    if (this.hand.holding !== null) this.hand.release();
    else if (held?.moved) this.turns.then(() => void this.app.do("coordinates.drop"));
    this.stage.render();
  }

  /** Takes back what was turned. */
  cancel(): void {
    const { held } = this;
    this.held = null;
    this.label.hide();
    if (this.hand.holding !== null) this.hand.cancel();
    else if (held?.moved) {
      this.turns.then(() => {
        void this.app.do("coordinates.drop");
        void this.app.do("undo");
      });
    }
    this.stage.render();
  }

  /** Where a point of each ring is on the canvas, by name, on the side of the eye: for tests, which press
   *  there. */
  spots(): { name: string; x: number; y: number; cx: number; cy: number }[] {
    const view = viewOf(this.stage);
    return this.axes().flatMap((axis, index) => {
      const ring = this.ring(axis, index);
      if (!ring) return [];
      const center = spotOf(view, ring.center);
      // Of its front the point that is least crossed by other rings.
      const others = this.axes().flatMap((other, k) => (k === index ? [] : ringPoints(this.ring(other, k) ?? ring, 90)));
      const eye = towardsEye(view, ring.center);
      let best = { x: center.x, y: center.y, free: -1 };
      for (const point of ringPoints(ring, 90)) {
        if (point.clone().sub(ring.center).dot(eye) < -0.02 * ring.radius) continue;
        const spot = spotOf(view, point);
        const free = Math.min(...others.map((other) => spotOf(view, other)).map((o) => Math.hypot(o.x - spot.x, o.y - spot.y)), 40);
        if (free > best.free) best = { x: spot.x, y: spot.y, free };
      }
      return [{ name: axis.name, x: best.x, y: best.y, cx: center.x, cy: center.y }];
    });
  }

  /** Draws the rings for the camera and the pose as they are; before every frame. */
  place(): void {
    const axes = this.axes();
    while (this.strokes.length > axes.length) {
      const gone = this.strokes.pop();
      for (const stroke of gone ? [gone.front, gone.back] : []) {
        stroke.removeFromParent();
        stroke.dispose();
      }
    }
    const view = viewOf(this.stage);
    axes.forEach((axis, index) => {
      if (!this.strokes[index]) {
        const drawn = { front: new Strokes(3), back: new Strokes(1.5) };
        this.strokes[index] = drawn;
        this.group.add(drawn.back, drawn.front);
      }
      const { front, back } = this.strokes[index]!;
      const ring = this.held?.index === index ? this.held.ring : this.ring(axis, index);
      const only = this.held !== null && this.held.index !== index;
      front.visible = back.visible = ring !== null && !only;
      if (!ring || only) return;
      const eye = towardsEye(view, ring.center);
      const points = ringPoints(ring);
      const pieces: [Vector3[], Vector3[]] = [[], []];
      points.slice(1).forEach((point, i) => {
        const before = points[i]!;
        const middle = before.clone().add(point).multiplyScalar(0.5).sub(ring.center);
        pieces[middle.dot(eye) >= -0.02 * ring.radius ? 0 : 1].push(before, point);
      });
      if (this.held?.index === index) pieces[0].push(...this.sector(ring));
      const lively = this.held?.index === index || this.over === index;
      const colour = new Color(colourOf(axis.name, index));
      front.paint(colour, lively ? 1 : 0.9, lively ? 4.5 : 3);
      back.paint(colour, lively ? 0.5 : 0.3, 1.5);
      front.setPieces(pieces[0]);
      back.setPieces(pieces[1]);
    });
  }

  /** Two radii: from where the ring was taken, and to where it is now. */
  private sector(ring: Ring): Vector3[] {
    const { held } = this;
    if (!held) return [];
    const now = ringPoints(ring, 720);
    const at = (angle: number): Vector3 => now[((Math.round((angle * 360) / Math.PI) % 720) + 720) % 720]!;
    return [ring.center, at(held.grabbed - held.angle), ring.center, at(held.grabbed - held.angle + held.shown)];
  }

  dispose(): void {
    for (const { front, back } of this.strokes) for (const stroke of [front, back]) stroke.dispose();
    this.group.removeFromParent();
  }
}

const NAMED: Record<string, string> = { flex: AXIS_COLOURS[0], spread: AXIS_COLOURS[1], twist: AXIS_COLOURS[2] };

function colourOf(name: string, index: number): string {
  return NAMED[name] ?? AXIS_COLOURS[["x", "y", "z"].indexOf(name)] ?? AXIS_COLOURS[index % 3]!;
}
