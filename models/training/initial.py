"""Step 4 (optional): the initial table from a teacher: each vocabulary word through MiniLM.

``python -m codequarry.models.training.initial WORK MODEL.onnx TOKENIZER.json`` embeds every
vocabulary term alone, reduces to the table's width by SVD, weighs rarer terms more (Zipf), and
gives each gram bucket the mean of the terms that hold its grams. Needs ``onnxruntime`` and
``tokenizers``. Without this step training begins from a random table.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

from codequarry.models.terms import gram_buckets
from codequarry.models.training.vocabulary import BUCKETS

DIMENSION = 256
_BATCH = 256
_BUCKET_SCALE = 0.5


def main() -> None:
    """Write ``WORK/initial.npy``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("tokenizer", type=Path)
    arguments = parser.parse_args()
    work: Path = arguments.work
    terms = (work / "vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1]
    vectors = reduce(teacher_vectors(terms, arguments.model, arguments.tokenizer), DIMENSION)
    vectors *= zipf_weights(len(terms))[:, None]
    table = np.concatenate([vectors, bucket_vectors(terms, vectors)])
    np.save(work / "initial.npy", table.astype(np.float32))


def teacher_vectors(terms: list[str], model: Path, tokenizer_file: Path) -> npt.NDArray[np.float32]:
    """Embed each term alone with the teacher, mean-pooled: (V, 384)."""
    import onnxruntime  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from tokenizers import Tokenizer  # type: ignore[import-not-found, unused-ignore]

    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.enable_padding()
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    wanted = {one.name for one in session.get_inputs()}
    pieces = []
    for start in range(0, len(terms), _BATCH):
        encoded = tokenizer.encode_batch(terms[start : start + _BATCH])
        mask = np.array([one.attention_mask for one in encoded], np.int64)
        feed = {
            "input_ids": np.array([one.ids for one in encoded], np.int64),
            "attention_mask": mask,
        }
        if "token_type_ids" in wanted:
            feed["token_type_ids"] = np.zeros_like(mask)
        hidden = np.asarray(session.run(None, feed)[0])
        if hidden.ndim == 3:
            hidden = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        pieces.append(hidden.astype(np.float32))
    return np.concatenate(pieces)


def reduce(vectors: npt.NDArray[np.float32], dimension: int) -> npt.NDArray[np.float32]:
    """Centre ``vectors`` (V, D) and keep the first principal components: (V, d), mean length 1."""
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centred.T @ centred)
    kept = centred @ axes[:dimension].T
    scaled: npt.NDArray[np.float32] = (kept / np.linalg.norm(kept, axis=1).mean()).astype(
        np.float32
    )
    return scaled


def zipf_weights(count: int) -> npt.NDArray[np.float32]:
    """The weight of the term of each frequency rank: log(1 + rank), scaled to a mean of 1."""
    weights = np.log(2.0 + np.arange(count))
    scaled: npt.NDArray[np.float32] = (weights / weights.mean()).astype(np.float32)
    return scaled


def bucket_vectors(terms: list[str], vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Each bucket's mean over the terms with a gram in it, shortened: (B, d)."""
    sums = np.zeros((BUCKETS, vectors.shape[1]), np.float64)
    counts = np.zeros(BUCKETS)
    for i, term in enumerate(terms):
        for bucket in set(gram_buckets(term, BUCKETS)):
            sums[bucket] += vectors[i]
            counts[bucket] += 1
    means = sums / np.maximum(counts, 1)[:, None]
    return (_BUCKET_SCALE * means).astype(np.float32)


if __name__ == "__main__":
    main()
