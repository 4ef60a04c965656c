// From where the figure is seen: orbiting, gliding to a frame or a view, and the keyboard's steps.

import { MathUtils, MOUSE, Spherical, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { type CameraPlace, placeToSee, putAt, seesAll } from "./cameraPlace";
import { Following } from "./following";
import { ease } from "./framing";
import { isAskew, isLevel, shortestTurn, type SquareName, turnTo, type ViewName } from "./namedViews";
import { ViewCamera } from "./viewCamera";

const FOV = 32;
const GLIDE = 420; // ms
const NEAREST = 0.06;
const FURTHEST = 80;

export class Viewpoint {
  readonly camera = new ViewCamera(FOV, 1, 0.01, 200);
  /** The square view that we are in, or on the way to. */
  square: SquareName | null = null;
  readonly controls: OrbitControls;
  /** Where the figure looks: radians about the vertical from the scene's +z towards +x. */
  heading = 0;
  readonly following = new Following();
  private glide: { from: CameraPlace; to: CameraPlace; since: number } | null = null;
  /** From where a square view was entered that is filled by the figure, and where that brought us. */
  private entered: { from: CameraPlace; to: CameraPlace } | null = null;
  /** On the way back to that framing, while the view is turned: shares of the way. */
  private widening: { by: number; shift: Vector3; since: number; done: number } | null = null;
  /** Orthographic because somebody asked for it, and not only for a square view. */
  private flat = false;

  /** `wake` asks for a frame to be drawn. */
  constructor(
    canvas: HTMLCanvasElement,
    private readonly wake: () => void,
  ) {
    this.camera.position.set(1.5, 1.6, 4.5);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    this.controls.zoomToCursor = true;
    this.controls.zoomSpeed = 1.1;
    this.controls.rotateSpeed = 0.85;
    this.controls.mouseButtons.MIDDLE = MOUSE.ROTATE; // as in other programs: also over the figure
    this.controls.minDistance = NEAREST;
    this.controls.maxDistance = FURTHEST;
    this.controls.target.set(0, 1, 0);
    this.controls.addEventListener("change", wake);
    this.controls.addEventListener("start", () => {
      if (this.glide) this.square = null;
      this.glide = null; // a hand on the view beats where it was going
      wake();
    });
    canvas.addEventListener("wheel", () => (this.glide = this.widening = null), { passive: true });
  }

  get target(): Vector3 {
    return this.controls.target;
  }

  /** Whether the floor is seen from its edge. */
  get level(): boolean {
    return this.square !== null && this.camera.orthographic && isLevel(this.square);
  }

  get distance(): number {
    const { camera } = this;
    // As far as a camera with perspective would be that sees as much.
    if (camera.orthographic) return camera.heightAt(0) / (2 * Math.tan((camera.fov * Math.PI) / 360));
    return camera.position.distanceTo(this.controls.target);
  }

  /** The picture has another size.  What was whole in it (3 numbers a point) fills as much of it as before. */
  resize(width: number, height: number, whole: Float32Array | null): void {
    const offset = this.offset();
    const before = whole && this.fitted(whole, 0, offset).distance;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!whole || !before) return;
    offset.radius = MathUtils.clamp((offset.radius * this.fitted(whole, 0, offset).distance) / before, NEAREST, FURTHEST);
    this.go({ target: this.heldTarget(), offset }, false);
  }

  /** Look at points of the scene so that they fill the picture, from where we are or from a view.
   *  `room` is how much is around each of them; 3 numbers a point. */
  frame(points: Float32Array, room: number, view: ViewName | null, animated: boolean): void {
    if (points.length === 0) return;
    this.following.forget();
    const offset = this.offset();
    const from = this.square ? this.entered?.from : { target: this.heldTarget(), offset: offset.clone() };
    if (view) {
      turnTo(offset, view, this.heading);
      this.square = view === "corner" ? null : view;
    }
    const { target, distance } = this.fitted(points, room, offset);
    offset.radius = MathUtils.clamp(distance, NEAREST * 2, FURTHEST);
    this.entered = this.square && from ? { from, to: { target: target.clone(), offset: offset.clone() } } : null;
    this.go({ target, offset }, animated);
  }

  /** Whether points of the scene (3 numbers each) are all in the picture, as it is or as it will be
   *  when we have arrived. */
  shows(points: Float32Array): boolean {
    if (!this.glide) return seesAll(this.camera, points);
    const { fov, aspect, near, far } = this.camera;
    const camera = new ViewCamera(fov, aspect, near, far);
    camera.orthographic = this.flat || this.square !== null;
    putAt(camera, this.glide.to);
    return seesAll(camera, points);
  }

  /** Turn to a named view, keeping what is looked at and how far away it is. */
  view(name: ViewName, animated = true): void {
    const offset = this.offset();
    turnTo(offset, name, this.heading);
    this.square = name === "corner" ? null : name;
    this.entered = null;
    this.go({ target: this.target.clone(), offset }, animated);
  }

  /** Between perspective and orthographic, seen from where we are. */
  toggleProjection(): void {
    this.flat = !this.camera.orthographic;
    if (!this.flat) this.square = null;
    this.project(this.flat);
    this.wake();
  }

  /** Draw with or without perspective; what is looked at keeps its size. */
  private project(flat: boolean): void {
    if (flat === this.camera.orthographic) return;
    const offset = this.offset();
    const target = this.target.clone();
    this.camera.zoom = 1;
    this.camera.orthographic = flat;
    this.place({ target, offset });
  }

  /** Turn around what is looked at; radians. */
  orbit(turn: number, lift: number): void {
    const offset = this.offset();
    offset.theta += turn;
    offset.phi -= lift;
    const back = this.square ? this.framedBefore() : null;
    if (back) offset.radius = back.offset.radius;
    this.square = null;
    this.go({ target: (back?.target ?? this.target).clone(), offset }, false);
  }

  /** Come nearer (> 1) or go away (< 1). */
  dolly(factor: number): void {
    const offset = this.offset();
    offset.radius = MathUtils.clamp(offset.radius / factor, NEAREST, FURTHEST);
    this.go({ target: this.target.clone(), offset }, false);
  }

  /** Move sideways and up by shares of the picture's height. */
  pan(right: number, up: number): void {
    const height = this.camera.heightAt(this.distance);
    const target = this.target
      .clone()
      .addScaledVector(new Vector3().setFromMatrixColumn(this.camera.matrix, 0), right * height)
      .addScaledVector(new Vector3().setFromMatrixColumn(this.camera.matrix, 1), up * height);
    this.go({ target, offset: this.offset() }, false);
  }

  /** One step of gliding and damping; true while there is more to come. */
  update(now: number): boolean {
    let moving = false;
    if (this.glide) {
      const { from, to, since } = this.glide;
      const t = Math.min(1, (now - since) / GLIDE);
      const e = ease(t);
      const radius = from.offset.radius * (to.offset.radius / from.offset.radius) ** e;
      this.place({
        target: from.target.clone().lerp(to.target, e),
        offset: new Spherical(
          radius,
          MathUtils.lerp(from.offset.phi, to.offset.phi, e),
          MathUtils.lerp(from.offset.theta, to.offset.theta, e),
        ),
      });
      if (t === 1) {
        this.glide = null;
        this.settle();
      } else moving = true;
    }
    const along = this.glide ? null : this.following.step(now);
    if (along) {
      this.target.add(along);
      this.camera.position.add(along);
      moving = true;
    }
    moving = this.controls.update() || moving;
    if (this.square && !this.glide && isAskew(this.direction(), this.square, this.heading)) {
      const back = this.flat ? null : this.framedBefore();
      this.square = null;
      this.settle();
      if (back) {
        const shift = back.target.clone().sub(this.target);
        this.widening = { by: back.offset.radius / this.distance, shift, since: now, done: 0 };
      }
    }
    if (this.widening) moving = this.widen(now) || moving;
    if (this.camera.orthographic) return moving;
    // As much depth as can be told apart, whether a fingertip or a crane is looked at.
    const near = MathUtils.clamp(this.distance / 60, 0.002, 0.1);
    if (Math.abs(this.camera.near / near - 1) > 0.2) {
      this.camera.near = near;
      this.camera.updateProjectionMatrix();
    }
    return moving;
  }

  private direction(): Spherical {
    return new Spherical().setFromVector3(this.camera.position.clone().sub(this.target));
  }

  private offset(): Spherical {
    if (this.glide) return this.glide.to.offset.clone();
    const offset = this.direction();
    offset.radius = this.distance;
    return offset;
  }

  /** How the figure was framed before the square view, where nobody has moved or zoomed that since. */
  private framedBefore(): CameraPlace | null {
    if (!this.entered) return null;
    const { from, to } = this.entered;
    const [far, away] = [this.distance / to.offset.radius, this.target.distanceTo(to.target)];
    return Math.abs(far - 1) < 0.02 && away < 0.02 * to.offset.radius ? from : null;
  }

  /** A step of the way back to the framing before a square view, beside the hand that turns the view;
   *  true while there is more to come. */
  private widen(now: number): boolean {
    const { widening } = this;
    if (!widening || this.camera.orthographic) return false;
    const share = isStill() ? 1 : ease(Math.min(1, (now - widening.since) / GLIDE));
    const step = share - widening.done;
    const offset = this.camera.position.clone().sub(this.target).multiplyScalar(widening.by ** step);
    this.target.addScaledVector(widening.shift, step);
    this.camera.position.copy(this.target).add(offset);
    widening.done = share;
    if (share === 1) this.widening = null;
    return share < 1;
  }

  private fitted(points: Float32Array, room: number, offset: Spherical): { target: Vector3; distance: number } {
    return placeToSee(points, room, offset, this.camera, this.flat || this.square !== null);
  }

  private heldTarget(): Vector3 {
    return (this.glide?.to.target ?? this.target).clone();
  }

  /** The projection that belongs to the view in which we have arrived. */
  private settle(): void {
    this.project(this.flat || this.square !== null);
  }

  private go(to: CameraPlace, animated: boolean): void {
    this.widening = null;
    // What is left of the last swing would turn us away from where we are going.
    this.controls.enableDamping = false;
    this.controls.update();
    this.controls.enableDamping = true;
    to.offset.makeSafe();
    if (!animated || isStill()) {
      this.glide = null;
      this.place(to);
      this.settle();
    } else {
      this.glide = null;
      const from = { target: this.target.clone(), offset: this.offset() };
      this.project(this.flat);
      to.offset.theta = shortestTurn(from.offset.theta, to.offset.theta);
      this.glide = { from, to, since: performance.now() };
    }
    this.wake();
  }

  private place(place: CameraPlace): void {
    this.target.copy(place.target);
    putAt(this.camera, place);
  }
}

/** Whether a person wants no movements of the view. */
function isStill(): boolean {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
