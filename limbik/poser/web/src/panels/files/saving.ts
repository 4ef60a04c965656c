// Saving: files that the server writes, and the picture that is in view.

import type { App } from "../../state/app";
import type { PictureOptions } from "../../scene/picture";
import type { ViewName } from "../../scene/viewpoint";
import { stem } from "./files";
import { address, download } from "./opening";

/** What panels need of the stage. */
export interface Picture {
  canvas: HTMLCanvasElement;
  png(options?: PictureOptions): Promise<Blob>;
  view(name: ViewName): void;
}

export type Saved = "bvh" | "glb" | "json" | "html";

/** A name for the file: what was opened or chosen, with another ending. */
export function fileName(app: App, ending: string): string {
  const figure = app.figure;
  const name = stem(figure?.file || figure?.builtin || figure?.name || "figure");
  return `${name.replace(/[^\p{L}\p{N} ._-]+/gu, "-")}.${ending}`;
}

export function save(app: App, kind: Saved): void {
  download(address(app, "save", kind), fileName(app, kind));
}

export async function savePng(app: App, stage: Picture): Promise<void> {
  const url = URL.createObjectURL(await stage.png());
  download(url, fileName(app, "png"));
  setTimeout(() => URL.revokeObjectURL(url), 10_000); // the download has begun long before
}
