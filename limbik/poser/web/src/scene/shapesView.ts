// The figure's collision shapes, drawn as wires over the body.

import {
  BoxGeometry,
  type BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  SphereGeometry,
  WireframeGeometry,
} from "three";
import { jointFrame, quaternion, vector, type Placed } from "../edit/frames";
import type { BodyInfo, ShapeInfo } from "../net/messages";

function wires({ kind, sizes: [a, b, c] }: ShapeInfo): BufferGeometry {
  let solid: BufferGeometry;
  if (kind === "box") solid = new BoxGeometry(2 * a, 2 * b, 2 * c);
  else if (kind === "sphere") solid = new SphereGeometry(a, 12, 8);
  else if (kind === "cylinder") solid = new CylinderGeometry(a, a, 2 * b, 12).rotateX(Math.PI / 2); // along z
  else solid = new CapsuleGeometry(a, 2 * b, 4, 10).rotateX(Math.PI / 2);
  const lines = new WireframeGeometry(solid);
  solid.dispose();
  return lines;
}

export class ShapesView {
  readonly group = new Group();
  private readonly material = new LineBasicMaterial({ transparent: true, opacity: 0.55 });
  private body: BodyInfo | null = null;

  constructor() {
    this.group.name = "collision shapes";
    this.group.visible = false;
  }

  hide(): void {
    this.group.visible = false;
  }

  show(body: BodyInfo, pose: Placed, colour: string): void {
    this.group.visible = true;
    this.material.color.set(colour);
    if (body !== this.body) this.make(body);
    body.shapes.forEach((shape, i) => {
      const lines = this.group.children[i]!;
      const frame = jointFrame(pose, shape.joint);
      lines.position.copy(vector(shape.center).applyQuaternion(frame.quaternion).add(frame.position));
      lines.quaternion.copy(frame.quaternion).multiply(quaternion(shape.wxyz));
    });
  }

  private make(body: BodyInfo): void {
    this.clear();
    this.body = body;
    this.group.add(...body.shapes.map((shape) => new LineSegments(wires(shape), this.material)));
  }

  private clear(): void {
    for (const one of [...this.group.children] as LineSegments[]) {
      one.geometry.dispose();
      one.removeFromParent();
    }
  }

  dispose(): void {
    this.clear();
    this.material.dispose();
    this.group.removeFromParent();
  }
}
