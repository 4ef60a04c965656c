// The timeline's buttons and numbers: playing, stepping, rate and length, keys, onion skins.

import type { App } from "../app";
import type { Key, Timeline } from "../messages";
import { NumberField } from "../panels/fields";
import { goTo, goToKey, insertKey, stepBy, togglePlaying } from "./going";
import { SymbolButton } from "./symbols";

const EASES: { value: Timeline["ease"]; label: string }[] = [
  { value: "smooth", label: "Smooth" },
  { value: "linear", label: "Linear" },
  { value: "step", label: "Step" },
];

function Playing({ app, timeline, frame }: { app: App; timeline: Timeline; frame: number }) {
  const { playing } = app.ui;
  const still = timeline.frames < 2;
  return (
    <div class="time-group" role="group" aria-label="Playing">
      <SymbolButton symbol="previous" label="Previous key" keys="<" onClick={() => goToKey(app, -1)} />
      <SymbolButton symbol="back" label="Back one frame" keys="," onClick={() => stepBy(app, -1)} />
      <SymbolButton
        symbol={playing ? "pause" : "play"}
        label={playing ? "Pause" : "Play"}
        keys="Space"
        main
        disabled={still}
        onClick={() => togglePlaying(app)}
      />
      <SymbolButton symbol="on" label="On one frame" keys="." onClick={() => stepBy(app, 1)} />
      <SymbolButton symbol="next" label="Next key" keys=">" onClick={() => goToKey(app, 1)} />
      <SymbolButton
        symbol="loop"
        label="Loop"
        pressed={timeline.loop}
        onClick={() => void app.do("timeline.set", { loop: !timeline.loop })}
      />
      <label class="time-field">
        <span>Frame</span>
        <NumberField
          label="Frame"
          value={Math.round(frame)}
          min={0}
          max={timeline.frames - 1}
          write={(value) => value.toFixed(0)}
          onCommit={(value) => value !== null && goTo(app, value)}
        />
      </label>
    </div>
  );
}

function Settings({ app, timeline }: { app: App; timeline: Timeline }) {
  const set = (change: Partial<Timeline>) => void app.do("timeline.set", change);
  return (
    <div class="time-group" role="group" aria-label="Timeline settings">
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
        <label class="time-field" title="Frames in all">
          <span>Frames</span>
          <NumberField
            label="Frames in all"
            value={timeline.frames}
            min={1}
            write={(value) => value.toFixed(0)}
            onCommit={(frames) => frames !== null && set({ frames: Math.round(frames) })}
          />
        </label>
      )}
      {!app.replay && timeline.clip !== null && (
        <label class="time-field" title="Frames over which an edit blends into the clip, to either side">
          <span>Span</span>
          <NumberField
            label="Frames over which an edit blends"
            value={timeline.span}
            min={1}
            write={(value) => value.toFixed(0)}
            onCommit={(span) => span !== null && set({ span: Math.round(span) })}
          />
        </label>
      )}
      {!app.replay && (
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
      <SymbolButton
        symbol="onion"
        label="Onion skins"
        keys="O"
        pressed={app.ui.onion}
        onClick={() => app.set({ onion: !app.ui.onion })}
      />
    </div>
  );
}

/** What can be done to keys: the one to come, and those that are selected. */
function Keys({ app, selected, remove }: { app: App; selected: Key[]; remove: () => void }) {
  const set = (key: Key, change: Partial<Key>) => void app.do("key.set", { key: key.id, ...change });
  const one = selected.length === 1 ? selected[0] : undefined;
  return (
    <div class="time-group" role="group" aria-label="Keys">
      <SymbolButton symbol="key" label="Insert a key at this frame" keys="K" onClick={() => void insertKey(app)} />
      <SymbolButton
        symbol="trash"
        label={selected.length > 1 ? `Delete ${selected.length} keys` : "Delete the selected key"}
        keys="Delete"
        disabled={selected.length === 0}
        onClick={remove}
      />
      {one && (
        <span class="time-holds">
          <label title="The key holds all joints">
            <input
              type="checkbox"
              checked={one.pose}
              disabled={one.pose && !one.goals}
              onChange={(event) => set(one, { pose: event.currentTarget.checked })}
            />
            Pose
          </label>
          <label title="The key holds the targets of the effectors">
            <input
              type="checkbox"
              checked={one.goals}
              disabled={one.goals && !one.pose}
              onChange={(event) => set(one, { goals: event.currentTarget.checked })}
            />
            Goals
          </label>
        </span>
      )}
    </div>
  );
}

export function Transport(props: { app: App; timeline: Timeline; frame: number; selected: Key[]; remove: () => void }) {
  const { app, timeline, frame } = props;
  return (
    <div class="transport">
      <Playing app={app} timeline={timeline} frame={frame} />
      {!app.replay && <Keys app={app} selected={props.selected} remove={props.remove} />}
      <span class="clip-name" title={timeline.clip ?? ""}>
        {timeline.clip !== null && (
          <>
            <span class="name">{timeline.clip}</span>
            {!app.replay && (
              <button type="button" class="time-link" title="Keep the pose, remove the clip and its edits" onClick={() => void app.do("clip.remove")}>
                Remove clip
              </button>
            )}
          </>
        )}
      </span>
      <Settings app={app} timeline={timeline} />
    </div>
  );
}
