// Where a prop is, how far down it reaches, and where rays meet it; in the figure's axes and unit.

import { Box3, type Quaternion, Ray, Sphere, Vector3 } from "three";
import { type Frame, jointFrame, quaternion, vector, type Placed } from "../edit/frames";
import type { PropInfo, Vec3 } from "../net/messages";

/** Where a prop is in a pose: what is held is where the first joint that holds it brings it. */
export function propPlace(prop: PropInfo, pose: Placed | null): Frame {
  const hold = prop.holds[0];
  if (!hold || !pose) return { position: vector(prop.position), quaternion: quaternion(prop.wxyz) };
  const joint = jointFrame(pose, hold.joint);
  const turn = joint.quaternion.clone().multiply(quaternion(hold.wxyz).invert());
  const position = vector(hold.position).negate().applyQuaternion(turn).add(joint.position);
  return { position, quaternion: turn };
}

/** How far a ray goes before it meets a prop; Infinity where it does not. */
export function rayToProp(ray: Ray, prop: PropInfo, place: Frame): number {
  const back = place.quaternion.clone().invert();
  const local = new Ray(
    ray.origin.clone().sub(place.position).applyQuaternion(back),
    ray.direction.clone().applyQuaternion(back),
  );
  let nearest = Infinity;
  for (const { ball, center, half } of prop.parts) {
    const middle = vector(center);
    const hit = ball
      ? local.intersectSphere(new Sphere(middle, half[0]), new Vector3())
      : local.intersectBox(new Box3(middle.clone().sub(vector(half)), middle.clone().add(vector(half))), new Vector3());
    if (hit) nearest = Math.min(nearest, hit.distanceTo(local.origin));
  }
  return nearest;
}

/** How far the box around a prop reaches below its middle along an axis (0, 1, 2). */
export function reachBelow(prop: PropInfo, turn: Quaternion, up: number): number {
  if (prop.kind === "ball") return prop.size[0] / 2;
  return [0, 1, 2].reduce((sum, k) => {
    const axis = new Vector3().setComponent(k, 1).applyQuaternion(turn);
    return sum + (Math.abs(axis.getComponent(up)) * prop.size[k]!) / 2;
  }, 0);
}

/** The corners of the box around a prop: 3 numbers each. */
export function cornersOf(prop: PropInfo, place: Frame): number[] {
  const [a, b, c] = prop.size.map((edge) => edge / 2) as Vec3;
  const signs = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => [x * a, y * b, z * c] as const)));
  return signs.flatMap((corner) => vector(corner).applyQuaternion(place.quaternion).add(place.position).toArray());
}

/** The place raised so that the prop does not go below the floor. */
export function onFloor(prop: PropInfo, place: Vector3, turn: Quaternion, up: number, floor: number): Vector3 {
  const least = floor + reachBelow(prop, turn, up);
  const out = place.clone();
  if (out.getComponent(up) < least) out.setComponent(up, least);
  return out;
}
