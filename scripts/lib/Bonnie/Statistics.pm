# SPDX-License-Identifier: GPL-2.0-or-later
# Statistics of a list of numbers, which may be in any order but not empty.
package Bonnie::Statistics;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max min);

our @EXPORT_OK = qw(median quantile quantile_of_sorted spread_of geometric_middle holm);

sub median { return quantile(0.5, @_) }

sub spread_of { return { median => median(@_), min => min(@_), max => max(@_) } }

# Interpolates between two values where none lies at this position: definition 7
# of Hyndman and Fan, Sample Quantiles in Statistical Packages, The American
# Statistician 50 (1996), the default of R and NumPy.
sub quantile ($share, @values) { return quantile_of_sorted($share, [ sort { $a <=> $b } @values ]) }

sub quantile_of_sorted ($share, $sorted) {
    my $place = $share * $#{$sorted};
    my $below = int $place;
    return $sorted->[$below] if $below == $place;
    return $sorted->[$below] + ($place - $below) * ($sorted->[ $below + 1 ] - $sorted->[$below]);
}

# The geometric mean of two values.
sub geometric_middle ($lower, $upper) {
    return $lower == $upper ? $lower : sqrt($lower) * sqrt($upper);
}

# Corrects p-values for their number: if nothing differs, the probability that any of them is below
# alpha is at most alpha. Holm, A Simple Sequentially Rejective Multiple Test Procedure,
# Scandinavian Journal of Statistics 6 (1979).
sub holm (@p) {
    my ($left, $largest) = (scalar @p, 0);
    my @corrected;
    for my $i (sort { $p[$a] <=> $p[$b] } 0 .. $#p) {
        $largest = max($largest, min(1, $left-- * $p[$i]));
        $corrected[$i] = $largest;
    }
    return @corrected;
}

1;
