// The floor: lines that fade with distance, the two axes, a pool of light, and the shadow on it.

import {
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
  SRGBColorSpace,
  Vector2,
  Vector3,
} from "three";
import type { FigureInfo } from "../net/messages";
import { gridSpacing } from "./framing";
import type { Palette } from "./palette";

const VERTEX = /* glsl */ `
varying vec2 vAt;
void main() {
  vec4 at = modelMatrix * vec4(position, 1.0);
  vAt = at.xz;
  gl_Position = projectionMatrix * viewMatrix * at;
}
`;

// Lines are as wide as a pixel wherever they are, and go where they would come closer than a few.
const FRAGMENT = /* glsl */ `
uniform vec2 origin;
uniform vec2 middle;
uniform float minor;
uniform float major;
uniform float reach;
uniform float pool;
uniform vec3 poolColor;
uniform vec3 minorColor;
uniform vec3 majorColor;
uniform vec3 xColor;
uniform vec3 zColor;
uniform vec3 strength;
varying vec2 vAt;

float line(vec2 at, float spacing, float width) {
  vec2 grid = at / spacing;
  vec2 pixel = fwidth(grid);
  vec2 away = abs(fract(grid - 0.5) - 0.5) / max(pixel, vec2(1e-6));
  vec2 cover = clamp(0.5 * width + 0.5 - away, 0.0, 1.0) * (1.0 - smoothstep(vec2(0.12), vec2(0.42), pixel));
  return max(cover.x, cover.y);
}

float axis(float at, float pixel, float width) {
  return clamp(0.5 * width + 0.5 - abs(at) / max(pixel, 1e-6), 0.0, 1.0);
}

void main() {
  vec2 at = vAt - origin;
  float away = length(vAt - middle);
  float fade = 1.0 - smoothstep(0.12, 1.0, away / reach);
  vec2 pixel = fwidth(at);
  vec4 color = vec4(poolColor, pool * exp(-2.2 * away * away / (reach * reach) * 6.0));
  float a = strength.x * line(at, minor, 1.0) * fade;
  color = mix(color, vec4(minorColor, 1.0), a);
  a = strength.y * line(at, major, 1.2) * fade;
  color = mix(color, vec4(majorColor, 1.0), a);
  a = strength.z * axis(at.y, pixel.y, 1.6) * fade;
  color = mix(color, vec4(xColor, 1.0), a);
  a = strength.z * axis(at.x, pixel.x, 1.6) * fade;
  color = mix(color, vec4(zColor, 1.0), a);
  gl_FragColor = color;
}
`;

/** The colours that lie along the scene's x and z, for each axis of the figure that is up. */
const AXES = { x: [1, 2], y: [0, 2], z: [0, 1] } as const;

export class Floor {
  readonly group = new Group();
  private readonly lines: ShaderMaterial;
  private readonly shade: ShadowMaterial;
  private readonly grid: Mesh;
  private readonly catcher: Mesh;
  /** The floor seen from its edge: square views from the side see nothing else of it. */
  readonly edge: LineSegments<BufferGeometry, LineBasicMaterial>;
  private up: "x" | "y" | "z" = "y";

  constructor() {
    const color = () => ({ value: new Color() });
    this.lines = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: {
        origin: { value: new Vector2() },
        middle: { value: new Vector2() },
        minor: { value: 0.1 },
        major: { value: 1 },
        reach: { value: 8 },
        pool: { value: 0.5 },
        strength: { value: new Vector3(0.7, 0.8, 0.8) },
        poolColor: color(),
        minorColor: color(),
        majorColor: color(),
        xColor: color(),
        zColor: color(),
      },
    });
    this.shade = new ShadowMaterial({ transparent: true, depthWrite: false });
    const plane = new PlaneGeometry(1, 1).rotateX(-Math.PI / 2);
    this.grid = new Mesh(plane, this.lines);
    this.catcher = new Mesh(plane, this.shade);
    this.catcher.receiveShadow = true;
    // Before everything else that is transparent; nothing of the figure is ever behind it.
    this.grid.renderOrder = -20;
    this.catcher.renderOrder = -19;
    const ends = [new Vector3(-0.5, 0, 0), new Vector3(0.5, 0, 0), new Vector3(0, 0, -0.5), new Vector3(0, 0, 0.5)];
    this.edge = new LineSegments(new BufferGeometry().setFromPoints(ends), new LineBasicMaterial());
    this.edge.renderOrder = -18;
    this.edge.visible = false;
    this.group.add(this.grid, this.catcher, this.edge);
  }

  /** Lines for a figure that is drawn `scale` times as large, its origin at (x, z) of the scene. */
  measure(figure: FigureInfo, scale: number): void {
    const { minor, major } = gridSpacing(figure.size);
    this.lines.uniforms["minor"]!.value = minor * scale;
    this.lines.uniforms["major"]!.value = major * scale;
    this.up = figure.up;
  }

  /** Keep the floor under what is looked at; `distance` of the camera tells how much of it is seen,
   *  `level` that it looks along it. */
  follow(target: Vector3, distance: number, level: boolean): void {
    const reach = Math.max(5, 2.4 * distance);
    this.lines.uniforms["reach"]!.value = reach;
    (this.lines.uniforms["middle"]!.value as Vector2).set(target.x, target.z);
    this.grid.position.set(target.x, 0, target.z);
    this.grid.scale.setScalar(2 * reach);
    this.edge.visible = level;
    this.edge.position.copy(this.grid.position);
    this.edge.scale.setScalar(4 * reach);
  }

  /** Look for the shadow in this square only, or not at all. */
  catchShadow(where: { middle: Vector3; half: number } | null): void {
    this.catcher.visible = where !== null;
    if (!where) return;
    this.catcher.position.set(where.middle.x, 0, where.middle.z);
    this.catcher.scale.setScalar(2 * where.half);
  }

  paint(palette: Palette): void {
    // What is mixed on the screen is mixed as the screen has it, so no conversion to linear light.
    const set = (name: string, color: Color): void => {
      const { r, g, b } = color.getRGB({ r: 0, g: 0, b: 0 }, SRGBColorSpace);
      (this.lines.uniforms[name]!.value as Color).setRGB(r, g, b);
    };
    set("poolColor", palette.floor);
    set("minorColor", palette.grid);
    set("majorColor", palette.gridStrong);
    set("xColor", palette.axes[AXES[this.up][0]]);
    set("zColor", palette.axes[AXES[this.up][1]]);
    this.edge.material.color.copy(palette.gridStrong);
    this.shade.color.copy(palette.shadow);
    this.shade.opacity = palette.dark ? 0.42 : 0.2;
  }
}
