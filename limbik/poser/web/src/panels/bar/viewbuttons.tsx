// Square views at the corner of the picture: front, side, top, and back to perspective.

import type { App } from "../../state/app";
import type { Ui } from "../../net/messages";
import { useEvents } from "../controls/listening";
import type { StageView } from "../files/saving";

type Square = NonNullable<Ui["square"]>;

/** A view, the one from the other side, and their key on the number pad. */
const VIEWS: { label: string; name: Square; other: Square; otherLabel: string; key: string }[] = [
  { label: "Front", name: "front", other: "back", otherLabel: "Back", key: "1" },
  { label: "Side", name: "left", other: "right", otherLabel: "Right", key: "3" },
  { label: "Top", name: "top", other: "below", otherLabel: "Below", key: "7" },
];

export function ViewButtons({ app, stage }: { app: App; stage: StageView }) {
  useEvents(app, "ui");
  const { square } = app.ui;
  return (
    <div class="view-buttons" role="group" aria-label="Views">
      {VIEWS.map(({ label, name, other, otherLabel, key }) => (
        <button
          key={name}
          type="button"
          aria-pressed={square === name || square === other}
          title={`${label}, without perspective; again: from the other side  (numpad ${key}, Ctrl+numpad ${key})`}
          onClick={() => stage.view(square === name ? other : name)}
        >
          {square === other ? otherLabel : label}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={square === null}
        title="In perspective, from a corner  (numpad 5: perspective from here)"
        onClick={() => stage.view("corner")}
      >
        3D
      </button>
    </div>
  );
}
