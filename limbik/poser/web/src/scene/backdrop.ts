// Behind everything: a gradient from top to bottom.

import { BufferAttribute, BufferGeometry, Color, Mesh, ShaderMaterial, SRGBColorSpace } from "three";
import type { Palette } from "./palette";

const VERTEX = /* glsl */ `
varying float vHeight;
void main() {
  vHeight = 0.5 + 0.5 * position.y;
  gl_Position = vec4(position.xy, 1.0, 1.0);
}
`;

// Half a step of grey of noise keeps a wide, slow gradient from showing bands.
const FRAGMENT = /* glsl */ `
uniform vec3 top;
uniform vec3 bottom;
varying float vHeight;
void main() {
  float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453);
  vec3 color = mix(bottom, top, smoothstep(0.0, 1.0, vHeight));
  gl_FragColor = vec4(color + (noise - 0.5) / 255.0, 1.0);
}
`;

export class Backdrop {
  readonly mesh: Mesh;
  private readonly material: ShaderMaterial;

  constructor() {
    // One triangle that covers the screen.
    const geometry = new BufferGeometry();
    const corners = new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]);
    geometry.setAttribute("position", new BufferAttribute(corners, 3));
    this.material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { top: { value: new Color() }, bottom: { value: new Color() } },
      depthTest: false,
      depthWrite: false,
    });
    this.mesh = new Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -100;
  }

  paint(palette: Palette): void {
    for (const name of ["top", "bottom"] as const) {
      const { r, g, b } = palette[name].getRGB({ r: 0, g: 0, b: 0 }, SRGBColorSpace);
      (this.material.uniforms[name]!.value as Color).setRGB(r, g, b);
    }
  }
}
