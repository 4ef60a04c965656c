// Masses, soles and shapes of the figure: asked from the server when something is drawn with them.

import type { BodyInfo } from "../net/messages";
import type { App } from "./app";

const asked = new WeakMap<App, number>();

/** Whether something that is drawn needs them. */
function wanted({ ui, state }: App): boolean {
  return ui.balance || ui.shapes || (state?.scene.balance ?? false);
}

/** What is known of the figure that is shown; null while it is on its way, or where nobody needs it. */
export function bodyNow(app: App): BodyInfo | null {
  const { figure, body } = app;
  return figure && body?.figure === figure.id && wanted(app) ? body : null;
}

/** Asks whenever it is needed and not there. */
export function followBody(app: App): void {
  const look = (): void => {
    const id = app.figure?.id;
    if (app.replay || app.link !== "open" || id === undefined || !wanted(app)) return;
    if (app.body?.figure === id || asked.get(app) === id) return;
    asked.set(app, id);
    const again = (): void => void (asked.get(app) === id && asked.delete(app));
    app.do("body").then(again, again);
  };
  for (const event of ["state", "ui", "figure", "link"] as const) app.on(event, look);
}
