"""A made-up second language for the page: its file holds every English text in brackets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import BrowserContext, Page, Route

from tests.web.helpers import ServerProcess
from tests.web.page_texts import Texts, catalogue

HEAR = """{
  const parse = JSON.parse;
  window.heard = [];
  JSON.parse = (text) => {
    const value = parse(text);
    window.heard.push(value);
    return value;
  };
}"""
"""Keeps what the server sends."""

SHOWN = """() => {
  const found = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: parent, data } = walker.currentNode;
    if (parent.closest("noscript, script, style, code, kbd, textarea, #language")) continue;
    // A text may run around pieces of code.
    const parts = [...parent.childNodes].filter((node) => node.data || node.localName === "code");
    found.push(parts.length > 1 ? parts.map((node) => node.data ?? "").join("") : data);
  }
  for (const name of ["aria-label", "aria-valuetext", "title", "alt", "placeholder"]) {
    const elements = document.querySelectorAll(`[${name}]:not(textarea)`);
    for (const element of elements) found.push(element.getAttribute(name));
  }
  return found;
}"""
"""Every text of the page, and every attribute that is shown or read aloud."""

DATA = re.compile(
    r"\b[A-P]\d*\b|seabattle|\d+x\d+ fleet=[\w=, -]+|\b(best|certain)-\w+-\d+\b|\bsalvos?=\w+"
)
"""Cells, the name of the program, rules and ids of puzzles."""


def strings(value: Any) -> Iterator[str]:
    """All strings in JSON, keys as well."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)
    elif isinstance(value, dict):
        yield from strings([*value.keys(), *value.values()])


def bypassing(page: Page) -> list[str]:
    """The texts on the page that are neither translated nor data."""
    found = []
    for text in set(page.evaluate(SHOWN)):
        rest, before = text, ""
        while rest != before:
            before, rest = rest, re.sub("⟦[^⟦⟧]*⟧", "", rest)
        if re.search("[A-Za-z]", DATA.sub("", rest)):
            found.append((text, rest))
    if not found:
        return []
    heard = page.evaluate("heard")
    about = next(each for each in heard if isinstance(each, dict) and "players" in each)
    # Single words of other answers, such as "miss", must be translated.
    sent = set(strings(about)) | {word for word in strings(heard) if " " in word}
    for word in sorted(sent - {""}, key=len, reverse=True):
        found = [(text, rest.replace(word, "")) for text, rest in found]
    return [text for text, rest in found if re.search("[A-Za-z]", DATA.sub("", rest))]


def speak_brackets(context: BrowserContext, server: ServerProcess) -> None:
    """Give the server of these pages a second language."""
    context.add_init_script(HEAR)
    texts: Texts = {text: f"⟦{text}⟧" for text in catalogue("en")}
    texts["{n} shots"] = {"one": "⟦one {n}⟧", "other": "⟦{n} shots, by its form⟧"}

    def with_language(route: Route) -> None:
        sent = route.fetch()
        text = sent.text().replace('languages="en"', 'languages="de en"')
        route.fulfill(response=sent, body=text)

    context.route(server.address, with_language)
    context.route("**/texts/de.json", lambda route: route.fulfill(body=json.dumps(texts)))
