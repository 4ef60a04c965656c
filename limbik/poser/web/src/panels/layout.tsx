// The page around the view: bar, panel, timeline, and what lies over the view.

import { render } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { App } from "../state/app";
import { UnkeyedNotice } from "../timeline/autokey";
import { Timeline } from "../timeline/timeline";
import { ConnectionLost } from "./over/connection";
import { Drop } from "./files/drop";
import { Goals } from "./sections/goals";
import { HandsPanel } from "./sections/hands";
import { Help } from "./bar/help";
import { Hint } from "./over/hint";
import { JointPanel } from "./sections/joint";
import { keepFocus } from "./controls/keepfocus";
import { LibraryPanel } from "./sections/library";
import { LimitsPanel } from "./sections/limits";
import { useEvents } from "./controls/listening";
import { MethodPanel } from "./sections/method";
import { Advice, Notes, Preparing } from "./over/notes";
import { OfferBanner } from "./over/offer";
import { PosesPanel } from "./sections/poses";
import { ScenePanel } from "./sections/scenePanel";
import type { StageView } from "./files/saving";
import { SheetHead } from "./sheet";
import { Status } from "./over/status";
import { Task } from "./over/task";
import { followTheme } from "./bar/theme";
import { Topbar } from "./bar/topbar";
import { ViewButtons } from "./bar/viewbuttons";

/** Below this width the panel is a sheet below the view, or beside it on a phone that lies. */
const NARROW = "(max-width: 899px)";

/** The figure in words, for whoever does not see the view. */
function describe(app: App): string {
  const { figure, state } = app;
  if (!figure || !state) return "No figure yet.";
  const goals = state.effectors.map((effector) => {
    const report = app.report(effector.id);
    const reached = report ? (report.ok ? ", reached" : ", not reached") : "";
    return `${effector.name}: ${effector.mode}${reached}`;
  });
  return (
    `${figure.joints.length} joints, ${goals.length} effectors. ${goals.join("; ")}. ` +
    "Bracket keys choose an effector, arrow keys move its target. All joints are in the panel's list."
  );
}

function View({ app, stage }: { app: App; stage: StageView }) {
  useEvents(app, "figure", "state", "ui");
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { canvas } = stage;
    canvas.id ||= "stage";
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application"); // arrow keys are for the figure, not for reading on
    canvas.setAttribute("aria-describedby", "view-words");
    box.current?.prepend(canvas);
    // A frame around the view is for people who came by keyboard, not for a hand that typed elsewhere.
    const pointed = (): void => canvas.classList.add("pointed");
    const left = (): void => canvas.classList.remove("pointed");
    canvas.addEventListener("pointerdown", pointed, { capture: true });
    canvas.addEventListener("blur", left);
    return () => {
      canvas.removeEventListener("pointerdown", pointed, { capture: true });
      canvas.removeEventListener("blur", left);
    };
  }, [stage]);
  stage.canvas.setAttribute("aria-label", `The figure ${app.figure?.name ?? ""} in space`.replace("  ", " "));
  return (
    <main class="view" ref={box} aria-label="Figure">
      <p id="view-words" class="visually-hidden">{describe(app)}</p>
      <div class="over-top">
        <Preparing app={app} />
        <Task app={app} />
        <Advice app={app} />
        <OfferBanner app={app} />
        <UnkeyedNotice app={app} />
      </div>
      <ViewButtons app={app} stage={stage} />
      <div class="over-bottom">
        {!app.replay && <Status app={app} stage={stage} />}
        <Hint app={app} />
        <Notes app={app} />
      </div>
    </main>
  );
}

function Panel({ app, stage }: { app: App; stage: StageView }) {
  return (
    <aside class="panel" aria-label="Goals, joints, limits and method" id="panel">
      <SheetHead app={app} />
      <div class="sections">
        <Goals app={app} />
        <ScenePanel app={app} />
        <JointPanel app={app} />
        <HandsPanel app={app} />
        <LibraryPanel app={app} stage={stage} />
        <PosesPanel app={app} />
        <LimitsPanel app={app} />
        <MethodPanel app={app} />
      </div>
    </aside>
  );
}

function Page({ app, stage }: { app: App; stage: StageView }) {
  useEvents(app, "ui", "link");
  const input = useRef<HTMLInputElement>(null);
  const [saves, setSaves] = useState(0);
  const choose = (): void => input.current?.click();
  useEffect(() => app.on("open", choose), [app]);
  useEffect(() => app.on("save", () => setSaves((count) => count + 1)), [app]);
  const panel = app.ui.panel && !app.replay;
  return (
    <div class={`page ${panel ? "with-panel" : ""} ${app.ui.timeline ? "with-time" : ""}`}>
      <nav class="skip" aria-label="Skip">
        <a href="#stage" onClick={(event) => skipTo(event, stage.canvas)}>Skip to the figure</a>
        {panel && (
          <a href="#goals-title" onClick={(event) => skipTo(event, document.getElementById("goals-title"))}>
            Skip to the goals
          </a>
        )}
      </nav>
      <Topbar app={app} stage={stage} saves={saves} choose={choose} />
      <View app={app} stage={stage} />
      {panel && <Panel app={app} stage={stage} />}
      {app.ui.timeline && (
        <section class="time" aria-label="Timeline">
          <Timeline app={app} />
        </section>
      )}
      {!app.replay && <Drop app={app} input={input} />}
      <Help app={app} />
      <ConnectionLost app={app} />
    </div>
  );
}

function skipTo(event: Event, target: HTMLElement | null): void {
  event.preventDefault(); // the address keeps the session in its hash
  target?.focus();
}

/** Draws everything but the figure into `root`, and puts the stage's canvas in its place. */
export function mount(root: HTMLElement, app: App, stage: StageView): void {
  followTheme(app);
  // A sheet would hide the figure that somebody came to see.
  if (matchMedia(NARROW).matches && app.ui.panel) app.set({ panel: false });
  render(<Page app={app} stage={stage} />, root);
  keepFocus(root, stage.canvas);
}
