"""Frames of a dozen languages are read, innermost first, and hostile text costs little."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codequarry.retrieval.issue.traces import MAX_FRAMES, clean_path, find_traces

PYTHON = """
Traceback (most recent call last):
  File "<stdin>", line 1, in <module>
  File "/usr/lib/python3/dist-packages/astropy/table/connect.py", line 129, in __call__
    self.registry.write(instance, *args, **kwargs)
  File "C:\\Users\\a b\\site-packages\\astropy\\io\\ascii\\ui.py", line 856, in write
    writer = get_writer(Writer=Writer)
             ^^^^^^^^^^^^^^^^^^^^^^^^^
TypeError: no
"""
PYTEST = """
tests/test_a.py:12: in test_it
    run()
src/pkg/run.py:7: ValueError
"""
IPYTHON = """
~/anaconda3/lib/python3.7/site-packages/xarray/core/common.py in wrapped_func(self, dim)
     65             def wrapped_func(self):
---> 66                 return self.reduce(func)
     67
~/anaconda3/lib/python3.7/site-packages/xarray/core/dataset.py in reduce(self, func)
   3200
-> 3201         x
"""
NODE = """
TypeError: Cannot read properties of undefined (reading 'x')
    at Object.render [as foo] (/app/node_modules/svelte/src/runtime/index.js:10:5)
    at async Promise.all (index 0)
    at new Widget (webpack:///./src/widgets/Widget.tsx?1a2b:33:17)
    at file:///home/u/p/lib/main.mjs:5:1
    at C:\\work\\p\\cli.js:8:2
"""
FIREFOX = """
render@http://localhost:3000/static/src/App.jsx?t=17:20:9
@webpack-internal:///./src/boot.js:4:1
"""
GO = """
panic: runtime error: invalid memory address or nil pointer dereference

goroutine 1 [running]:
main.(*Server).Serve(0xc000010000, {0x1, 0x2})
\t/go/src/github.com/acme/app/internal/server.go:42 +0x1d
main.main()
\t/go/src/github.com/acme/app/main.go:12 +0x20
"""
RUST = """
thread 'main' panicked at src/parser/lex.rs:88:9:
index out of bounds
stack backtrace:
   0: rust_begin_unwind
             at /rustc/90b35a6/library/std/src/panicking.rs:593:5
   1: app::parser::next
             at ./src/parser/mod.rs:14:2
"""
OLD_RUST = "thread 'main' panicked at 'called `unwrap()` on a `None` value', src/cfg.rs:7:22"
JAVA = """
java.lang.IllegalStateException: no
\tat org.acme.shop.Cart$Item.total(Cart.java:77)
\tat org.acme.shop.CartKt.total(Cart.kt:9)
\tat app//org.acme.Main.main(Main.java:5)
Caused by: java.lang.NullPointerException
\tat org.acme.tax.Rates.lookup(Rates.java:12)
\t... 3 more
"""
RUBY = """
lib/shop/cart.rb:12:in `total': undefined method `x' for nil (NoMethodError)
\tfrom lib/shop/cart.rb:30:in 'block in Shop::Cart#each'
\tfrom bin/run.rb:3:in `<main>'
"""
RUBY_REVERSED = """
Traceback (most recent call last):
\t1: from bin/run.rb:3:in `<main>'
\t2: from lib/cart.rb:9:in `total'
"""
PHP = """
PHP Fatal error:  Uncaught Exception: no in /var/www/app/src/Cart.php:12
Stack trace:
#0 /var/www/app/src/Shop.php(30): Cart->total()
#1 {main}
  thrown in /var/www/app/src/Cart.php on line 12
"""
CSHARP = """
System.NullReferenceException: no
   at Acme.Shop.Cart.Total(Int32 n) in C:\\My Work\\Shop\\Cart.cs:line 12
   at Acme.Program.Main(String[] args) in /src/Program.cs:line 5
"""
GDB = """
#0  0x00007f1 in parse_line (p=0x0, n=3) at src/parse.c:120
#1  0x00401 in main () at src/main.c:9
"""
SANITIZER = """
==1==ERROR: AddressSanitizer: heap-buffer-overflow
    #0 0x4f5 in copy_name /home/u/proj/src/names.cc:31:5
    #1 0x4f6 in main /home/u/proj/src/main.cc:9
"""
ELIXIR = """
** (MatchError) no match
    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.total/1
    lib/shop.ex:5: Shop.run/0
"""
DART = """
#0      Cart.total (package:shop/src/cart.dart:12:5)
#1      main (file:///home/u/shop/bin/main.dart:3:1)
"""
SWIFT = "Fatal error: Unexpectedly found nil: file Shop/Cart.swift, line 12"

CASES = {
    "python": (PYTHON, [("Users/a b/site-packages/astropy/io/ascii/ui.py", 856, "write")]),
    "pytest": (PYTEST, [("src/pkg/run.py", 7, ""), ("tests/test_a.py", 12, "test_it")]),
    "ipython": (
        IPYTHON,
        [
            ("anaconda3/lib/python3.7/site-packages/xarray/core/dataset.py", 3201, "reduce"),
            ("anaconda3/lib/python3.7/site-packages/xarray/core/common.py", 66, "wrapped_func"),
        ],
    ),
    "node": (
        NODE,
        [
            ("app/node_modules/svelte/src/runtime/index.js", 10, "Object.render [as foo]"),
            ("src/widgets/Widget.tsx", 33, "Widget"),
            ("home/u/p/lib/main.mjs", 5, ""),
            ("work/p/cli.js", 8, ""),
        ],
    ),
    "firefox": (FIREFOX, [("static/src/App.jsx", 20, "render"), ("src/boot.js", 4, "")]),
    "go": (
        GO,
        [
            ("go/src/github.com/acme/app/internal/server.go", 42, "main.(*Server).Serve"),
            ("go/src/github.com/acme/app/main.go", 12, "main.main"),
        ],
    ),
    "rust": (
        RUST,
        [
            ("src/parser/lex.rs", 88, ""),
            ("rustc/90b35a6/library/std/src/panicking.rs", 593, ""),
            ("src/parser/mod.rs", 14, ""),
        ],
    ),
    "old rust": (OLD_RUST, [("src/cfg.rs", 7, "")]),
    "java": (
        JAVA,
        [
            ("org/acme/shop/Cart.java", 77, "org.acme.shop.Cart$Item.total"),
            ("org/acme/shop/Cart.kt", 9, "org.acme.shop.CartKt.total"),
            ("org/acme/Main.java", 5, "app//org.acme.Main.main"),
        ],
    ),
    "ruby": (
        RUBY,
        [
            ("lib/shop/cart.rb", 12, "total"),
            ("lib/shop/cart.rb", 30, "block in Shop::Cart#each"),
            ("bin/run.rb", 3, "<main>"),
        ],
    ),
    "old ruby": (RUBY_REVERSED, [("lib/cart.rb", 9, "total"), ("bin/run.rb", 3, "<main>")]),
    "php": (
        PHP,
        [("var/www/app/src/Cart.php", 12, ""), ("var/www/app/src/Shop.php", 30, "Cart->total")],
    ),
    "c#": (
        CSHARP,
        [
            ("My Work/Shop/Cart.cs", 12, "Acme.Shop.Cart.Total(Int32 n)"),
            ("src/Program.cs", 5, "Acme.Program.Main(String[] args)"),
        ],
    ),
    "gdb": (GDB, [("src/parse.c", 120, "parse_line (p=0x0, n=3)"), ("src/main.c", 9, "main ()")]),
    "sanitizer": (
        SANITIZER,
        [("home/u/proj/src/names.cc", 31, "copy_name"), ("home/u/proj/src/main.cc", 9, "main")],
    ),
    "elixir": (
        ELIXIR,
        [("lib/shop/cart.ex", 12, "Shop.Cart.total/1"), ("lib/shop.ex", 5, "Shop.run/0")],
    ),
    "dart": (
        DART,
        [
            ("package:shop/src/cart.dart", 12, "Cart.total"),
            ("home/u/shop/bin/main.dart", 3, "main"),
        ],
    ),
    "swift": (SWIFT, [("Shop/Cart.swift", 12, "")]),
    "compiler": ("src/a.ts(12,5): error TS2322: no", [("src/a.ts", 12, "")]),
    "rustc": ("error[E0425]: no\n  --> src/main.rs:3:5", [("src/main.rs", 3, "")]),
}


@pytest.mark.parametrize("language", CASES)
def test_frames_are_read_innermost_first(language):
    text, wanted = CASES[language]
    trace = find_traces(text)[0]
    assert [(f.path, f.line, f.function) for f in trace.frames][: len(wanted)] == wanted


def test_the_root_cause_is_marked():
    first, cause = find_traces(JAVA)
    assert (first.is_cause, cause.is_cause) == (False, True)
    assert cause.frames[0].path == "org/acme/tax/Rates.java"


def test_prose_and_bare_numbers_are_no_frames():
    text = "Upgrade to 3.2.1 at 12:30, see https://example.com:8080/a and ratio 1:2 (x:3)."
    assert find_traces(text) == []


@pytest.mark.parametrize(
    ("written", "clean"),
    [
        ("C:\\a\\b.cs", "a/b.cs"),
        ("./a/../b/c.py", "b/c.py"),
        ("file:///home/u/x%20y.js", "home/u/x y.js"),
        ("webpack-internal:///./src/a.vue?1f:2", "src/a.vue"),
        ("webpack://shop/./src/a.js", "shop/src/a.js"),
        ("http://localhost:3000/src/a.js?t=1", "src/a.js"),
        ("~/x.py", "x.py"),
        ("../../x.py", "x.py"),
    ],
)
def test_a_path_is_cleaned(written, clean):
    assert clean_path(written) == clean


HOSTILE = [
    "a" * 1_000_000,
    "a/" * 500_000,
    ("a." * 500 + "\n") * 1_000,
    ("at " * 300 + "(\n") * 1_000,
    ("at f (" * 150 + ":1\n") * 1_000,
    ("#1 0x1 in " * 90 + "\n") * 1_000,
    ('File "' * 160 + "\n") * 1_000,
    (" in " * 200 + ".php:\n") * 1_000,
    ("@" * 900 + ":1\n") * 1_000,
    ("panicked at '" * 70 + ".rs:\n") * 1_000,
    ("x.py:1: in f\n") * 80_000,
    "\\" * 1_000_000,
    ("at a.b(" * 120 + ":line \n") * 1_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_megabyte_of_hostile_text_is_read_in_bounded_time(text):
    started = time.process_time()
    traces = find_traces(text)
    assert time.process_time() - started < 2.0
    assert sum(len(trace.frames) for trace in traces) <= MAX_FRAMES


PIECES = st.sampled_from(
    ["at ", "(", ")", ":", "1", "\n", "a.py", 'File "', '", line ', " in ", "#0 ", "/", "\\", "\t"]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=60).map("".join))
def test_any_text_gives_whole_frames_within_its_lines(text):
    lines = len(text.splitlines())
    for trace in find_traces(text):
        assert trace.frames
        assert 0 <= trace.first_line <= trace.last_line < lines
        for frame in trace.frames:
            assert frame.path == clean_path(frame.path)
            assert frame.line >= 0
