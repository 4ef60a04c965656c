// Where a camera stands: what it looks at, from where, and what of the scene it sees from there.

import { type Spherical, Vector3 } from "three";
import { fit } from "./framing";
import type { ViewCamera } from "./viewCamera";

/** Where the camera stands in an orthographic view, scene units from what is looked at. */
const BACK = 20;

export interface CameraPlace {
  /** What it looks at. */
  target: Vector3;
  /** From there to the camera. */
  offset: Spherical;
}

/** Let a camera look from a place; without perspective it sees as much as one with it would there. */
export function putAt(camera: ViewCamera, { target, offset }: CameraPlace): void {
  const seen = offset.clone();
  if (camera.orthographic) {
    camera.span = 2 * offset.radius * Math.tan((camera.fov * Math.PI) / 360);
    camera.zoom = 1;
    [camera.near, seen.radius] = [0.1, BACK];
    camera.updateProjectionMatrix();
  }
  camera.position.setFromSpherical(seen).add(target);
  camera.lookAt(target);
  camera.updateMatrixWorld();
}

/** What to look at, and from how far, to see points of the scene whole from the direction of `offset`; 3
 *  numbers a point, and `room` is how much is around each. */
export function placeToSee(
  points: Float32Array,
  room: number,
  offset: Spherical,
  camera: ViewCamera,
  flat: boolean,
): { target: Vector3; distance: number } {
  offset.makeSafe();
  const towards = new Vector3().setFromSpherical(offset).normalize();
  const right = new Vector3(0, 1, 0).cross(towards).normalize();
  const up = new Vector3().crossVectors(towards, right);
  const seen: number[] = [];
  const at = new Vector3();
  for (let i = 0; i < points.length; i += 3) {
    at.fromArray(points, i);
    for (const [x, y] of [[-room, -room], [room, room]] as const) {
      seen.push(at.dot(right) + x, at.dot(up) + y, at.dot(towards) + room);
    }
  }
  const { center, distance } = fit(seen, camera.fov, camera.aspect, flat);
  const target = right.clone().multiplyScalar(center[0]);
  target.addScaledVector(up, center[1]).addScaledVector(towards, center[2]);
  return { target, distance };
}

/** Whether points of the scene (3 numbers each) are all in a camera's picture. */
export function seesAll(camera: ViewCamera, points: Float32Array): boolean {
  camera.updateMatrixWorld();
  const at = new Vector3();
  for (let i = 0; i + 2 < points.length; i += 3) {
    at.fromArray(points, i).applyMatrix4(camera.matrixWorldInverse);
    if (at.z >= 0) return false;
    at.applyMatrix4(camera.projectionMatrix);
    if (Math.abs(at.x) > 1 || Math.abs(at.y) > 1) return false;
  }
  return true;
}
