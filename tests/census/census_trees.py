"""Trees that do not survive in a checkout: links, modes, odd names, nested repositories."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from support import commit_all, git, write_tree

if TYPE_CHECKING:
    from pathlib import Path

C011_INSIDE = {
    "keep.log": "negated back in\n",
    "src/app.py": "plain\n",
    "lib/build/inner.py": "anchored rule is for the root only\n",
    "plugins/app/main.php": "negated directory\n",
    "docs/a/final.md": "kept\n",
    "#literal.txt": "kept name\n",
    "web/src/page.ts": "kept\n",
    "web/dist.ts": "a file named like a directory rule\n",
    "trailing .txt": "kept\n",
}
C011_OUTSIDE = dict.fromkeys(
    (
        "debug.log",
        "build/out.py",
        "plugins/other/x.php",
        "docs/a/b/draft-one.md",
        "web/.output/bundle.js",
        "web/node_modules/m/index.js",
        "scratch/note.md",
        "local_only.py",
    ),
    "x\n",
)
C011_RULES = {
    ".gitignore": "# comment\n*.log\n!keep.log\n/build/\nplugins/*\n!plugins/app/\n"
    "docs/**/draft-*.md\n\\#other.txt\nnode_modules/\nscratch\n",
    "web/.gitignore": ".output\ndist/\n",
    ".prettierignore": "*\n!src\n",  # another tool's: must have no effect
    ".dockerignore": "**\n",
}


def ignore_rules_tree(root: Path) -> Path:
    """C011, without a repository."""
    return write_tree(root, C011_INSIDE | C011_OUTSIDE | C011_RULES)


def nested_checkouts_tree(folder: Path) -> Path:
    """C013: a submodule, a linked worktree under an ignored folder, an ignored nested clone."""
    root = write_tree(
        folder / "repo",
        {
            "main.py": "def root_needle():\n    return 1\n",
            ".gitignore": "services/\n.claude/\n",
        },
    )
    commit_all(root)
    commit_all(
        write_tree(folder / "sub_origin", {"lib.py": "def submodule_needle():\n    return 1\n"})
    )
    git(root, "submodule", "add", "../sub_origin", "libs/sub")
    git(root, "commit", "-qm", "sub")
    git(root, "worktree", "add", "-q", ".claude/worktrees/feature-a")
    clone = root / "services/service-a"
    commit_all(write_tree(clone, {"svc.py": "def nested_clone_needle():\n    return 1\n"}))
    return root


def blocked_tree(root: Path) -> Path:
    """C016: a folder and a file without any right, and a named pipe."""
    write_tree(
        root,
        {
            "a/alpha.py": "def alpha_needle():\n    return 1\n",
            "locked/hidden.py": "x = 1\n",
            "b/locked_file.py": "y = 1\n",
            "z/omega.py": "def omega_needle():\n    return 1\n",
        },
    )
    os.mkfifo(root / "b/pipe.py")
    (root / "b/locked_file.py").chmod(0)
    (root / "locked").chmod(0)
    return root


def unblock(root: Path) -> None:
    """Give the rights back, so that the tree can be deleted."""
    (root / "locked").chmod(0o755)
    (root / "b/locked_file.py").chmod(0o644)


def secrets_tree(root: Path) -> Path:
    """C017: key and credential files beside one key-shaped literal; none is a real key."""
    token = "sk" + "-" + "proj" + "-" + "Zz9" * 12
    cloud = "AK" + "IA" + "QQQQWWWWEEEERRRR"
    pem = "-----BEGIN " + "PRIVATE KEY-----\n" + "TUFSS1BFTQ==\n" * 4
    return write_tree(
        root,
        {
            ".env": f"PAY_TOKEN={token}\nMARK_ENV=1\n",
            "deploy/.env.production": "MARK_ENV_PROD=1\n",
            "config/credentials.json": json.dumps({"key": cloud, "note": "MARK_CRED"}) + "\n",
            "certs/server.pem": pem,
            ".ssh/id_ed25519": pem,
            ".npmrc": "//packages.invalid/:_authToken=MARK_NPMRC\n",
            ".env.example": "PAY_TOKEN=put-your-own-here  # MARK_EXAMPLE\n",
            "pay.py": f'API_KEY = "{token}"\n\n\ndef pay_needle():\n    return API_KEY\n',
        },
    )
