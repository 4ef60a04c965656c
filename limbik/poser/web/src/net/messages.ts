// What server and page say to each other, made from the server's types; and what only the page knows.

export * from "./messages.gen";
export type {
  ChoiceInfo as Choice,
  ContactInfo as Contact,
  EffectorInfo as Effector,
  KeyInfo as Key,
  TimelineInfo as Timeline,
} from "./messages.gen";

/** What only this page knows. */
export interface Ui {
  joint: number | null; // selected
  effector: number | null; // selected, by id
  prop: number | null; // selected, by id
  tool: "direct" | "move" | "rotate" | "scale" | "limits";
  theme: "auto" | "light" | "dark";
  square: "front" | "back" | "left" | "right" | "top" | "below" | null; // the orthographic view in use
  shadows: boolean;
  balance: boolean; // draw the centre of mass and what it must stay above
  shapes: boolean; // draw the collision shapes
  follow: boolean; // the view goes with a figure that travels as time runs
  onion: boolean;
  gauges: "holding" | "selected" | "all";
  panel: boolean;
  timeline: boolean;
  help: boolean;
  playing: boolean;
  note: string;
  mesh: boolean; // draw the mesh where there is one
  hintSeen: boolean;
  contacts: boolean; // lanes of contacts on the timeline
  contact: number | null; // selected, by id
  source: "beside" | "over" | "off"; // where the motion stands that the clip was retargeted from
}
