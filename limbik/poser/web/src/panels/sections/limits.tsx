// How far joints may go: numbers for the selected joint, and limits for the whole figure.

import { useState } from "preact/hooks";
import type { App } from "../../state/app";
import type { JointInfo, Limit } from "../../net/messages";
import { Button, Section, Segmented, Switch } from "../controls/controls";
import { coordinateLabel } from "../../edit/coordinateNames";
import { ballAt, fault, firstLimit, isEulerBall } from "./coordinates";
import { NumberField } from "../controls/fields";
import { useEvents } from "../controls/listening";
import { degrees, lengthDecimals, radians, show } from "../controls/numbers";

type Range = Extract<Limit, { kind: "range" }>;
type Cone = Extract<Limit, { kind: "cone" }>;

/** An angle in degrees that is kept in radians. */
function Angle(props: {
  label: string;
  value: number | null;
  min?: number;
  max?: number;
  empty?: string;
  onSet: (value: number | null) => void;
}) {
  return (
    <NumberField
      label={props.label}
      unit="°"
      value={props.value === null ? null : degrees(props.value)}
      {...(props.min === undefined ? {} : { min: props.min })}
      {...(props.max === undefined ? {} : { max: props.max })}
      {...(props.empty === undefined ? {} : { empty: props.empty })}
      write={(v) => show(v, 1)}
      onCommit={(v) => props.onSet(v === null ? null : radians(v))}
    />
  );
}

/** Two ends of one thing; an empty end is no limit. */
function Ends(props: {
  name: string;
  label: string;
  slides?: { unit: string; decimals: number };
  lower: number | null;
  upper: number | null;
  onSet: (lower: number | null, upper: number | null) => void;
}) {
  const { name, lower, upper, slides, onSet } = props;
  const end = (which: "lower" | "upper", value: number | null) => {
    const set = (v: number | null): void => (which === "lower" ? onSet(v, upper) : onSet(lower, v));
    const label = `${name} ${props.label} ${which} limit`;
    return slides ? (
      <NumberField
        label={label}
        value={value}
        unit={slides.unit}
        step={10 ** -(slides.decimals - 2)}
        empty="none"
        write={(v) => show(v, slides.decimals)}
        onCommit={set}
      />
    ) : (
      <Angle label={label} value={value} empty="none" onSet={set} />
    );
  };
  return (
    <div class="ends-row">
      <span class="field-label">{props.label}</span>
      {end("lower", lower)}
      <span class="to" aria-hidden="true">to</span>
      {end("upper", upper)}
    </div>
  );
}

function RangeFields({ app, joint, limit, onSet }: {
  app: App;
  joint: JointInfo;
  limit: Range;
  onSet: (limit: Limit) => void;
}) {
  const own = app.figure!.coordinates.slice(joint.first, joint.first + joint.count);
  return (
    <>
      {own.map((coordinate, k) => (
        <Ends
          key={coordinate.name}
          name={joint.name}
          label={coordinateLabel(app.figure!, joint.first + k)}
          {...(coordinate.slides
            ? { slides: { unit: app.figure!.unit, decimals: lengthDecimals(app.figure!.size) - 1 } }
            : {})}
          lower={limit.lower[k] ?? null}
          upper={limit.upper[k] ?? null}
          onSet={(low, high) =>
            onSet({ kind: "range", lower: limit.lower.with(k, low), upper: limit.upper.with(k, high) })
          }
        />
      ))}
    </>
  );
}

function ConeFields({ joint, limit, onSet }: { joint: JointInfo; limit: Cone; onSet: (limit: Limit) => unknown }) {
  const { swing, center, twist } = limit;
  const pair = (what: "swing" | "center", k: 0 | 1, value: number | null): void => {
    if (value === null) return;
    const now = what === "swing" ? (swing ?? [value, value]) : center;
    onSet({ ...limit, [what]: k === 0 ? [value, now[1]] : [now[0], value] });
  };
  return (
    <>
      <div class="field-row">
        <Switch
          label="Swing"
          name={`${joint.name} swing cone`}
          checked={swing !== null}
          onChange={(on) => onSet({ ...limit, swing: on ? [Math.PI / 3, Math.PI / 3] : null, center: on ? center : [0, 0] })}
        />
      </div>
      {swing && (
        <>
          <div class="ends-row">
            <span class="field-label">opening</span>
            <Angle label={`${joint.name} cone opening 1`} value={swing[0]} min={0.1} max={179} onSet={(v) => pair("swing", 0, v)} />
            <span class="to" aria-hidden="true">×</span>
            <Angle label={`${joint.name} cone opening 2`} value={swing[1]} min={0.1} max={179} onSet={(v) => pair("swing", 1, v)} />
          </div>
          <div class="ends-row">
            <span class="field-label">center</span>
            <Angle label={`${joint.name} cone center 1`} value={center[0]} min={-178} max={178} onSet={(v) => pair("center", 0, v)} />
            <span class="to" aria-hidden="true">,</span>
            <Angle label={`${joint.name} cone center 2`} value={center[1]} min={-178} max={178} onSet={(v) => pair("center", 1, v)} />
          </div>
        </>
      )}
      <Ends
        name={joint.name}
        label="twist"
        lower={twist[0]}
        upper={twist[1]}
        onSet={(low, high) => onSet({ ...limit, twist: [low, high] })}
      />
    </>
  );
}

/** Cones need balls in swing–twist coordinates, which the whole figure then has. */
async function inCone(app: App, joint: number): Promise<void> {
  const reply = await app.do("limit.cone", { joint });
  const dropped = "dropped" in reply && Array.isArray(reply.dropped) ? reply.dropped : [];
  if (dropped.length) app.note(`Ranges of three angles do not fit swing and twist; dropped: ${dropped.join(", ")}.`);
}

function JointLimits({ app, joint, index }: { app: App; joint: JointInfo; index: number }) {
  const limit = app.state?.limits[index] ?? null;
  const edited = app.state?.edited.includes(index) ?? false;
  const [complaint, setComplaint] = useState("");
  if (joint.count === 0) return <p class="empty">This joint has nothing of its own to limit.</p>;
  const q = Array.from({ length: joint.count }, (_, k) => app.pose?.q[joint.first + k] ?? 0);
  const ball = ballAt(joint) >= 0 && joint.count === 3;
  const euler = isEulerBall(joint);
  const set = (next: Limit): Promise<unknown> | undefined => {
    const wrong = fault(next);
    setComplaint(wrong);
    return wrong ? undefined : app.do("limit.set", { joint: index, limit: next });
  };
  const none: Limit = ball
    ? { kind: "cone", swing: null, center: [0, 0], twist: [null, null] }
    : { kind: "range", lower: q.map(() => null), upper: q.map(() => null) };
  const limited =
    limit !== null &&
    (limit.kind === "cone"
      ? limit.swing !== null || limit.twist.some((end) => end !== null)
      : [...limit.lower, ...limit.upper].some((end) => end !== null));
  return (
    <div class="fields" role="group" aria-label={`Limits of ${joint.name}`}>
      <div class="limit-head">
        {ball || euler ? (
          <Segmented
            label={`Kind of limit of ${joint.name}`}
            value={limited ? limit.kind : "none"}
            segments={[
              { value: "none", label: "None", title: "It may turn any way" },
              { value: "cone", label: "Cone", title: "How far it swings around its rest, and how far it twists" },
              { value: "range", label: "Ranges", title: "From where to where each of its angles goes" },
            ]}
            onChoose={(kind) => {
              if (kind === "none") return set(none);
              if (kind === "cone" && euler) return inCone(app, index);
              return set(firstLimit(app.figure!, joint, q, kind === "cone"));
            }}
          />
        ) : (
          <Switch
            label={limited ? "Limited" : "No limit"}
            name={`Limit ${joint.name}`}
            checked={limited}
            onChange={(on) => set(on ? firstLimit(app.figure!, joint, q, false) : none)}
          />
        )}
        <Button
          kind="quiet"
          icon="reset"
          label={`Reset the limits of ${joint.name}`}
          title="As in the file"
          disabled={!edited}
          onClick={() => {
            setComplaint("");
            void app.do("limit.reset", { joint: index });
          }}
        >
          Reset
        </Button>
      </div>
      {limited && limit.kind === "range" && <RangeFields app={app} joint={joint} limit={limit} onSet={set} />}
      {limited && limit.kind === "cone" && <ConeFields joint={joint} limit={limit} onSet={set} />}
      {complaint && <p class="complaint" role="alert">{complaint}</p>}
    </div>
  );
}

function WholeFigure({ app }: { app: App }) {
  const [margin, setMargin] = useState(5);
  const clip = app.state?.timeline.clip ?? null;
  return (
    <div class="whole" role="group" aria-label="Limits of the whole figure">
      <h3>Whole figure</h3>
      <div class="button-grid">
        <Button title="Ranges of a human body, by the roles of the joints" onClick={() => void app.do("limits.humanoid")}>
          Anatomical
        </Button>
        <Button title="As the file has them" onClick={() => void app.do("limits.file")}>As in the file</Button>
        <Button title="Every joint may turn as far as it can" onClick={() => void app.do("limits.none")}>No limits</Button>
      </div>
      <div class="clip-limits">
        <Button
          disabled={clip === null}
          title={clip === null ? "Open a file with a clip first" : `What the clip ${clip} uses, and a margin`}
          onClick={() => void app.do("limits.clip", { margin })}
        >
          From the clip
        </Button>
        <span class="field-label">margin</span>
        <NumberField
          label="Margin around the clip"
          unit="°"
          min={0}
          max={180}
          value={margin}
          disabled={clip === null}
          onCommit={(v) => v !== null && setMargin(v)}
        />
      </div>
    </div>
  );
}

export function LimitsPanel({ app }: { app: App }) {
  useEvents(app, "figure", "state", "ui");
  const joint = app.selectedJoint();
  const edited = app.state?.edited.length ?? 0;
  return (
    <Section id="limits" title="Limits" summary={edited ? `${edited} edited` : ""} open={false}>
      {joint && app.ui.joint !== null ? (
        <>
          <h3>{joint.name}</h3>
          <JointLimits key={`${app.figure!.id} ${app.ui.joint}`} app={app} joint={joint} index={app.ui.joint} />
        </>
      ) : (
        <p class="empty">Select a joint to edit its limits.</p>
      )}
      <WholeFigure app={app} />
    </Section>
  );
}
