"""The studio through every view, in a real browser on a real index."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import pytest
from browser import Page
from http_serving import http_serving
from selenium.webdriver.common.keys import Keys
from shop import HOSTILE, SHOP, indexed_shop
from support import write_tree

if TYPE_CHECKING:
    from pathlib import Path

VIEWS = {
    "ask": "#/ask",
    "answer": "#/ask?q=who+adds+the+tax",
    "search": "#/search?q=add+tax",
    "map": "#/map",
    "community": "#/map?community=0",
    "node": "#/map?node=shop/till.py&to=shop/tax.py",
    "index": "#/index",
}
SHOWN = {  # what tells that a view is all there
    "ask": (".chip", ""),
    "answer": (".foot", "read from disk"),
    "search": (".hit.core", "shop/tax.py"),
    "map": (".bubbles", ""),
    "community": (".bubbles", ""),
    "node": (".route ol", "shop/tax.py"),
    "index": (".counts", "python"),
}


def _shown(page: Page, view: str) -> None:
    page.open(VIEWS[view])
    page.wait(*SHOWN[view])


def test_an_answer_shows_the_lines_that_are_on_disk(page: Page, browser_shop: Path):
    page.open("#/ask")
    page.ask("who adds the tax")
    page.wait(".foot", "read from disk")
    cards = {card.get_attribute("data-path"): card for card in page.all(".code-card")}
    lines = (browser_shop / "shop/tax.py").read_text().splitlines()
    card = cards["shop/tax.py"]
    numbers = card.find_element("css selector", ".numbers").text.split()
    code = card.find_element("css selector", "code").get_attribute("textContent").splitlines()
    assert code == lines[int(numbers[0]) - 1 : int(numbers[-1])]
    assert "shop/tax.py:" in card.find_element("css selector", ".path").text
    link = card.find_element("css selector", "a.button").get_attribute("href")
    assert link.startswith("vscode://file/")
    assert link.endswith(f"shop/tax.py:{numbers[0]}")
    assert card.find_elements("css selector", ".hljs-keyword")


def test_a_kept_answer_becomes_a_chip_that_says_so(page: Page):
    page.open("#/ask")
    page.ask("who rings up one article")
    page.wait(".foot", "read from disk")
    page.open("#/ask")
    page.wait(".chip", "who rings up one article").click()
    page.wait(".trail", "kept answer")


def test_a_file_opens_at_its_lines_and_escape_closes_it(page: Page):
    page.open("#/search?q=ring+up+an+article")
    hit = page.wait(".hit.core .path", "shop/till.py")
    hit.click()
    drawer = page.wait("dialog[open]", "def ring_up")
    assert drawer.find_elements("css selector", ".marked")
    page.press(Keys.ESCAPE)
    page.wait("main")
    assert not page.all("dialog[open]")
    assert page.run("return document.activeElement.textContent") == hit.text


def test_search_shows_heat_scores_and_reasons(page: Page):
    page.open("#/search")
    page.ask("add tax")
    page.wait(".hit.core", "shop/tax.py")
    warm = [cell.get_attribute("aria-label") for cell in page.all(".heat .warm")]
    assert any("shop/tax.py" in label for label in warm)
    assert len(page.all(".strip rect")) == len(page.all(".hit"))
    page.wait(".why summary").click()
    page.wait(".why th")
    page.wait("label", "signal only").click()
    assert page.all(".hit.core")
    assert not page.all(".hit:not(.core)")


def test_filters_are_kept_in_the_address(page: Page):
    page.open("#/search?q=tax&role=docs&content=all")
    page.wait(".hit", "docs/guide.md")
    assert all("docs/" in hit.text for hit in page.all(".hit"))


def test_keys_go_everywhere(page: Page):
    page.open("#/index")
    page.wait(".counts")
    page.press("g", "s")
    page.wait("nav a[aria-current]", "Search")
    page.press("/")
    page.wait("#query")
    page.press("add tax", Keys.ENTER)
    page.wait(".hit")
    page.run("document.activeElement.blur()")
    page.press("j", "j", "k")
    focused = page.run("return document.activeElement.dataset.hit !== undefined")
    assert focused is True
    page.press(Keys.ENTER)
    page.wait("dialog[open]")


def test_the_map_leads_from_a_bubble_to_a_file_to_a_route(page: Page):
    page.open("#/map")
    page.wait(".bubbles .bubble")
    page.run(
        "document.querySelector('.bubble').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    page.wait("h2", "files")
    page.open("#/map?node=shop/till.py")
    page.wait(".node h2", "shop/till.py")
    page.wait(".ties", "shop/tax.py")
    page.wait(".inline input").send_keys("shop/tax.py", Keys.ENTER)
    page.wait(".route ol", "shop.tax.add_tax")


def test_the_index_says_what_is_left_out_and_can_be_brought_up_to_date(
    page: Page, browser_shop: Path
):
    page.open("#/index")
    page.wait("summary", "left out").click()
    page.wait("td", "blank.py")
    write_tree(browser_shop, {"late.py": "def late():\n    pass\n"})
    page.wait("button", "Bring it up to date").click()
    page.wait("main p", "10 files")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [390, 768, 1280])
def test_no_view_is_wider_than_its_window(page: Page, view: str, width: int):
    page.resize(width, 844)
    _shown(page, view)
    assert page.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_shut_out(page: Page, axe: str, view: str, scheme: str):
    page.prefer(scheme)
    _shown(page, view)
    page.run(axe)
    found = page.run_module("return (await axe.run()).violations")
    serious = [
        (one["id"], [node["html"][:160] for node in one["nodes"]])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_the_theme_follows_the_system_until_it_is_chosen(page: Page):
    colour = "return getComputedStyle(document.body).backgroundColor"
    page.prefer("dark")
    page.open("#/ask")
    dark = page.run(colour)
    page.wait(".theme").click()
    light = page.run(colour)
    assert dark != light
    page.open("#/ask")
    assert page.run(colour) == light
    page.run("localStorage.clear()")


@pytest.mark.parametrize(
    "fragment", ["#/ask?q=walrus+tusks", "#/search?q=walrus", "#/map?node=walrus"]
)
def test_markup_of_a_repository_stays_text(page: Page, fragment: str):
    page.open(fragment)
    page.wait("main", HOSTILE.removesuffix(".py"))
    assert page.all("main img:not([src='icon.svg']), main script, main b") == []
    assert page.all("a[href^='javascript']") == []
    assert page.run("return document.querySelectorAll('[onerror]').length") == 0
    for path in page.all("main .path"):
        if "onerror" in path.text:
            path.click()
            page.wait("dialog[open]", "alert(3)")
            assert page.all("dialog img, dialog script") == []
            break


def test_readers_are_shown_as_they_work(page: Page):
    page.open("#/ask")
    state = page.run_module(
        """
        const { told } = await import("./ask.js");
        const events = [
          { type: "classified", broad: true, reasons: ["3 CORE files"] },
          { type: "plan", groups: [{ agent: "a1", question: "who?", numbers: [1, 2] }] },
          { type: "agent_start", agent: "a1", question: "who?" },
          { type: "agent_delta", agent: "a1", text: "It is " },
          { type: "agent_delta", agent: "a1", text: "the till." },
          { type: "agent_tool", agent: "a1", tool: "get_file", argument: "till.py", found: 1 },
          { type: "agent_error", agent: "a1", message: "took too long" },
          { type: "synthesis_delta", text: "one " },
          { type: "synthesis_delta", text: "two" },
          { type: "splice", path: "a.py", start_line: 1, end_line: 1, code: "x" },
          { type: "bundle", text: "all" },
          { type: "error", message: "m", hint: "h" },
          { type: "something_new" },
          { type: "done", answer: { spans: [] } },
        ];
        return events.reduce(told, { steps: [], agents: [], parts: [], done: null, error: null });
        """
    )
    agent = state["agents"][0]
    assert (agent["text"], agent["failed"]) == ("It is the till.", True)
    assert agent["tools"] == ["get_file till.py → 1"]
    assert [list(part) for part in state["parts"]] == [["prose"], ["splice"], ["prose"]]
    assert state["parts"][0]["prose"] == "one two"
    assert state["error"] == {"message": "m", "hint": "h"}


def test_a_server_with_a_token_asks_for_it_once(_browser: object, tmp_path: Path):
    with http_serving(indexed_shop(tmp_path), token="s3cret", readonly=True) as client:
        page = Page(_browser, f"{client.base_url}/")
        page.open("#/search?q=add+tax")
        page.wait(".token input").send_keys("s3cret", Keys.ENTER)
        page.wait(".hit", "shop/tax.py")
        page.run("sessionStorage.clear()")
        page.open("#token=s3cret")
        page.wait(".chip")
        assert "s3cret" not in page.run("return location.href")


def test_a_first_index_is_awaited_and_then_there(_browser: object, tmp_path: Path):
    root = write_tree(tmp_path / "shop", SHOP)
    with http_serving(root) as client:
        page = Page(_browser, f"{client.base_url}/")
        page.open("#/search?q=add+tax")
        page.wait(".wait, .fault", "")
        with client.stream("POST", "/index/stream", json={}) as stream:
            stream.read()
        page.wait(".hit", "shop/tax.py")


def test_what_is_shipped_is_small_and_licensed():
    assets = resources.files("codequarry.shells.studio") / "assets"
    sizes = {item.name: len(item.read_bytes()) for item in assets.iterdir()}
    assert sum(sizes.values()) <= 1_500_000
    licences = (assets / "vendor.LICENSES.txt").read_text()
    for name in ("preact", "htm", "highlight.js", "markdown-it", "d3-hierarchy", "d3-force"):
        assert f"\n{name} " in f"\n{licences}"
    for item in assets.iterdir():
        if item.name.endswith((".js", ".css", ".html")) and item.name != "vendor.js":
            text = item.read_text()
            assert "https://" not in text
            assert "http://" not in text
