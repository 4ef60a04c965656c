// Saving: files that the server writes, and the picture that is in view.

import type { App } from "../../state/app";
import type { PictureOptions } from "../../scene/pictures/picture";
import type { ViewName } from "../../scene/namedViews";
import { stem } from "./files";
import { address, download } from "./opening";

/** What panels need of the stage. */
export interface StageView {
  canvas: HTMLCanvasElement;
  view(name: ViewName): void;
  /** Where a joint is on the page, in CSS pixels. */
  screen(joint: number): { x: number; y: number };
  /** Call f before every frame; returns what stops it. */
  onBeforeRender(f: () => void): () => void;
  pictures: {
    png(options?: PictureOptions): Promise<Blob>;
    openpose(): Promise<Blob>;
    turntable(onProgress: (share: number) => void): Promise<Blob>;
  };
}

/** Pictures of the pose that can be saved, and what is added to the file's name. */
export const PICTURES = [
  { kind: "view", label: "Picture of the view", note: ".png", name: "png" },
  { kind: "transparent", label: "Transparent picture", note: ".png", name: "figure.png" },
  { kind: "depth", label: "Depth map", note: ".png", name: "depth.png" },
  { kind: "normal", label: "Normal map", note: ".png", name: "normal.png" },
  { kind: "openpose", label: "Body key points (COCO)", note: ".png", name: "openpose.png" },
  { kind: "turntable", label: "Turntable", note: ".gif", name: "gif" },
] as const;

export type PictureKind = (typeof PICTURES)[number]["kind"];

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

function drawn(app: App, stage: StageView, kind: PictureKind): Promise<Blob> {
  if (kind === "openpose") return stage.pictures.openpose();
  if (kind === "transparent") return stage.pictures.png({ transparent: true });
  if (kind === "depth" || kind === "normal") return stage.pictures.png({ map: kind });
  if (kind === "view") return stage.pictures.png();
  return stage.pictures.turntable((share) => app.setTask({ label: "Drawing the turntable", share }, false)).finally(() => app.setTask(null));
}

export async function savePicture(app: App, stage: StageView, kind: PictureKind): Promise<void> {
  const name = PICTURES.find((one) => one.kind === kind)?.name ?? "png";
  let picture: Blob;
  try {
    picture = await drawn(app, stage, kind);
  } catch (error) {
    app.note(error instanceof Error ? error.message : String(error));
    return;
  }
  const url = URL.createObjectURL(picture);
  download(url, fileName(app, name));
  setTimeout(() => URL.revokeObjectURL(url), 10_000); // the download has begun long before
}
