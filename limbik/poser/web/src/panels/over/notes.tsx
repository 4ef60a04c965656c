// Sentences over the view: notes for a moment, advice with its button, what is being prepared.

import { useEffect, useState } from "preact/hooks";
import type { App } from "../../state/app";
import { Button, IconButton } from "../controls/controls";
import { Icon } from "../controls/icons";
import { useEvents } from "../controls/listening";

/** The newest note; it goes away by itself. */
export function Notes({ app }: { app: App }) {
  useEvents(app, "ui");
  const { note } = app.ui;
  return (
    <div class="notes" role="status" aria-live="polite">
      {note && (
        <div class="note" data-testid="note">
          <span>{note}</span>
          <IconButton icon="close" class="quiet" label="Dismiss the note" onClick={() => app.set({ note: "" })} />
        </div>
      )}
    </div>
  );
}

/** What the server advises, for instance anatomical limits for a file that has none. */
export function Advice({ app }: { app: App }) {
  useEvents(app, "state", "figure");
  const [dismissed, setDismissed] = useState("");
  const advice = app.state?.advice ?? null;
  const key = `${app.figure?.id} ${advice?.sentence}`;
  if (!advice || dismissed === key) return null;
  return (
    <div class="banner advice" role="note" aria-label="Advice">
      <Icon name="bulb" />
      <p>{advice.sentence}</p>
      <Button kind="primary" onClick={() => void app.do(advice.command, advice.args)}>{advice.button}</Button>
      <IconButton icon="close" class="quiet" label="Dismiss the advice" onClick={() => setDismissed(key)} />
    </div>
  );
}

/** What is being compiled, and for how long; until the server says that it is ready. */
export function Preparing({ app }: { app: App }) {
  useEvents(app, "hello", "link");
  const { preparing, link } = app;
  const shown = preparing !== null && link === "open";
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (!shown) return;
    setNow(performance.now());
    const timer = setInterval(() => setNow(performance.now()), 250);
    return () => clearInterval(timer);
  }, [shown]);
  if (!shown) return null;
  const seconds = Math.max(0, Math.floor((now - preparing.since) / 1000));
  return (
    <div class="banner" role="status" data-testid="preparing">
      <span class="spinner" aria-hidden="true" />
      <p>{preparing.sentence}</p>
      <span class="seconds" aria-hidden="true">{seconds} s</span>
    </div>
  );
}
