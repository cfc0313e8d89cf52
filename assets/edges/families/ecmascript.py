"""Linking of JavaScript and TypeScript: modules by path, path maps, workspaces, CommonJS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.families.places import joined
from codequarry.assets.edges.families.tsconfig import PathMaps
from codequarry.assets.edges.families.workspaces import Workspaces
from codequarry.assets.edges.program import Bound
from codequarry.assets.edges.values import Def, External, Found, Module, Value
from codequarry.vocabulary import BindingKind

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker

_ENDINGS = (
    ".ts",
    ".tsx",
    ".d.ts",
    ".mts",
    ".cts",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    ".vue",
    ".svelte",
)
_WRITTEN_AS = {  # an import names the compiled file, the tree holds its source
    ".js": (".ts", ".tsx", ".d.ts"),
    ".jsx": (".tsx",),
    ".mjs": (".mts",),
    ".cjs": (".cts",),
}
WHOLE = "="  # the member of an import that takes the whole of what `module.exports` is


class EcmaScript(Family):
    """JavaScript, TypeScript, TSX."""

    name: ClassVar[str] = "ecmascript"
    languages: ClassVar[tuple[str, ...]] = ("javascript", "typescript", "tsx", "vue", "svelte")
    static_strict: ClassVar[bool] = True
    class_level_self: ClassVar[bool] = False

    def prepare(self, linker: Linker) -> None:
        """Read path maps and workspaces; exports without a source are no local names."""
        program = linker.program
        self._paths = program.paths
        self._maps = PathMaps(program.texts)
        self._workspaces = Workspaces(program.texts, program.folders)
        self._exports: dict[int, dict[str, list[Bound]]] = {}
        for language in self.languages:
            for number in program.by_language.get(language, ()):
                names = program.files[number].names.get(-1, {})
                exports: dict[str, list[Bound]] = {}
                for name in list(names):
                    own = [b for b in names[name] if b.kind == BindingKind.EXPORT]
                    if own:
                        exports[name] = own
                        rest = [b for b in names[name] if b.kind != BindingKind.EXPORT]
                        if rest:
                            names[name] = rest
                        else:
                            del names[name]
                self._exports[number] = exports

    def module(self, linker: Linker, file: int, specifier: str) -> Value | None:
        """The file a specifier resolves to, as Node and the TypeScript compiler do it."""
        path = linker.files[file].path
        folder = path.rpartition("/")[0]
        if specifier.startswith("."):
            found = self._file(joined(folder, specifier))
            return Module(found) if found is not None else None
        if specifier.startswith("#"):
            candidates = self._workspaces.internal(folder, specifier)
        else:
            candidates = [*self._maps.candidates(path, specifier)]
            candidates += self._workspaces.candidates(specifier)
        for candidate in candidates:
            found = self._file(candidate)
            if found is not None:
                return Module(found)
        return External(specifier)

    def _file(self, place: str) -> int | None:
        """A path as written, with an ending added or replaced, or as a folder with an index."""
        if place in self._paths:
            return self._paths[place]
        stem, dot, ending = place.rpartition(".")
        for source in _WRITTEN_AS.get(dot + ending, ()):
            if stem + source in self._paths:
                return self._paths[stem + source]
        for added in _ENDINGS:
            if place + added in self._paths:
                return self._paths[place + added]
        main = self._workspaces.main(place)
        if main is not None and main != place:
            found = self._file(main)
            if found is not None:
                return found
        for added in _ENDINGS:
            index = f"{place}/index{added}" if place else f"index{added}"
            if index in self._paths:
                return self._paths[index]
        return None

    def imported(self, linker: Linker, file: int, scope: int, bound: Bound) -> Value | None:
        """A name of a module; ``default`` and the whole of a CommonJS module are one thing."""
        module = self.module(linker, file, bound.target)
        if not isinstance(module, Module):
            if isinstance(module, External) and bound.member not in ("", WHOLE, "default"):
                return External(f"{module.name}.{bound.member}")
            return module
        if bound.member == WHOLE or (bound.member == "default"):
            found = linker.exported(module, bound.member)
            if found is None and bound.member == "default":
                found = linker.exported(module, WHOLE)
            if found is not None:
                return found.value
            return module if bound.member == WHOLE else None
        if not bound.member:
            return module
        found = linker.exported(module, bound.member)
        return found.value if found is not None else None

    def exported(self, linker: Linker, file: int, name: str) -> Found | None:
        """A file's exports: named, default, CommonJS, then those of ``export *``."""
        here = linker.files[file]
        bounds = self._exports.get(file, {}).get(name)
        if bounds:
            return linker.bound(file, -1, bounds)
        if name == "default":
            for number, symbol in enumerate(here.symbols):
                if symbol.default and symbol.parent < 0:
                    return Found(Def(file, number), "import")
        elif name != WHOLE:
            top = [n for n in here.top.get(name, ()) if here.symbols[n].exported]
            if top:
                return Found(linker.canonical(Def(file, top[0])), "import", len(top))
            for number, symbol in enumerate(here.symbols):
                if symbol.name == name and symbol.exported and symbol.parent < 0:
                    return Found(Def(file, number), "import")
            whole = self._exports.get(file, {}).get(WHOLE)
            if whole:  # module.exports = Emitter: its static members are exports
                found = linker.bound(file, -1, whole)
                if found is not None:
                    return linker.member(found.value, name)
        if name in (WHOLE, "default"):
            return None
        return self._starred(linker, file, name)

    def _starred(self, linker: Linker, file: int, name: str) -> Found | None:
        found: list[Found] = []
        for star in linker.files[file].stars.get(-1, ()):
            if star.kind != BindingKind.EXPORT:
                continue
            if len(star.member) > 1:  # module.exports = {...api}
                answer = linker.name(file, -1, star.member[1:])
                inner = answer.value if answer is not None else None
            else:
                inner = self.module(linker, file, star.target)
            if inner is None or isinstance(inner, External):
                continue
            again = linker.member(inner, name)
            if again is not None:
                found.append(again)
        values = {(type(f.value), f.value) for f in found}
        return Found(found[0].value, "import", found[0].candidates) if len(values) == 1 else None

    def import_targets(
        self, linker: Linker, file: int, specifier: str, member: str
    ) -> Sequence[int]:
        """The module file."""
        module = self.module(linker, file, specifier)
        return [module.file] if isinstance(module, Module) else []
