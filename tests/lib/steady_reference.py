# SPDX-License-Identifier: GPL-2.0-or-later
"""What SciPy says of 1000 random series of five figures: prints lines of the figures, the range and the
rise of the fitted line in percent of the mean, and 1 if both are within the limits of the rule
(src/measure/steady.h), else 0. tests/data/steady.csv is its output.

Every figure is printed with four decimals, and it is the printed one that is judged. No series is so near
to a limit that rounding could decide.
"""

import random

import numpy as np
from scipy import stats

RANGE, SLOPE = 20, 10


def series(random_numbers):
    """Noise around a line, both of any strength around what the rule allows."""
    scale = 10 ** random_numbers.uniform(-1, 6)
    slope = random_numbers.uniform(-0.05, 0.05)
    noise = random_numbers.uniform(0, 0.2)
    return [round(scale * (1 + slope * i + random_numbers.uniform(-noise, noise)), 4) for i in range(5)]


def judge(figures):
    y = np.array(figures)
    range_percent = 100 * np.ptp(y) / np.mean(y)
    line = stats.linregress(np.arange(5), y)
    fitted = line.intercept + line.slope * np.arange(5)
    return range_percent, 100 * (fitted[-1] - fitted[0]) / np.mean(y)


random_numbers = random.Random(20261122)
printed = 0
while printed < 1000:
    figures = series(random_numbers)
    range_percent, slope_percent = judge(figures)
    if abs(range_percent - RANGE) < 1e-6 or abs(abs(slope_percent) - SLOPE) < 1e-6:
        continue
    steady = range_percent <= RANGE and abs(slope_percent) <= SLOPE
    print(",".join(f"{figure:.4f}" for figure in figures), f"{range_percent:.12g},{slope_percent:.12g},{int(steady)}", sep=",")
    printed += 1
