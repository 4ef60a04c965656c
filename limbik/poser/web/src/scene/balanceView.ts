// The centre of mass and what it must stay above, drawn: green inside, red outside.

import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  LineLoop,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
  SphereGeometry,
  Vector3,
} from "three";
import type { FigureInfo } from "../net/messages";
import { type Balance, levelAxes } from "./balance";

/** As shares of the figure's size. */
const BALL = 0.012;
const LIFT = 0.002; // above the floor, so that the two do not flicker

export class BalanceView {
  readonly group = new Group();
  private readonly solid = new MeshBasicMaterial({ depthTest: false, transparent: true });
  private readonly fill = new MeshBasicMaterial({ transparent: true, opacity: 0.22, side: DoubleSide, depthWrite: false });
  private readonly line = new LineBasicMaterial({ depthTest: false, transparent: true });
  private readonly ball = new Mesh(new SphereGeometry(1, 20, 14), this.solid);
  private readonly ring = new Mesh(new RingGeometry(1.3, 2, 32), this.solid);
  private readonly plumb = new Line(new BufferGeometry(), this.line);
  private readonly area = new Mesh(new BufferGeometry(), this.fill);
  private readonly edge = new LineLoop(new BufferGeometry(), this.line);

  constructor() {
    this.group.name = "balance";
    this.group.visible = false;
    for (const object of [this.ball, this.ring, this.plumb, this.edge]) object.renderOrder = 30;
    this.area.renderOrder = -10;
    this.group.add(this.area, this.edge, this.plumb, this.ring, this.ball);
    for (const object of [this.plumb, this.area, this.edge]) object.frustumCulled = false; // they change all the time
  }

  hide(): void {
    this.group.visible = false;
  }

  show(figure: FigureInfo, balance: Balance, colours: { good: string; bad: string }): void {
    this.group.visible = true;
    const up = "xyz".indexOf(figure.up);
    const [one, two] = levelAxes(figure.up);
    const height = figure.floor + LIFT * figure.size;
    const placed = (a: number, b: number): Vector3 => {
      const p = new Vector3();
      return p.setComponent(one, a).setComponent(two, b).setComponent(up, height);
    };
    for (const material of [this.solid, this.fill, this.line]) {
      material.color.set(balance.inside >= 0 ? colours.good : colours.bad);
    }
    const foot = placed(balance.centre.getComponent(one), balance.centre.getComponent(two));
    this.ball.position.copy(balance.centre);
    this.ball.scale.setScalar(BALL * figure.size);
    this.ring.position.copy(foot);
    this.ring.scale.setScalar(0.6 * BALL * figure.size);
    this.ring.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3().setComponent(up, 1));
    points(this.plumb.geometry, [balance.centre, foot]);
    const corners = balance.hull.map(([a, b]) => placed(a, b));
    points(this.edge.geometry, corners);
    // A fan: the hull is convex.
    points(this.area.geometry, corners.flatMap((c, i) => (i > 1 ? [corners[0]!, corners[i - 1]!, c] : [])));
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const object of [this.ball, this.ring, this.plumb, this.area, this.edge]) object.geometry.dispose();
    for (const material of [this.solid, this.fill, this.line]) material.dispose();
  }
}

function points(geometry: BufferGeometry, some: Vector3[]): void {
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(some.flatMap((p) => p.toArray())), 3));
}
