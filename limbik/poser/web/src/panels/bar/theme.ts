// Light or dark: what the person chose, or what the system prefers, written on <html>.

import type { App } from "../../state/app";
import type { Ui } from "../../net/messages";

export type Theme = Ui["theme"];

/** What a theme comes to on a system that prefers dark or does not. */
export function resolved(theme: Theme, systemIsDark: boolean): "light" | "dark" {
  return theme === "auto" ? (systemIsDark ? "dark" : "light") : theme;
}

/** The next one when somebody presses the button. */
export function nextTheme(theme: Theme): Theme {
  return theme === "auto" ? "light" : theme === "light" ? "dark" : "auto";
}

/** Keeps <html data-theme> as the app and the system have it; returns how to stop. */
export function followTheme(app: App): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => {
    const theme = resolved(app.ui.theme, system.matches);
    const { dataset } = document.documentElement;
    // Only on a change: the scene rebuilds its colours whenever the attribute is written.
    if (dataset["theme"] !== theme) dataset["theme"] = theme;
  };
  apply();
  const stop = app.on("ui", apply);
  system.addEventListener("change", apply);
  return () => {
    stop();
    system.removeEventListener("change", apply);
  };
}
