// Between the page and the figure: rays through pixels, and where points are seen.

import { Ray, type Vector3, type Object3D } from "three";
import { sightLine, type ViewCamera } from "./viewCamera";

export interface Spot {
  x: number;
  y: number;
  /** In front of the camera and not behind it. */
  ahead: boolean;
}

export interface Sight {
  camera: ViewCamera;
  /** In the figure's axes and unit. */
  world: Object3D;
  canvas: HTMLCanvasElement;
}

/** Matrices as they will be when the next frame is drawn. */
function settle({ camera, world }: Sight): void {
  camera.updateMatrixWorld();
  world.updateMatrixWorld();
}

/** The ray under a place of the page (CSS pixels), in the figure's axes. */
export function rayAt(sight: Sight, x: number, y: number): Ray {
  settle(sight);
  const { camera, world, canvas } = sight;
  const box = canvas.getBoundingClientRect();
  const [from, through] = sightLine(camera, ((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
  world.worldToLocal(from);
  world.worldToLocal(through);
  return new Ray(from, through.sub(from).normalize());
}

/** Where a point of the figure is on the page, in CSS pixels. */
export function spotOf(sight: Sight, point: Vector3): Spot {
  settle(sight);
  const { camera, world, canvas } = sight;
  const at = world.localToWorld(point.clone()).applyMatrix4(camera.matrixWorldInverse);
  const ahead = at.z < 0;
  at.applyMatrix4(camera.projectionMatrix);
  const box = canvas.getBoundingClientRect();
  return {
    x: box.left + ((at.x + 1) / 2) * box.width,
    y: box.top + ((1 - at.y) / 2) * box.height,
    ahead,
  };
}

/** How far one pixel lies beside a ray, as a share of the distance along it; at the distance `away` in
 *  an orthographic view. */
export function pixelAngle({ camera, canvas }: Sight, away: number): number {
  return camera.heightAt(away) / (away * Math.max(canvas.clientHeight, 1));
}
