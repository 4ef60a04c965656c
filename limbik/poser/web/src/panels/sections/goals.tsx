// The effectors: what each is asked to do, how much it counts, and how near it came.

import { useRef } from "preact/hooks";
import type { App } from "../../state/app";
import type { Commands, Effector, GoalInfo, Vec3, Vec4 } from "../../net/messages";
import { lookedAt } from "../../edit/dragState";
import type { GoalReport } from "../../net/protocol";
import { IconButton, Section, Segmented, Switch } from "../controls/controls";
import { NumberField, Slider } from "../controls/fields";
import { JointPicker } from "../controls/jointpicker";
import { Latest } from "../../net/latestOnly";
import { useEvents, usePose } from "../controls/listening";
import { degrees, show, showLength, steady } from "../controls/numbers";

const MODES = [
  { value: "free", label: "free", icon: "free", title: "Free: follows, and holds its target while it is dragged" },
  { value: "pin", label: "pin", icon: "pin", title: "Pin: keeps its place while others move" },
  { value: "aim", label: "aim", icon: "aim", title: "Aim: points at its target" },
] as const;

/** Weights are felt as ratios, so that their slider counts powers of ten. */
const WEAKEST = -2;
const STRONGEST = 2;

/** How a goal fared, in words: "1.2 cm, 4.0°". */
export function missText(app: App, report: GoalReport | undefined): string {
  if (!report || !app.figure) return "";
  const parts: string[] = [];
  if (!Number.isNaN(report.length)) parts.push(showLength(report.length, app.figure.unit, app.figure.size));
  if (!Number.isNaN(report.angle)) parts.push(`${steady(degrees(report.angle), 1)}°`);
  return parts.join(", ");
}

export function Dot({ report }: { report: GoalReport | undefined }) {
  const state = !report ? "idle" : report.ok ? "reached" : "missed";
  const words = { idle: "no goal now", reached: "reached", missed: "not reached" }[state];
  return <span class={`dot ${state}`} role="img" aria-label={words} title={words} />;
}

function Weight(props: { name: string; label: string; value: number; onSet: (value: number) => void; disabled?: boolean }) {
  const power = Math.log10(Math.min(10 ** STRONGEST, Math.max(10 ** WEAKEST, props.value)));
  return (
    <div class="field-row">
      <span class="field-label" aria-hidden="true">{props.label}</span>
      <Slider
        label={`${props.name} ${props.label.toLowerCase()}`}
        value={power}
        min={WEAKEST}
        max={STRONGEST}
        step={0.05}
        keyStep={0.1}
        text={show(props.value, 2)}
        disabled={props.disabled ?? false}
        onSlide={(p) => props.onSet(Number((10 ** p).toPrecision(2)))}
      />
      <NumberField
        label={`${props.name} ${props.label.toLowerCase()}, number`}
        value={props.value}
        min={0}
        max={1e6}
        step={0.1}
        write={(v) => show(v, 3)}
        disabled={props.disabled ?? false}
        onCommit={(v) => v !== null && props.onSet(v)}
      />
    </div>
  );
}

/** Where an effector's target is, as it was last heard of. */
function targetOf(app: App, effector: Effector): Vec3 {
  const tied = lookedAt(app, effector);
  if (tied) return [tied.x, tied.y, tied.z];
  const told = app.report(effector.id)?.position;
  return told && !told.some(Number.isNaN) ? told : effector.position;
}

/** What an aim looks at: a place that is dragged, the camera, a prop or a joint. */
function Look({ app, effector }: { app: App; effector: Effector }) {
  const props = app.state?.scene.props ?? [];
  const joints = app.figure?.joints ?? [];
  const set = (look: string): void => {
    const position = look === "camera" ? app.eye?.() : undefined;
    void app.do("effector.set", { effector: effector.id, look, ...(position ? { position } : {}) });
  };
  return (
    <label class="field-row look">
      <span class="field-label">Look at</span>
      <select aria-label={`What ${effector.name} looks at`} value={effector.look} onChange={(event) => set(event.currentTarget.value)}>
        <option value="">its target</option>
        <option value="camera">the camera</option>
        {props.length > 0 && (
          <optgroup label="Props">
            {props.map((prop) => <option key={prop.id} value={`prop:${prop.id}`}>{prop.name}</option>)}
          </optgroup>
        )}
        <optgroup label="Joints">
          {joints.map((joint, index) => index !== effector.joint && <option key={joint.name} value={`joint:${joint.name}`}>{joint.name}</option>)}
        </optgroup>
      </select>
    </label>
  );
}

function Details({ app, effector }: { app: App; effector: Effector }) {
  const sending = useRef<Latest<Commands["effector.set"]> | null>(null);
  sending.current ??= new Latest((patch) => app.do("effector.set", patch));
  const set = (patch: Omit<Commands["effector.set"], "effector">): void => sending.current?.give({ effector: effector.id, ...patch });
  const turnTo = (on: boolean): Promise<unknown> => {
    const at = 4 * effector.joint;
    const now = app.pose ? (Array.from(app.pose.wxyz.slice(at, at + 4)) as Vec4) : ([1, 0, 0, 0] as Vec4);
    return app.do("effector.set", { effector: effector.id, wxyz: on ? now : null });
  };
  return (
    <div class="goal-details">
      {effector.mode === "aim" && <Look app={app} effector={effector} />}
      {effector.mode !== "aim" && (
        <Switch
          label="Orientation"
          name={`Orientation goal of ${effector.name}`}
          title="Hold the orientation too; rotate it with the rotate tool (R)"
          checked={effector.wxyz !== null}
          onChange={turnTo}
        />
      )}
      <Weight name={effector.name} label="Weight" value={effector.weight} onSet={(weight) => set({ weight })} />
      {effector.wxyz !== null && effector.mode !== "aim" && (
        <Weight
          name={effector.name}
          label="Rotation weight"
          value={effector.rotation_weight}
          onSet={(rotation_weight) => set({ rotation_weight })}
        />
      )}
      <dl class="facts">
        <dt>Target</dt>
        <dd>
          {targetOf(app, effector).map((v) => steady(v, 3)).join("  ")}{" "}
          {app.figure?.unit}
        </dd>
      </dl>
    </div>
  );
}

function Goal({ app, effector }: { app: App; effector: Effector }) {
  const selected = app.ui.effector === effector.id;
  const report = app.report(effector.id);
  return (
    <li class={`goal ${selected ? "selected" : ""}`} data-testid={`goal-${effector.id}`}>
      <div class="goal-head">
        <button
          type="button"
          class="goal-name"
          aria-pressed={selected}
          aria-label={`Select ${effector.name}`}
          onClick={() => app.selectEffector(selected ? null : effector.id)}
        >
          <Dot report={report} />
          <span class="name">{effector.name}</span>
          <span class="miss">{missText(app, report)}</span>
        </button>
        <Segmented
          label={`Mode of ${effector.name}`}
          icons
          value={effector.mode}
          segments={[...MODES]}
          onChoose={(mode) => app.do("effector.set", { effector: effector.id, mode })}
        />
        <IconButton
          icon="close"
          class="quiet"
          label={`Remove ${effector.name}`}
          title="Remove this effector"
          keys="Delete"
          onClick={() => void app.do("effector.remove", { effector: effector.id })}
        />
      </div>
      {selected && <Details app={app} effector={effector} />}
    </li>
  );
}

/** A goal of the program that cannot be dragged: it is kept, and how it fares is shown. */
function Kept({ app, goal }: { app: App; goal: GoalInfo }) {
  const report = app.report(goal.id);
  return (
    <li class="goal" data-testid={`goal-${goal.id}`}>
      <div class="goal-head">
        <span class="goal-name" title={goal.sentence}>
          <Dot report={report} />
          <span class="name">{goal.kind === goal.label ? goal.kind : `${goal.kind} ${goal.label}`}</span>
          <span class="miss">{goal.lost ? "ended" : missText(app, report)}</span>
        </span>
        <IconButton
          icon="close"
          class="quiet"
          label={`Remove ${goal.kind} ${goal.label}`}
          title="Keep this goal no longer"
          onClick={() => void app.do("goal.remove", { goal: goal.id })}
        />
      </div>
    </li>
  );
}

export function Goals({ app }: { app: App }) {
  useEvents(app, "figure", "state", "ui");
  usePose(app, 80);
  const effectors = app.state?.effectors ?? [];
  const goals = app.state?.goals ?? [];
  const pinned = effectors.filter((effector) => effector.mode === "pin").length;
  return (
    <Section id="goals" title="Goals" summary={`${effectors.length}${pinned ? `, ${pinned} pinned` : ""}`}>
      {effectors.length === 0 && (
        <p class="empty">No effectors. Double-click a joint in the view, or add one here.</p>
      )}
      <ul class="goals" aria-label="Effectors">
        {effectors.map((effector) => <Goal key={effector.id} app={app} effector={effector} />)}
      </ul>
      {goals.length > 0 && (
        <ul class="goals" aria-label="Goals that are kept">
          {goals.map((goal) => <Kept key={goal.id} app={app} goal={goal} />)}
        </ul>
      )}
      <JointPicker
        app={app}
        label="Add an effector"
        onPick={(joint) => {
          app.select(joint);
          void app.do("effector.add", { joint });
        }}
      />
    </Section>
  );
}
