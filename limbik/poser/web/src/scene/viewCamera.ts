// The camera of the view: in perspective, or orthographic for square views, one and the same object.
//
// three.js asks cameras by their flags which kind they are; the flags follow the projection, so that
// orbiting, gizmos, rays and shaders all know.

import { PerspectiveCamera, Vector3 } from "three";

export class ViewCamera extends PerspectiveCamera {
  /** Scene units that the picture is high in an orthographic view, at zoom 1. */
  span = 2;
  // As an OrthographicCamera has them, without the zoom.
  left = -1;
  right = 1;
  top = 1;
  bottom = -1;
  private flat = false;

  get orthographic(): boolean {
    return this.flat;
  }

  set orthographic(on: boolean) {
    this.flat = on;
    Object.assign(this, { isPerspectiveCamera: !on, isOrthographicCamera: on });
    this.updateProjectionMatrix();
  }

  /** Scene units that the picture is high at a distance in front of the camera. */
  heightAt(distance: number): number {
    return this.flat ? this.span / this.zoom : (2 * Math.tan((this.fov * Math.PI) / 360) * distance) / this.zoom;
  }

  override updateProjectionMatrix(): void {
    if (!this.flat) {
      super.updateProjectionMatrix();
      return;
    }
    this.top = this.span / 2;
    this.bottom = -this.top;
    this.right = this.top * this.aspect;
    this.left = -this.right;
    const { left, right, top, bottom, zoom } = this;
    this.projectionMatrix.makeOrthographic(
      left / zoom, right / zoom, top / zoom, bottom / zoom, this.near, this.far, this.coordinateSystem,
    );
    this.projectionMatrixInverse.copy(this.projectionMatrix).invert();
  }
}

/** Whether a camera draws without perspective. */
export function isFlat(camera: object): boolean {
  return (camera as { isOrthographicCamera?: boolean }).isOrthographicCamera === true;
}

/** Two points of the scene on the line of sight through a place of the picture, x and y from −1 to 1; the
 *  first is at the camera. */
export function sightLine(camera: PerspectiveCamera, x: number, y: number): [from: Vector3, through: Vector3] {
  const through = new Vector3(x, y, 0.5).unproject(camera);
  const from = new Vector3().setFromMatrixPosition(camera.matrixWorld);
  if (!isFlat(camera)) return [from, through];
  const ahead = new Vector3().setFromMatrixColumn(camera.matrixWorld, 2).negate();
  const depth = through.clone().sub(from).dot(ahead);
  return [through.clone().addScaledVector(ahead, -depth), through];
}
