// Drags in the view: pixels, planes and curves.

import { Group, PerspectiveCamera, Ray, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { movedOnScreen, nearestOnCurve, onSphere, rayAt, spotOf, type View, viewAxes } from "../../src/edit/view";

/** A figure of centimetres with z up, seen from a corner. */
function view(): View {
  const world = new Group();
  world.rotation.x = -Math.PI / 2;
  world.scale.setScalar(0.011);
  world.position.set(0.1, -0.2, 0.3);
  world.updateMatrixWorld(true);
  const camera = new PerspectiveCamera(35, 900 / 600, 0.01, 100);
  camera.position.set(2, 1.5, 3);
  camera.lookAt(0, 0.8, 0);
  camera.updateMatrixWorld();
  return { camera, world, width: 900, height: 600 };
}

describe("movedOnScreen", () => {
  const point = new Vector3(20, -35, 110);

  it("keeps a dragged point under the pointer, in a plane parallel to the view", () => {
    const seen = view();
    const before = spotOf(seen, point);
    const after = spotOf(seen, movedOnScreen(seen, point, 137, -58));
    expect(after.x - before.x).toBeCloseTo(137, 6);
    expect(after.y - before.y).toBeCloseTo(-58, 6);
    expect(after.depth).toBeCloseTo(before.depth, 9);
  });

  it("moves away without leaving the view's direction", () => {
    const seen = view();
    const moved = movedOnScreen(seen, point, 0, 0, 50).sub(point);
    const [right, up, away] = viewAxes(seen);
    expect(moved.dot(right)).toBeCloseTo(0, 6);
    expect(moved.dot(up)).toBeCloseTo(0, 6);
    expect(moved.dot(away)).toBeGreaterThan(0);
    // As far as 50 pixels are wide there.
    const aside = movedOnScreen(seen, point, 50, 0).sub(point);
    expect(moved.length()).toBeCloseTo(aside.length(), 6);
  });
});

describe("rayAt", () => {
  it("goes through the point that is seen at the pixel", () => {
    const seen = view();
    const point = new Vector3(-12, 40, 77);
    const spot = spotOf(seen, point);
    expect(rayAt(seen, spot.x, spot.y).distanceToPoint(point)).toBeLessThan(1e-6);
  });
});

describe("nearestOnCurve", () => {
  it("finds the angle of an arc that is under the pointer, also where the arc is seen from its edge", () => {
    const seen = view();
    const [right, up, away] = viewAxes(seen);
    const arcs = [
      (angle: number) => right.clone().multiplyScalar(30 * Math.cos(angle)).addScaledVector(up, 30 * Math.sin(angle)),
      (angle: number) => right.clone().multiplyScalar(30 * Math.sin(angle)).addScaledVector(away, -30 * Math.cos(angle)),
    ];
    for (const arc of arcs) {
      const spot = spotOf(seen, arc(0.7));
      expect(nearestOnCurve(seen, arc, 0.5 - 0.9, 0.5 + 0.9, spot.x, spot.y)).toBeCloseTo(0.7, 4);
    }
  });
});

describe("onSphere", () => {
  const ray = new Ray(new Vector3(0, 0, 5), new Vector3(0, 0, -1));
  it("takes the side that it was on", () => {
    expect(onSphere(ray, new Vector3(0, 0, 0), 2, new Vector3(0.1, 0, 2)).z).toBeCloseTo(2);
    expect(onSphere(ray, new Vector3(0, 0, 0), 2, new Vector3(0.1, 0, -2)).z).toBeCloseTo(-2);
  });
  it("stays on the rim beside it", () => {
    const hit = onSphere(ray, new Vector3(3, 0, 0), 2, new Vector3(3, 0, 2));
    expect(hit.toArray()).toEqual([1, 0, 0]);
  });
});
