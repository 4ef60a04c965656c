// The keyboard: one table of chords, what they do, and doing it.

import type { App } from "./state/app";
import { focusOf, isChord, mayTake } from "./keyboard";
import type { Effector, Ui } from "./net/messages";
import { refuseOffer, takeOffer } from "./panels/over/offer";
import { nextTheme } from "./panels/bar/theme";
import type { Stage } from "./scene/stage";
import { toggleAutoKey } from "./timeline/autokey";
import { goToKey, insertKey, stepBy, togglePlaying } from "./timeline/timelineActions";
import { toggleTrail } from "./timeline/trailActions";
import { endNudge, nudge, selectNext, selectPrevious, turn } from "./edit";

export interface Shortcut {
  keys: string[]; // any of these
  what: string;
  group: "Pose" | "Effectors" | "View" | "Time" | "File";
  /** Works in a replay too, where nothing can be changed. */
  replay?: boolean;
  run(app: App, stage: Stage): void;
}

function tool(name: Ui["tool"]): (app: App) => void {
  return (app) => app.set({ tool: name });
}

function withEffector(app: App, f: (effector: Effector) => void): void {
  const effector = app.selectedEffector();
  if (effector) f(effector);
  else app.note("Select an effector first; E makes the selected joint one.", (ui) => ui.effector !== null);
}

function withJoint(app: App, f: (joint: number) => void): void {
  if (app.ui.joint !== null) f(app.ui.joint);
  else app.note("Select a joint first.", (ui) => ui.joint !== null);
}

function toggleMode(app: App, mode: "pin" | "aim"): void {
  withEffector(app, (e) => void app.do("effector.set", { effector: e.id, mode: e.mode === mode ? "free" : mode }));
}

function toggleEffector(app: App): void {
  withJoint(app, (joint) => {
    const effector = app.effectorOn(joint);
    if (effector) void app.do("effector.remove", { effector: effector.id });
    else void app.do("effector.add", { joint });
  });
}

/** Sets the limb of a joint to FK, or back to IK. */
export function toggleFk(app: App, joint: number): void {
  const limb = app.limbOf(joint);
  if (limb) void app.do("limb.fk", { joint, on: !app.inFk(joint) });
  else app.note(`${app.figure?.joints[joint]?.name ?? "This joint"} is no part of an arm or a leg.`);
}

function toggleSymmetric(app: App): void {
  if (app.state) void app.do("symmetric", { on: !app.state.symmetric });
}

export const SHORTCUTS: Shortcut[] = [
  { keys: ["Q"], what: "Drag directly, without a gizmo", group: "Pose", run: tool("direct") },
  { keys: ["G"], what: "Arrows that move the selected effector", group: "Pose", run: tool("move") },
  { keys: ["R"], what: "Rings that turn the selected joint", group: "Pose", run: tool("rotate") },
  { keys: ["S"], what: "Handles that scale the selected prop", group: "Pose", run: tool("scale") },
  { keys: ["J"], what: "Limits: knobs change the selected joint's limits", group: "Pose", run: tool("limits") },
  { keys: ["M"], what: "Mirror the pose left and right", group: "Pose", run: (app) => void app.do("pose.mirror") },
  { keys: ["X"], what: "Symmetric: dragging one side moves the other", group: "Pose", run: toggleSymmetric },
  { keys: ["0"], what: "Reset the pose", group: "Pose", run: (app) => void app.do("pose.reset") },
  { keys: ["Enter"], what: "Take the pose that is offered as a ghost", group: "Pose", run: (app) => void takeOffer(app) },
  { keys: ["Ctrl+Z"], what: "Undo", group: "Pose", run: (app) => app.state?.undo != null && void app.do("undo") },
  {
    keys: ["Ctrl+Shift+Z", "Ctrl+Y"],
    what: "Redo",
    group: "Pose",
    run: (app) => app.state?.redo != null && void app.do("redo"),
  },
  { keys: ["E"], what: "Make the selected joint an effector, or no longer", group: "Effectors", run: toggleEffector },
  { keys: ["P"], what: "Pin, or free", group: "Effectors", run: (app) => toggleMode(app, "pin") },
  { keys: ["A"], what: "Aim, or free", group: "Effectors", run: (app) => toggleMode(app, "aim") },
  {
    keys: ["L"],
    what: "Lock the selected joint, or unlock it",
    group: "Effectors",
    run: (app) => withJoint(app, (joint) => void app.do("lock", { joint, on: !app.locked(joint) })),
  },
  { keys: ["I"], what: "IK or FK: the selected limb is solved as a whole, or turned joint by joint", group: "Effectors", run: (app) => withJoint(app, (joint) => toggleFk(app, joint)) },
  {
    keys: ["Delete", "Backspace"],
    what: "Remove the effector, or the prop",
    group: "Effectors",
    run: (app) =>
      app.ui.prop !== null
        ? void app.do("prop.remove", { prop: app.ui.prop })
        : withEffector(app, (effector) => void app.do("effector.remove", { effector: effector.id })),
  },
  { keys: ["["], what: "Previous effector", group: "Effectors", run: selectPrevious },
  { keys: ["]"], what: "Next effector", group: "Effectors", run: selectNext },
  {
    keys: ["F"],
    what: "Bring the selected joint, or the figure, into view",
    group: "View",
    replay: true,
    run: (_, stage) => stage.frameSelected(),
  },
  { keys: ["Home"], what: "Bring the whole figure into view", group: "View", replay: true, run: (_, stage) => stage.frame("all") },
  {
    keys: ["T"],
    what: "Light, dark, or as the system has it",
    group: "View",
    replay: true,
    run: (app) => app.set({ theme: nextTheme(app.ui.theme) }),
  },
  { keys: ["H"], what: "Shadows", group: "View", replay: true, run: (app) => app.set({ shadows: !app.ui.shadows }) },
  { keys: ["N"], what: "Panel", group: "View", run: (app) => app.set({ panel: !app.ui.panel }) },
  { keys: ["?"], what: "This sheet", group: "View", replay: true, run: (app) => app.set({ help: !app.ui.help }) },
  {
    keys: ["Esc"],
    what: "Close, or select nothing",
    group: "View",
    replay: true,
    run: (app) => {
      if (app.ui.help) app.set({ help: false });
      else if (!refuseOffer(app)) app.select(null);
    },
  },
  { keys: ["Space"], what: "Play, or pause", group: "Time", replay: true, run: togglePlaying },
  { keys: [","], what: "Back one frame", group: "Time", replay: true, run: (app) => stepBy(app, -1) },
  { keys: ["."], what: "On one frame", group: "Time", replay: true, run: (app) => stepBy(app, 1) },
  { keys: ["<"], what: "Previous key", group: "Time", replay: true, run: (app) => goToKey(app, -1) },
  { keys: [">"], what: "Next key", group: "Time", replay: true, run: (app) => goToKey(app, 1) },
  { keys: ["K"], what: "Insert a key", group: "Time", run: (app) => void insertKey(app) },
  { keys: ["U"], what: "Auto-key: changed poses become keys", group: "Time", run: toggleAutoKey },
  { keys: ["C"], what: "Curves of the selected joint", group: "Time", run: (app) => app.set({ curves: !app.ui.curves }) },
  { keys: ["W"], what: "Motion trail of the selected joint", group: "Time", run: toggleTrail },
  { keys: ["O"], what: "Onion skins", group: "Time", replay: true, run: (app) => app.set({ onion: !app.ui.onion }) },
  { keys: ["Ctrl+O"], what: "Open a file", group: "File", run: (app) => app.request("open") },
  { keys: ["Ctrl+S"], what: "Save", group: "File", run: (app) => app.request("save") },
];

/** Presses that need more than a chord; shown in the help sheet with the others. */
export const ARROWS: Omit<Shortcut, "run">[] = [
  { keys: ["Arrows"], what: "Move the target in the plane of the view", group: "Effectors" },
  { keys: ["Shift+↑", "Shift+↓"], what: "Move the target away, or towards you", group: "Effectors" },
  { keys: ["Arrows"], what: "Turn the effector, with the gizmo that rotates; Shift rolls it", group: "Effectors" },
  { keys: ["Alt+Arrows"], what: "Move or turn it finely", group: "Effectors" },
  { keys: ["Arrows"], what: "Look around, while no effector is selected", group: "View", replay: true },
  { keys: ["Shift+Arrows"], what: "Move the view sideways, likewise", group: "View", replay: true },
  { keys: ["Ctrl+C"], what: "Copy the selected keys", group: "Time" },
  { keys: ["Ctrl+V"], what: "Paste the copied keys at this frame", group: "Time" },
  { keys: ["Ctrl+Shift+V"], what: "Paste the copied keys flipped, left and right exchanged", group: "Time" },
  { keys: ["Alt+←", "Alt+→"], what: "Move the key that has the focus; Ctrl copies it", group: "Time" },
  { keys: ["Delete"], what: "Delete the key that has the focus", group: "Time" },
  { keys: ["+", "-"], what: "Come nearer, or go away", group: "View", replay: true },
  { keys: ["Numpad 1", "3", "7"], what: "From the front, the left, above, without perspective; with Ctrl, the other side", group: "View", replay: true },
  { keys: ["Numpad 2", "4", "6", "8"], what: "Turn the view in steps; with Shift or Ctrl, move it", group: "View", replay: true },
  { keys: ["Numpad ."], what: "Bring the selected joint, or the figure, into view", group: "View", replay: true },
  { keys: ["Numpad 5"], what: "With perspective, or without", group: "View", replay: true },
];

/** Moves the selected target by an arrow key, or turns it where the tool is the one that rotates;
 * false when the press is no arrow or nothing is selected. */
function arrow(app: App, stage: Stage, { key, shiftKey, altKey }: KeyboardEvent): boolean {
  const size = altKey ? 0.1 : 1;
  const across = key === "ArrowRight" ? size : key === "ArrowLeft" ? -size : 0;
  const up = key === "ArrowUp" ? size : key === "ArrowDown" ? -size : 0;
  if (across === 0 && up === 0) return false;
  if (app.ui.tool === "rotate") return shiftKey ? turn(app, stage, 0, 0, across || up) : turn(app, stage, across, up, 0);
  return shiftKey ? nudge(app, stage, across, 0, up) : nudge(app, stage, across, up, 0);
}

/** Takes the keys that are shortcuts until the function that it returns is called. */
export function listen(app: App, stage: Stage, target: Document): () => void {
  const press = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || !mayTake(event, focusOf(event.target))) return;
    const found = SHORTCUTS.find(({ keys }) => keys.some((chord) => isChord(event, chord)));
    // The help sheet covers the page; behind it nothing changes.
    if (app.ui.help && found?.keys[0] !== "?" && found?.keys[0] !== "Esc") return;
    if (found && (found.replay || !app.replay)) {
      endNudge(app); // what comes now is another step to undo
      found.run(app, stage);
    } else if (found || app.replay || event.ctrlKey || event.metaKey || !arrow(app, stage, event)) return;
    event.preventDefault();
  };
  target.addEventListener("keydown", press);
  return () => target.removeEventListener("keydown", press);
}
