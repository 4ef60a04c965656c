// The file menu's part for motions that go from one figure to another.

import type { App } from "../../state/app";
import { Group, Item } from "../controls/menu";
import { openFiles } from "./opening";

/** Built-in figures that are bodies. */
const BODIES = ["human"];

/** Lets a person choose files, and sends them for a command. */
function chooseFor(app: App, command: "retarget.onto" | "retarget.motion"): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = app.hello.opens.join(",");
  input.onchange = () => {
    const tell = (progress: { name: string; share: number } | null): void =>
      app.setTask(progress && { label: `Sending ${progress.name}`, share: progress.share }, false);
    void openFiles(app, [...(input.files ?? [])], tell, command);
  };
  input.click();
}

export function RetargetGroup({ app, then }: { app: App; then: (act: () => void) => () => void }) {
  const clip = app.state?.timeline.clip ?? null;
  const busy = app.link !== "open" || !app.state || app.task !== null;
  return (
    <Group label="Motion onto another figure">
      {BODIES.filter((name) => app.hello.builtin.includes(name) && app.figure?.builtin !== name).map((name) => (
        <Item
          key={name}
          icon="figure"
          disabled={busy || clip === null}
          onClick={then(() => void app.do("retarget.onto", { builtin: name }))}
        >
          {`This clip onto the ${name}`}
        </Item>
      ))}
      <Item icon="figure" disabled={busy || clip === null} onClick={then(() => chooseFor(app, "retarget.onto"))}>
        This clip onto a figure…
      </Item>
      <Item icon="figure" disabled={busy} onClick={then(() => chooseFor(app, "retarget.motion"))}>
        A clip onto this figure…
      </Item>
    </Group>
  );
}
