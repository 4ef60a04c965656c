// Square views: an orthographic camera of one and the same object, rays and drags in it.

import { Group, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { movedOnScreen, rayAt, spotOf, towardsEye, unitsPerPixel, type View, viewAxes } from "../../src/edit/view";
import { nearestQuarter } from "../../src/scene/namedViews";
import { isFlat, sightLine, ViewCamera } from "../../src/scene/viewCamera";

/** A figure of centimetres with z up, seen from its left, 600 pixels high. */
function side(): View & { camera: ViewCamera } {
  const world = new Group();
  world.rotation.x = -Math.PI / 2;
  world.scale.setScalar(0.011);
  world.position.set(0.1, -0.2, 0.3);
  world.updateMatrixWorld(true);
  const camera = new ViewCamera(32, 900 / 600, 0.01, 100);
  camera.span = 3;
  camera.orthographic = true;
  camera.position.set(20, 0.8, 0);
  camera.lookAt(0, 0.8, 0);
  camera.updateMatrixWorld();
  return { camera, world, width: 900, height: 600 };
}

describe("an orthographic view", () => {
  const point = new Vector3(20, -35, 110);

  it("has the flags that three.js asks for, and loses them again", () => {
    const { camera } = side();
    expect([isFlat(camera), camera.isPerspectiveCamera]).toEqual([true, false]);
    camera.orthographic = false;
    expect([isFlat(camera), camera.isPerspectiveCamera]).toEqual([false, true]);
  });

  it("covers as much with a pixel near by as far away", () => {
    const view = side();
    expect(unitsPerPixel(view, 1)).toBeCloseTo(3 / 600, 12);
    expect(unitsPerPixel(view, 50)).toBeCloseTo(3 / 600, 12);
    view.camera.zoom = 2;
    expect(unitsPerPixel(view, 1)).toBeCloseTo(1.5 / 600, 12);
  });

  it("moves a dragged point exactly in its plane, under the pointer", () => {
    const view = side();
    const before = spotOf(view, point);
    const moved = movedOnScreen(view, point, 137, -58);
    expect(moved.x).toBe(point.x);
    const after = spotOf(view, moved);
    expect(after.x - before.x).toBeCloseTo(137, 6);
    expect(after.y - before.y).toBeCloseTo(-58, 6);
  });

  it("casts parallel rays through the points that are seen", () => {
    const view = side();
    for (const at of [point, new Vector3(-40, 60, 10)]) {
      const spot = spotOf(view, at);
      const ray = rayAt(view, spot.x, spot.y);
      expect(ray.distanceToPoint(at)).toBeLessThan(1e-6);
      expect(ray.direction.dot(viewAxes(view)[2])).toBeCloseTo(1, 9);
      expect(towardsEye(view, at).dot(ray.direction)).toBeCloseTo(-1, 9);
    }
    const [from, through] = sightLine(view.camera, 0.3, -0.2);
    expect(through.sub(from).normalize().x).toBeCloseTo(-1, 12);
  });

  it("is square to the floor's lines, whatever way the figure faces nearly", () => {
    expect(nearestQuarter(0.2)).toBe(0);
    expect(nearestQuarter(1.4)).toBeCloseTo(Math.PI / 2, 12);
    expect(nearestQuarter(-3)).toBeCloseTo(-Math.PI, 12);
  });
});
