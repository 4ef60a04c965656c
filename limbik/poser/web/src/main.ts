// Puts the page together: what it knows, what it draws, what is touched, what stands beside it.

import { App } from "./state/app";
import { followBody } from "./state/body";
import { mount } from "./panels/layout";
import { Stage } from "./scene/stage";
import { connect } from "./net/server";
import { listen } from "./shortcuts";
import { Onion } from "./timeline/playing/onion";
import { Player } from "./timeline/playing/player";
import { embedded, ReplayConnection } from "./timeline/playing/replay";
import { attach } from "./edit";
import type { Vec3 } from "./net/messages";
import "./styles/style.css";
import "./styles/timeline/timeline.css";
import "./styles/timeline/contacts.css";
import "./styles/timeline/curves.css";

/** The element with an id, which index.html has. */
function element<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element "${id}".`);
  return found as E;
}

function begin(): void {
  const app = new App();
  const replay = embedded(document);
  if (replay) {
    app.link = "replay"; // known before the panels are drawn, which leave out what changes things
    document.title = `${replay.title} – limbik`;
  }
  const stage = new Stage(element<HTMLCanvasElement>("stage"), app);
  const touched = replay ? null : attach(stage, app);
  mount(element("root"), app, stage);
  listen(app, stage, document);
  new Player(app);
  new Onion(app);
  followBody(app);
  if (replay) {
    new ReplayConnection(app, replay).start();
    if (replay.frames > 1) app.set({ playing: true });
  } else connect(app);

  // Where things are on the page, for whoever drives it from outside: tests press there.
  Object.assign(window, {
    limbik: {
      app,
      stage,
      knobs: () => touched?.knobs() ?? [],
      stacks: () => touched?.stacks() ?? [],
      rings: () => touched?.rings() ?? [],
      screen: (joint: number) => stage.screen(joint),
      target: (effector: number) => {
        const place: Vec3 | undefined = app.report(effector)?.position ?? app.effector(effector)?.position;
        if (!place) throw new Error(`There is no effector ${effector}.`);
        return stage.project(place);
      },
    },
  });
}

try {
  begin();
} catch (error) {
  // Nothing is drawn yet that could say it.
  const sentence = document.createElement("p");
  sentence.style.cssText = "max-width: 40em; margin: 4em auto; padding: 0 1em; font: 16px/1.5 system-ui";
  sentence.textContent = `The poser cannot start: ${error instanceof Error ? error.message : String(error)}`;
  document.body.replaceChildren(sentence);
  throw error;
}
