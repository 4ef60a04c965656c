// How a figure's own axes and unit are set into the scene: upright, on the floor, and where it looks.

import { type Object3D, Vector3 } from "three";
import type { FigureInfo } from "../net/messages";
import { facing } from "./framing";

/** As shares of a figure's size: bodies that reach so far below the floor are lifted onto it. */
const SOLE = 0.03;

/** Turn and scale what holds a figure so that it stands upright on the scene's floor. */
export function setUpright(world: Object3D, figure: FigureInfo, scale: number): void {
  world.rotation.set(figure.up === "z" ? -Math.PI / 2 : 0, 0, figure.up === "x" ? Math.PI / 2 : 0);
  world.scale.setScalar(scale);
  world.position.set(0, -figure.floor * scale, 0);
  world.updateMatrixWorld(true);
}

/** Lift a figure whose body (`outline`, 3 numbers a point) reaches a little below the floor. */
export function setOnFloor(world: Object3D, figure: FigureInfo, outline: ArrayLike<number>): void {
  let lowest = Infinity;
  for (let i = "xyz".indexOf(figure.up); i < outline.length; i += 3) lowest = Math.min(lowest, outline[i]!);
  // Soles are thicker than the bones that the floor was found from; a foot below ground is a pose.
  const sunk = Math.min(Math.max(figure.floor - lowest, 0), SOLE * figure.size);
  world.position.y = (sunk - figure.floor) * world.scale.x;
  world.updateMatrixWorld(true);
}

/** Where a figure looks: radians about the vertical from the scene's +z towards +x. */
export function headingOf(world: Object3D, figure: FigureInfo, positions: ArrayLike<number>): number {
  const ahead = new Vector3(...facing(figure, positions)).transformDirection(world.matrixWorld);
  return Math.atan2(ahead.x, ahead.z);
}

/** Points of a figure's axes (3 numbers each), in the scene. */
export function inScene(world: Object3D, places: ArrayLike<number>): Float32Array {
  const points = Float32Array.from(places);
  const at = new Vector3();
  for (let i = 0; i + 2 < points.length; i += 3) world.localToWorld(at.fromArray(points, i)).toArray(points, i);
  return points;
}
