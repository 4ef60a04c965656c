// Files on their way to the server: sent one by one, then opened together.

import type { App } from "../../state/app";
import { askFor, ending, missingBuffers, plan } from "./files";

export interface Progress {
  /** What is being sent. */
  name: string;
  /** 0 … 1 over all files; 1 while the server reads them. */
  share: number;
}

/** Where this page's own server keeps things of this session. */
export function address(app: App, what: "files" | "save" | "library", name: string): string {
  return new URL(
    `${what}/${encodeURIComponent(app.hello.session)}/${encodeURIComponent(name)}`,
    location.href.split(/[?#]/)[0],
  ).href;
}

/** Sends one file; XMLHttpRequest, because fetch does not tell how much of it has gone. */
function put(url: string, file: File, went: (bytes: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    request.upload.onprogress = (event) => went(event.loaded);
    request.onload = () => {
      if (request.status < 300) resolve();
      else reject(new Error(request.responseText || `${file.name} was refused (${request.status}).`));
    };
    request.onerror = () => reject(new Error(`${file.name} could not be sent: the connection broke.`));
    request.send(file);
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Puts a saved pose on the figure at hand. */
async function loadPose(app: App, file: File): Promise<void> {
  let pose: unknown;
  try {
    pose = JSON.parse(await file.text());
  } catch {
    app.note(`${file.name} is not JSON, so it is not a saved pose.`);
    return;
  }
  if (!isObject(pose)) {
    app.note(`${file.name} is not a saved pose.`);
    return;
  }
  // A refusal (another figure, another unit) has raised a note already.
  await app.do("pose.load", { pose }).catch(() => undefined);
}

/** Opens what somebody chose or dropped; tells what was left out, and how far it is. */
export async function openFiles(
  app: App,
  chosen: File[],
  progress: (progress: Progress | null) => void,
  command: "open" | "retarget.onto" | "retarget.motion" = "open",
): Promise<void> {
  const { files, pose, sentence } = plan(chosen, app.hello.opens, app.hello.largest);
  if (sentence) app.note(sentence);
  if (pose) return loadPose(app, pose);
  const first = files[0];
  if (!first) return;
  if (ending(first.name) === ".gltf") {
    const missing = missingBuffers(await first.text(), files.map((file) => file.name));
    if (missing.length > 0) return app.note(askFor(first.name, missing));
  }
  const total = Math.max(1, files.reduce((sum, file) => sum + file.size, 0));
  let sent = 0;
  try {
    for (const file of files) {
      progress({ name: file.name, share: sent / total });
      await put(address(app, "files", file.name), file, (bytes) =>
        progress({ name: file.name, share: Math.min(1, (sent + bytes) / total) }),
      );
      sent += file.size;
    }
  } catch (error) {
    progress(null);
    app.note((error as Error).message);
    return;
  }
  progress(command === "open" ? { name: first.name, share: 1 } : null); // the others tell for themselves
  // A refusal has raised a note already.
  await app.do(command, { files: files.map((file) => file.name) }).then(
    () => command === "open" && progress(null),
    () => command === "open" && progress(null),
  );
}

/** Hands a file to the browser's downloads. */
export function download(url: string, name: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
