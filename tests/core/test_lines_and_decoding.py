from __future__ import annotations

import codecs
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequarry.text import UndecodableError, count_lines, decode, split_lines

if TYPE_CHECKING:
    from pathlib import Path

ODD_ENDS = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
odd_text = st.text(alphabet=st.sampled_from("ab \n" + ODD_ENDS), max_size=60)


@given(st.text() | odd_text)
def test_joined_lines_are_the_text_again(text: str):
    assert "".join(split_lines(text)) == text


@given(st.text() | odd_text)
def test_only_a_line_feed_ends_a_line(text: str):
    lines = split_lines(text)
    assert len(lines) == count_lines(text)
    assert all(line.endswith("\n") for line in lines[:-1])
    assert all("\n" not in line[:-1] for line in lines)
    assert "" not in lines


@pytest.mark.parametrize("sign", ODD_ENDS)
def test_other_line_ends_of_unicode_are_ordinary_characters(sign: str):
    assert split_lines(f"a{sign}b\nc") == [f"a{sign}b\n", "c"]


def test_line_n_is_what_sed_prints(tmp_path: Path):
    text = "one\r\ntwo\x0cstill two\u2028\nthree\rstill three\n\n\u0085five\nno end"
    file = tmp_path / "f"
    file.write_bytes(text.encode())
    for number, line in enumerate(split_lines(text), 1):
        printed = subprocess.run(["sed", "-n", f"{number}p", file], capture_output=True, check=True)
        assert printed.stdout == line.encode()


MARKED = [
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
]


@pytest.mark.parametrize(("mark", "encoding"), MARKED)
def test_a_byte_order_mark_names_the_encoding_and_is_no_text(mark: bytes, encoding: str):
    text = "class Würfel { }\n二\n"
    decoded = decode(mark + text.encode(encoding))
    assert (decoded.text, decoded.encoding) == (text, encoding)


DECLARED = [
    ("# -*- coding: shift_jis -*-\nLABEL = '在庫'\n", "shift_jis"),
    ("#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\nNAME = 'склад'\n", "cp1251"),
    ('<?xml version="1.0" encoding="ISO-8859-15"?>\n<price>5 €</price>\n', "iso8859-15"),
    ('<html><head><meta charset="windows-1252"></head>“x”</html>\n', "cp1252"),
    ('@charset "iso-8859-2";\n.ł { }\n', "iso8859-2"),
    ("# coding: gb18030\nx = '计算库存周转率'\n", "gb18030"),
    ("# coding: euc_kr\nx = '재고'\n", "euc_kr"),
]


@pytest.mark.parametrize(("text", "encoding"), DECLARED)
def test_a_declared_encoding_is_believed(text: str, encoding: str):
    decoded = decode(text.encode(encoding))
    assert (decoded.text, decoded.encoding) == (text, encoding)


LYING = [
    b"# coding: no-such-codec\nx = 'caf\xc3\xa9'\n",
    b"# coding: ascii\nx = 'caf\xc3\xa9'\n",
    b"# coding: undefined\nx = 'caf\xc3\xa9'\n",
    b"# coding: rot13\nx = 'caf\xc3\xa9'\n",
    b"# coding: idna\nx = 'caf\xc3\xa9'\n",
    b"# coding: hex\nx = 'caf\xc3\xa9'\n",
    b"# coding: unicode_escape\nx = 'caf\xc3\xa9'  # \\n\n",
    b"# coding: utf_16\nx = 'caf\xc3\xa9'\n",
    b"# coding: cp037\nx = 'caf\xc3\xa9'\n",
    b"x = 'caf\xc3\xa9'\n\n# coding: latin-1 counts in the first two lines only\n",
    b'<?xml version="1.0" encoding="utf-16"?>\n<a>caf\xc3\xa9</a>\n',
    b'<?xml version="1.0" encoding="UTF-16"?>\n<a>caf\xc3\xa9</a> \n',
]


@pytest.mark.parametrize("data", LYING)
def test_a_declaration_that_cannot_be_true_is_ignored(data: bytes):
    assert decode(data).text == data.decode("utf-8")


@given(
    st.sampled_from(
        "utf_16 utf_32 utf_7 unicode_escape raw_unicode_escape punycode idna undefined rot13 "
        "cp037 cp1026 base64 bz2 latin_1 shift_jis hz mbcs oem".split()
    ),
    st.binary(max_size=60),
)
def test_no_declaration_changes_the_lines_of_a_file(codec: str, tail: bytes):
    data = f"# coding: {codec}\n".encode() + tail.replace(b"\0", b"")
    try:
        text = decode(data).text
    except UndecodableError:
        return
    assert count_lines(text) == count_lines(data.decode("latin-1"))
    text.encode()  # no half of a surrogate pair


def test_one_bad_byte_keeps_the_rest_of_a_file():
    decoded = decode(b"package x\n\n// caf\xe9\nfunc F() {}\n")
    assert decoded.text == "package x\n\n// caf\ufffd\nfunc F() {}\n"


def test_a_cut_tail_keeps_the_rest_of_a_file():
    assert decode(b"pub fn f() {}\n// end \xe2\x82").text.startswith("pub fn f() {}\n// end ")


def test_undeclared_8_bit_text_is_detected():
    text = "Die Größe der Würfel ist für Käufer schön, natürlich über alles.\n" * 5
    assert decode(text.encode("latin-1")).text == text


def test_a_stray_nul_does_not_make_a_binary():
    assert decode(b"-- a\x00b\nSELECT 1;\n").text == "-- a\x00b\nSELECT 1;\n"


PNG = bytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + bytes(range(256)) * 8


@pytest.mark.parametrize("data", [PNG, bytes(4096), b"\x7fELF\x02\x01\x01" + bytes(60)])
def test_binaries_are_refused(data: bytes):
    with pytest.raises(UndecodableError):
        decode(data)


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_refused(data: bytes):
    try:
        text = decode(data).text
    except UndecodableError:
        return
    text.encode()


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), max_size=80))
def test_utf_8_without_a_declaration_is_read_as_it_is(text: str):
    if "coding" not in text and "charset" not in text:
        assert decode(text.encode()).text == text
