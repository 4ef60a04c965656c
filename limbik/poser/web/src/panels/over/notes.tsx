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

/** What is being compiled; until the first solved pose shows that it is ready. */
export function Preparing({ app }: { app: App }) {
  useEvents(app, "hello", "link");
  const [ready, setReady] = useState(false);
  useEffect(() => app.on("pose", () => setReady(app.pose !== null && app.pose.status !== "unsolved")), [app]);
  const { preparing } = app.hello;
  if (!preparing || ready || app.link !== "open") return null;
  return (
    <div class="banner" role="status">
      <span class="spinner" aria-hidden="true" />
      <p>{preparing}</p>
    </div>
  );
}
