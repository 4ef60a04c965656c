// Hands: shapes by one press, a slider for each finger and for their spread, an effector in the palm.

import { useRef, useState } from "preact/hooks";
import type { App } from "../../state/app";
import type { Commands, HandInfo } from "../../net/messages";
import { Latest } from "../../net/latestOnly";
import { Button, Section, Segmented } from "../controls/controls";
import { Slider } from "../controls/fields";
import { useEvents } from "../controls/listening";
import { show } from "../controls/numbers";

export type Side = "left" | "right" | "both";
type Finger = Commands["hand.curl"]["finger"];
type Shape = Commands["hand.shape"]["shape"];

const SIDES: { value: Side; label: string }[] = [
  { value: "left", label: "Left" },
  { value: "right", label: "Right" },
  { value: "both", label: "Both" },
];

/** The sliders of some hands: the fingers that any of them has, curled as the first is. */
export function slidersOf(hands: readonly HandInfo[]): { finger: Finger; label: string; value: number }[] {
  const first = hands[0];
  if (!first) return [];
  const curls = first.fingers.map((finger, k) => ({ finger: finger as Finger, label: finger, value: first.curls[k] ?? 0 }));
  const mitten = first.fingers.filter((finger) => finger !== "Thumb").length === 1;
  if (mitten) return curls.map((one) => (one.finger === "Thumb" ? one : { ...one, label: "Fingers" }));
  const four = curls.filter((one) => one.finger !== "Thumb");
  const all = four.reduce((sum, one) => sum + one.value, 0) / Math.max(1, four.length);
  return [
    { finger: "all", label: "All fingers", value: all },
    ...curls,
    { finger: "spread", label: "Spread", value: first.spread },
  ];
}

function FingerSlider({ app, side, finger, label, value }: {
  app: App;
  side: Side;
  finger: Finger;
  label: string;
  value: number;
}) {
  const last = useRef(value);
  const sending = useRef<Latest<{ value: number; held: boolean }> | null>(null);
  sending.current ??= new Latest((sent: { value: number; held: boolean }) =>
    app.do("hand.curl", { side, finger, ...sent }),
  );
  const give = (percent: number): void => {
    last.current = percent / 100;
    sending.current?.give({ value: last.current, held: true });
  };
  // What comes after the slider is let go is another step to undo.
  const done = (): void => sending.current?.then(() => sending.current?.give({ value: last.current, held: false }));
  const percent = 100 * value;
  const low = Math.min(finger === "spread" ? -25 : -10, percent);
  return (
    <div class="field-row finger">
      <span class="field-label">{label}</span>
      <span class="slider-box">
        <Slider
          label={`${label}, ${side === "both" ? "both hands" : `${side} hand`}`}
          value={percent}
          min={low}
          max={Math.max(100, percent)}
          step={1}
          keyStep={5}
          text={`${show(percent, 0)} percent`}
          onSlide={give}
          onDone={done}
        />
      </span>
      <span class="finger-value">{show(percent, 0)} %</span>
    </div>
  );
}

export function HandsPanel({ app }: { app: App }) {
  useEvents(app, "state", "figure");
  const [wanted, setWanted] = useState<Side>("both");
  const hands = app.state?.hands ?? [];
  const first = hands[0];
  if (!first) return null;
  const side: Side = hands.length === 1 ? first.side : wanted;
  const chosen = hands.filter((hand) => side === "both" || hand.side === side);
  const shapes = chosen[0]?.shapes ?? [];
  return (
    <Section id="hands" title="Hands" summary={side === "both" ? "both" : side} open={false}>
      {hands.length > 1 && (
        <Segmented label="Which hand" value={side} segments={SIDES} onChoose={setWanted} />
      )}
      <div class="hand-shapes" role="group" aria-label="Shapes of the hand">
        {shapes.map((shape) => (
          <Button
            key={shape}
            title={`Put ${side === "both" ? "both hands" : `the ${side} hand`} into this shape; the wrist stays`}
            onClick={() => void app.do("hand.shape", { side, shape: shape as Shape })}
          >
            {shape[0]!.toUpperCase() + shape.slice(1)}
          </Button>
        ))}
      </div>
      <div class="fields" role="group" aria-label="Fingers">
        {slidersOf(chosen).map(({ finger, label, value }) => (
          <FingerSlider key={`${app.figure?.id} ${side} ${finger}`} app={app} side={side} finger={finger} label={label} value={value} />
        ))}
      </div>
      <div class="button-row">
        {chosen.map((hand) => (
          <Button
            key={hand.side}
            icon="plus"
            title="An effector in the middle of the palm: drag it to lay the hand on something"
            onClick={() =>
              void app.do("hand.palm", { side: hand.side }).then((reply) => {
                if ("effector" in reply && reply.effector != null) app.selectEffector(reply.effector);
              }, () => undefined)
            }
          >
            {hands.length > 1 ? `${hand.side === "left" ? "Left" : "Right"} palm` : "Palm"}
          </Button>
        ))}
      </div>
    </Section>
  );
}
