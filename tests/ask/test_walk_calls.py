"""Which calls a walkthrough follows where no edge tells them, and where it begins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from test_extractive import answered, opened, told

from codequarry.ask.flow import make_flow
from codequarry.ask.step import order
from codequarry.ask.steps import find_steps
from codequarry.retrieval.query import parse_query

if TYPE_CHECKING:
    from pathlib import Path

JAVA = {
    "src/Post.java": """package post;

public class Post {
  /** Deliver a letter: the postman delivers it by the road. */
  public void deliver(String text, Road road) {
    deliver(text, new Van(road));
  }

  public void deliver(String text, Van van) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException(text);
    }
    load(text);
    van.drive(text);
  }

  private void load(String text) {
    String sealed = text.trim();
    System.out.println(sealed);
  }
}
"""
}


def test_a_form_that_hands_on_to_a_longer_one_is_told_before_it(tmp_path: Path) -> None:
    answer = answered(opened(tmp_path, JAVA), "how is a letter delivered")
    assert told(answer)[:2] == ["deliver", "deliver"]
    assert answer.spans[0].end_line < answer.spans[1].start_line


def test_what_does_the_same_in_another_way_does_not_go_first(tmp_path: Path) -> None:
    tree = {
        "mail.py": "def send_letter(letter):\n"
        '    """Send a letter: stamp it and hand it over."""\n'
        "    stamped = stamp(letter)\n    return carry(stamped)\n\n\n"
        "def send_letter_twice(letter):\n"
        '    """Send a letter, and once more if it is lost."""\n'
        "    for _ in range(2):\n        send_letter(letter)\n\n\n"
        "def stamp(letter):\n    letter.stamp = 1\n    return letter\n\n\n"
        "def carry(letter):\n    letter.gone = True\n    return letter\n"
    }
    answer = answered(opened(tmp_path, tree), "how is a letter sent")
    assert told(answer)[0] == "send_letter"


def test_code_is_found_by_its_own_word_for_what_is_done(tmp_path: Path) -> None:
    tree = {
        "queue.py": "class Line:\n    def push(self, job):\n"
        "        self.jobs.append(job)\n        self.count += 1\n\n"
        "    def due(self, job):\n"
        "        found = [j for j in self.jobs if j is job]\n        return found\n"
    }
    answer = answered(opened(tmp_path, tree), "how is a job put on the queue")
    assert told(answer)[0] == "push"


def test_what_can_be_given_to_a_definition_is_not_what_it_does(tmp_path: Path) -> None:
    tree = {
        "tin.py": "def order(tone, size):\n"
        '    """Order a tin.\n\n    Args:\n        tone: the colour of the paint.\n    """\n'
        "    found = [tone, size]\n    return found\n",
        "mix.py": "def mix(red, blue):\n"
        '    """Mix the colour of a paint."""\n'
        "    both = red + blue\n    return both / 2\n",
    }
    answer = answered(opened(tmp_path, tree), "where does the colour of a paint come from")
    assert told(answer)[0] == "mix"


def test_a_call_of_what_only_promises_leads_to_what_does_it(tmp_path: Path) -> None:
    tree = {
        "post.py": "class Post:\n    road: BaseRoad\n\n"
        "    def send_letter(self, letter):\n"
        '        """Send a letter by the road that is open."""\n'
        "        sealed = letter.strip()\n"
        "        road: BaseRoad = self.open_road(sealed)\n"
        "        return road.carry(sealed)\n\n"
        "    def open_road(self, letter) -> BaseRoad:\n"
        "        for road in self.roads:\n            if road.open:\n"
        "                return road\n        return self.roads[0]\n\n\n"
        "class BaseRoad:\n    def carry(self, letter):\n"
        "        raise NotImplementedError\n\n\n"
        "class WetRoad(BaseRoad):\n    def carry(self, letter):\n"
        '        """Carry a letter over water: it is sent by boat."""\n'
        "        boat = letter + self.water\n        self.boats.append(boat)\n"
        "        return boat\n"
    }
    answer = answered(opened(tmp_path, tree), "how is a letter sent")
    assert told(answer)[0] == "send_letter"
    assert "By its name, it may call `WetRoad.carry`" in answer.answer


def test_a_call_on_what_is_named_as_a_type_leads_to_its_member(tmp_path: Path) -> None:
    tree = {
        "lib/office.rb": "class Office\n"
        "  # Deliver a parcel to whom it is for.\n"
        "  def deliver_parcel(parcel)\n    label = parcel.label\n"
        "    courier.carry(parcel, label)\n  end\nend\n",
        "lib/courier.rb": "class FastCourier\n"
        "  # Carry a parcel over the hill: it is delivered by hand.\n"
        "  def carry(thing, label)\n    @bag << thing\n    @labels << label\n"
        "    @bag.size\n  end\nend\n",
    } | {  # the name alone does not tell which
        f"lib/{name.lower()}.rb": f"class {name}\n"
        "  def carry(thing, label)\n    @hook = thing\n    @labels = label\n  end\nend\n"
        for name in ("Crane", "Barge", "Train", "Mule")
    }
    answer = answered(opened(tmp_path, tree), "how is a parcel delivered")
    assert told(answer) == ["deliver_parcel", "carry"]
    assert "By its name, it may call `FastCourier.carry` (step 2)." in answer.answer


def test_a_ring_begins_with_what_is_for_others_to_call(tmp_path: Path) -> None:
    tree = {
        "tree.py": "def walk(node):\n"
        '    """Walk a tree of nodes."""\n'
        "    for child in node.children:\n        _walk_node_of_tree(child)\n"
        "    return node\n\n\n"
        "def _walk_node_of_tree(node):\n"
        '    """Walk a node of a tree: how a tree is walked from each node of it."""\n'
        "    node.seen = True\n    if node.children:\n        walk(node)\n"
        "    return node\n"
    }
    answer = answered(opened(tmp_path, tree), "how is each node of a tree walked")
    assert told(answer) == ["walk", "_walk_node_of_tree"]


@pytest.mark.parametrize(("weight", "expected"), [(0.35, ["close", "wrap"]), (0.2, ["close"])])
def test_where_the_work_is_handed_on_by_a_single_call_that_is_told_too(
    tmp_path: Path, weight: float, expected: list[str]
) -> None:
    tree = {
        "till.py": "from ledger import wrap\n\n\n"
        "def close(day):\n    total = sum(day)\n    return wrap(total)\n",
        "ledger.py": "def wrap(balance):\n    paper = [balance]\n    return paper\n",
    }
    index = opened(tmp_path, tree)
    query = parse_query("how is the till closed", None, frozenset())
    steps = find_steps(index, query, [0, 1], {}, {})
    weights = {"till.close": 1.0, "ledger.wrap": weight}
    weighed = [replace(step, weight=weights[step.name], share=0.0) for step in steps]
    flow = make_flow(index.generation, sorted(weighed, key=order))
    assert [step.name.rpartition(".")[2] for step in flow.steps] == expected


def test_what_a_name_or_a_comment_denies_is_not_what_is_done(tmp_path: Path) -> None:
    tree = {
        "worker.py": "def drop_parcel_if_it_should_not_be_retried(parcel):\n"
        '    """Drop a parcel if it should not be retried."""\n'
        "    if parcel.lost:\n        parcel.gone = True\n        parcel.note = 'lost'\n"
        "    return parcel\n",
        "again.py": "def again(parcel):\n"
        '    """A lost parcel is retried: it goes back on the van."""\n'
        "    parcel.gone = False\n    parcel.note = ''\n    parcel.van = 1\n"
        "    parcel.tries = parcel.tries + 1\n    return parcel\n",
    }
    answer = answered(opened(tmp_path, tree), "how is a lost parcel retried")
    assert told(answer)[0] == "again"
