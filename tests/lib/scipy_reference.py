# SPDX-License-Identifier: GPL-2.0-or-later
"""What SciPy makes of pairs of samples: reads JSON [{"x": [...], "y": [...], "alpha": 0.05}, ...] from
standard input and prints [{"p": ..., "ratio": ..., "low": ..., "high": ...}, ...].

The interval is found by asking SciPy's test what ratios it rejects. Between two neighbouring ratios
of measurements nothing changes, so one question answers for all of such a gap.
"""

import bisect
import json
import sys

import numpy as np
from scipy import stats

EXACT_PAIRS = 625  # as in scripts/lib/Bonnie/MannWhitney.pm


def method(x, y):
    return "exact" if len(x) * len(y) <= EXACT_PAIRS else "asymptotic"


def p_value(x, y):
    both = np.concatenate((x, y))
    if method(x, y) == "exact" and len(np.unique(both)) < len(both):
        ranks = stats.rankdata(both)
        parts = (ranks[: len(x)], ranks[len(x) :])
        return stats.permutation_test(
            parts, lambda a, b, axis: a.sum(axis=axis), vectorized=True, n_resamples=np.inf
        ).pvalue
    return stats.mannwhitneyu(x, y, method=method(x, y)).pvalue


def p_without_ties(x, y):
    """What is equal gets different ranks."""
    ranks = stats.rankdata(np.concatenate((x, y)), method="ordinal")
    return stats.mannwhitneyu(ranks[: len(x)], ranks[len(x) :], method=method(x, y)).pvalue


def rejected(gaps, x, y, alpha):
    """How many of these, which come nearer to the middle: there p is larger."""
    return bisect.bisect_left(gaps, True, key=lambda gap: p_without_ties(gap * x, y) >= alpha)


def interval(x, y, alpha):
    all_ratios = np.sort((y[None, :] / x[:, None]).flat)
    ratios = np.unique(all_ratios)
    gaps = np.concatenate(([ratios[0] / 2], np.sqrt(ratios[:-1] * ratios[1:]), [ratios[-1] * 2]))
    share_below = np.searchsorted(all_ratios, gaps) / len(all_ratios)
    below = rejected(gaps[share_below < 0.5], x, y, alpha)
    above = rejected(gaps[share_below > 0.5][::-1], x, y, alpha)
    return (ratios[below - 1], ratios[-above]) if below else (None, None)


def reference(sample):
    x, y, alpha = np.array(sample["x"]), np.array(sample["y"]), sample["alpha"]
    p = p_value(x, y)
    low, high = interval(x, y, alpha)
    if low is not None and p >= alpha:
        low, high = min(low, 1.0), max(high, 1.0)
    elif low is not None and low < 1 < high:
        larger = 2 * stats.mannwhitneyu(y, x).statistic > len(x) * len(y)
        low, high = (1.0, high) if larger else (low, 1.0)
    ratio = np.exp(np.median(np.log(y[None, :] / x[:, None])))
    return {"p": float(p), "ratio": float(ratio), "low": low, "high": high}


json.dump([reference(sample) for sample in json.load(sys.stdin)], sys.stdout)
