// The selected joint: where it is in the tree, whether it is locked, its coordinates as sliders.

import { useRef } from "preact/hooks";
import type { App } from "../../state/app";
import type { CoordinateInfo, JointInfo } from "../../net/messages";
import { Button, Section, Segmented } from "../controls/controls";
import { coordinateLabel } from "../../edit/coordinateNames";
import { ends } from "./coordinates";
import { NumberField, Slider } from "../controls/fields";
import { JointTree } from "../controls/jointtree";
import { Latest } from "../../net/latestOnly";
import { useEvents, usePose } from "../controls/listening";
import { degrees, lengthDecimals, radians, show } from "../controls/numbers";

function Coordinate({ app, joint, at, coordinate }: {
  app: App;
  joint: JointInfo;
  at: number; // among the joint's own
  coordinate: CoordinateInfo;
}) {
  const index = joint.first + at;
  const sending = useRef<Latest<number> | null>(null);
  sending.current ??= new Latest((value: number) => app.do("coordinate.set", { coordinate: index, value }));
  const limit = app.state?.limits[app.figure!.joints.indexOf(joint)] ?? null;
  const { lower, upper, limited } = ends(app.figure!, joint, limit, at);
  const value = app.pose?.q[index] ?? coordinate.rest;
  const { slides } = coordinate;
  const toPeople = slides ? (v: number) => v : degrees;
  const fromPeople = slides ? (v: number) => v : radians;
  const unit = slides ? app.figure!.unit : "°";
  const decimals = slides ? lengthDecimals(app.figure!.size) - 1 : 1;
  const held = app.pose?.limits.find(
    (limit) => limit.coordinate === index || (limit.coordinate === -1 && limit.joint === coordinate.joint),
  );
  const give = (shown: number): void => sending.current?.give(fromPeople(shown));
  const done = (): void => sending.current?.then(() => void app.do("coordinates.drop"));
  // Outside a slider's ends (a root that turned twice) the slider grows to hold the value.
  const low = toPeople(Math.min(lower, value));
  const high = toPeople(Math.max(upper, value));
  const name = coordinateLabel(app.figure!, index);
  return (
    <div class={`field-row ${held ? "held" : ""}`} data-testid={`coordinate-${index}`}>
      <span class="field-label" title={coordinate.name}>{name}</span>
      <span class="slider-box">
        <Slider
          label={`${joint.name} ${name}`}
          value={toPeople(value)}
          min={low}
          max={high}
          step={slides ? (high - low) / 1000 : 0.1}
          keyStep={slides ? (high - low) / 200 : 1}
          text={`${show(toPeople(value), decimals)} ${slides ? unit : "degrees"}`}
          disabled={app.locked(coordinate.joint)}
          onSlide={give}
          onDone={done}
        />
        {limited && (
          <span class="slider-ends" aria-hidden="true">
            <span>{show(toPeople(lower), slides ? decimals : 0)}</span>
            <span>{show(toPeople(upper), slides ? decimals : 0)}</span>
          </span>
        )}
      </span>
      <NumberField
        label={`${joint.name} ${name}, number`}
        value={toPeople(value)}
        unit={unit}
        min={low}
        max={high}
        step={slides ? (high - low) / 200 : 1}
        write={(v) => show(v, decimals)}
        disabled={app.locked(coordinate.joint)}
        onCommit={(v) => {
          if (v === null) return;
          give(v);
          done();
        }}
      />
    </div>
  );
}

const LIMB_MODES = [
  { value: "ik", label: "IK", title: "IK: the limb is solved as a whole, from its end  (I)" },
  { value: "fk", label: "FK", title: "FK: its joints are turned one by one; nothing else moves them  (I)" },
] satisfies { value: "ik" | "fk"; label: string; title: string }[];

function Selected({ app, joint, index }: { app: App; joint: JointInfo; index: number }) {
  const effector = app.effectorOn(index);
  const locked = app.locked(index);
  const own = app.figure!.coordinates.slice(joint.first, joint.first + joint.count);
  const limb = app.limbOf(index);
  const driven = joint.count === 0 && joint.parts.length > 0;
  return (
    <>
      <div class="joint-head">
        <div class="joint-words">
          <h3>{joint.name}</h3>
          <p>{[joint.role, joint.kind].filter(Boolean).join(" · ")}</p>
        </div>
        <div class="button-row">
          <Button
            icon={locked ? "lock" : "unlock"}
            label={locked ? `Unlock ${joint.name}` : `Lock ${joint.name}`}
            title="A locked joint does not move  (L)"
            pressed={locked}
            onClick={() => void app.do("lock", { joint: index, on: !locked })}
          >
            {locked ? "Locked" : "Lock"}
          </Button>
          <Button
            icon={effector ? "close" : "plus"}
            label={effector ? `Remove the effector on ${joint.name}` : `Make ${joint.name} an effector`}
            title={effector ? "Remove the effector  (E)" : "Make this joint an effector  (E, or a double click in the view)"}
            onClick={() =>
              void (effector
                ? app.do("effector.remove", { effector: effector.id })
                : app.do("effector.add", { joint: index }))
            }
          >
            {effector ? "No effector" : "Make effector"}
          </Button>
        </div>
      </div>
      {limb && (
        <div class="field-row limb">
          <span class="field-label">{limb.name}</span>
          <Segmented
            label={`How the ${limb.name} is posed`}
            value={app.inFk(index) ? "fk" : "ik"}
            segments={LIMB_MODES}
            onChoose={(mode) => app.do("limb.fk", { joint: index, on: mode === "fk" })}
          />
        </div>
      )}
      {own.length === 0 && (
        <p class="empty">{driven ? "Another joint drives this one." : "This joint does not move by itself."}</p>
      )}
      <div class="fields" role="group" aria-label={`Coordinates of ${joint.name}`}>
        {own.map((coordinate, at) => (
          <Coordinate key={`${app.figure!.id} ${joint.first + at}`} app={app} joint={joint} at={at} coordinate={coordinate} />
        ))}
      </div>
    </>
  );
}

export function JointPanel({ app }: { app: App }) {
  useEvents(app, "figure", "state", "ui");
  usePose(app, 40);
  const joint = app.selectedJoint();
  return (
    <Section id="joint" title="Joint" summary={joint?.name ?? "none selected"}>
      <JointTree app={app} />
      {joint && app.ui.joint !== null ? (
        <Selected app={app} joint={joint} index={app.ui.joint} />
      ) : (
        <p class="empty">Select a joint in the view or in this list to turn it and to see its limits.</p>
      )}
    </Section>
  );
}
