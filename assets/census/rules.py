"""Built-in rules on names: secrets, vendored and generated files, and a file's role.

Rules look at the path alone, so the same path gets the same verdict on every machine, and each
verdict names its rule. `Skip` values are the reason codes users see.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from codequarry.vocabulary import Role


class Skip(StrEnum):
    """Why a file is not indexed."""

    SECRET = "secret"  # noqa: S105 - the name of a reason
    VENDORED = "vendored"
    LOCK_FILE = "lock_file"
    MINIFIED = "minified"
    GENERATED = "generated"
    QUARRYIGNORE = "quarryignore"
    EXCLUDED = "excluded_by_settings"
    BINARY = "binary"
    TOO_LARGE = "too_large"
    EMPTY = "empty"
    SYMLINK = "symlink"
    SPECIAL = "special_file"
    UNREADABLE = "unreadable"
    MISSING = "missing"
    NESTED_CLONE = "nested_clone"
    LINKED_WORKTREE = "linked_worktree"
    CHANGED = "changed_while_indexing"
    NO_FACTS = "not_parsed"


# Skips that settings or a `!` line of .quarryignore bring back. Secrets never come back.
REVERSIBLE = {Skip.VENDORED, Skip.LOCK_FILE, Skip.MINIFIED, Skip.GENERATED, Skip.TOO_LARGE}
# Skips that mean something went wrong: the run is "partial".
TROUBLE = {Skip.UNREADABLE, Skip.SPECIAL, Skip.CHANGED, Skip.NO_FACTS}

_SECRET = re.compile(
    r"""(?x)^(
      \.env(\..+)? | .+\.env | \.envrc
    | .+\.(pem|p12|pfx|jks|keystore|kdbx|ppk|key|asc|gpg)
    | id_(rsa|dsa|ecdsa|ed25519)(_.+|\..+)?
    | credentials(\.(json|ya?ml|toml|ini|xml|properties|csv))? | \.credentials(\..+)?
    | client_secrets?(_.+)?\.json | service[-_]account.*\.json
    | \.npmrc | \.pypirc | \.netrc | _netrc | \.pgpass | \.htpasswd | \.git-credentials
    | \.dockercfg | \.docker/config\.json | \.my\.cnf | \.s3cfg | \.boto | \.vault-token
    | secrets?\.(json|ya?ml|toml|ini|env|properties)
    )$"""
)
_SECRET_TEMPLATE = re.compile(r"\.(example|sample|template|dist|tmpl|defaults?)$|[-_.]example\.")

VENDORED_DIRS = frozenset(
    (
        ".git .hg .svn .bzr .jj node_modules bower_components jspm_packages vendor vendors "
        "third_party third-party thirdparty site-packages .venv venv virtualenv __pycache__ "
        ".tox .nox .mypy_cache .ruff_cache .pytest_cache .hypothesis .eggs .gradle .terraform "
        ".next .nuxt .svelte-kit .yarn .pnpm-store .cache .quarry Pods Carthage"
    ).split()
)
_LOCK_FILES = frozenset(
    (
        "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb "
        "deno.lock poetry.lock pdm.lock uv.lock pipfile.lock cargo.lock gemfile.lock "
        "composer.lock go.sum go.work.sum mix.lock flake.lock pubspec.lock podfile.lock "
        "package.resolved packages.lock.json gradle.lockfile conan.lock cartfile.resolved "
        "module.bazel.lock"
    ).split()
)
_MINIFIED = re.compile(r"[.-]min\.(js|mjs|cjs|css|html|json)$|\.(js|css|mjs|ts)\.map$", re.I)
_GENERATED_NAME = re.compile(
    r"(?i)(_pb2(_grpc)?\.pyi?|\.pb\.(go|cc|h|validate\.go|gw\.go)|\.g\.(dart|cs)|\.freezed\.dart"
    r"|\.designer\.(cs|vb)|_generated\.(go|rs|ts|py|h)|zz_generated\..*\.go|\.generated\.\w+)$"
)
_BINARY_EXTENSIONS = frozenset(
    (
        "png jpg jpeg gif bmp ico icns webp avif tif tiff psd ai eps heic xcf "
        "mp3 mp4 m4a m4v mov avi mkv webm wav flac ogg opus "
        "zip gz tgz bz2 xz zst lz4 7z rar tar jar war ear whl egg deb rpm dmg iso cab msi "
        "exe dll so dylib a lib o obj pdb class pyc pyo pyd wasm node beam elc "
        "pdf doc docx xls xlsx ppt pptx odt ods odp "
        "woff woff2 ttf otf eot mo gmo qm sqlite sqlite3 db mdb parquet arrow feather npy npz pkl "
        "pickle h5 hdf5 onnx pt pth safetensors bin dat swf nib xcuserstate"
    ).split()
)
_DATA_EXTENSIONS = frozenset(
    "csv tsv json jsonl ndjson geojson svg xml po pot xlf xliff plist ics vcf gml kml log snap "
    "ipynb_checkpoints txt.gz pem srt vtt har sql.dump lock".split()
)
_CONFIG_EXTENSIONS = frozenset(
    "toml yaml yml ini cfg conf properties editorconfig env cmake gradle nix tf hcl mk bazel bzl "
    "gitignore gitattributes dockerignore json5 jsonc".split()
)
_CONFIG_NAMES = re.compile(
    r"(?i)^(dockerfile.*|makefile.*|gnumakefile|cmakelists\.txt|\..+rc|package\.json|tsconfig.*\.json"
    r"|composer\.json|setup\.cfg|manifest\.in|requirements.*\.txt|gemfile|rakefile|pipfile|procfile"
    r"|go\.mod|build|workspace|justfile|vagrantfile|jenkinsfile|codeowners|\.[a-z]+ignore)$"
)
_DOCS_EXTENSIONS = frozenset("md mdx markdown rst adoc asciidoc txt org textile rdoc pod".split())
_TEST_DIRS = frozenset("test tests spec specs __tests__ testing".split())
_TEST_STEM = re.compile(r"(?:^|[._-])(?:tests?|specs?)(?:$|[._-])", re.I)


def secret(name: str) -> bool:
    """Tell whether a base name is that of a key or credential file."""
    lower = name.lower()
    return bool(_SECRET.match(lower)) and not _SECRET_TEMPLATE.search(lower)


def skip_by_path(path: str) -> tuple[Skip, str] | None:
    """The built-in skip of a path (POSIX, relative to the root) and its rule, secrets first."""
    *folders, name = path.split("/")
    if secret(name):
        return Skip.SECRET, "name of a key or credential file"
    vendored = next((folder for folder in folders if folder in VENDORED_DIRS), None)
    if vendored is not None:
        return Skip.VENDORED, f"folder {vendored}"
    if name.lower() in _LOCK_FILES:
        return Skip.LOCK_FILE, f"name {name}"
    minified = _MINIFIED.search(name)
    if minified:
        return Skip.MINIFIED, f"name ends in {minified[0]}"
    generated = _GENERATED_NAME.search(name)
    if generated:
        return Skip.GENERATED, f"name ends in {generated[0]}"
    return None


def binary_by_name(path: str) -> bool:
    """Tell whether the extension alone says that the file holds no text."""
    stem, dot, extension = path.rpartition("/")[2].rpartition(".")
    return bool(dot and stem) and extension.lower() in _BINARY_EXTENSIONS


@lru_cache(maxsize=1 << 16)
def role_of(path: str) -> tuple[Role, str]:
    """The role of a file by its path and the rule that gave it.

    Test first, then docs, config, generated, data, else code. Test: a folder in {test, tests,
    spec, specs, __tests__, testing}, or a stem in which test/tests/spec/specs stands between
    its ends or ``. _ -``.
    """
    *folders, name = path.split("/")
    stem, _, extension = name.rpartition(".")
    extension = extension.lower()
    folder = next((folder for folder in folders if folder.lower() in _TEST_DIRS), None)
    if folder is not None:
        return Role.TEST, f"folder {folder}"
    if extension in _DOCS_EXTENSIONS and not _CONFIG_NAMES.match(name):
        return Role.DOCS, f"extension .{extension}"
    word = _TEST_STEM.search(stem or name) or re.search(r"[a-z0-9](Tests?)$", stem)
    if word:
        return Role.TEST, f"{word[0].strip('._-')} in its name"
    if _CONFIG_NAMES.match(name):
        return Role.CONFIG, f"name {name}"
    if extension in _CONFIG_EXTENSIONS:
        return Role.CONFIG, f"extension .{extension}"
    generated = _GENERATED_NAME.search(name)
    if generated:
        return Role.GENERATED, f"name ends in {generated[0]}"
    if extension in _DATA_EXTENSIONS:
        return Role.DATA, f"extension .{extension}"
    return Role.CODE, "no other rule"
