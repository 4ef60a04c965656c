"""The poser over a real websocket: 120 drags a second of a human with six goals, for ten seconds.

python -m benchmarks.poser

The server runs in a process of its own.  Three times are taken of every drag: the solve, as the
answer tells it; from the message received to the answer handed to the socket, in the server; and
the round trip, in the client.  Nothing may queue: an answer is there before the next drag is sent.
Then the same page is opened in Chromium, where one is found, and its hand dragged with the mouse:
that round trip includes what the browser does between two messages, drawing above all.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.report import keep, show

RATE, SECONDS = 120, 10.0
LAP = 240  # drags once round the circle
RADIUS = 0.09  # m
WARM_UP = 120  # drags before anything is counted

_DRAG = struct.Struct("<BBHI7d")


# ---- server -------------------------------------------------------------------------------------


class Timed:
    """An application, with the time from each binary message to its binary answer, in seconds."""

    def __init__(self, app: Any) -> None:
        self.app, self.times = app, []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        came = 0.0

        async def timed_receive() -> Any:
            nonlocal came
            message = await receive()
            came = time.perf_counter() if message.get("bytes") else 0.0
            return message

        async def timed_send(message: Any) -> None:
            await send(message)
            if came and message.get("bytes"):
                self.times.append(time.perf_counter() - came)

        await self.app(scope, timed_receive, timed_send)


def serve() -> None:
    """Print the address, serve until Ctrl-C, print the times."""
    from limbik.poser.server.listen import PoserServer
    from limbik.poser.startup import First, drag_once

    drag_once()
    gc.collect()
    gc.freeze()  # as ``limbik pose`` does
    server = PoserServer(First("human").session)
    timed = server.config.app = Timed(server.config.app)
    print(server.url, flush=True)
    try:
        server.run()
    except KeyboardInterrupt:
        print(json.dumps(timed.times), flush=True)


# ---- client -------------------------------------------------------------------------------------


class Pinned:
    """A page with five effectors pinned and the left hand to be dragged: six goals."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.sequence = 0
        self.hand: dict[str, Any] = {}

    async def start(self) -> None:
        """Wait for the greeting and pin everything but the left hand."""
        state = await self._said("state")
        others = [e for e in state["effectors"] if e["name"] != "LeftHand"]
        self.hand = next(e for e in state["effectors"] if e["name"] == "LeftHand")
        for id, effector in enumerate(others, start=1):
            command = {"id": id, "do": "effector.set", "effector": effector["id"], "mode": "pin"}
            await self.socket.send(json.dumps(command))
            await self._said("state")

    async def _said(self, what: str) -> Any:
        while True:
            message = await self.socket.recv()
            if isinstance(message, str) and what in (payload := json.loads(message)):
                return payload[what]

    async def drag(self) -> None:
        """The next step of the left hand round its circle."""
        self.sequence += 1
        angle = 2.0 * np.pi * self.sequence / LAP
        circle = RADIUS * np.array([np.sin(angle), 1.0 - np.cos(angle), np.sin(angle)])
        place = np.array(self.hand["position"]) + circle
        message = _DRAG.pack(1, 1, self.hand["id"], self.sequence, *place, 1.0, 0.0, 0.0, 0.0)
        await self.socket.send(message)

    async def pose(self) -> bytes:
        """The next answer to a drag."""
        while True:
            message = await self.socket.recv()
            if isinstance(message, bytes) and struct.unpack_from("<I", message, 4)[0]:
                return message


async def dragged(url: str) -> dict[str, Any]:
    """Drag for ten seconds: (drags,) solve and round-trip times in ms; ``queued`` counts the drags
    that were sent while another was still without its answer."""
    sent, answered, solved, reached = {}, {}, [], []
    queued = 0
    origin: Any = url.rstrip("/")
    async with connect(f"ws{url[4:]}ws", origin=origin, compression=None) as socket:
        page = Pinned(socket)
        await page.start()
        for _ in range(WARM_UP):
            await page.drag()
            await page.pose()
        count = round(RATE * SECONDS)
        last = page.sequence + count

        async def listen() -> None:
            while True:
                message = await page.pose()
                now = time.perf_counter()
                status, goals, sequence = struct.unpack_from("<xBHI", message)
                answered[sequence] = now
                solved.append(struct.unpack_from("<f", message, 16)[0])
                reached.append(status == 0 and goals == 6)
                if sequence == last:
                    return

        listening = asyncio.create_task(listen())
        began = last_sent = time.perf_counter()
        for k in range(count):
            # A client that wakes up late does not send two drags at once to make up for it.
            due = max(began + k / RATE, last_sent + 0.9 / RATE)
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            queued += len(sent) > len(answered)
            last_sent = time.perf_counter()
            await page.drag()
            sent[page.sequence] = last_sent
        took = time.perf_counter() - began
        await asyncio.wait_for(listening, 30.0)
    return {
        "solve": np.array(solved),
        "round trip": np.array([answered[k] - sent[k] for k in sent]) * 1e3,
        "queued": queued,
        "reached_%": 100.0 * float(np.mean(reached)),
        "rate": count / took,
    }


# ---- browser ------------------------------------------------------------------------------------

FLAGS = [
    *("--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader"),
    *("--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-background-networking"),
]


def in_a_browser(url: str) -> np.ndarray:
    """(drags,) round trips in ms of a hand that the mouse drags for ten seconds."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(url)
        page.wait_for_function(
            "() => window.limbik?.app.pose && !window.limbik.app.hello.preparing"
        )
        place = page.evaluate(
            "() => window.limbik.screen(window.limbik.app.figure.joints"
            ".findIndex(joint => joint.name === 'LeftHand'))"
        )
        page.evaluate(
            "() => { const app = window.limbik.app; window.trips = []; app.on('pose', () => {"
            " if (app.pose.sequence) window.trips.push(app.roundTrip.last); }); }"
        )
        page.mouse.move(place["x"], place["y"])
        page.mouse.down()
        began = time.perf_counter()
        while (passed := time.perf_counter() - began) < SECONDS:
            angle = np.pi * passed
            page.mouse.move(place["x"] + 60 * np.sin(angle), place["y"] - 60 + 60 * np.cos(angle))
        page.mouse.up()
        trips = page.evaluate("() => window.trips")
        browser.close()
    return np.array(trips)


# ---- both ---------------------------------------------------------------------------------------


def measure() -> list[dict[str, Any]]:
    """A server and a client, and a row for each of the times."""
    with tempfile.TemporaryDirectory() as state:
        server = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.poser", "serve"],
            stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent.parent,
            env={**os.environ, "LIMBIK_STATE": state},
        )  # fmt: skip
        assert server.stdout is not None
        try:
            url = server.stdout.readline().strip()
            found = asyncio.run(dragged(url))
            page = in_a_browser(url) if shutil.which("chromium") else np.empty(0)
            server.send_signal(signal.SIGINT)
            within = 1e3 * np.array(json.loads(server.stdout.readline()))
        finally:
            server.kill()
            server.wait()
    times = {
        "solve": found["solve"],
        "received to sent": within[WARM_UP:][: len(found["solve"])],
        "round trip of a websocket": found["round trip"],
    }
    rows = [
        {
            "time": name,
            "drags": len(values),
            "rate_hz": found["rate"],
            "median_ms": float(np.median(values)),
            "p95_ms": float(np.percentile(values, 95)),
            "p99_ms": float(np.percentile(values, 99)),
            "worst_ms": float(values.max()),
            "queued": found["queued"],
            "reached_%": found["reached_%"],
        }
        for name, values in times.items()
    ]
    if len(page):
        rows.append(
            {
                "time": "round trip in Chromium, drawing in software",
                "drags": len(page),
                "rate_hz": len(page) / SECONDS,
                "median_ms": float(np.median(page)),
                "p95_ms": float(np.percentile(page, 95)),
                "p99_ms": float(np.percentile(page, 99)),
                "worst_ms": float(page.max()),
            }
        )
    return rows


def main() -> None:
    """Measure, print, keep."""
    rows = measure()
    show(f"Poser, human, six goals, {RATE} drags a second for {SECONDS:g} s", rows)
    keep("poser", rows)


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else main()
