// Presses on props: a click selects, a drag moves in the plane of the view.
//
// It looks at presses before those of effectors and the body, and leaves to them what is not on a
// prop, or is in front of it.

import type { Vector3 } from "three";
import type { PropInfo } from "../../net/messages";
import { onFloor, propPlace, rayToProp } from "../../scene/propPlace";
import type { PropsView } from "../../scene/props";
import type { Stage } from "../../scene/stage";
import type { App } from "../../state/app";
import { type Frame, toVec3 } from "../frames";
import type { Label } from "../label";
import { type Picking, pointerOf, spotOfEvent } from "../picking";
import { listenFirst } from "../pointerEvents";
import type { PropGizmo } from "./propGizmo";
import { movedOnScreen, rayAt, viewOf } from "../view";

const STILL = { mouse: 4, touch: 10 }; // pixels that are not yet a drag
const FINE = 0.2; // with Alt

interface Press {
  pointer: number;
  kind: "mouse" | "touch";
  prop: number;
  x: number;
  y: number;
  /** Where the hand has brought it; null until it is a drag. */
  point: Vector3 | null;
  start: Frame;
}

export class PropDragging {
  private press: Press | null = null;
  private readonly undo: (() => void)[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly app: App,
    private readonly view: PropsView,
    private readonly gizmo: PropGizmo,
    private readonly picking: Picking,
    private readonly label: Label,
  ) {
    const listen = listenFirst(stage.canvas, this.undo);
    listen("pointerdown", (event) => this.down(event));
    listen("pointermove", (event) => this.move(event));
    listen("pointerup", (event) => this.up(event));
    listen("pointercancel", () => this.end());
    listen("lostpointercapture", () => this.end());
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || !this.press?.point) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      this.end();
      void this.app.do("undo");
    };
    window.addEventListener("keydown", escape, { capture: true });
    this.undo.push(() => window.removeEventListener("keydown", escape, { capture: true }));
  }

  private get props(): PropInfo[] {
    const { state, figure, replay } = this.app;
    return state && figure && !replay && state.figure === figure.id ? state.scene.props : [];
  }

  /** The prop under a place of the canvas with nothing in front of it. */
  private at(x: number, y: number, kind: "mouse" | "touch"): PropInfo | null {
    if (this.props.length === 0) return null;
    const ray = rayAt(viewOf(this.stage), x, y);
    let best: PropInfo | null = null;
    let nearest = Infinity;
    for (const prop of this.props) {
      const distance = rayToProp(ray, prop, propPlace(prop, this.app.pose));
      if (distance < nearest) [best, nearest] = [prop, distance];
    }
    if (!best) return null;
    const other = this.picking.at(x, y, kind);
    if (other && other.kind !== "joint") return null; // signs and gizmos are drawn over everything
    const { left, top } = this.stage.canvas.getBoundingClientRect();
    const body = this.stage.pick(left + x, top + y);
    return body && body.distance < nearest ? null : best;
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || this.press || this.app.ui.playing) return;
    const kind = pointerOf(event);
    const { x, y } = spotOfEvent(this.stage.canvas, event);
    if (this.gizmo.hit(x, y)) {
      this.stage.controls.enabled = false; // the gizmo has listeners of its own
      return;
    }
    const prop = this.at(x, y, kind);
    if (!prop) return;
    event.stopImmediatePropagation();
    this.press = { pointer: event.pointerId, kind, prop: prop.id, x, y, point: null, start: propPlace(prop, this.app.pose) };
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.focus({ preventScroll: true });
    this.label.hide();
    this.app.set({ prop: prop.id, joint: null, effector: null });
  }

  private move(event: PointerEvent): void {
    const { x, y } = spotOfEvent(this.stage.canvas, event);
    const { press } = this;
    if (!press) {
      this.hover(event, x, y);
      return;
    }
    if (event.pointerId !== press.pointer) return;
    event.stopImmediatePropagation();
    const prop = this.props.find((one) => one.id === press.prop);
    const { figure } = this.app;
    if (!prop || !figure) return;
    if (!press.point) {
      if (Math.hypot(x - press.x, y - press.y) <= STILL[press.kind]) return;
      press.point = press.start.position.clone();
      this.stage.canvas.style.cursor = "grabbing";
    }
    const fine = event.altKey ? FINE : 1;
    const [dx, dy] = [(x - press.x) * fine, (y - press.y) * fine];
    const view = viewOf(this.stage);
    press.point = event.shiftKey ? movedOnScreen(view, press.point, 0, 0, -2 * dy) : movedOnScreen(view, press.point, dx, dy);
    [press.x, press.y] = [x, y];
    const held = prop.holds.length > 0;
    const place = held
      ? press.point
      : onFloor(prop, press.point, press.start.quaternion, "xyz".indexOf(figure.up), figure.floor);
    this.view.preview = { id: prop.id, position: place, quaternion: press.start.quaternion };
    this.app.drag(prop.id, toVec3(place), null);
    this.stage.render();
  }

  private hover(event: PointerEvent, x: number, y: number): void {
    if (event.buttons !== 0 || pointerOf(event) !== "mouse") return;
    const prop = this.gizmo.hit(x, y) ? null : this.at(x, y, "mouse");
    const changed = this.view.over !== (prop?.id ?? null);
    this.view.over = prop?.id ?? null;
    if (prop) {
      event.stopImmediatePropagation();
      this.picking.leave();
      this.stage.canvas.style.cursor = "grab";
      this.label.show(words(prop, this.app), x, y);
    } else if (changed) this.label.hide();
    if (changed) this.stage.render();
  }

  private up(event: PointerEvent): void {
    if (!this.press || event.pointerId !== this.press.pointer) {
      if (!this.gizmo.holding) this.stage.controls.enabled = true;
      return;
    }
    event.stopImmediatePropagation();
    this.end();
  }

  private end(): void {
    const { press } = this;
    this.press = null;
    if (!press) return;
    if (press.point) this.app.drop();
    this.view.preview = null;
    this.stage.controls.enabled = true;
    this.stage.canvas.style.cursor = "";
    this.stage.render();
  }

  dispose(): void {
    this.end();
    for (const f of this.undo) f();
  }
}

function words(prop: PropInfo, app: App): string {
  const by = prop.holds.map((hold) => app.figure?.joints[hold.joint]?.name ?? "").join(" and ");
  return by ? `${prop.name} · held by ${by}` : prop.name;
}
