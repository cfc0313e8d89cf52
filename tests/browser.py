"""Chromium driven by Selenium: a page, what it shows, what it complained of, whom it asked."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from selenium.webdriver.remote.webelement import WebElement

WAIT = 20  # seconds
_FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --disable-dev-shm-usage "
    "--hide-scrollbars"
)


@contextmanager
def started(program: str, driver: str, profile: Path) -> Iterator[webdriver.Chrome]:
    """A browser with a profile of its own."""
    options = Options()
    options.binary_location = program
    for flag in (*_FLAGS.split(), f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield chrome
    finally:
        chrome.quit()


class Page:
    """The studio in a window."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self.driver = driver
        self.address = address
        self._logs()

    def resize(self, width: int, height: int) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )

    def prefer(self, scheme: str) -> None:
        """Have the system prefer light or dark."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def open(self, fragment: str = "") -> None:
        """Load the page anew at a view."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.address}{fragment}")
        self.wait("main .view, main .token, main .wait")

    def wait(self, selector: str, text: str = "") -> WebElement:
        """The first element that fits, once it is there and holds a text."""

        def found(_: object) -> Any:
            for element in self.driver.find_elements(By.CSS_SELECTOR, selector):
                if text in (element.text or element.get_attribute("textContent") or ""):
                    return element
            return False

        message = f"no {selector} with {text!r}"
        waiting = WebDriverWait(
            self.driver, WAIT, ignored_exceptions=[StaleElementReferenceException]
        )
        element: WebElement = waiting.until(found, message)
        return element

    def all(self, selector: str) -> list[WebElement]:
        return list(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def press(self, *keys: str) -> None:
        """Type into whatever has the focus."""
        for key in keys:
            webdriver.ActionChains(self.driver).send_keys(key).perform()

    def ask(self, text: str) -> None:
        """Type into the view's box and send it."""
        box = self.wait("[data-focus='/']")
        box.clear()
        box.send_keys(text, Keys.ENTER)

    def run(self, script: str, *values: object) -> Any:
        return self.driver.execute_script(script, *values)

    def run_module(self, body: str) -> Any:
        """Run the body of an async function, which may import the page's modules."""
        script = (
            "const done = arguments[arguments.length - 1];"
            f"(async () => {{ {body} }})().then(done, (error) => done(String(error)));"
        )
        return self.driver.execute_async_script(script)

    def complaints(self) -> list[str]:
        """What the browser wrote to its console since the page was made."""
        self._logs()
        return self._complaints

    def strangers(self) -> list[str]:
        """The hosts that were asked and are not the server."""
        self._logs()
        own = urlsplit(self.address).netloc
        return sorted({urlsplit(url).netloc for url in self._asked} - {own, ""})

    def _logs(self) -> None:
        if not hasattr(self, "_complaints"):
            self._complaints: list[str] = []
            self._asked: list[str] = []
            for name in ("browser", "performance"):
                self.driver.get_log(name)  # of tests before this one
            return
        self._complaints += [entry["message"] for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self._asked.append(message["params"]["request"]["url"])
