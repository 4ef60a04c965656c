// The file menu: open a file or a built-in figure, choose a clip of the file, save.

import type { App } from "../../state/app";
import { hasKeypoints } from "../../scene/pictures/openpose";
import { Group, Item, Menu } from "../controls/menu";
import { RetargetGroup } from "./retargeting";
import { PICTURES, save, savePicture, type StageView, type Saved } from "./saving";

const SAVES: { kind: Saved; label: string; note: string }[] = [
  { kind: "bvh", label: "BVH motion", note: ".bvh" },
  { kind: "glb", label: "glTF figure and motion", note: ".glb" },
  { kind: "json", label: "Pose", note: ".json" },
  { kind: "html", label: "Replay page", note: ".html" },
];

export function FileMenu({ app, stage, opened, choose }: {
  app: App;
  stage: StageView;
  opened: number;
  choose: () => void;
}) {
  const { hello, figure } = app;
  const off = app.link !== "open" || !app.state;
  return (
    <Menu label="File" title="Open and save  (Ctrl+O, Ctrl+S)" opened={opened}>
      {(close) => {
        const then = (act: () => void) => (): void => {
          close();
          act();
        };
        return (
          <>
            <Item icon="folder" keys="Ctrl+O" disabled={off} onClick={then(choose)}>Open…</Item>
            <Group label="Built-in figures">
              {hello.builtin.map((name) => (
                <Item
                  key={name}
                  radio
                  checked={figure?.builtin === name}
                  disabled={off}
                  onClick={then(() => void app.do("builtin", { name }))}
                >
                  {name}
                </Item>
              ))}
            </Group>
            {figure && figure.clips.length > 1 && (
              <Group label="Clips in this file">
                {figure.clips.map((name, index) => (
                  <Item
                    key={index}
                    radio
                    checked={app.state?.timeline.clip === name}
                    disabled={off}
                    onClick={then(() => void app.do("clip.choose", { index }))}
                  >
                    {name || `clip ${index + 1}`}
                  </Item>
                ))}
              </Group>
            )}
            <RetargetGroup app={app} then={then} />
            <Group label="Save as">
              {SAVES.map(({ kind, label, note }) => (
                <Item key={kind} icon="save" note={note} disabled={off} onClick={then(() => save(app, kind))}>
                  {label}
                </Item>
              ))}
            </Group>
            <Group label="Pictures">
              {PICTURES.map(({ kind, label, note }) => (
                <Item
                  key={kind}
                  icon="save"
                  note={note}
                  disabled={!figure || (kind === "openpose" && !hasKeypoints(figure))}
                  onClick={then(() => void savePicture(app, stage, kind))}
                >
                  {label}
                </Item>
              ))}
            </Group>
          </>
        );
      }}
    </Menu>
  );
}
