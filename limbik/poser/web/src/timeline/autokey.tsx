// Auto-key: whether a pose changed by hand becomes a key, and what shows a pose that has none.

import type { App } from "../state/app";
import type { Timeline } from "../net/messages";
import { Button } from "../panels/controls/controls";
import { useEvents } from "../panels/controls/listening";
import { insertKey } from "./timelineActions";
import type { Ruler } from "./ruler";
import { SymbolButton } from "./symbols";

/** Whether a pose that is changed now becomes a key by itself. */
export function recordsKeys({ auto_key: on, keys, clip }: Pick<Timeline, "auto_key" | "keys" | "clip">): boolean {
  return on && (keys.length > 0 || clip !== null);
}

export function toggleAutoKey(app: App): void {
  const timeline = app.state?.timeline;
  if (timeline) void app.do("timeline.set", { auto_key: !timeline.auto_key });
}

export function AutoKey({ app, timeline }: { app: App; timeline: Timeline }) {
  const says = !timeline.auto_key
    ? "Auto-key is off: changed poses are kept beside the keys until K keys them"
    : recordsKeys(timeline)
      ? "Auto-key: a changed pose becomes a key at this frame"
      : "Auto-key: begins with the first key";
  return (
    <span class={`auto-key ${recordsKeys(timeline) ? "recording" : ""}`}>
      <SymbolButton symbol="record" label={says} keys="U" pressed={timeline.auto_key} onClick={() => toggleAutoKey(app)} />
    </span>
  );
}

/** Hollow marks at the frames whose pose is not keyed. */
export function UnkeyedMarks({ frames, ruler }: { frames: number[]; ruler: Ruler }) {
  return (
    <div class="diamonds unkeyed-row">
      {frames.map((frame) => (
        <span
          key={frame}
          class="unkeyed-mark"
          data-testid="unkeyed-mark"
          title={`Frame ${frame}: the pose is not keyed`}
          style={{ left: `${ruler.x(frame)}px` }}
        />
      ))}
    </div>
  );
}

/** Says over the view that the pose in view is not keyed, with what can be done about it. */
export function UnkeyedNotice({ app }: { app: App }) {
  useEvents(app, "state", "pose", "ui");
  const frame = Math.round(app.frame);
  if (!app.state?.timeline.unkeyed.includes(frame) || app.ui.playing) return null;
  return (
    <div class="banner unkeyed" role="status" data-testid="unkeyed">
      <span class="unkeyed-mark still" aria-hidden="true" />
      <p>The pose at frame {frame} is not keyed.</p>
      <Button kind="primary" onClick={() => void insertKey(app)}>Key it (K)</Button>
      <Button onClick={() => void app.do("unkeyed.drop", { frame })}>Drop it</Button>
    </div>
  );
}
