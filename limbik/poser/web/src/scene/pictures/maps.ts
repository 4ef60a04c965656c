// Maps for programs that make pictures out of poses: depth (near is white) and normals as the eye sees them.

import { MeshNormalMaterial, type Object3D, type PerspectiveCamera, ShaderMaterial, Vector3 } from "three";
import type { Override } from "./picture";

const VERTEX = /* glsl */ `
#include <common>
#include <skinning_pars_vertex>
varying float vDepth;
void main() {
  #include <skinbase_vertex>
  #include <begin_vertex>
  #include <skinning_vertex>
  #include <project_vertex>
  vDepth = -mvPosition.z;
}`;

const FRAGMENT = /* glsl */ `
uniform vec2 range;
varying float vDepth;
void main() {
  gl_FragColor = vec4(vec3(clamp(1.0 - (vDepth - range.x) / (range.y - range.x), 0.0, 1.0)), 1.0);
}`;

const DARKEST = 0.15; // what is furthest away is still told from the ground

/** Depth from white at the nearest of some points of the scene to a dark grey at the furthest, evenly;
 *  the ground is black. */
export function depthMap(camera: PerspectiveCamera, points: Float32Array): Override {
  camera.updateMatrixWorld();
  const at = new Vector3();
  let [near, far] = [Infinity, -Infinity];
  for (let i = 0; i + 2 < points.length; i += 3) {
    const depth = -at.fromArray(points, i).applyMatrix4(camera.matrixWorldInverse).z;
    [near, far] = [Math.min(near, depth), Math.max(far, depth)];
  }
  if (!(far > near)) [near, far] = [camera.near, camera.far];
  const range = [near, near + (far - near) / (1 - DARKEST)];
  const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: { range: { value: range } } });
  return { material, ground: 0x000000 };
}

/** Normals as the eye sees them: red to the right, green up, blue towards the eye. */
export function normalMap(): Override {
  return { material: new MeshNormalMaterial(), ground: 0x8080ff };
}

/** What a map leaves out of the scene: lines, points and signs have no surface. */
export function withoutSurface(scene: Object3D): Object3D[] {
  const out: Object3D[] = [];
  scene.traverseVisible((object) => {
    const flags = object as { isLine?: boolean; isPoints?: boolean; isSprite?: boolean };
    if (flags.isLine || flags.isPoints || flags.isSprite) out.push(object);
  });
  return out;
}
