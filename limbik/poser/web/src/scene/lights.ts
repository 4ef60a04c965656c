// Soft light from the sky, a key light that throws the shadow, and a faint one from behind.

import { DirectionalLight, Group, HemisphereLight, Vector3 } from "three";
import type { Palette } from "./palette";

const KEY = new Vector3(0.55, 1.15, 0.75).normalize();
const RIM = new Vector3(-0.7, 0.5, -0.8).normalize();

/** Sizes of shadow maps for a fast and a slow machine. */
const FINE = 2048;
const COARSE = 1024;

export class Lights {
  readonly group = new Group();
  private readonly sky = new HemisphereLight();
  private readonly key = new DirectionalLight(0xffffff, 1);
  private readonly rim = new DirectionalLight(0xffffff, 1);
  private radius = 0;
  private readonly toKey = KEY.clone();

  constructor() {
    this.key.castShadow = true;
    this.key.shadow.mapSize.setScalar(FINE);
    this.key.shadow.radius = 5;
    this.key.shadow.bias = -0.0006;
    this.key.shadow.normalBias = 0.02;
    this.group.add(this.sky, this.key, this.key.target, this.rim, this.rim.target);
    this.face(0);
  }

  /** Turn the lights with the figure, so that its front is lit: radians about the vertical. */
  face(heading: number): void {
    const up = new Vector3(0, 1, 0);
    this.toKey.copy(KEY).applyAxisAngle(up, heading);
    this.rim.position.copy(RIM).applyAxisAngle(up, heading).multiplyScalar(10);
  }

  /** Let the shadow's map cover a sphere in the scene and no more; returns where the floor may be dark:
   *  the middle and half of the sides of a square. */
  cover(center: Vector3, radius: number): { middle: Vector3; half: number } {
    this.key.target.position.copy(center);
    this.key.position.copy(center).addScaledVector(this.toKey, 12);
    // In steps, so that the shadow's edge does not crawl with every move.
    const step = 1.25 ** Math.ceil(Math.log(Math.max(radius, 1e-3)) / Math.log(1.25));
    const floor = {
      middle: center.clone().addScaledVector(this.toKey, -center.y / this.toKey.y),
      half: step / this.toKey.y,
    };
    if (step === this.radius) return floor;
    this.radius = step;
    const camera = this.key.shadow.camera;
    [camera.left, camera.right, camera.top, camera.bottom] = [-step, step, step, -step];
    // Far enough for the floor below somebody who jumps.
    [camera.near, camera.far] = [0.1, 30];
    camera.updateProjectionMatrix();
    return floor;
  }

  /** Materials notice by the light itself, so that nothing else has to be told. */
  throwShadow(on: boolean): void {
    this.key.castShadow = on;
  }

  coarse(): void {
    this.key.shadow.mapSize.setScalar(COARSE);
    this.key.shadow.map?.dispose();
    this.key.shadow.map = null;
  }

  paint(palette: Palette): void {
    this.sky.color.set(palette.dark ? 0xdfe8f5 : 0xffffff);
    this.sky.groundColor.set(palette.dark ? 0x3c3f46 : 0x9a9da3);
    this.sky.intensity = palette.dark ? 1.15 : 1.55;
    this.key.color.set(palette.dark ? 0xfff4e6 : 0xfffaf2);
    this.key.intensity = palette.dark ? 1.95 : 1.75;
    this.rim.color.set(palette.dark ? 0xa9c4ff : 0xdfe8ff);
    this.rim.intensity = palette.dark ? 0.9 : 0.5;
  }
}
