"""A web page as a browser and a screen reader take it: what is wrong with it, and its text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta", "img", "br", "hr", "link", "input", "source", "area", "base", "col", "wbr"}
LOADS = {"src", "srcset", "poster", "data", "background"}


class Page(HTMLParser):
    """Reads a page once; ``wrong`` lists what no good page has."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.wrong: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.pictures: list[str] = []
        self.badges: list[str] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self._level = 0
        self._in_badge = False
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is never closed" for tag in self._open]
        self.wrong += [f"id {name} twice" for name in set(self.ids) if self.ids.count(name) > 1]
        self.wrong += [
            f"{to} leads nowhere" for to in self.links if to[:1] == "#" and to[1:] not in self.ids
        ]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if len(has) < len(attrs):
            self.wrong.append(f"<{tag}> has an attribute twice")
        if tag not in VOID:
            self._open.append(tag)
        if "id" in has:
            self.ids.append(has["id"])
        if tag == "a":
            self.links.append(has["href"])
        if tag in {"script", "link", "iframe", "object", "embed", "base"}:
            self.wrong.append(f"<{tag}> needs something beside the page")
        for name in LOADS & set(has):
            if not has[name].startswith("data:"):
                self.wrong.append(f"{tag} loads {has[name][:60]}")
        if tag == "img":
            self.pictures.append(has["src"])
            if not has.get("alt"):
                self.wrong.append("a picture without words")
        if tag == "th" and "scope" not in has:
            self.wrong.append("a heading of neither row nor column")
        if re.fullmatch(r"h[1-6]", tag):
            if int(tag[1]) > self._level + 1:
                self.wrong.append(f"{tag} after h{self._level}")
            self._level = int(tag[1])
        self._in_badge = "verdict" in has.get("class", "").split()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.wrong.append(f"</{tag}> closes something else")
        self._in_badge = False

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["style"]:
            if re.search(r"@import|url\(\s*['\"]?(?!data:)", data):
                self.wrong.append("the style loads something")
            return
        self.words.append(data)
        if self._in_badge:
            self.badges.append(data)
