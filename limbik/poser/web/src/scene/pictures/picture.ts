// The scene as a picture: as it is seen, with a transparent ground, or as a map of depths or normals.

import { type Material, type Object3D, type PerspectiveCamera, type Scene, Vector2, type WebGLRenderer } from "three";

export interface PictureOptions {
  /** Only the figure and its props, with nothing behind them. */
  transparent?: boolean;
  /** Without targets, gizmos and gauges; true if omitted. */
  clean?: boolean;
  /** Pixels of the picture for one CSS pixel; 2 if omitted. */
  ratio?: number;
  /** What is drawn instead of colours. */
  map?: "depth" | "normal";
}

/** Everything drawn with one material before one colour, as maps are. */
export interface Override {
  material: Material;
  /** Hexadecimal, as it is in the file. */
  ground: number;
}

/** Draws once with `hidden` objects left out, hands the canvas to `take`, and draws once more to bring the
 *  screen back. */
export function drawnFor<T>(
  renderer: WebGLRenderer,
  scene: Scene,
  camera: PerspectiveCamera,
  hidden: Object3D[],
  ratio: number,
  take: (canvas: HTMLCanvasElement) => T,
  override: Override | null = null,
): T {
  const before = renderer.getPixelRatio();
  const visible = hidden.filter((object) => object.visible);
  const size = renderer.getSize(new Vector2());
  // Large windows stay within what a graphics card will draw into.
  const most = renderer.capabilities.maxTextureSize / Math.max(size.x, size.y, 1);
  for (const object of visible) object.visible = false;
  renderer.setPixelRatio(Math.min(ratio, most));
  renderer.setClearColor(override?.ground ?? 0x000000, override ? 1 : 0);
  scene.overrideMaterial = override?.material ?? null;
  try {
    renderer.render(scene, camera);
    return take(renderer.domElement);
  } finally {
    scene.overrideMaterial = null;
    for (const object of visible) object.visible = true;
    renderer.setClearColor(0x000000, 0);
    renderer.setPixelRatio(before);
    renderer.render(scene, camera);
  }
}

/** A canvas as a PNG file. */
export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  // toBlob copies the picture at once and packs it later; so nobody sees what was hidden for it.
  return new Promise<Blob>((resolve, reject) => {
    canvas.toBlob((made) => {
      if (made) resolve(made);
      else reject(new Error("The browser could not make a PNG of the picture."));
    }, "image/png");
  });
}
