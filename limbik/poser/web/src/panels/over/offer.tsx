// A better pose after a drag that ended short: asks the server to look for it, offers its ghost.

import { useEffect } from "preact/hooks";
import type { App } from "../../state/app";
import { Button, IconButton } from "../controls/controls";
import { Icon } from "../controls/icons";
import { useEvents } from "../controls/listening";

/** Takes the pose that is offered, if there is one. */
export function takeOffer(app: App): boolean {
  if (!app.state?.offer?.sentence) return false;
  void app.do("offer.take");
  return true;
}

/** Goes on without it. */
export function refuseOffer(app: App): boolean {
  if (!app.state?.offer) return false;
  void app.do("offer.refuse");
  return true;
}

/** Asks for one search after the other, each of some hundredths of a second, until the server says
 * that it has tried enough; whatever a person does comes between two of them. */
export function searchOffers(app: App): () => void {
  let asked = -1;
  return app.on("state", () => {
    const { state } = app;
    if (!state?.offer?.searching || app.link !== "open" || asked === state.revision) return;
    asked = state.revision;
    const again = (): void => {
      if (app.state?.revision === asked && app.state.offer?.searching && app.link === "open") {
        app.do("offer.search").then(again, () => undefined);
      }
    };
    again();
  });
}

export function OfferBanner({ app }: { app: App }) {
  useEvents(app, "state");
  useEffect(() => searchOffers(app), [app]);
  const sentence = app.state?.offer?.sentence;
  if (!sentence || app.replay) return null;
  return (
    <div class="banner offer" role="status" aria-label="Another pose" data-testid="offer">
      <Icon name="bulb" />
      <p>Stuck here. {sentence}</p>
      <Button kind="primary" title="Take the pose of the ghost  (Enter)" onClick={() => void takeOffer(app)}>
        Take it <kbd>Enter</kbd>
      </Button>
      <IconButton icon="close" class="quiet" label="Go on without the other pose" keys="Esc" onClick={() => void refuseOffer(app)} />
    </div>
  );
}
