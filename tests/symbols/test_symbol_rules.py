"""The quirks each language needs right: names, kinds, scopes, visibility."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import pytest

from codequarry.assets.facts.extract import extract_facts
from codequarry.vocabulary import Kind, Symbol

CALLABLE = {Kind.FUNCTION, Kind.METHOD, Kind.CONSTRUCTOR}


def symbols(source: str, language: str) -> dict[str, Symbol]:
    return {s.qualified: s for s in extract_facts(source.encode(), language).symbols}


def kinds(source: str, language: str) -> dict[str, str]:
    return {name: symbol.kind for name, symbol in symbols(source, language).items()}


def test_python_module_values_type_aliases_and_lambdas() -> None:
    source = (
        "LIMIT: int = 3\nlimit = 4\nlimit = 5\ntype Pair = tuple[int, int]\nf = lambda x, y=1: x\n"
    )
    assert kinds(source, "python") == {
        "LIMIT": "const",
        "limit": "var",
        "Pair": "type",
        "f": "function",
    }


def test_python_locals_are_not_exported() -> None:
    found = symbols("def outer():\n    def inner(): pass\ndef _hidden(): pass\n", "python")
    assert {name for name, s in found.items() if s.exported} == {"outer"}


def test_javascript_commonjs_assignments() -> None:
    source = """
var proto = module.exports = function(options) {};
proto.use = function use(fn) {};
app.get = (path) => path;
exports.boot = async function () {};
module.exports.stop = () => {};
Thing.prototype.run = function () {};
Thing.create = function () {};
Thing.prototype = { walk() {}, sit: function () {} };
function Maker() { this.make = function () {}; }
"""
    found = symbols(source, "javascript")
    assert {
        "proto", "proto.use", "app.get", "boot", "stop", "Thing.run", "Thing.create",
        "Thing.walk", "Thing.sit", "Maker", "Maker.make",
    } == set(found)  # fmt: skip
    assert found["proto.use"].kind is Kind.METHOD
    assert found["Thing.create"].static
    assert not found["Thing.run"].static
    assert found["boot"].exported


def test_an_inner_function_name_is_no_second_symbol() -> None:
    found = extract_facts(
        b"exports.boot = function boot() {};\nconst a = class B {};\n", "javascript"
    )
    assert [s.name for s in found.symbols] == ["boot", "a"]


def test_required_modules_are_imports_not_definitions() -> None:
    source = 'const fs = require("fs");\nconst LIMIT = 3;\nlet state = {};\n'
    assert kinds(source, "javascript") == {"LIMIT": "const", "state": "var"}


def test_typescript_exports() -> None:
    source = """
export default class Main {}
export const load = async () => {};
export { late, other as default };
function late() {}
function other() {}
function hidden() {}
class Plain { run() {} }
export class Open { run() {} private shut() {} #own() {} }
"""
    found = symbols(source, "typescript")
    exported = {name for name, s in found.items() if s.exported}
    assert exported == {"Main", "load", "late", "other", "Open", "Open.run"}
    assert found["Main"].default_export


def test_typescript_kinds() -> None:
    source = """
declare module "x" { export function f(): void; }
namespace A.B { export enum E { One } }
abstract class C { abstract m(): void; handler = (e: Event) => {}; constructor() {} static s() {} }
interface I { m(a: number): void }
type T = string;
declare function g(a: string, b?: number, ...rest: string[]): void;
"""
    found = kinds(source, "typescript")
    assert found["A.B"] == "namespace"
    assert found["A.B.E"] == "enum"
    assert found["C.m"] == found["C.handler"] == found["I.m"] == "method"
    assert found["C.constructor"] == "constructor"
    assert found["T"] == "type"
    assert symbols(source, "typescript")["C.s"].static


def test_go_grouped_specs_give_every_name() -> None:
    source = """package p

const (
	A, B = 1, 2
	C    = 3
)

var x, y int

var (
	z = 1
)

type (
	// S holds.
	S struct{ a int }
	I interface{ M(a int) error }
	F func()
	G = S
)

func (S) V() {}
func (s *S) P() {}
func (l *List[T]) Q() {}
"""
    assert kinds(source, "go") == {
        "p.A": "const", "p.B": "const", "p.C": "const", "p.x": "var", "p.y": "var", "p.z": "var",
        "p.S": "struct", "p.I": "interface", "I.M": "method", "p.F": "type", "p.G": "type",
        "S.V": "method", "(*S).P": "method", "(*List).Q": "method",
    }  # fmt: skip
    assert symbols(source, "go")["p.S"].doc == "S holds."


def test_rust_impls_are_named_by_their_type() -> None:
    source = """
impl<T: Clone> fmt::Display for Wrapper<'_, T> { fn fmt(&self) {} }
impl Wrapper<u8> { pub const N: u8 = 1; pub fn make(a: u8) -> Self { } fn own(self) {} }
pub struct Wrapper<T>(T);
#[derive(Debug)]
/// An enum.
pub(crate) enum E { A }
union U { a: u8 }
macro_rules! m { () => {} }
mod inner { pub static S: u8 = 1; }
trait Tr { type Out; fn f(&self); fn g() {} }
"""
    found = symbols(source, "rust")
    assert found["Wrapper::fmt"].trait == "fmt::Display"
    assert found["Wrapper::make"].static
    assert not found["Wrapper::own"].static
    assert found["Wrapper::N"].kind is Kind.CONST
    assert found["E"].doc == "An enum."
    assert found["E"].start_line == 5
    assert found["m"].kind is Kind.MACRO
    assert found["inner::S"].kind is Kind.VAR
    assert found["Tr::g"].static
    assert "impl" not in {s.kind for s in found.values()}


def test_ruby_singletons_sections_and_compound_names() -> None:
    source = """
class Admin::Users < Base
  LIMIT = 3
  class << self
    def find; end
    private
    def hidden; end
  end
  def self.build; end
  def show; end
  private
  def secret; end
  public
  def open; end
  private def own; end
  Point = Struct.new(:x) do
    def norm; end
  end
end
"""
    found = symbols(source, "ruby")
    assert set(found) == {
        "Admin::Users", "Admin::Users::LIMIT", "Admin::Users.find", "Admin::Users.hidden",
        "Admin::Users.build", "Admin::Users#show", "Admin::Users#secret", "Admin::Users#open",
        "Admin::Users#own", "Admin::Users::Point", "Admin::Users::Point#norm",
    }  # fmt: skip
    assert found["Admin::Users"].name == "Users"
    assert found["Admin::Users.find"].static
    hidden = {name for name, symbol in found.items() if not symbol.exported}
    assert hidden == {"Admin::Users.hidden", "Admin::Users#secret", "Admin::Users#own"}


def test_php_namespaces_and_members() -> None:
    source = """<?php
namespace App\\Model;
#[Entity]
final class User { const LIMIT = 1; public static function make(int $a, ?string $b = null, ...$c) {}
  private function own() {} public function __construct() {} }
enum Suit: string { case A = "a"; public function label() {} }
$handler = function ($x) {};
"""
    found = symbols(source, "php")
    make = found["App\\Model\\User::make"]
    assert make.static
    assert (make.arity_min, make.arity_max) == (1, -1)
    assert not found["App\\Model\\User::own"].exported
    assert found["App\\Model\\User::__construct"].kind is Kind.CONSTRUCTOR
    assert found["App\\Model\\Suit::label"].kind is Kind.METHOD
    assert found["App\\Model\\handler"].kind is Kind.FUNCTION
    assert found["App\\Model\\User"].signature == "final class User"


def test_java_nested_types_and_annotations() -> None:
    source = """package a.b;
@Entity(name = "x")
public class Outer {
  /** Limit. */
  public static final int LIMIT = 3;
  private int field;
  record Pair(int a, int b) { Pair { } }
  @interface Mark { int value() default 1; }
  enum Level { LOW; int rank() { return 1; } }
  @Override public String toString() { return ""; }
}
"""
    found = symbols(source, "java")
    assert found["a.b.Outer.LIMIT"].doc == "Limit."
    assert "a.b.Outer.field" not in found
    assert found["a.b.Outer.Pair.Pair"].kind is Kind.CONSTRUCTOR
    assert found["a.b.Outer.Mark.value"].kind is Kind.METHOD
    assert found["a.b.Outer.Level.rank"].kind is Kind.METHOD
    assert found["a.b.Outer"].signature == "public class Outer"
    assert found["a.b.Outer.toString"].signature == "public String toString()"


def test_csharp_file_scoped_namespace_reaches_to_the_end() -> None:
    source = "namespace A.B;\npublic class C { public C() {} public int Run(int a) => a; }\n"
    found = symbols(source, "csharp")
    assert set(found) == {"A.B", "A.B.C", "A.B.C.C", "A.B.C.Run"}
    assert found["A.B"].end_line == 2
    assert found["A.B.C.C"].kind is Kind.CONSTRUCTOR


def test_cpp_members_inside_and_outside_their_class() -> None:
    source = """
namespace n {
template <typename T>
class A : public B {
 public:
  A(int x);
  virtual void draw() = 0;
  static int count() { return 1; }
};
int A::area(int w, int h) { return w * h; }
A::A(int x) {}
std::string& name(int a) { }
enum class E { X };
using Id = int;
}
"""
    found = symbols(source, "cpp")
    assert found["n::A"].kind is Kind.CLASS
    assert found["n::A"].signature.startswith("template <typename T> class A")
    assert found["n::A::draw"].kind is Kind.METHOD
    assert found["n::A::area"].scope == ("n", "A")
    assert found["n::A::count"].static
    assert found["n::A::A"].kind is Kind.CONSTRUCTOR
    assert found["n::name"].kind is Kind.FUNCTION
    assert {found["n::E"].kind, found["n::Id"].kind} == {Kind.ENUM, Kind.TYPE}


def test_kotlin_objects_extensions_and_aliases() -> None:
    source = """package a.b

enum class Level { LOW; fun rank() = 1 }
fun String.shout(times: Int = 1): String = this
typealias Id = Int
const val LIMIT = 3
object Registry { fun add() = 1 }
class Shop {
    companion object {
        fun open() = 1
    }
}
"""
    found = symbols(source, "kotlin")
    assert found["a.b.Level"].kind is Kind.ENUM
    assert found["a.b.shout"].receiver == "String"
    assert (found["a.b.shout"].arity_min, found["a.b.shout"].arity_max) == (0, 1)
    assert found["a.b.LIMIT"].kind is Kind.CONST
    assert {found["a.b.Registry"].kind, found["a.b.Shop.Companion"].kind} == {Kind.OBJECT}
    assert found["a.b.Registry.add"].kind is Kind.METHOD
    assert found["a.b.Shop.Companion.open"].static


def test_swift_extensions_and_protocols() -> None:
    source = """
public protocol Shape { func area(scale: Int) -> Int }
struct Box { init(a: Int) {} static func make(_ a: Int, b: Int = 1) -> Box { } }
extension Box: Shape { func area(scale: Int) -> Int { 1 } }
enum Suit { case a; func label() -> String { "" } }
"""
    found = symbols(source, "swift")
    assert found["Shape.area"].kind is Kind.METHOD
    assert found["Box.area"].scope == ("Box",)
    assert found["Box.init"].kind is Kind.CONSTRUCTOR
    assert found["Box.make"].static
    assert (found["Box.make"].arity_min, found["Box.make"].arity_max) == (1, 2)
    assert found["Suit"].kind is Kind.ENUM


def test_scala_objects_and_traits() -> None:
    source = """package a.b
trait T { def q: Int }
object O { def m(x: Int)(y: Int) = 1 }
case class C(x: Int)
"""
    found = symbols(source, "scala")
    assert found["a.b.T.q"].kind is Kind.METHOD
    assert found["a.b.O"].kind is Kind.OBJECT
    assert found["a.b.O.m"].static
    assert found["a.b.C"].kind is Kind.CLASS


@pytest.mark.parametrize(
    ("source", "language", "want"),
    [
        ("def f(self, a, b=1, *c, k, d=2, **kw): pass\n", "python", (3, -1)),
        ("class A:\n    def f(self, a, b=(1, 2)): pass\n", "python", (1, 2)),
        ("class A:\n    def f(cls, /, a, *, b): pass\n", "python", (2, 2)),
        ("function f(a, b = {x: 1, y: 2}, ...c) {}\n", "javascript", (1, -1)),
        ("function f(cb: (x: number, y: number) => void, b?: string) {}\n", "typescript", (1, 2)),
        ("package p\nfunc f(a, b int, c ...string) {}\n", "go", (2, -1)),
        ("fn f(a: Vec<(u8, u8)>, b: &mut u8) {}\n", "rust", (2, 2)),
        ("def f(a, b = [1, 2], *c, &blk); end\n", "ruby", (1, -1)),
        ("int f(void) { return 1; }\n", "c", (0, 0)),
    ],
)
def test_arity_is_read_off_the_parameter_list(
    source: str, language: str, want: tuple[int, int]
) -> None:
    found = [s for s in symbols(source, language).values() if s.kind in CALLABLE]
    assert [(s.arity_min, s.arity_max) for s in found] == [want]


def oracle(source: bytes) -> dict[tuple[tuple[str, ...], int], str]:
    """Definitions as Python's own parser sees them: scope path and line → docstring."""
    found: dict[tuple[tuple[str, ...], int], str] = {}
    stack: list[tuple[ast.AST, tuple[str, ...]]] = [(ast.parse(source), ())]
    while stack:
        node, scope = stack.pop()
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = (*scope, child.name)
                found[inner, child.lineno] = ast.get_docstring(child) or ""
            stack.append((child, inner))
    return found


def test_python_definitions_and_docstrings_agree_with_the_ast_of_the_standard_library() -> None:
    folder = Path(sysconfig.get_path("stdlib"))
    wanted = hits = docs = 0
    for path in sorted(folder.glob("*.py"))[:120]:
        data = path.read_bytes()
        want = oracle(data)
        got = {
            ((*s.scope, s.name), s.name_line): s.doc for s in extract_facts(data, "python").symbols
        }
        common = want.keys() & got.keys()
        wanted += len(want)
        hits += len(common)
        docs += sum(want[key].split()[:20] == got[key].split()[:20] for key in common)
    assert wanted > 3000
    assert hits / wanted >= 0.995
    assert docs / hits >= 0.995


def test_cpp_specialisations_are_named_by_their_template() -> None:
    source = "template <typename T>\nstruct Trait<T,\n             void_t<T>> : Base {};\n"
    assert set(symbols(source, "cpp")) == {"Trait"}


def test_a_computed_member_name_is_no_symbol_unless_it_is_one_word() -> None:
    source = "const o = { [Symbol.iterator]() {}, [a\n + b]() {}, 'quoted'() {} };\n"
    assert set(symbols(source, "javascript")) == {"o", "o.[Symbol.iterator]", "o.quoted"}
