// Editing limits by hand, in the Limits tool: knobs on the selected joint's gauge, dragged along their
// curves.

import { Group, Ray, type Vector3 } from "three";
import type { App } from "../../state/app";
import type { Limit } from "../../net/messages";
import type { Stage } from "../../scene/stage";
import { coordinateLabel } from "../coordinateNames";
import { frameBefore, type Frame, isBall } from "../frames";
import { arcCenter, arcRadius, type Gauge, TWIST_AT, TWIST_RADIUS } from "./gauge";
import { type Gauges, sameLimit } from "./gauges";
import { Sign } from "../glyphs";
import { type End, endsOf, endSwing, inWords, withEnd, withSwing } from "./handles";
import type { Label } from "../label";
import { arcDirection, drawnArc, type Shape, swingTo, SWING_END, swungDirection, twistDirection } from "./shapes";
import { nearestOnCurve, onSphere, rayAt, spotOf, unitsPerPixel, viewOf, worldScale } from "../view";

const REACH = { mouse: 11, touch: 26 }; // pixels
const EVERY = 80; // ms between limits that are sent while a knob is dragged
/** A knob is looked for this far along its curve from where it was. */
const WINDOW = 1.2;

interface Knob {
  shape: number;
  end: End;
}

export class LimitEditing {
  private readonly group = new Group();
  private readonly signs: Sign[] = [];
  private held: (Knob & { moved: boolean }) | null = null;
  private over: Knob | null = null;
  private sentAt = 0;
  private sending = false;
  private sentAny = false; // of the limit that is held
  private onItsWay: Promise<void> = Promise.resolve();
  private waiting: { joint: number; limit: Limit } | null = null;
  private before: Limit | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly app: App,
    private readonly gauges: Gauges,
    private readonly label: Label,
    /** Whether something else is held, so that knobs would be in the way. */
    private readonly busy: () => boolean,
  ) {
    stage.world.add(this.group);
  }

  get holding(): boolean {
    return this.held !== null;
  }

  private get joint(): number | null {
    return this.app.ui.joint;
  }

  private gauge(): Gauge | undefined {
    const { replay, ui } = this.app;
    if (this.joint === null || replay || ui.playing || ui.tool !== "limits" || this.busy()) return undefined;
    return this.gauges.of(this.joint);
  }

  private knobs(gauge: Gauge): Knob[] {
    return gauge.shapes.flatMap((shape, index) =>
      gauge.shows(index) ? endsOf(shape).map((end) => ({ shape: index, end })) : [],
    );
  }

  /** Where a value of a shape is, in the frame before its part. */
  private pointOf(gauge: Gauge, shape: Shape, value: number | [number, number]): Vector3 {
    if (shape.shape === "cone") return swungDirection(shape.axes, ...(value as [number, number])).multiplyScalar(shape.sign * gauge.radius);
    const at = value as number;
    if (shape.shape === "arc") return arcDirection(shape, at).multiplyScalar(arcRadius(shape, gauge.radius)).add(arcCenter(shape, gauge.radius));
    if (shape.shape === "bar") return shape.axis.clone().multiplyScalar(at);
    const pose = this.app.pose;
    const [s1, s2] = pose ? gauge.swingAt(pose, shape) : [0, 0];
    return twistDirection(shape.axes, s1, s2, at)
      .multiplyScalar(TWIST_RADIUS * gauge.radius)
      .addScaledVector(swungDirection(shape.axes, s1, s2), shape.sign * TWIST_AT * gauge.radius);
  }

  private valueOf(gauge: Gauge, knob: Knob): number | [number, number] {
    const shape = gauge.shapes[knob.shape] as Shape;
    if (shape.shape === "cone") return endSwing(shape, knob.end);
    const [low, high] = shape.shape === "bar" ? gauge.barEnds(shape) : drawnArc(shape.lower, shape.upper);
    return knob.end === "lower" ? (shape.lower ?? low) : (shape.upper ?? high);
  }

  private frame(gauge: Gauge, shape: Shape): Frame | null {
    const { figure, pose } = this.app;
    return figure && pose ? frameBefore(figure, pose, gauge.joint, shape.part) : null;
  }

  /** Where a knob is, in the figure's axes. */
  private placeOf(gauge: Gauge, knob: Knob): Vector3 {
    const shape = gauge.shapes[knob.shape] as Shape;
    const frame = this.frame(gauge, shape);
    const point = this.pointOf(gauge, shape, this.valueOf(gauge, knob));
    return frame ? point.applyQuaternion(frame.quaternion).add(frame.position) : point;
  }

  /** The knob near a place on the canvas, and how many pixels away it is. */
  private near(x: number, y: number, kind: "mouse" | "touch"): { knob: Knob; pixels: number } | null {
    const gauge = this.gauge();
    if (!gauge) return null;
    const view = viewOf(this.stage);
    let best: { knob: Knob; pixels: number } | null = null;
    for (const knob of this.knobs(gauge)) {
      const spot = spotOf(view, this.placeOf(gauge, knob));
      const pixels = Math.hypot(spot.x - x, spot.y - y);
      if (spot.depth > 0 && pixels < (best?.pixels ?? REACH[kind])) best = { knob, pixels };
    }
    return best;
  }

  /** Where the knobs are on the canvas. */
  spots(): { x: number; y: number }[] {
    const gauge = this.gauge();
    return gauge ? this.knobs(gauge).map((knob) => spotOf(viewOf(this.stage), this.placeOf(gauge, knob))) : [];
  }

  /** Pixels to the nearest knob, Infinity where none can be grabbed. */
  distance(x: number, y: number, kind: "mouse" | "touch"): number {
    return this.near(x, y, kind)?.pixels ?? Infinity;
  }

  hover(x: number, y: number): boolean {
    const found = this.near(x, y, "mouse");
    const changed = found?.knob.shape !== this.over?.shape || found?.knob.end !== this.over?.end;
    this.over = found?.knob ?? null;
    const gauge = this.gauge();
    if (this.over && gauge) this.tell(gauge, this.over, x, y);
    else if (changed) this.label.hide();
    if (changed) this.stage.render();
    return this.over !== null;
  }

  grab(x: number, y: number, kind: "mouse" | "touch"): boolean {
    const found = this.near(x, y, kind);
    if (!found || this.joint === null) return false;
    this.held = { ...found.knob, moved: false };
    this.before = this.app.state?.limits[this.joint] ?? null;
    this.sentAny = false;
    return true;
  }

  /** Moves the held knob under the pointer; `both` moves the opposite end of a cone's axis with it. */
  drag(x: number, y: number, both: boolean): void {
    const gauge = this.gauge();
    const { figure, pose } = this.app;
    if (!this.held || !gauge || !figure || !pose) return;
    const shape = gauge.shapes[this.held.shape];
    const info = figure.joints[gauge.joint];
    const frame = shape && this.frame(gauge, shape);
    if (!shape || !info || !frame) return;
    const view = viewOf(this.stage);
    const inWorld = (point: Vector3): Vector3 => point.applyQuaternion(frame.quaternion).add(frame.position);
    const along = (curve: (value: number) => Vector3, now: number, window: number): number =>
      nearestOnCurve(view, (value) => inWorld(curve(value)), now - window, now + window, x, y);
    const limit = this.gauges.limitOf(gauge.joint);
    const now = this.valueOf(gauge, this.held);
    let changed: Limit;
    if (shape.shape === "cone" && this.held.end === "center") {
      const before = inWorld(this.pointOf(gauge, shape, shape.center));
      const ray = rayAt(view, x, y);
      const hit = onSphere(new Ray(ray.origin, ray.direction), frame.position, gauge.radius, before);
      const way = hit.sub(frame.position).applyQuaternion(frame.quaternion.clone().invert()).multiplyScalar(shape.sign);
      changed = withSwing(info, limit, shape, "center", swingTo(shape.axes, way), both);
    } else if (shape.shape === "cone") {
      const k = this.held.end[0] === "a" ? 0 : 1;
      const fixed = shape.center[1 - k] as number;
      const swing = (value: number): [number, number] => (k === 0 ? [value, fixed] : [fixed, value]);
      const was = (now as [number, number])[k] as number;
      const value = along((s) => this.pointOf(gauge, shape, swing(s)), was, Math.min(WINDOW, SWING_END));
      changed = withSwing(info, limit, shape, this.held.end, swing(value), both);
    } else {
      const window = shape.shape === "bar" ? 2 * figure.size : WINDOW;
      const value = along((at) => this.pointOf(gauge, shape, at), now as number, window);
      changed = withEnd(info, limit, shape, this.held.end as "lower" | "upper", value);
    }
    this.held.moved = true;
    this.gauges.preview = { joint: gauge.joint, limit: changed };
    this.gauges.update();
    const redrawn = this.gauge();
    if (redrawn) this.tell(redrawn, this.held, x, y);
    this.send(gauge.joint, changed, performance.now() - this.sentAt > EVERY);
    this.stage.render();
  }

  release(): void {
    const { preview } = this.gauges;
    const moved = this.held?.moved;
    this.held = null;
    if (moved && preview) this.send(preview.joint, preview.limit, true);
    this.label.hide();
    this.settle();
  }

  /** Puts the limit back as it was. */
  cancel(): void {
    const { preview } = this.gauges;
    this.held = null;
    this.label.hide();
    this.waiting = null;
    if (preview && this.sentAny) void this.takeBack(preview.joint, this.before);
    this.settle();
  }

  /** Undoes what was sent, which is one step; nothing, where the limit has not changed by it. */
  private async takeBack(joint: number, before: Limit | null): Promise<void> {
    await this.onItsWay;
    if (sameLimit(this.app.state?.limits[joint] ?? null, before)) return;
    this.sending = true;
    this.onItsWay = this.app.do("undo").then(
      () => this.sent(),
      () => this.sent(),
    );
  }

  /** One limit on its way, and only the newest waits; the server makes one undo step of those that
   *  are sent while the knob is held, and of the last one. */
  private send(joint: number, limit: Limit, now: boolean): void {
    this.waiting = { joint, limit };
    if (now) this.next();
  }

  private next(): void {
    const next = this.waiting;
    if (this.sending || !next) return;
    this.waiting = null;
    this.sending = this.sentAny = true;
    this.sentAt = performance.now();
    this.onItsWay = this.app.do("limit.set", { ...next, held: this.held !== null }).then(
      () => this.sent(),
      () => this.sent(), // App has told the person why it was refused
    );
  }

  private sent(): void {
    this.sending = false;
    if (this.waiting && !this.held) this.next();
    this.settle();
  }

  /** The server's limits hold again once nothing is held or on its way. */
  private settle(): void {
    if (this.held || this.sending || this.waiting) return;
    this.gauges.preview = null;
    this.gauges.update();
    this.stage.render();
  }

  private tell(gauge: Gauge, knob: Knob, x: number, y: number): void {
    const shape = gauge.shapes[knob.shape];
    const { figure } = this.app;
    if (!shape || !figure) return;
    const words = (value: number): string => inWords(value, shape.shape === "bar", figure.unit);
    const value = this.valueOf(gauge, knob);
    if (typeof value === "number") {
      const open = shape.shape !== "cone" && shape[knob.end as "lower" | "upper"] === null;
      const { coordinate } = shape as { coordinate: number };
      const name = `${figure.joints[gauge.joint]!.name} ${coordinateLabel(figure, coordinate)}`;
      this.label.show(`${name} ${knob.end === "lower" ? "≥" : "≤"} ${open ? "no limit" : words(value)}`, x, y);
    } else if (knob.end === "center") this.label.show(`centre ${words(value[0])}, ${words(value[1])}`, x, y);
    else {
      const k = knob.end[0] === "a" ? 0 : 1;
      const ball = figure.joints[gauge.joint]?.parts.find(isBall);
      const name = ball ? coordinateLabel(figure, ball.coordinate + k) : `swing ${k + 1}`;
      this.label.show(`${name} ${knob.end[1] === "+" ? "≤" : "≥"} ${words(value[k])}`, x, y);
    }
  }

  /** Draws the knobs for the camera as it is; before every frame. */
  place(): void {
    const gauge = this.gauge();
    const knobs = gauge ? this.knobs(gauge) : [];
    while (this.signs.length > knobs.length) this.signs.pop()?.dispose();
    if (!gauge) return;
    const view = viewOf(this.stage);
    const atOne = unitsPerPixel(view, 1) / worldScale(view);
    knobs.forEach((knob, i) => {
      this.signs[i] ??= new Sign(this.group, 38);
      const sign = this.signs[i];
      const lively = [this.held, this.over].some((one) => one?.shape === knob.shape && one.end === knob.end);
      const { accent, limit } = this.gauges.colours;
      sign.paint(knob.end === "center" ? "hollow" : "knob", lively ? limit : accent, 1, 0.85);
      for (const sprite of [sign.solid, sign.faint]) {
        sprite.position.copy(this.placeOf(gauge, knob));
        sprite.scale.setScalar((lively ? 20 : 16) * atOne);
      }
    });
  }

  dispose(): void {
    for (const sign of this.signs) sign.dispose();
    this.group.removeFromParent();
  }
}
