// Settings of the timeline: rate and length, or the span of edits of a clip; and the clip's name.

import type { App } from "../state/app";
import type { Key, Timeline } from "../net/messages";
import { NumberField } from "../panels/controls/fields";
import { KeyEaseField } from "./curves/ease";

const EASES: { value: Timeline["ease"]; label: string }[] = [
  { value: "smooth", label: "Smooth" },
  { value: "linear", label: "Linear" },
  { value: "step", label: "Step" },
];

/** A whole number of frames, 1 at least. */
function FrameCount({ name, label, title, value, set }: {
  name: string;
  label: string;
  /** The label unless given. */
  title?: string;
  value: number;
  set: (frames: number) => void;
}) {
  return (
    <label class="time-field" title={title ?? label}>
      <span>{name}</span>
      <NumberField
        label={label}
        value={value}
        min={1}
        write={(frames) => frames.toFixed(0)}
        onCommit={(frames) => frames !== null && set(Math.round(frames))}
      />
    </label>
  );
}

export function Settings({ app, timeline, selected }: { app: App; timeline: Timeline; selected: Key[] }) {
  const set = (change: Partial<Timeline>) => void app.do("timeline.set", change);
  return (
    <>
      <label class="time-field" title="Frames a second">
        <span>fps</span>
        <NumberField
          label="Frames a second"
          value={timeline.fps}
          min={0.1}
          max={1000}
          onCommit={(fps) => fps !== null && set({ fps })}
        />
      </label>
      {!app.replay && timeline.clip === null && (
        <FrameCount name="Frames" label="Frames in all" value={timeline.frames} set={(frames) => set({ frames })} />
      )}
      {!app.replay && timeline.clip !== null && (
        <FrameCount
          name="Span"
          label="Frames over which an edit blends"
          title="Frames over which an edit blends into the clip, to either side"
          value={timeline.span}
          set={(span) => set({ span })}
        />
      )}
      {!app.replay && selected.length > 0 && <KeyEaseField app={app} selected={selected} />}
      {!app.replay && selected.length === 0 && (
        <label class="time-field" title="How poses go from key to key">
          <span>Ease</span>
          <select
            aria-label="Ease"
            value={timeline.ease}
            onChange={(event) => set({ ease: event.currentTarget.value as Timeline["ease"] })}
          >
            {EASES.map(({ value, label }) => (
              <option key={value} value={value}>{label}</option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

/** Pixels of the row of buttons below which it has no room for the clip's name: the strip has it then. */
export const NAMES_CLIP = 1100;

export function ClipName({ app, timeline, short }: {
  app: App;
  timeline: Timeline;
  /** There is no room for more words than the name. */
  short?: boolean;
}) {
  if (timeline.clip === null) return <span class="clip-name" />;
  return (
    <span class="clip-name" title={timeline.clip}>
      <span class="name">{timeline.clip}</span>
      {!app.replay && (
        <button
          type="button"
          class="time-link"
          title="Remove the clip and its edits, keep the pose"
          aria-label="Remove clip"
          onPointerDown={(event) => event.stopPropagation()}
          onClick={() => void app.do("clip.remove")}
        >
          {short ? "×" : "Remove clip"}
        </button>
      )}
    </span>
  );
}
