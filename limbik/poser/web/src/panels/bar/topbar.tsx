// The bar at the top: files, history, the pose as a whole, tools, what is shown.

import type { App } from "../../state/app";
import type { Ui } from "../../net/messages";
import { IconButton, Segmented } from "../controls/controls";
import { FileMenu } from "../files/filemenu";
import { Wordmark } from "../controls/icons";
import { useEvents } from "../controls/listening";
import type { StageView } from "../files/saving";
import { nextTheme } from "./theme";
import { ViewMenu } from "./viewmenu";

const TOOLS: { value: Ui["tool"]; label: string; icon: "direct" | "move" | "rotate" | "scale" | "limits"; title: string }[] = [
  { value: "direct", label: "Direct", icon: "direct", title: "Drag effectors directly in the view  (Q)" },
  { value: "move", label: "Move", icon: "move", title: "Move the selected effector by arrows  (G)" },
  { value: "rotate", label: "Rotate", icon: "rotate", title: "Turn the selected joint by rings  (R)" },
  { value: "scale", label: "Scale", icon: "scale", title: "Scale the selected prop  (S)" },
  { value: "limits", label: "Limits", icon: "limits", title: "Edit the limits of the selected joint by their knobs  (J)" },
];

const THEMES = { auto: "as the system has it", light: "light", dark: "dark" } as const;

export function Topbar({ app, stage, saves, choose }: {
  app: App;
  stage: StageView;
  /** Counts presses of Ctrl+S, which opens the file menu. */
  saves: number;
  choose: () => void;
}) {
  useEvents(app, "hello", "figure", "state", "ui", "link");
  const { state, figure, ui } = app;
  const off = app.link !== "open" || !state;
  // Nothing but a prop is scaled.
  const tools = TOOLS.filter(({ value }) => value !== "scale" || ui.tool === "scale" || (state?.scene.props.length ?? 0) > 0);
  return (
    <header class="topbar" role="banner">
      <h1 class="brand"><Wordmark /></h1>
      {!app.replay && (
        <>
          <FileMenu app={app} stage={stage} opened={saves} choose={choose} />
          <div class="bar-group" role="group" aria-label="History">
            <IconButton
              icon="undo"
              label="Undo"
              title={state?.undo ? `Undo: ${state.undo}` : "Nothing to undo"}
              keys="Ctrl+Z"
              disabled={off || !state?.undo}
              onClick={() => void app.do("undo")}
            />
            <IconButton
              icon="redo"
              label="Redo"
              title={state?.redo ? `Redo: ${state.redo}` : "Nothing to redo"}
              keys="Ctrl+Shift+Z"
              disabled={off || !state?.redo}
              onClick={() => void app.do("redo")}
            />
          </div>
          <div class="bar-group wide" role="group" aria-label="Pose">
            <IconButton
              icon="mirror"
              label="Mirror pose"
              title={figure?.mirrors === false ? "Left and right of this figure are not known" : "Mirror the pose left and right"}
              keys="M"
              disabled={off || !figure?.mirrors}
              onClick={() => void app.do("pose.mirror")}
            />
            <IconButton
              icon="symmetric"
              label="Symmetric"
              title={state?.symmetric ? "Symmetric: dragging one side moves the other" : "Drag both sides at once"}
              keys="X"
              pressed={state?.symmetric ?? false}
              disabled={off || !figure?.mirrors}
              onClick={() => void app.do("symmetric", { on: !state?.symmetric })}
            />
            <IconButton
              icon="reset"
              label="Reset pose"
              title="Back to the rest pose"
              keys="0"
              disabled={off}
              onClick={() => void app.do("pose.reset")}
            />
          </div>
          <Segmented label="Tool" value={ui.tool} segments={tools} onChoose={(tool) => app.set({ tool })} />
        </>
      )}
      <span class="figure-name" title={figure?.file || figure?.name || ""}>
        {figure?.file || figure?.name || ""}
      </span>
      <div class="bar-group end">
        <ViewMenu app={app} />
        <IconButton
          class="wide"
          icon={ui.theme === "auto" ? "contrast" : ui.theme === "light" ? "sun" : "moon"}
          label={`Theme: ${THEMES[ui.theme]}`}
          keys="T"
          onClick={() => app.set({ theme: nextTheme(ui.theme) })}
        />
        <IconButton class="wide" icon="help" label="Help and shortcuts" keys="?" onClick={() => app.set({ help: true })} />
        {!app.replay && (
          <IconButton
            icon="panel"
            label="Panel"
            title={ui.panel ? "Hide the panel" : "Show the panel"}
            keys="N"
            pressed={ui.panel}
            onClick={() => app.set({ panel: !ui.panel })}
          />
        )}
      </div>
    </header>
  );
}
