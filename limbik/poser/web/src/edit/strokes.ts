// Lines of a width in pixels, which WebGL itself does not have.

import { BufferAttribute, BufferGeometry, Color, Mesh, ShaderMaterial, Vector2, type Vector3 } from "three";

const VERTEX = /* glsl */ `
attribute vec3 other;
attribute float side;
uniform vec2 size;
uniform float width;
void main() {
  vec4 here = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  vec4 there = projectionMatrix * modelViewMatrix * vec4(other, 1.0);
  // Pixels from here to there; a point behind the eye has no place on the screen.
  vec2 along = (there.xy / max(there.w, 1e-4) - here.xy / max(here.w, 1e-4)) * size;
  along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
  vec2 shift = vec2(-along.y, along.x) * side * (width * 0.5);
  here.xy += shift * 2.0 / size * here.w;
  gl_Position = here;
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 color;
uniform float opacity;
void main() {
  gl_FragColor = vec4(color, opacity);
  #include <colorspace_fragment>
}`;

/** Separate line pieces of one colour and width; visible through the body unless `hidden`. */
export class Strokes extends Mesh<BufferGeometry, ShaderMaterial> {
  constructor(width: number, hidden = false) {
    super(
      new BufferGeometry(),
      new ShaderMaterial({
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        uniforms: {
          color: { value: new Color() },
          opacity: { value: 1 },
          width: { value: width },
          size: { value: new Vector2(1, 1) },
        },
        transparent: true,
        depthTest: hidden,
        depthWrite: false,
      }),
    );
    this.frustumCulled = false;
    this.renderOrder = 20;
    this.raycast = () => undefined;
    this.onBeforeRender = (renderer) => {
      const size = this.material.uniforms.size?.value as Vector2;
      renderer.getSize(size); // CSS pixels: widths are in these too
    };
  }

  /** Colour as three.js parses it, opacity 0 to 1, width in CSS pixels. */
  paint(color: Color, opacity: number, width?: number): void {
    const { uniforms } = this.material;
    if (uniforms.color) (uniforms.color.value as Color).copy(color);
    if (uniforms.opacity) uniforms.opacity.value = opacity;
    if (width !== undefined && uniforms.width) uniforms.width.value = width;
  }

  /** Pieces between points 0–1, 2–3 and so on. */
  setPieces(points: Vector3[]): void {
    const pieces = points.length >> 1;
    const here = new Float32Array(12 * pieces);
    const other = new Float32Array(12 * pieces);
    const side = new Float32Array(4 * pieces);
    const index = new Uint32Array(6 * pieces);
    for (let i = 0; i < pieces; i++) {
      const a = points[2 * i] as Vector3;
      const b = points[2 * i + 1] as Vector3;
      [a, a, b, b].forEach((point, k) => point.toArray(here, 12 * i + 3 * k));
      [b, b, a, a].forEach((point, k) => point.toArray(other, 12 * i + 3 * k));
      // From b's end the line runs the other way, so its sides are swapped.
      side.set([1, -1, -1, 1], 4 * i);
      index.set([0, 1, 2, 1, 3, 2].map((k) => 4 * i + k), 6 * i);
    }
    this.geometry.dispose();
    this.geometry = new BufferGeometry();
    this.geometry.setAttribute("position", new BufferAttribute(here, 3));
    this.geometry.setAttribute("other", new BufferAttribute(other, 3));
    this.geometry.setAttribute("side", new BufferAttribute(side, 1));
    this.geometry.setIndex(new BufferAttribute(index, 1));
  }

  /** One line through points. */
  setLine(points: Vector3[]): void {
    this.setPieces(points.slice(1).flatMap((point, i) => [points[i] as Vector3, point]));
  }

  override dispose(): void {
    super.dispose();
    this.geometry.dispose();
    this.material.dispose();
  }
}
