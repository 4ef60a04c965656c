// Searches for a better pose are asked for one after the other, until the server has tried enough.

import { describe, expect, it } from "vitest";
import { refuseOffer, searchOffers, takeOffer } from "../../src/panels/over/offer";
import type { State } from "../../src/net/messages";
import { App } from "../../src/state/app";

function stateWith(offer: State["offer"], revision = 1): State {
  return { revision, effectors: [], offer } as unknown as State;
}

/** An app whose server answers every search with the next of these offers. */
function appWith(offers: State["offer"][]): { app: App; asked: string[] } {
  const app = new App();
  const asked: string[] = [];
  app.link = "open";
  app.connection = {
    command: (name: string) => {
      asked.push(name);
      const next = offers.shift();
      if (next !== undefined) app.setState(stateWith(next));
      return Promise.resolve({ id: 1, ok: true });
    },
  } as unknown as App["connection"];
  return { app, asked };
}

describe("a better pose", () => {
  it("is searched for until the server has tried enough", async () => {
    const found = { searching: false, sentence: "Another pose reaches the target." };
    const { app, asked } = appWith([{ searching: true, sentence: "" }, { searching: true, sentence: "x" }, found]);
    searchOffers(app);
    app.setState(stateWith({ searching: true, sentence: "" }));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(asked).toEqual(["offer.search", "offer.search", "offer.search"]);
    expect(app.state?.offer).toEqual(found);
  });

  it("is not searched for where nothing is short", () => {
    const { app, asked } = appWith([]);
    searchOffers(app);
    app.setState(stateWith(null));
    expect(asked).toEqual([]);
    expect(takeOffer(app)).toBe(false);
    expect(refuseOffer(app)).toBe(false);
  });

  it("is taken only once it is shown", () => {
    const { app, asked } = appWith([]);
    app.setState(stateWith({ searching: true, sentence: "" }));
    expect(takeOffer(app)).toBe(false);
    app.setState(stateWith({ searching: false, sentence: "Another pose comes nearer." }));
    expect(takeOffer(app)).toBe(true);
    expect(asked).toEqual(["offer.take"]);
  });
});
