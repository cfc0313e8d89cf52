import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from model_toys import write_tiny

from codequarry.models.static import DATA, StaticEmbedder
from codequarry.models.terms import term_hashes
from codequarry.models.weights import (
    CARD,
    WeightsError,
    open_weights,
    weights_sha256,
    write_weights,
)

SIZE_LIMIT = 16_000_000


def test_the_shipped_weights_are_small_and_whole() -> None:
    weights = open_weights(DATA)
    assert sum(path.stat().st_size for path in DATA.iterdir()) <= SIZE_LIMIT
    assert weights_sha256(DATA) == weights.card.weights_sha256
    assert (np.diff(weights.terms.astype(object)) > 0).all()
    assert np.isfinite(weights.scales).all()
    assert (weights.scales > 0).all()


def test_the_shipped_weights_were_trained_on_the_manifest_beside_them() -> None:
    manifest = DATA.parent / "training" / "manifest.tsv"
    card = open_weights(DATA).card
    assert card.manifest_sha256 == hashlib.sha256(manifest.read_bytes()).hexdigest()


def test_the_shipped_model_knows_what_belongs_together() -> None:
    model = StaticEmbedder.open()
    query = model.embed_query("remove a file from disk")
    near, far = model.embed_documents(
        ["def unlink(path): os.remove(path)", "def sine(angle): return math.sin(angle)"]
    )
    assert query @ near > query @ far + 0.1


def test_the_arrays_are_mapped_read_only(tiny_folder: Path) -> None:
    weights = open_weights(tiny_folder)
    for array in (weights.terms, weights.table, weights.scales):
        assert not array.flags.writeable
        assert not array.flags.owndata


def test_quantising_keeps_each_row_within_half_a_step(tmp_path: Path) -> None:
    vectors = np.random.default_rng(1).standard_normal((40, 16)).astype(np.float32)
    hashes = term_hashes([f"t{i}" for i in range(30)])
    write_weights(tmp_path, vectors, hashes, name="n", version="1")
    weights = open_weights(tmp_path)
    restored = weights.table * weights.scales[:, None]
    expected = np.concatenate([vectors[:30][np.argsort(hashes)], vectors[30:]])
    assert (np.abs(restored - expected) <= weights.scales[:, None] * 0.501).all()


def test_other_weights_have_another_identity(tmp_path: Path) -> None:
    keys = set()
    for seed in (1, 2):
        write_tiny(tmp_path / str(seed), seed)
        keys.add(StaticEmbedder.open(tmp_path / str(seed)).identity.key)
    assert len(keys) == 2


def test_the_identity_of_the_same_weights_stays(tiny_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny_folder, tmp_path / "copy")
    copy = StaticEmbedder.open(tmp_path / "copy")
    assert copy.identity == StaticEmbedder.open(tiny_folder).identity


@pytest.mark.parametrize("name", ["model.json", "terms.npy", "table.npy", "scales.npy"])
@pytest.mark.parametrize("harm", ["missing", "empty", "cut", "noise"])
def test_damaged_weights_are_one_clear_error(
    tiny_folder: Path, tmp_path: Path, name: str, harm: str
) -> None:
    folder = tmp_path / "weights"
    shutil.copytree(tiny_folder, folder)
    path = folder / name
    data = path.read_bytes()
    path.unlink()
    if harm != "missing":
        path.write_bytes(
            {"empty": b"", "cut": data[: len(data) // 2], "noise": b"\x80\x04N."}[harm]
        )
    with pytest.raises(WeightsError) as caught:
        open_weights(folder)
    assert caught.value.hint


def test_a_newer_format_is_refused(tiny_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    shutil.copytree(tiny_folder, folder)
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps(card | {"format": 2}))
    with pytest.raises(WeightsError, match="format 1"):
        open_weights(folder)


def test_files_of_two_models_do_not_open(tiny_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    shutil.copytree(tiny_folder, folder)
    np.save(folder / "scales.npy", np.ones(3, np.float32))
    with pytest.raises(WeightsError, match="shape"):
        open_weights(folder)


def test_training_is_not_imported_at_run_time() -> None:
    code = (
        "import sys; from codequarry.models.registry import open_embedder;"
        "open_embedder('static').embed_query('x');"
        "heavy = ('codequarry.models.training', 'torch', 'openai', 'onnxruntime');"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "[]\n"
