// A prop from a file: sent to the server, which reads it and puts it into the scene.

import type { App } from "../../state/app";
import { address } from "./opening";

export async function openProp(app: App, file: File): Promise<void> {
  try {
    const reply = await fetch(address(app, "files", file.name), { method: "PUT", body: file });
    if (!reply.ok) throw new Error(await reply.text());
  } catch (error) {
    app.note(error instanceof Error ? error.message : `${file.name} could not be sent.`);
    return;
  }
  await app.do("prop.open", { file: file.name }).then(
    (done) => "prop" in done && app.set({ prop: done.prop ?? null, joint: null, effector: null }),
    () => undefined, // App has told why
  );
}
