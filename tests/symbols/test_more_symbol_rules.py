"""More quirks of names and scopes: C++ declarations, components, operators, indented blocks."""

from __future__ import annotations

from codequarry.assets.facts.extract import extract_facts
from codequarry.vocabulary import Kind, Symbol


def symbols(source: str, language: str) -> dict[str, Symbol]:
    return {s.qualified: s for s in extract_facts(source.encode(), language).symbols}


def test_a_cpp_member_is_one_symbol_where_it_is_defined() -> None:
    source = """
class Shape {
 public:
  Shape(int a);
  static int count();
  virtual double area() const = 0;
  int* data();
 private:
  void hide();
};
int Shape::count() { return 1; }
void Shape::hide() {}
"""
    found = [(s.qualified, s.name_line) for s in extract_facts(source.encode(), "cpp").symbols]
    assert found == [
        ("Shape", 2),
        ("Shape::area", 6),
        ("Shape::count", 11),
        ("Shape::hide", 12),
    ]
    assert symbols(source, "cpp")["Shape::count"].static
    assert not symbols(source, "cpp")["Shape::hide"].exported


def test_cpp_declarations_still_name_their_chunk() -> None:
    found = extract_facts(b"class A {\n  void run();\n  int f() { return 1; }\n};\n", "cpp")
    assert found.chunks[0].names == ("A", "run", "f")


def test_cpp_members_are_private_until_a_word_says_otherwise() -> None:
    source = (
        "class A { int a() {} public: int b() {} };\nstruct B { int c() {} private: int d() {} };\n"
    )
    assert {n for n, s in symbols(source, "cpp").items() if s.exported} == {
        "A",
        "A::b",
        "B",
        "B::c",
    }


def test_cpp_friends_casts_and_namespace_owners() -> None:
    source = """
namespace n {
class A {
  friend bool operator<(const A& a, const A& b) { return true; }
  explicit operator bool() const { return true; }
};
}
A::B::operator const char*() const { return 0; }
void n::run() {}
"""
    found = symbols(source, "cpp")
    assert found["n::operator<"].kind is Kind.FUNCTION
    assert found["n::A::operator bool"].kind is Kind.METHOD
    assert "A::B::operator const char*" in found or "A::B::operator char" in found
    assert found["n::run"].kind is Kind.FUNCTION


def test_a_component_in_a_wrapper_goes_by_its_binding() -> None:
    source = """
export const A = memo(function A() { return <a />; });
export const B = React.forwardRef((props, ref) => <a />);
export const C = memo(forwardRef(function Inner(props, ref) { return <a />; }));
const D = debounce(function D() {});
const E = debounce(() => {});
"""
    found = symbols(source, "tsx")
    kinds = {name: symbol.kind for name, symbol in found.items()}
    assert kinds == {
        "A": Kind.FUNCTION,
        "B": Kind.FUNCTION,
        "C": Kind.FUNCTION,
        "D": Kind.FUNCTION,
        "E": Kind.CONST,
    }


def test_an_anonymous_default_export_is_named_default() -> None:
    for source in ("export default () => {};\n", "export default function () {}\n"):
        (symbol,) = extract_facts(source.encode(), "typescript").symbols
        assert (symbol.name, symbol.kind, symbol.default_export) == ("default", "function", True)
    found = symbols("export default class { run() {} }\n", "javascript")
    assert set(found) == {"default", "default.run"}


def test_javascript_values_are_const_or_var_as_written() -> None:
    found = symbols("const a = 1;\nlet b = 1;\nvar c = 1;\nexport const d = 2;\n", "javascript")
    assert {n: str(s.kind) for n, s in found.items()} == {
        "a": "const",
        "b": "var",
        "c": "var",
        "d": "const",
    }


def test_csharp_operators_destructors_and_record_structs() -> None:
    source = """
record struct P(int A);
class A {
    ~A() { }
    public static A operator +(A a, A b) => a;
    public static implicit operator int(A a) => 1;
    public int Size { get; set; }
    public int this[int i] { get { return 1; } }
}
"""
    found = symbols(source, "csharp")
    assert set(found) == {"P", "A", "A.~A", "A.operator +", "A.operator int"}
    assert found["P"].kind is Kind.STRUCT


def test_swift_operators_initialisers_and_dotted_extensions() -> None:
    source = """
protocol P { init(a: Int); static func + (a: Self, b: Self) -> Self }
class C {
  deinit { }
  subscript(i: Int) -> Int { return 1 }
  static func == (a: C, b: C) -> Bool { true }
}
extension C.Inner { func run() {} }
let a = 1
var b = 2
"""
    found = symbols(source, "swift")
    assert set(found) == {
        "P", "P.init", "P.+", "C", "C.deinit", "C.subscript", "C.==", "C.Inner.run", "a", "b",
    }  # fmt: skip
    assert found["C.Inner.run"].scope == ("C", "Inner")
    assert found["a"].kind is Kind.CONST


def test_scala_blocks_by_indentation_end_at_their_last_line() -> None:
    source = """class A:
  def f(a: Int): Int =
    a + 1

  /** Doc. */
  def g = 1

given Ordering[A] with
  def compare(a: A, b: A): Int = 0

/** Doc. */
def h = 2
"""
    found = symbols(source, "scala")
    ends = {name: symbol.end_line for name, symbol in found.items()}
    assert ends == {"A": 6, "A.f": 3, "A.g": 6, "Ordering.compare": 9, "h": 12}
    assert found["A.g"].doc == found["h"].doc == "Doc."


def test_types_in_a_scala_object_are_not_static() -> None:
    found = symbols("object O {\n  class C\n  type T = Int\n  def m = 1\n}\n", "scala")
    assert {name for name, symbol in found.items() if symbol.static} == {"O.m"}


def test_a_blank_name_is_no_symbol() -> None:
    assert symbols("package p\n\nvar _ I = (*T)(nil)\n\nfunc _() {}\n", "go") == {}
