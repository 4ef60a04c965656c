// Work in the background: what it is, how far it is, and a button that stops it.

import type { App } from "../../state/app";
import { Button } from "../controls/controls";
import { useEvents } from "../controls/listening";

export function Task({ app }: { app: App }) {
  useEvents(app, "task", "link");
  const { task } = app;
  if (!task || app.link !== "open") return null;
  return (
    <div class="banner task" role="status" aria-label="Work in the background">
      <span class="spinner" aria-hidden="true" />
      <p>{task.label}</p>
      <progress value={task.share} max={1} aria-label={`Progress of ${task.label}`} />
      <span class="share">{Math.round(100 * task.share)} %</span>
      {task.stops && <Button onClick={() => void app.do("task.cancel")}>Cancel</Button>}
    </div>
  );
}
