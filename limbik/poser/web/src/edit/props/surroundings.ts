// What is drawn and touched around the figure: props, the centre of mass, collision shapes.

import { balanceOf } from "../../scene/balance";
import { BalanceView } from "../../scene/balanceView";
import { PropsView } from "../../scene/props";
import { ShapesView } from "../../scene/shapesView";
import type { Stage } from "../../scene/stage";
import type { App } from "../../state/app";
import { bodyNow } from "../../state/body";
import type { Label } from "../label";
import type { Picking } from "../picking";
import { PropDragging } from "./propDragging";
import { PropGizmo } from "./propGizmo";

/** Puts it on a stage; before the drags of effectors, which get what is not on a prop. */
export function attachSurroundings(stage: Stage, app: App, picking: Picking, label: Label): () => void {
  const props = new PropsView(app, () => stage.render());
  const balance = new BalanceView();
  const shapes = new ShapesView();
  stage.world.add(props.group, balance.group, shapes.group);
  const gizmo = new PropGizmo(stage, app, props);
  const dragging = new PropDragging(stage, app, props, gizmo, picking, label);

  const update = (): void => {
    const { figure, pose, state, ui } = app;
    props.update(stage.palette);
    gizmo.update();
    const body = bodyNow(app);
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(name).trim() || "#808080";
    const found = figure && pose && state && body && (ui.balance || state.scene.balance) ? balanceOf(figure, body, state.effectors, pose) : null;
    if (figure && found) balance.show(figure, found, { good: colour("--reached"), bad: colour("--target") });
    else balance.hide();
    if (pose && body && ui.shapes) shapes.show(body, pose, colour("--limit"));
    else shapes.hide();
  };
  const stop = stage.onBeforeRender(update);
  const wake = (["state", "ui", "body"] as const).map((event) => app.on(event, () => stage.render()));
  return () => {
    stop();
    for (const f of wake) f();
    for (const part of [dragging, gizmo, props, balance, shapes]) part.dispose();
  };
}
