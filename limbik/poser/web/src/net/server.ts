// Joins an App to the server that the page came from: its address, its session, its messages.

import type { App } from "../state/app";
import { Link, type LinkEvents, type Socket } from "./connection";
import type { Message } from "./messages";

const SESSION = "limbik.session";

/** Session that this page was in before a reload: in the address, or kept by the tab. */
function lastSession(): string | null {
  const hash = new URLSearchParams(location.hash.slice(1)).get("session");
  const query = new URLSearchParams(location.search).get("session");
  return hash ?? query ?? tabStorage()?.getItem(SESSION) ?? null;
}

function tabStorage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null; // forbidden in a sandboxed cell; the address has the session too
  }
}

function keepSession(session: string): void {
  tabStorage()?.setItem(SESSION, session);
  history.replaceState(null, "", `#session=${encodeURIComponent(session)}`);
}

function webSocketAddress(): string {
  const address = new URL("ws", location.href.split(/[?#]/)[0]);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const session = lastSession();
  if (session) address.searchParams.set("session", session);
  const token = new URLSearchParams(location.search).get("token");
  if (token) address.searchParams.set("token", token);
  return address.href;
}

async function fetchMesh(session: string, figure: number, signal: AbortSignal): Promise<ArrayBuffer> {
  const reply = await fetch(`mesh/${encodeURIComponent(session)}/${figure}`, { signal });
  if (!reply.ok) throw new Error(`The figure's mesh could not be loaded (${reply.status}); capsules are drawn.`);
  return reply.arrayBuffer();
}

async function fetchOrigin(session: string, id: number, signal: AbortSignal): Promise<ArrayBuffer> {
  const reply = await fetch(`origin/${encodeURIComponent(session)}/${id}`, { signal });
  if (!reply.ok) throw new Error(`The source of the clip could not be loaded (${reply.status}).`);
  return reply.arrayBuffer();
}

export function connect(app: App): Link {
  const events: LinkEvents = {
    text: (message) => {
      const said = JSON.parse(message) as Message;
      if ("hello" in said) {
        keepSession(said.hello.session);
        app.setHello(said.hello);
      } else if ("figure" in said) app.setFigure(said.figure);
      else if ("state" in said) app.setState(said.state);
      else if ("other" in said) app.otherFigures.set(said.other.id, said.other);
      else if ("others" in said) app.setOthers(said.others);
      else if ("progress" in said) app.setTask(said.progress);
      else if ("body" in said) app.setBody(said.body);
      else if ("preparing" in said) app.setPreparing(said.preparing);
      else if ("note" in said) app.note(said.note);
      else if ("library" in said) app.setLibrary(said.library);
      else link.reply(said);
    },
    binary: (message) => app.receiveBinary(message),
    state: (state, reason) => app.setLink(state, reason),
  };
  const open = (): Socket => new WebSocket(webSocketAddress()) as unknown as Socket;
  const link = new Link(
    open,
    events,
    (figure, signal) => fetchMesh(app.hello.session, figure, signal),
    () => performance.now(),
    (id, signal) => fetchOrigin(app.hello.session, id, signal),
  );
  app.connection = link;
  link.start();
  return link;
}
