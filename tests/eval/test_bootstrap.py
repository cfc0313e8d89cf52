from __future__ import annotations

import numpy as np
import pytest

from codequarry.eval import bootstrap
from codequarry.eval.bootstrap import mean_interval, mean_intervals, paired_interval


def test_interval_is_near_the_normal_one_for_many_values():
    values = np.random.default_rng(1).normal(0.5, 0.2, 1500).tolist()
    interval = mean_interval(values)
    half = 1.96 * np.std(values) / np.sqrt(len(values))
    assert interval.mean == pytest.approx(np.mean(values))
    assert interval.low == pytest.approx(interval.mean - half, abs=0.1 * half)
    assert interval.high == pytest.approx(interval.mean + half, abs=0.1 * half)


def test_same_seed_same_interval_and_another_seed_another():
    values = [0.0, 1.0, 0.5, 0.25] * 20
    assert mean_interval(values) == mean_interval(values)
    assert mean_interval(values) != mean_interval(values, seed=1)


def test_blocks_of_resamplings_give_as_many_as_one(monkeypatch):
    monkeypatch.setattr(bootstrap, "_BLOCK", 100)
    interval = mean_interval([0.0, 1.0] * 30)
    assert interval.low < 0.5 < interval.high


def test_constant_values_have_no_spread():
    interval = mean_interval([0.75] * 9)
    assert (interval.low, interval.high) == (0.75, 0.75)


def test_no_values_give_zeros():
    assert mean_interval([]).high == 0.0


def test_columns_share_the_resampling():
    columns = np.column_stack([[0.0, 1.0, 0.5], [1.0, 2.0, 1.5]])
    first, second = mean_intervals(columns)
    assert second.low == pytest.approx(first.low + 1)


def test_pairing_finds_a_small_steady_gain_in_a_wide_spread():
    random = np.random.default_rng(3)
    before = random.random(200)
    after = before + 0.01 + random.normal(0, 0.01, 200)
    assert paired_interval(before.tolist(), after.tolist()).excludes_zero
    assert not paired_interval(before.tolist(), before.tolist()).excludes_zero


def test_pairs_must_be_of_the_same_queries():
    with pytest.raises(ValueError, match="not the same queries"):
        paired_interval([1.0], [1.0, 2.0])
