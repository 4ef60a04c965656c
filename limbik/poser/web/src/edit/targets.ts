// Signs of effectors and their targets: what is grabbed, and whether it is where it should be.
//
// An effector is a green disc, with a green ring while it is held; where it is not at its target, the disc
// goes hollow, the target is a red cross and a line joins them.  Pins are diamonds, aims an eye with an arrow, locked joints
// have a padlock.  Where signs lie on one another, a number says how many.  All keep their size on the screen.

import { Color, Group, type Quaternion, Vector3 } from "three";
import type { App } from "../state/app";
import type { Effector } from "../net/messages";
import type { Stage } from "../scene/stage";
import { AXIS_COLOURS, type Colours } from "./colours";
import { vector } from "./frames";
import { countOf, type Glyph, Sign } from "./glyphs";
import { effectorsOf, type Hand, lookedAt, placeOf, turnOf } from "./dragState";
import { stacksOf } from "./stacks";
import { Strokes } from "./strokes";
import { spotOf, towardsEye, unitsPerPixel, viewOf, worldScale } from "./view";

/** Pixels around a sign in which a press counts. */
const REACH = { mouse: 15, touch: 30 };
/** Signs whose distances from a press differ by less (pixels) are equally near. */
const SAME = 1;

const WHITE = new Color("#fff");

/** Everything that is drawn for one effector. */
class Marker {
  readonly group = new Group();
  readonly effector = new Sign(this.group, 34);
  readonly target = new Sign(this.group, 32);
  readonly halo = new Sign(this.group, 30);
  readonly link = new Strokes(2);
  readonly arrow = new Strokes(2.5);
  readonly triad = AXIS_COLOURS.map((color) => {
    const stroke = new Strokes(2);
    stroke.paint(new Color(color), 0.9);
    return stroke;
  });
  place = new Vector3();
  goal = new Vector3();
  turn: Quaternion | null = null;
  aim: Vector3 | null = null;
  /** Its target is on a joint or a prop, which is what a press there means. */
  tied = false;
  size = 20;
  lift = 0;

  constructor() {
    this.group.add(this.link, this.arrow, ...this.triad);
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const sign of [this.effector, this.target, this.halo]) sign.dispose();
    for (const stroke of [this.link, this.arrow, ...this.triad]) stroke.dispose();
  }
}

export class Targets {
  readonly group = new Group();
  private readonly markers = new Map<number, Marker>();
  private readonly locks = new Map<number, Sign>();
  private readonly counts: Sign[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly app: App,
    private readonly hand: Hand,
    public colours: Colours,
  ) {
    stage.world.add(this.group);
  }

  /** Brings the signs up to date with pose, state and selection. */
  update(): void {
    const effectors = effectorsOf(this.app);
    const wanted = new Set(effectors.map((effector) => effector.id));
    for (const [id, marker] of this.markers) {
      if (wanted.has(id)) continue;
      marker.dispose();
      this.markers.delete(id);
    }
    for (const effector of effectors) {
      let marker = this.markers.get(effector.id);
      if (!marker) {
        marker = new Marker();
        this.markers.set(effector.id, marker);
        this.group.add(marker.group);
      }
      this.paint(marker, effector);
    }
    this.paintLocks();
  }

  private paint(marker: Marker, effector: Effector): void {
    const { app, hand, colours } = this;
    const report = app.report(effector.id);
    const held = hand.holding === effector.id;
    const chosen = app.ui.effector === effector.id;
    const hovered = hand.overEffector === effector.id;
    const active = held || report !== undefined || effector.mode !== "free";
    const ok = report?.ok ?? true;
    marker.place = placeOf(app, effector);
    marker.goal = hand.targetOf(effector);
    marker.tied = hand.holding !== effector.id && lookedAt(app, effector) !== null;
    marker.turn = active ? hand.orientationOf(effector) : null;
    marker.size = (held || hovered ? 26 : 22) + (chosen ? 2 : 0);
    marker.lift = this.liftOf(effector.joint);

    const pinned = effector.mode === "pin";
    const aims = effector.mode === "aim";
    const body: Glyph = aims ? "eye" : pinned ? (ok ? "diamond" : "hollow diamond") : ok ? "disc" : "hollow";
    marker.effector.paint(body, ok ? colours.reached : colours.target, active || chosen || hovered ? 1 : 0.85);
    const goal: Glyph = aims ? "cross" : pinned ? "diamond ring" : ok ? "ring" : "cross";
    // Red is what is not met; a pin that holds has nothing around it.
    marker.target.paint(goal, ok ? colours.reached : colours.target, 1, 0.6);
    marker.target.visible = aims || held || (active && !ok);
    marker.halo.paint("halo", colours.accent, 1, 0.6);
    marker.halo.visible = chosen;

    marker.link.visible = active && !ok && !aims;
    if (marker.link.visible) {
      marker.link.setLine([marker.place, marker.goal]);
      marker.link.paint(colours.link, 0.9);
    }
    marker.aim = aims ? vector(effector.axis).applyQuaternion(turnOf(app, effector)).normalize() : null;
    marker.arrow.visible = aims;
    marker.arrow.paint(ok ? colours.reached : colours.target, 1);
    for (const axis of marker.triad) axis.visible = marker.turn !== null;
  }

  private paintLocks(): void {
    const { app } = this;
    const locked = new Set(app.state && app.pose && app.state.figure === app.figure?.id ? app.state.locked : []);
    for (const [joint, sign] of this.locks) {
      if (locked.has(joint)) continue;
      sign.dispose();
      this.locks.delete(joint);
    }
    for (const joint of locked) {
      let sign = this.locks.get(joint);
      if (!sign) {
        sign = new Sign(this.group, 36);
        this.locks.set(joint, sign);
      }
      sign.paint("lock", this.colours.pin, 1, 0.6);
      // Beside the joint, so that an effector's sign there stays free.
      sign.solid.center.set(app.effectorOn(joint) ? -0.35 : 0.5, app.effectorOn(joint) ? -0.2 : 0.5);
      sign.faint.center.copy(sign.solid.center);
    }
  }

  /** How far a sign at a joint is brought towards the eye, so that the joint's own body is not before it. */
  private liftOf(joint: number): number {
    const { figure } = this.app;
    if (!figure) return 0;
    const radii = figure.bones
      .filter((bone) => bone.joint === joint || figure.joints[joint]?.parent === bone.joint)
      .map((bone) => bone.radius);
    return 1.8 * Math.max(0.01 * figure.size, ...radii);
  }

  /** Sets sizes and depths for the camera as it is; before every frame. */
  place(): void {
    const view = viewOf(this.stage);
    const scale = worldScale(view);
    const eye = this.stage.world.worldToLocal(new Vector3().setFromMatrixPosition(view.camera.matrixWorld));
    const atOne = unitsPerPixel(view, 1) / scale;
    const put = (sign: Sign, point: Vector3, pixels: number, lift: number): void => {
      const at = point.clone().addScaledVector(towardsEye(view, point), Math.min(lift, 0.5 * eye.distanceTo(point)));
      for (const sprite of [sign.solid, sign.faint]) {
        sprite.position.copy(at);
        sprite.scale.setScalar(pixels * atOne);
      }
    };
    for (const marker of this.markers.values()) {
      put(marker.effector, marker.place, marker.size, marker.lift);
      put(marker.target, marker.goal, marker.size * 1.15, marker.lift);
      put(marker.halo, marker.place, marker.size * 1.75, marker.lift);
      const pixel = unitsPerPixel(view, spotOf(view, marker.place).depth) / scale;
      if (marker.aim) marker.arrow.setPieces(arrowPieces(marker.place, marker.aim, eye, pixel));
      if (marker.turn) {
        marker.triad.forEach((stroke, k) => {
          const way = new Vector3().setComponent(k, 1).applyQuaternion(marker.turn as Quaternion);
          const tip = marker.goal.clone().addScaledVector(way, 30 * pixel);
          stroke.setLine([marker.goal.clone().addScaledVector(way, 9 * pixel), tip]);
        });
      }
    }
    this.placeCounts(put);
    for (const [joint, sign] of this.locks) {
      if (this.app.pose) put(sign, vector(this.app.pose.positions, 3 * joint), 22, this.liftOf(joint));
    }
  }

  /** The effectors whose signs lie on one another, the nearest to the eye first in each stack. */
  stacks(): number[][] {
    const view = viewOf(this.stage);
    const spots = [...this.markers].map(([id, marker]) => ({ id, ...spotOf(view, marker.place) }));
    return stacksOf(spots.filter(({ depth }) => depth > 0));
  }

  /** How many signs lie on one another, below and to the right of the foremost. */
  private placeCounts(put: (sign: Sign, point: Vector3, pixels: number, lift: number) => void): void {
    const stacks = this.stacks();
    while (this.counts.length < stacks.length) this.counts.push(new Sign(this.group, 38));
    this.counts.forEach((sign, k) => {
      const stack = stacks[k];
      const top = stack && this.markers.get(stack[0]!);
      sign.visible = top !== undefined;
      if (!top) return;
      sign.paint(countOf(stack.length), WHITE, 1, 1);
      for (const sprite of [sign.solid, sign.faint]) sprite.center.set(-0.05, 1.05);
      put(sign, top.place, 19, top.lift);
    });
  }

  /** The effector whose sign is nearest to a place on the canvas, if it is near enough, and how near. */
  hit(x: number, y: number, kind: "mouse" | "touch"): { effector: number; pixels: number } | null {
    const view = viewOf(this.stage);
    let best: { effector: number; pixels: number; depth: number } | null = null;
    for (const [id, marker] of this.markers) {
      const points = marker.target.visible && !marker.tied ? [marker.place, marker.goal] : [marker.place];
      for (const point of points) {
        const spot = spotOf(view, point);
        if (spot.depth <= 0) continue;
        // Of two signs in one place the selected one is meant.
        const distance = Math.hypot(spot.x - x, spot.y - y) - (this.app.ui.effector === id ? 2 : 0);
        if (distance >= REACH[kind]) continue;
        // Of two others the nearer one to the eye is.
        const before = best && Math.abs(distance - best.pixels) < SAME ? spot.depth < best.depth : distance < (best?.pixels ?? Infinity);
        if (before) best = { effector: id, pixels: distance, depth: spot.depth };
      }
    }
    return best;
  }

  /** The effectors whose signs are on one spot of the canvas, the nearest to the eye first. */
  under(x: number, y: number, kind: "mouse" | "touch"): number[] {
    const view = viewOf(this.stage);
    const found: { effector: number; depth: number }[] = [];
    for (const [effector, marker] of this.markers) {
      const spot = spotOf(view, marker.place);
      if (spot.depth > 0 && Math.hypot(spot.x - x, spot.y - y) < REACH[kind]) found.push({ effector, depth: spot.depth });
    }
    return found.sort((a, b) => a.depth - b.depth).map(({ effector }) => effector);
  }

  dispose(): void {
    for (const marker of this.markers.values()) marker.dispose();
    for (const sign of [...this.locks.values(), ...this.counts]) sign.dispose();
    this.group.removeFromParent();
  }
}

/** An arrow of constant length on the screen, its barbs turned to the eye. */
function arrowPieces(from: Vector3, way: Vector3, eye: Vector3, pixel: number): Vector3[] {
  const start = from.clone().addScaledVector(way, 14 * pixel);
  const tip = from.clone().addScaledVector(way, 54 * pixel);
  const aside = new Vector3().crossVectors(way, eye.clone().sub(from));
  if (aside.length() > 1e-9) aside.setLength(7 * pixel);
  const neck = tip.clone().addScaledVector(way, -11 * pixel);
  return [start, tip, tip, neck.clone().add(aside), tip, neck.clone().sub(aside)];
}
