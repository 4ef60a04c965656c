// Playing and stepping: the timeline's buttons that change nothing but the frame in view.

import type { App } from "../../state/app";
import type { Timeline } from "../../net/messages";
import { NumberField } from "../../panels/controls/fields";
import { goTo, goToKey, stepBy, togglePlaying } from "../timelineActions";
import { SymbolButton } from "../symbols";

export function Playing({ app, timeline }: { app: App; timeline: Timeline }) {
  const { playing } = app.ui;
  return (
    <>
      <SymbolButton symbol="previous" label="Previous key" keys="<" onClick={() => goToKey(app, -1)} />
      <SymbolButton symbol="back" label="Back one frame" keys="," onClick={() => stepBy(app, -1)} />
      <SymbolButton
        symbol={playing ? "pause" : "play"}
        label={playing ? "Pause" : "Play"}
        keys="Space"
        main
        disabled={timeline.frames < 2}
        onClick={() => togglePlaying(app)}
      />
      <SymbolButton symbol="on" label="On one frame" keys="." onClick={() => stepBy(app, 1)} />
      <SymbolButton symbol="next" label="Next key" keys=">" onClick={() => goToKey(app, 1)} />
    </>
  );
}

export function Loop({ app, timeline }: { app: App; timeline: Timeline }) {
  return (
    <SymbolButton
      symbol="loop"
      label="Loop"
      pressed={timeline.loop}
      onClick={() => void app.do("timeline.set", { loop: !timeline.loop })}
    />
  );
}

export function FrameField({ app, timeline, frame }: { app: App; timeline: Timeline; frame: number }) {
  return (
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
  );
}
