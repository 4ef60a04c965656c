// The scene as a PNG file.

import { Vector2, type Object3D, type PerspectiveCamera, type Scene, type WebGLRenderer } from "three";

export interface PictureOptions {
  /** Only the figure, with nothing behind it. */
  transparent?: boolean;
  /** Without targets, gizmos and gauges; true if omitted. */
  clean?: boolean;
  /** Pixels of the picture for one CSS pixel; 2 if omitted. */
  ratio?: number;
}

/** Draws once with `hidden` objects left out, and once more to bring the screen back. */
export function pictureOf(
  renderer: WebGLRenderer,
  scene: Scene,
  camera: PerspectiveCamera,
  hidden: Object3D[],
  { ratio = 2 }: PictureOptions,
): Promise<Blob> {
  const before = renderer.getPixelRatio();
  const visible = hidden.filter((object) => object.visible);
  const size = renderer.getSize(new Vector2());
  // Large windows stay within what a graphics card will draw into.
  const most = renderer.capabilities.maxTextureSize / Math.max(size.x, size.y, 1);
  for (const object of visible) object.visible = false;
  renderer.setPixelRatio(Math.min(ratio, most));
  renderer.setClearColor(0x000000, 0);
  renderer.render(scene, camera);
  // toBlob copies the picture at once and packs it later; so nobody sees what was hidden for it.
  const blob = new Promise<Blob>((resolve, reject) => {
    renderer.domElement.toBlob((made) => {
      if (made) resolve(made);
      else reject(new Error("The browser could not make a PNG of the picture."));
    }, "image/png");
  });
  for (const object of visible) object.visible = true;
  renderer.setPixelRatio(before);
  renderer.render(scene, camera);
  return blob;
}
