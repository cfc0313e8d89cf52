"""The semantic lane by blocks is the lane that all cosines at once give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from codequarry.assets.graph import likeness as module
from codequarry.assets.graph.likeness import NEIGHBOURS, likeness


def unit(vectors):
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)


def naive(vectors, floor):
    """Every pair of which one is among the three nearest of the other, all cosines at once."""
    whole = np.rint(vectors.astype(np.float64) * 4000)
    norms = np.linalg.norm(whole, axis=1)
    pairs = {}
    for i in range(len(vectors)):
        others = [
            (
                -np.float32(
                    np.float32(np.float32(whole[i] @ whole[j]) / np.float32(norms[i]))
                    / np.float32(norms[j])
                ),
                j,
            )
            for j in range(len(vectors))
            if j != i and norms[i] and norms[j]
        ]
        for minus, j in sorted(others)[:NEIGHBOURS]:
            if -minus >= np.float32(floor):
                pairs[min(i, j), max(i, j)] = min(-minus, np.float32(1))
    return pairs


small = arrays(
    np.float32, st.tuples(st.integers(0, 12), st.just(4)), elements=st.integers(-2, 2)
).map(lambda a: unit(a.astype(np.float32)))


@given(vectors=small, block=st.sampled_from([1, 7, 30, 1 << 20]))
def test_blocks_give_what_all_pairs_give(vectors, block):
    patch = pytest.MonkeyPatch()
    patch.setattr(module, "_BLOCK", block)
    found = likeness(vectors)
    patch.undo()
    pairs = dict(
        zip(
            zip(found.first.tolist(), found.second.tolist(), strict=True),
            found.cosine.tolist(),
            strict=True,
        )
    )
    expected = naive(vectors, found.floors.edge)
    assert pairs.keys() == expected.keys()
    assert pairs == pytest.approx(expected, abs=1e-6)
    assert all(a < b for a, b in pairs)


def test_floors_come_from_the_repository_and_never_fall_to_noise():
    generator = np.random.default_rng(0)
    noise = unit(generator.normal(size=(300, 64)).astype(np.float32))
    assert likeness(noise).floors == module.Floors(module.LEAST_EDGE, module.LEAST_SURPRISE)
    middle = unit(generator.normal(size=(1, 64)).astype(np.float32))
    near = unit(middle + 0.05 * generator.normal(size=(300, 64)).astype(np.float32))
    assert likeness(near).floors.edge > 0.8


def test_copies_do_not_move_the_floors():
    generator = np.random.default_rng(1)
    vectors = unit(generator.normal(size=(60, 16)).astype(np.float32))
    copies = np.concatenate([vectors, np.tile(vectors[:1], (400, 1))])
    assert likeness(copies).floors == likeness(vectors).floors
