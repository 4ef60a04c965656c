// The scene: what is kept while one drags, and the props.

import { useRef } from "preact/hooks";
import type { App } from "../../state/app";
import type { PropInfo, Vec3 } from "../../net/messages";
import { balanceOf } from "../../scene/balance";
import { bodyNow } from "../../state/body";
import { Button, IconButton, Section, Switch } from "../controls/controls";
import { NumberField } from "../controls/fields";
import { useEvents, usePose } from "../controls/listening";
import { show, showLength } from "../controls/numbers";
import { openProp } from "../files/openProp";

const KINDS = ["box", "ball", "chair"] as const;
const EDGES = { box: ["Width", "Height", "Depth"], chair: ["Width", "Height", "Depth"], mesh: ["Width", "Height", "Depth"], ball: ["Diameter"] } as const;

/** "Centre of mass 3.2 cm inside its support." */
function BalanceWords({ app }: { app: App }) {
  usePose(app, 80);
  const { figure, pose, state } = app;
  const body = bodyNow(app);
  const found = figure && pose && state && body ? balanceOf(figure, body, state.effectors, pose) : null;
  if (!found || !figure) return null;
  if (found.hull.length === 0) return <p class="balance-words bad" role="status">The figure stands on nothing.</p>;
  const away = showLength(Math.abs(found.inside), figure.unit, figure.size);
  const good = found.inside >= 0;
  return (
    <p class={`balance-words ${good ? "good" : "bad"}`} data-testid="balance-words">
      Centre of mass {away} {good ? "inside" : "outside"} its support
    </p>
  );
}

function Details({ app, prop }: { app: App; prop: PropInfo }) {
  const { figure, state } = app;
  if (!figure || !state) return null;
  const hold = (joints: number[]): void => void app.do("prop.hold", { prop: prop.id, joints });
  const hand = (side: string): number => figure.joints.findIndex((joint) => joint.role === `${side} hand`);
  const [left, right] = [hand("left"), hand("right")];
  const resize = (k: number, edge: number): void => {
    const size = prop.size.map((old, i) => (prop.kind === "ball" || i === k ? edge : old)) as Vec3;
    void app.do("prop.set", { prop: prop.id, size });
  };
  const names = prop.holds.map((one) => figure.joints[one.joint]?.name ?? "").join(" and ");
  return (
    <div class="prop-details">
      <div class="prop-sizes">
        {EDGES[prop.kind].map((label, k) => (
          <label key={label}>
            <span>{label}</span>
            <NumberField
              label={`${label} of ${prop.name}`}
              value={prop.size[k]!}
              unit={figure.unit}
              min={1e-6}
              max={1e6}
              step={0.01 * figure.size}
              write={(v) => show(v, 3)}
              onCommit={(v) => v !== null && v > 0 && resize(k, v)}
            />
          </label>
        ))}
      </div>
      {names && <p class="soft">Held by {names}.</p>}
      <div class="prop-holds" role="group" aria-label={`Hold ${prop.name}`}>
        {left >= 0 && <Button onClick={() => hold([left])} title="The left hand goes to it and holds it">Left hand</Button>}
        {right >= 0 && <Button onClick={() => hold([right])} title="The right hand goes to it and holds it">Right hand</Button>}
        {left >= 0 && right >= 0 && (
          <Button onClick={() => hold([left, right])} title="Both hands go to it and hold it">Both hands</Button>
        )}
        {left < 0 && right < 0 && (
          <select
            aria-label={`Hold ${prop.name} with`}
            value=""
            onChange={(event) => event.currentTarget.value && hold([Number(event.currentTarget.value)])}
          >
            <option value="">Hold with…</option>
            {state.effectors.map((effector) => <option key={effector.id} value={effector.joint}>{effector.name}</option>)}
          </select>
        )}
        {prop.holds.length > 0 && <Button kind="primary" onClick={() => hold([])}>Let go</Button>}
      </div>
    </div>
  );
}

/** The figures of the scene: which one is posed, the others, and one more. */
function Figures({ app }: { app: App }) {
  const others = app.state?.others ?? [];
  return (
    <>
      {others.length > 0 && (
        <ul class="props" aria-label="Figures">
          <li class="selected">
            <div class="prop-head">
              <button type="button" class="prop-name" aria-pressed={true} aria-label={`${app.state?.name} is posed`}>
                {app.state?.name}
              </button>
            </div>
          </li>
          {others.map((one) => (
            <li key={one.number}>
              <div class="prop-head">
                <button
                  type="button"
                  class="prop-name"
                  aria-label={`Pose ${one.name}`}
                  onClick={() => void app.do("figure.activate", { figure: one.number })}
                >
                  {one.name}
                </button>
                <IconButton
                  icon="close"
                  class="quiet"
                  label={`Remove ${one.name}`}
                  onClick={() => void app.do("figure.remove", { figure: one.number })}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
      <div class="prop-add">
        <Button
          icon="plus"
          label="Add a figure"
          title="A second figure like this one, beside it; opening a file then replaces it alone"
          onClick={() => void app.do("figure.add")}
        >
          Figure
        </Button>
      </div>
    </>
  );
}

export function ScenePanel({ app }: { app: App }) {
  useEvents(app, "figure", "state", "ui", "body");
  const input = useRef<HTMLInputElement>(null);
  const scene = app.state?.scene;
  if (!scene) return null;
  const add = (kind: (typeof KINDS)[number]): void =>
    void app.do("prop.add", { kind }).then(
      (reply) => "prop" in reply && app.set({ prop: reply.prop ?? null, joint: null, effector: null }),
      () => undefined, // App has told why
    );
  const count = scene.props.length;
  return (
    <Section id="scene" title="Scene" summary={count > 0 ? `${count} prop${count > 1 ? "s" : ""}` : ""}>
      <div class="scene-switches">
        <Switch
          label="Floor"
          title="Keep feet, hands and knees of a body above the floor"
          checked={scene.floor}
          onChange={(on) => app.do("floor", { on })}
        />
        <Switch
          label="Auto-balance"
          title="Keep the centre of mass above what the figure stands on"
          checked={scene.balance}
          onChange={(on) => app.do("balance", { on })}
        />
        <Switch
          label="Collisions"
          title="Keep the body out of itself and out of the props"
          checked={scene.collisions}
          onChange={(on) => app.do("collisions", { on })}
        />
      </div>
      {(scene.balance || app.ui.balance) && <BalanceWords app={app} />}
      <Figures app={app} />
      <ul class="props" aria-label="Props">
        {scene.props.map((prop) => {
          const selected = app.ui.prop === prop.id;
          return (
            <li key={prop.id} class={selected ? "selected" : ""}>
              <div class="prop-head">
                <button
                  type="button"
                  class="prop-name"
                  aria-pressed={selected}
                  aria-label={`Select ${prop.name}`}
                  onClick={() => app.set({ prop: selected ? null : prop.id, joint: null, effector: null })}
                >
                  {prop.name}
                </button>
                <IconButton
                  icon="close"
                  class="quiet"
                  label={`Remove ${prop.name}`}
                  keys="Delete"
                  onClick={() => void app.do("prop.remove", { prop: prop.id })}
                />
              </div>
              {selected && <Details app={app} prop={prop} />}
            </li>
          );
        })}
      </ul>
      <div class="prop-add" role="group" aria-label="Add a prop">
        {KINDS.map((kind) => (
          <Button key={kind} icon="plus" label={`Add a ${kind}`} onClick={() => add(kind)}>
            {kind[0]!.toUpperCase() + kind.slice(1)}
          </Button>
        ))}
        <Button icon="folder" title="A .glb, .gltf or .vrm file as a prop" label="Import a prop" onClick={() => input.current?.click()}>
          GLB…
        </Button>
        <input
          ref={input}
          class="visually-hidden"
          type="file"
          tabIndex={-1}
          aria-label="Import a prop from a file"
          data-testid="prop-file"
          accept=".glb,.gltf,.vrm"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = ""; // so that the same file can be chosen again
            if (file) void openProp(app, file);
          }}
        />
      </div>
    </Section>
  );
}
