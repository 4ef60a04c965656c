// Between the screen and the figure: CSS pixels of the canvas, and points in the figure's axes.

import { Ray, Vector3, type Object3D, type PerspectiveCamera } from "three";
import { isFlat, sightLine, type ViewCamera } from "../scene/viewCamera";

/** What is needed of the stage to look at it. */
export interface View {
  camera: PerspectiveCamera;
  /** The group that holds the figure, in the figure's own axes and unit. */
  world: Object3D;
  /** CSS pixels. */
  width: number;
  height: number;
}

export interface Spot {
  x: number;
  y: number;
  /** Distance in front of the camera, in scene units; not positive behind it. */
  depth: number;
}

export function viewOf(stage: {
  camera: PerspectiveCamera;
  world: Object3D;
  canvas: HTMLCanvasElement;
}): View {
  const { camera, world, canvas } = stage;
  // The camera may have moved since the last frame.
  camera.updateMatrixWorld();
  return { camera, world, width: canvas.clientWidth || 1, height: canvas.clientHeight || 1 };
}

/** Where a point of the figure is on the canvas. */
export function spotOf(view: View, point: Vector3): Spot {
  const seen = view.world.localToWorld(point.clone()).applyMatrix4(view.camera.matrixWorldInverse);
  const depth = -seen.z;
  seen.applyMatrix4(view.camera.projectionMatrix);
  return { x: ((seen.x + 1) / 2) * view.width, y: ((1 - seen.y) / 2) * view.height, depth };
}

/** Scene units that one pixel covers at a distance in front of the camera. */
export function unitsPerPixel(view: View, depth: number): number {
  const { fov, zoom } = view.camera;
  if (isFlat(view.camera)) return (view.camera as ViewCamera).span / (zoom * view.height);
  return (2 * Math.tan((fov * Math.PI) / 360) * Math.max(depth, view.camera.near)) / (zoom * view.height);
}

/** Scene units that one of the figure's units covers. */
export function worldScale(view: View): number {
  return view.world.getWorldScale(new Vector3()).x || 1;
}

/** The ray under a pixel, in the figure's axes. */
export function rayAt(view: View, x: number, y: number): Ray {
  const [from, through] = sightLine(view.camera, (2 * x) / view.width - 1, 1 - (2 * y) / view.height);
  view.world.worldToLocal(from);
  view.world.worldToLocal(through);
  return new Ray(from, through.sub(from).normalize());
}

/** A number as it is meant: a square view's axes have exact zeros, so that a drag stays in its plane. */
const SQUARE = 1e-5;

/** The direction from a point of the figure to the eye, a unit vector in the figure's axes. */
export function towardsEye(view: View, point: Vector3): Vector3 {
  if (isFlat(view.camera)) return viewAxes(view)[2].negate();
  const eye = view.world.worldToLocal(new Vector3().setFromMatrixPosition(view.camera.matrixWorld));
  return eye.sub(point).normalize();
}

/** Right, up and away from the eye, as unit vectors in the figure's axes. */
export function viewAxes(view: View): [Vector3, Vector3, Vector3] {
  const { camera, world } = view;
  const origin = world.worldToLocal(new Vector3());
  const turned = (column: number, sign: number): Vector3 => {
    const axis = world.worldToLocal(new Vector3().setFromMatrixColumn(camera.matrixWorld, column).multiplyScalar(sign));
    axis.sub(origin).normalize();
    for (let k = 0; k < 3; k++) if (Math.abs(axis.getComponent(k)) < SQUARE) axis.setComponent(k, 0);
    return axis.normalize();
  };
  return [turned(0, 1), turned(1, 1), turned(2, -1)];
}

/**
 * A point moved by pixels: dx, dy in the plane through it that is parallel to the view, so that it
 * stays under the pointer, and `away` along the view's depth by as much as a pixel is wide there.
 */
export function movedOnScreen(view: View, point: Vector3, dx: number, dy: number, away = 0): Vector3 {
  const pixel = unitsPerPixel(view, spotOf(view, point).depth) / worldScale(view);
  const [right, up, into] = viewAxes(view);
  return point
    .clone()
    .addScaledVector(right, dx * pixel)
    .addScaledVector(up, -dy * pixel)
    .addScaledVector(into, away * pixel);
}

/** The parameter in [from, to] whose point on a curve is nearest to a pixel. */
export function nearestOnCurve(
  view: View,
  curve: (value: number) => Vector3,
  from: number,
  to: number,
  x: number,
  y: number,
): number {
  const away = (value: number): number => {
    const spot = spotOf(view, curve(value));
    return spot.depth > 0 ? Math.hypot(spot.x - x, spot.y - y) : Infinity;
  };
  const steps = 48;
  let best = from;
  let least = Infinity;
  for (let i = 0; i <= steps; i++) {
    const value = from + ((to - from) * i) / steps;
    const distance = away(value);
    if (distance < least) [best, least] = [value, distance];
  }
  let low = Math.max(Math.min(from, to), best - Math.abs(to - from) / steps);
  let high = Math.min(Math.max(from, to), best + Math.abs(to - from) / steps);
  for (let i = 0; i < 24; i++) {
    const third = (high - low) / 3;
    if (away(low + third) < away(high - third)) high -= third;
    else low += third;
  }
  return (low + high) / 2;
}

/** Where a ray meets a sphere, the meeting nearer to `before`; beside it, the nearest point. */
export function onSphere(ray: Ray, center: Vector3, radius: number, before: Vector3): Vector3 {
  const middle = ray.closestPointToPoint(center, new Vector3());
  const beside = middle.distanceTo(center);
  if (beside >= radius) return middle.sub(center).setLength(radius).add(center);
  const half = Math.sqrt(radius * radius - beside * beside);
  const front = middle.clone().addScaledVector(ray.direction, -half);
  const back = middle.addScaledVector(ray.direction, half);
  return front.distanceTo(before) <= back.distanceTo(before) ? front : back;
}
