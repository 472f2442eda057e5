"""A headless Chromium and the few things that a test does with it, by the WebDriver protocol."""

import http.client
import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from needed import need

TOOLS = ("chromium", "chromedriver")
PATIENCE = 30.0
# It asks nobody anything: no updates, no services of its maker.
_ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1280,900",
)
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


@dataclass
class Browser:
    """One page."""

    port: int
    session: str = ""

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            where = f"/session/{self.session}{path}" if self.session else f"/session{path}"
            text = None if body is None else json.dumps(body)
            connection.request(method, where, text, {"Content-Type": "application/json"})
            found = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        assert not (isinstance(found, dict) and "error" in found), found
        return found

    def open(self, page: Path) -> None:
        self.call("POST", "/url", {"url": page.as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, css: str) -> str:
        found = self.call("POST", "/element", {"using": "css selector", "value": css})
        return str(found[_ELEMENT])

    def click(self, css: str) -> None:
        self.call("POST", f"/element/{self.find(css)}/click", {})

    def type(self, css: str, text: str) -> None:
        self.call("POST", f"/element/{self.find(css)}/value", {"text": text})

    def text(self, css: str) -> str:
        return str(self.run("return document.querySelector(arguments[0])?.textContent ?? ''", css))

    def texts(self, css: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)"
        return [str(each) for each in self.run(script, css)]

    def printed(self) -> str:
        """The page as a PDF, in base 64."""
        return str(self.call("POST", "/print", {"background": True}))

    def complaints(self) -> list[str]:
        """What the page wrote of errors, such as things that it was not allowed to load."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """With a profile of its own in `folder`; skips the test where there is none."""
    need(*TOOLS)
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        browser = Browser(_port(driver))
        arguments = [*_ARGUMENTS, f"--user-data-dir={folder / 'profile'}"]
        options = {"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}
        browser.session = browser.call("POST", "", {"capabilities": {"alwaysMatch": options}})["sessionId"]
        yield browser
        browser.call("DELETE", "")
    finally:
        driver.kill()
        driver.communicate()


def _port(driver: "subprocess.Popen[str]") -> int:
    assert driver.stdout is not None
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = re.search(r"on port (\d+)", driver.stdout.readline())
        if found and found.group(1) != "0":
            return int(found.group(1))
    raise AssertionError("chromedriver did not start")
