// The view menu: what is drawn and how; on small screens also what the bar has no room for.

import type { App } from "../../state/app";
import type { Ui } from "../../net/messages";
import { Group, Item, Menu } from "../controls/menu";

const GAUGES: { value: Ui["gauges"]; label: string }[] = [
  { value: "holding", label: "Limits that hold back" },
  { value: "selected", label: "Limits of the selected joint" },
  { value: "all", label: "All limits" },
];

const SOURCES: { value: Ui["source"]; label: string }[] = [
  { value: "beside", label: "Beside the figure" },
  { value: "over", label: "Over the figure" },
  { value: "off", label: "Hidden" },
];

const THEMES: { value: Ui["theme"]; label: string }[] = [
  { value: "auto", label: "As the system has it" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

export function ViewMenu({ app }: { app: App }) {
  const { ui, figure } = app;
  const off = app.link !== "open";
  return (
    <Menu label="View" icon="eye" align="right">
      {(close) => (
        <>
          <Group label="Body">
            <Item radio checked={ui.mesh && !!figure?.mesh} disabled={!figure?.mesh} onClick={() => app.set({ mesh: true })}>
              {figure?.mesh === false ? "Mesh (this file has none)" : "Mesh"}
            </Item>
            <Item radio checked={!ui.mesh || !figure?.mesh} onClick={() => app.set({ mesh: false })}>Capsules</Item>
          </Group>
          <Group label="Show">
            <Item checked={ui.shadows} keys="H" onClick={() => app.set({ shadows: !ui.shadows })}>Shadows</Item>
            <Item checked={ui.onion} keys="O" onClick={() => app.set({ onion: !ui.onion })}>Onion skins</Item>
            <Item checked={ui.follow} onClick={() => app.set({ follow: !ui.follow })}>
              Follow the figure
            </Item>
            <Item checked={ui.balance} onClick={() => app.set({ balance: !ui.balance })}>Centre of mass</Item>
            <Item checked={ui.shapes} onClick={() => app.set({ shapes: !ui.shapes })}>Collision shapes</Item>
            <Item checked={ui.timeline} onClick={() => app.set({ timeline: !ui.timeline })}>Timeline</Item>
            {!app.replay && (
              <Item checked={ui.contacts} onClick={() => app.set({ contacts: !ui.contacts })}>Contacts</Item>
            )}
          </Group>
          {app.state?.origin && (
            <Group label="Source of the motion">
              {SOURCES.map(({ value, label }) => (
                <Item key={value} radio checked={ui.source === value} onClick={() => app.set({ source: value })}>
                  {label}
                </Item>
              ))}
            </Group>
          )}
          {!app.replay && (
            <Group label="Limits">
              {GAUGES.map(({ value, label }) => (
                <Item key={value} radio checked={ui.gauges === value} onClick={() => app.set({ gauges: value })}>
                  {label}
                </Item>
              ))}
            </Group>
          )}
          <Group label="Theme">
            {THEMES.map(({ value, label }) => (
              <Item key={value} radio checked={ui.theme === value} onClick={() => app.set({ theme: value })}>
                {label}
              </Item>
            ))}
          </Group>
          <Group label="More" class="narrow-only">
            {!app.replay && (
              <>
                <Item
                  icon="mirror"
                  disabled={off || !figure?.mirrors}
                  onClick={() => {
                    close();
                    void app.do("pose.mirror");
                  }}
                >
                  Mirror pose
                </Item>
                <Item
                  icon="reset"
                  disabled={off}
                  onClick={() => {
                    close();
                    void app.do("pose.reset");
                  }}
                >
                  Reset pose
                </Item>
              </>
            )}
            <Item
              icon="help"
              onClick={() => {
                close();
                app.set({ help: true });
              }}
            >
              Help and shortcuts
            </Item>
          </Group>
        </>
      )}
    </Menu>
  );
}
