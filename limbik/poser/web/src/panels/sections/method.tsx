// The method that solves, its settings, and a second one to compare with.

import type { App } from "../../state/app";
import type { Choice, MethodInfo, SettingInfo } from "../../net/messages";
import { Button, Section, Switch } from "../controls/controls";
import { NumberField } from "../controls/fields";
import { useEvents, usePose } from "../controls/listening";
import { showMs, showSetting } from "../controls/numbers";

type Value = number | boolean | string;

const words = (name: string): string => name.replaceAll("_", " ");

function Setting({ owner, info, value, onSet }: {
  owner: string;
  info: SettingInfo;
  value: Value | null;
  /** null goes back to the default. */
  onSet: (value: Value | null) => unknown;
}) {
  const label = words(info.name);
  const name = `${owner} ${label}`;
  const changed = value !== info.value;
  const field = (() => {
    if (info.kind === "bool") {
      return <Switch label="" name={name} checked={value === true} onChange={onSet} />;
    }
    if (info.kind === "choice") {
      return (
        <select aria-label={name} value={String(value)} onChange={(event) => onSet(event.currentTarget.value)}>
          {(info.choices ?? []).map((choice) => <option key={choice} value={choice}>{words(choice)}</option>)}
        </select>
      );
    }
    if (info.kind === "text") {
      return (
        <input
          type="text"
          aria-label={name}
          value={String(value ?? "")}
          placeholder="default"
          onChange={(event) => onSet(event.currentTarget.value || null)}
        />
      );
    }
    const number = typeof value === "number" ? value : null;
    const whole = info.kind === "int";
    return (
      <NumberField
        label={name}
        value={number}
        step={whole ? 1 : number ? 10 ** Math.floor(Math.log10(Math.abs(number))) : 0.1}
        empty={info.value === null ? "automatic" : showSetting(info.value as number)}
        write={showSetting}
        onCommit={(v) => onSet(v === null ? null : whole ? Math.round(v) : v)}
      />
    );
  })();
  return (
    <div class={`setting ${changed ? "changed" : ""}`}>
      <span class="field-label">{label}</span>
      {field}
      {info.help && <p class="help">{info.help}</p>}
    </div>
  );
}

function Settings({ method, choice, onSet }: { method: MethodInfo; choice: Choice; onSet: (choice: Choice) => unknown }) {
  const given = Object.keys(choice.settings).length;
  const set = (info: SettingInfo, value: Value | null): unknown => {
    const settings = { ...choice.settings };
    if (value === null || value === info.value) delete settings[info.name];
    else settings[info.name] = value;
    return onSet({ name: choice.name, settings });
  };
  return (
    <details class="settings">
      <summary>
        Settings{given > 0 && <span class="count">{given} changed</span>}
      </summary>
      {method.settings.map((info) => (
        <Setting
          key={`${choice.name} ${info.name}`}
          owner={words(method.name)}
          info={info}
          value={choice.settings[info.name] ?? info.value}
          onSet={(value) => set(info, value)}
        />
      ))}
      <Button
        kind="quiet"
        icon="reset"
        disabled={given === 0}
        label={`Default settings of ${words(method.name)}`}
        onClick={() => onSet({ name: choice.name, settings: {} })}
      >
        Defaults
      </Button>
    </details>
  );
}

function Legend({ app, method, compare }: { app: App; method: Choice; compare: Choice }) {
  const { pose } = app;
  const row = (kind: "solid" | "ghost", name: string, ms: number, ok: boolean | null) => (
    <tr class={kind}>
      <th scope="row"><span class="swatch" aria-hidden="true" />{words(name)}</th>
      <td>{showMs(ms)} ms</td>
      <td class={ok === null ? "" : ok ? "good" : "bad"}>{ok === null ? "–" : ok ? "reached" : "not reached"}</td>
    </tr>
  );
  const solved = pose && pose.status !== "unsolved" ? pose : null;
  return (
    <table class="legend" aria-label="Comparison of the two methods">
      <tbody>
        {row("solid", method.name, solved?.ms ?? NaN, solved ? solved.status === "reached" : null)}
        {row("ghost", compare.name, pose?.ghost?.ms ?? NaN, pose?.ghost?.ok ?? null)}
      </tbody>
    </table>
  );
}

export function MethodPanel({ app }: { app: App }) {
  useEvents(app, "hello", "state");
  usePose(app, 150);
  const { state, hello } = app;
  if (!state) return null;
  const { method, compare } = state;
  const known = (name: string): MethodInfo | undefined => hello.methods.find((info) => info.name === name);
  const info = known(method.name);
  const other = compare ? known(compare.name) : undefined;
  const set = (choice: Choice): Promise<unknown> => app.do("method.set", choice);
  return (
    <Section id="method" title="Method" summary={words(method.name)} open={false}>
      <label class="stacked">
        <span class="field-label">Solve with</span>
        <select
          aria-label="Method"
          value={method.name}
          onChange={(event) => set({ name: event.currentTarget.value, settings: {} })}
        >
          {hello.methods.map(({ name }) => <option key={name} value={name}>{words(name)}</option>)}
        </select>
      </label>
      {info && <p class="help">{info.title}</p>}
      {info && <Settings key={method.name} method={info} choice={method} onSet={set} />}
      <label class="stacked">
        <span class="field-label">Compare with</span>
        <select
          aria-label="Compare with method"
          value={compare?.name ?? ""}
          onChange={(event) => void app.do("compare.set", { name: event.currentTarget.value || null, settings: {} })}
        >
          <option value="">nothing</option>
          {hello.methods.map(({ name }) => <option key={name} value={name}>{words(name)}</option>)}
        </select>
      </label>
      {other && <p class="help">{other.title}</p>}
      {compare && <Legend app={app} method={method} compare={compare} />}
      {compare && other && (
        <Settings key={`with ${compare.name}`} method={other} choice={compare} onSet={(choice) => app.do("compare.set", choice)} />
      )}
    </Section>
  );
}
