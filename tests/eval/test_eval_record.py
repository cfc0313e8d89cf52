from __future__ import annotations

import json
from html.parser import HTMLParser

import pyarrow.parquet as pq
import pytest
from eval_toys import QUESTIONS, question

from codequarry.eval.errors import RecordError
from codequarry.eval.machine import environment
from codequarry.eval.output import write_run
from codequarry.eval.record import load_run, save_run
from codequarry.eval.report import render


def test_run_reads_back_as_written(make_run, tmp_path):
    run = make_run()
    save_run(run, tmp_path / "out")
    again = load_run(tmp_path / "out")
    assert again.record == run.record
    assert again.queries.equals(run.queries)
    assert again.indexes.equals(run.indexes)


def test_record_says_what_ran_where(make_run):
    record = make_run().record
    assert (record.model, record.parameters) == ("none", ("weight=1",))
    assert record.environment == environment()
    assert any(name.startswith("numpy ") for name in record.environment.packages)
    assert record.environment.cores >= 1


def test_each_parquet_file_carries_the_record(make_run, tmp_path):
    save_run(make_run(), tmp_path)
    for name in ("queries", "indexes"):
        told = pq.read_schema(tmp_path / f"{name}.parquet").metadata[b"codequarry.eval.run"]
        assert json.loads(told)["dataset"] == "toy"


def test_missing_or_damaged_record_is_a_record_error(make_run, tmp_path):
    with pytest.raises(RecordError):
        load_run(tmp_path)
    save_run(make_run(), tmp_path)
    (tmp_path / "indexes.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(RecordError):
        load_run(tmp_path)


def test_record_of_a_newer_format_is_refused(make_run, tmp_path, monkeypatch):
    monkeypatch.setattr("codequarry.eval.record.FORMAT", 2)
    save_run(make_run(), tmp_path)
    monkeypatch.undo()
    with pytest.raises(RecordError, match="newer codequarry"):
        load_run(tmp_path)


def test_unknown_profile_is_a_record_error(make_run):
    with pytest.raises(RecordError, match="no profile 'best'"):
        make_run().of_profile("best")


def test_output_directory_holds_record_summary_and_report(make_run, tmp_path):
    summary = write_run(make_run(), tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [
        "indexes.parquet",
        "queries.parquet",
        "report.html",
        "summary.json",
        "summary.txt",
    ]
    told = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    assert told["run_id"] == summary.run_id


class Checker(HTMLParser):
    void = frozenset({"meta"})

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.links = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check(page):
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    return checker


def test_report_is_well_formed_and_needs_nothing_else(make_run):
    checker = check(render(make_run()))
    assert checker.tags.count("svg") >= 4
    assert checker.links == []
    assert not {"script", "link", "img", "iframe"} & set(checker.tags)


def test_report_escapes_what_it_quotes(make_run):
    evil = "<script>alert('&')</script>"
    page = render(make_run((*QUESTIONS, question(evil, "src/<b>.py", language=evil, kind=evil))))
    check(page)
    assert "<script>" not in page
    assert "src/&lt;b&gt;.py" in page


def test_report_lists_what_is_not_in_the_bundle(make_run):
    page = render(make_run())
    assert "src/log.py" in page
    complete = render(make_run(QUESTIONS[:1], ("words",)))
    assert "Every relevant file is in its bundle." in complete


def test_report_of_a_run_where_all_failed(make_run):
    check(render(make_run((question("break", "src/log.py"),), ("words",))))
