// What a figure is drawn as: capsules or a skin; how it is lit up, and how rays meet it.

import { MeshStandardMaterial, type Color, type Group, type Ray, type Vector3 } from "three";
import type { Palette } from "../palette";
import type { Piece } from "./skinnedPiece";

export interface Hit {
  joint: number;
  /** In the figure's axes. */
  point: Vector3;
  /** From the ray's origin, in the figure's unit. */
  distance: number;
}

export interface Body {
  /** In the figure's axes and unit. */
  readonly group: Group;
  readonly pieces: readonly Piece[];
  /** Follow the joints' frames, 16 numbers a joint. */
  pose(frames: Float32Array): void;
  /** Light up the joint under the pointer, if any. */
  setHighlight(joint: number | null): void;
  setSelected(joint: number | null): void;
  /** The nearest hit of a ray in the figure's axes; within `slack` × distance beside it counts too. */
  pick(ray: Ray, slack: number): Hit | null;
  /** Points on its surface, enough to tell how far it reaches: 3 numbers each. */
  outline(): Float32Array;
  paint(palette: Palette): void;
  dispose(): void;
}

const PARS_VERTEX = /* glsl */ `
uniform ivec2 lit;
varying vec2 vLit;
`;

// How much of a vertex follows the joint that is lit: on a skin this fades into its neighbours.
const VERTEX = /* glsl */ `
#include <skinning_vertex>
vLit = vec2(
  dot(skinWeight, vec4(equal(ivec4(skinIndex + 0.5), ivec4(lit.x)))),
  dot(skinWeight, vec4(equal(ivec4(skinIndex + 0.5), ivec4(lit.y)))));
`;

const PARS_FRAGMENT = /* glsl */ `
uniform vec3 hoverColor;
uniform vec3 selectedColor;
varying vec2 vLit;
`;

const FRAGMENT = /* glsl */ `
#include <color_fragment>
diffuseColor.rgb = mix(diffuseColor.rgb, selectedColor, 0.5 * vLit.y);
diffuseColor.rgb = mix(diffuseColor.rgb, hoverColor, 0.55 * vLit.x * (1.0 - 0.6 * vLit.y));
`;

const EMISSIVE = /* glsl */ `
#include <emissivemap_fragment>
totalEmissiveRadiance += 0.10 * vLit.x * hoverColor + 0.06 * vLit.y * selectedColor;
`;

/** A soft, matt material in which the parts of one bone can be lit under the pointer and as selected. */
export class BodyMaterial extends MeshStandardMaterial {
  private readonly lit = { value: new Int32Array([-1, -1]) };
  private readonly hover: { value: Color };
  private readonly chosen: { value: Color };

  constructor(palette: Palette) {
    super({ roughness: 0.62, metalness: 0 });
    this.hover = { value: palette.selected.clone().lerp(palette.hover, 0.45) };
    this.chosen = { value: palette.selected.clone() };
    this.onBeforeCompile = (shader) => {
      shader.uniforms["lit"] = this.lit;
      shader.uniforms["hoverColor"] = this.hover;
      shader.uniforms["selectedColor"] = this.chosen;
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", `#include <common>\n${PARS_VERTEX}`)
        .replace("#include <skinning_vertex>", VERTEX);
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", `#include <common>\n${PARS_FRAGMENT}`)
        .replace("#include <color_fragment>", FRAGMENT)
        .replace("#include <emissivemap_fragment>", EMISSIVE);
    };
  }

  /** Bones under the pointer and selected, −1 for none. */
  light(hover: number, selected: number): void {
    this.lit.value[0] = hover;
    this.lit.value[1] = selected;
  }

  repaint(palette: Palette): void {
    this.hover.value.copy(palette.selected).lerp(palette.hover, 0.45);
    this.chosen.value.copy(palette.selected);
  }
}
