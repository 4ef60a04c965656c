// The first-time hint: how to drag. It goes away with the first drag and does not come back.

import { useEffect } from "preact/hooks";
import type { App } from "../../state/app";
import { IconButton } from "../controls/controls";
import { useEvents } from "../controls/listening";

export function Hint({ app }: { app: App }) {
  useEvents(app, "ui", "figure", "link");
  useEffect(
    () =>
      app.on("pose", () => {
        // An answered drag: scrubbing the timeline has no effector in hand.
        const dragged = app.pose && app.pose.sequence > 0 && app.pose.status !== "unsolved" && app.ui.effector !== null;
        if (dragged && !app.ui.hintSeen) app.set({ hintSeen: true });
      }),
    [app],
  );
  if (app.ui.hintSeen || app.replay || app.link !== "open" || !app.state) return null;
  return (
    <aside class="hint" aria-label="How to begin">
      <svg class="hint-picture" viewBox="0 0 72 44" width="72" height="44" aria-hidden="true">
        <g class="hint-limb">
          <path d="M8 36 L26 22" />
          <path class="fore" d="M26 22 L44 28" />
          <circle cx="8" cy="36" r="4" />
          <circle cx="26" cy="22" r="4" />
        </g>
        <g class="hint-hand">
          <circle class="target" cx="44" cy="28" r="5" />
          <path class="arrow" d="M45 27l9 13.4-4.7-.5-2.4 4.1z" />
        </g>
      </svg>
      <div>
        <p><strong>Drag a hand or a foot:</strong> the figure follows, within its limits.</p>
        <p class="soft">
          Double-click any joint to drag that too. Drag the background to look around.{" "}
          <span class="keys">Press <kbd>?</kbd> for all shortcuts.</span>
        </p>
      </div>
      <IconButton icon="close" class="quiet" label="Dismiss the hint" onClick={() => app.set({ hintSeen: true })} />
    </aside>
  );
}
