// The timeline at the bottom of the page.

import { useState } from "preact/hooks";
import type { App } from "../app";
import { useEvents, usePose } from "../panels/listening";
import { chosen, Strip } from "./strip";
import { Transport } from "./transport";

export function Timeline({ app }: { app: App }) {
  useEvents(app, "state", "ui", "link");
  usePose(app, 100);
  const [selected, select] = useState<Set<number>>(new Set());
  const timeline = app.state?.timeline;
  if (!timeline) return null;
  const keys = chosen(timeline.keys, selected);
  const remove = (): void => {
    if (keys.length > 0) void app.do("key.delete", { keys: keys.map((key) => key.id) });
    select(new Set());
  };
  return (
    <div class="timeline">
      <Transport app={app} timeline={timeline} frame={app.frame} selected={keys} remove={remove} />
      <Strip app={app} timeline={timeline} selected={new Set(keys.map((key) => key.id))} select={select} remove={remove} />
    </div>
  );
}
