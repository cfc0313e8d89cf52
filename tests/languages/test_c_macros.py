"""C and C++ as they are written: macros and conditionals hide no definition."""

from __future__ import annotations

import pytest

from codequarry.assets.facts.extract import extract_facts
from codequarry.assets.languages.blanking import blanked
from codequarry.assets.languages.registry import SPECS
from codequarry.vocabulary import ParseState


@pytest.mark.parametrize(
    ("source", "want"),
    [
        ("API_EXTERN int f(int a) { return a; }\nint g(void) { return 1; }\n", {"f", "g"}),
        ('LIB_DEPRECATED("why") static int f(void) { return 1; }\n', {"f"}),
        ("struct request {\n  REQ_FIELDS\n  int a;\n  MORE_FIELDS\n};\nint g;\n", {"request"}),
        ("LIB_BEGIN_DECLS\nint f(void) { return 1; }\nLIB_END_DECLS\n", {"f"}),
        ("LIB_SUPPRESS(4514)\nint f(void) { return 1; }\n", {"f"}),
        (
            "typedef enum {\n#define XX(a, _) E_ ## a = a,\n MAP_OF(XX)\n#undef XX\n A\n} e_t;\n",
            {"e_t"},
        ),
        ("#define INIT(n) { /* n. */ \\\n {0}, /* m. */ \\\n}\nint f(void) { return 1; }\n", {"f"}),
        ("TEST_IMPL(timer_init) {\n  return 0;\n}\n", {"timer_init"}),
        ("typedef BOOL (WINAPI *open_fn)(HANDLE file);\n", {"open_fn"}),
        ("HANDLE f(int a) { return a; }\nFILE *g(void) { return 0; }\n", {"f", "g"}),
    ],
)  # fmt: skip
def test_macros_of_c_hide_no_definition(source: str, want: set[str]) -> None:
    found = extract_facts(source.encode(), "c")
    assert want <= {symbol.name for symbol in found.symbols}
    assert found.state is ParseState.OK


@pytest.mark.parametrize(
    ("source", "want"),
    [
        ("class API_EXPORT Shape : public Base {\n void run() {}\n};\n", {"Shape", "run"}),
        ("struct Node {\n  LIB_CONSTEXPR Node(int a) : a_(a) {}\n  int a_;\n};\n", {"Node"}),
        ("LIB_EXPORT template <typename T> class Box {\n};\n", {"Box"}),
        ("class A {\n PRIVATE_UNLESS_TESTED:\n  void run() {}\n};\n", {"A", "run"}),
        ("void run() LOCKS_EXCLUDED_(mutex) {\n}\n", {"run"}),
        ("TEST(Suite, does_it) {\n}\nTEST_F(Fixture, Works) {\n}\n", {"does_it", "Works"}),
        (
            "class A {\n  /// Doc.\n  LIB_WARN_UNUSED\n  static A make(int a) { return a; }\n};\n",
            {"A", "make"},
        ),
    ],
)
def test_macros_of_cpp_hide_no_definition(source: str, want: set[str]) -> None:
    found = extract_facts(source.encode(), "cpp")
    assert want <= {symbol.name for symbol in found.symbols}
    assert found.state is ParseState.OK


CUT_IN_TWO = """int f(int a) {
#ifdef WIN
  if (a) {
#else
  if (!a) {
#endif
    return 1;
  }
  return 0;
}
int g(void) { return 1; }
"""
GUARD = """#ifndef A_H
#define A_H
#ifdef WIN
int f(void) { return 1; }
#else
int f(void) { return 2; }
#endif
#endif
"""


@pytest.mark.parametrize("language", ["c", "cpp", "csharp"])
def test_a_conditional_that_cuts_a_block_in_two_is_read_as_its_first_branch(language: str) -> None:
    read = blanked(CUT_IN_TWO.encode(), SPECS[language]).decode()
    assert "if (a) {" in read
    assert "if (!a)" not in read
    assert read.count("\n") == CUT_IN_TWO.count("\n")
    assert len(read) == len(CUT_IN_TWO)


def test_what_follows_such_a_conditional_is_found() -> None:
    found = extract_facts(CUT_IN_TWO.encode(), "c")
    assert [symbol.name for symbol in found.symbols] == ["f", "g"]
    assert found.state is ParseState.OK


def test_a_function_headed_by_a_macro_after_a_condition_is_found() -> None:
    source = "#if !defined(A)\n\nTEST_IMPL(one) {\n}\n\n#else\n\nTEST_IMPL(two) {\n}\n#endif\n"
    found = extract_facts(source.encode(), "c")
    assert [symbol.name for symbol in found.symbols] == ["one", "two"]


def test_whole_conditionals_are_left_alone() -> None:
    assert blanked(GUARD.encode(), SPECS["c"]) == GUARD.encode()
    assert [s.name for s in extract_facts(GUARD.encode(), "c").symbols] == ["f", "f"]


def test_an_unclosed_conditional_is_left_alone() -> None:
    source = b"#endif\n#ifdef A\nint f(void) { return 1; }\n"
    assert blanked(source, SPECS["c"]) == source
