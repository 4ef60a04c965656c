// How the newest solve went: a word, the sentence that says why, errors, and times.

import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../../state/app";
import { withLabels } from "../../edit/coordinateNames";
import type { Pose, Status as PoseStatus } from "../../net/protocol";
import type { StageView } from "../files/saving";
import { Dot, missText } from "../sections/goals";
import { Icon } from "../controls/icons";
import { useEvents, usePose } from "../controls/listening";
import { showMs } from "../controls/numbers";
import { isRestPose } from "./restPose";

const WORDS: Record<PoseStatus, string> = {
  reached: "Reached",
  limited: "Limited",
  held: "Held back",
  "out of reach": "Out of reach",
  stalled: "Short",
  unsolved: "Posed",
};

/** A word for how the newest solve went, or for the pose where nothing was solved. */
function wordOf(app: App, pose: Pose): string {
  if (pose.isStuck) return "Stuck";
  if (pose.isFollowing) return "Following";
  const atRest = app.figure !== null && isRestPose(app.figure, pose.q);
  return pose.status === "unsolved" && atRest ? "At rest" : WORDS[pose.status];
}

const QUIET = 700; // ms without a new pose after which a drag is over, for a screen reader

/** The solver's sentence, with the names that sliders and curves have. */
function why(app: App, pose: Pose): string {
  return app.figure ? withLabels(app.figure, pose.why) : pose.why;
}

/** What a screen reader says when a movement has ended; silent while poses stream in. */
function Spoken({ app }: { app: App }) {
  const [sentence, setSentence] = useState("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = app.on("pose", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const { pose } = app;
        if (!pose || pose.status === "unsolved" || app.ui.playing) return;
        const missed = pose.goals
          .map((goal) => app.report(goal.effector) ?? goal)
          .filter((goal) => !goal.ok)
          .map((goal) => `${app.effector(goal.effector)?.name ?? "a goal"} misses by ${missText(app, goal)}`);
        setSentence([`${wordOf(app, pose)}.`, why(app, pose), missed.join(", ")].filter(Boolean).join(" "));
      }, QUIET);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [app]);
  return <div class="visually-hidden" role="status" aria-live="polite">{sentence}</div>;
}

function useIdleRedraw(app: App): void {
  // The number of solves a second falls to 0 although no pose comes that would redraw it.
  const [, redraw] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = app.on("pose", () => {
      clearTimeout(timer);
      timer = setTimeout(() => redraw((count) => count + 1), 1100);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [app]);
}

const AROUND = 12; // pixels around a marker

/** Whether a marker is under a card. */
function coversMarker(app: App, stage: StageView, card: DOMRect): boolean {
  const { pose, state, figure } = app;
  if (!pose || !state || state.figure !== figure?.id) return false;
  return state.effectors.some(({ joint }) => {
    if (3 * joint >= pose.positions.length) return false;
    const { x, y } = stage.screen(joint);
    const across = x > card.left - AROUND && x < card.right + AROUND;
    return across && y > card.top - AROUND && y < card.bottom + AROUND;
  });
}

export function Status({ app, stage }: { app: App; stage: StageView }) {
  useEvents(app, "figure", "state");
  usePose(app, 100);
  useIdleRedraw(app);
  const [open, setOpen] = useState(true);
  // What is under the card can be seen and taken.
  const card = useRef<HTMLElement>(null);
  const [through, setThrough] = useState(false);
  useEffect(
    () => stage.onBeforeRender(() => card.current && setThrough(coversMarker(app, stage, card.current.getBoundingClientRect()))),
    [app, stage],
  );
  const { pose } = app;
  if (!pose) return null;
  const kind = pose.isStuck ? "stuck" : pose.isFollowing ? "following" : pose.status.replaceAll(" ", "-");
  const goals = pose.goals.flatMap((goal) => (app.effector(goal.effector) ? (app.report(goal.effector) ?? []) : []));
  const { median } = app.roundTrip;
  return (
    <section ref={card} class={`status ${open ? "open" : ""} ${through ? "through" : ""}`} aria-label="Status of the solve">
      <div class="status-head">
        <span class={`chip ${kind}`} data-testid="status">
          {wordOf(app, pose)}
        </span>
        <p class="why" data-testid="why" title={why(app, pose)}>{why(app, pose)}</p>
        <button
          type="button"
          class="icon-button fold"
          aria-expanded={open}
          aria-label={open ? "Hide the numbers" : "Show the numbers"}
          title={open ? "Hide the numbers" : "Show the numbers"}
          onMouseDown={(event) => event.preventDefault()} // a focused card is wide, and lies on the feet
          onClick={() => setOpen(!open)}
        >
          <Icon name="down" size={12} />
        </button>
      </div>
      {open && goals.length > 0 && (
        <ul class="misses" aria-label="Errors of the goals">
          {goals.map((goal) => (
            <li key={goal.effector} class={goal.ok ? "ok" : ""}>
              <Dot report={goal} />
              <span class="name">{app.effector(goal.effector)!.name}</span>
              <span class="miss">{missText(app, goal)}</span>
            </li>
          ))}
        </ul>
      )}
      {open && (
        <dl class="times">
          <div title="Time the server needed for this solve">
            <dt>solve</dt>
            <dd data-testid="ms">{showMs(pose.status === "unsolved" ? NaN : pose.ms)} ms</dd>
          </div>
          <div title="Poses solved in the last second">
            <dt>rate</dt>
            <dd data-testid="rate">{app.rate.toFixed(0)}/s</dd>
          </div>
          <div title="From sending a drag to having its pose, median">
            <dt>round trip</dt>
            <dd data-testid="round-trip">{showMs(median)} ms</dd>
          </div>
        </dl>
      )}
      <Spoken app={app} />
    </section>
  );
}
