// What is shown when the page and its server are apart.

import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../../state/app";
import { Button } from "../controls/controls";
import { Icon, type IconName } from "../controls/icons";
import { useEvents } from "../controls/listening";

const PATIENCE = 600; // ms; a short break is not worth a word

const SAYS: Partial<Record<App["link"], { icon: IconName; title: string; words: string; button: string }>> = {
  lost: {
    icon: "plug",
    title: "The connection is lost",
    words: "Trying again by itself. Your work is kept, and comes back with the server.",
    button: "Reload the page",
  },
  ended: {
    icon: "plug",
    title: "This figure was closed",
    words: "The program that showed it has closed it.",
    button: "Reload the page",
  },
  elsewhere: {
    icon: "panel",
    title: "Open in another window",
    words: "This figure has been opened elsewhere, and only one window can hold it.",
    button: "Use it here",
  },
};

export function ConnectionLost({ app }: { app: App }) {
  useEvents(app, "link", "hello", "state");
  const { link } = app;
  // Between two attempts the link is "connecting" again: that is still the same break.
  const [broken, setBroken] = useState<App["link"] | null>(null);
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (link === "open" || link === "replay") setBroken(null);
    else if (link in SAYS) setBroken(link);
  }, [link]);
  useEffect(() => {
    setLate(false);
    if (!broken) return;
    const timer = setTimeout(() => setLate(true), PATIENCE);
    return () => clearTimeout(timer);
  }, [broken]);
  // Nothing behind it can be used: the keyboard begins at the only button that can.
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (late) card.current?.querySelector("button")?.focus();
  }, [late]);
  const says = broken && SAYS[broken];
  if (says && late) {
    return (
      <div class="veil" role="alertdialog" aria-labelledby="link-title" aria-describedby="link-words">
        <div class="card" ref={card}>
          <Icon name={says.icon} size={28} />
          <h2 id="link-title">{says.title}</h2>
          <p id="link-words">{says.words}</p>
          {broken === "lost" && app.reason && <p data-testid="link-reason">{app.reason}</p>}
          <Button kind="primary" onClick={() => location.reload()}>{says.button}</Button>
        </div>
      </div>
    );
  }
  if (!app.state && !app.replay) {
    return (
      <div class="waiting" role="status">
        <span class="spinner" aria-hidden="true" />
        <p>{app.hello.preparing || "Connecting to the server…"}</p>
      </div>
    );
  }
  return null;
}
