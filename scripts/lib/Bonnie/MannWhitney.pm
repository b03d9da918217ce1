# SPDX-License-Identifier: GPL-2.0-or-later
# Whether two lists of measurements differ, and by what ratio: the U test of
# Mann and Whitney (The Annals of Mathematical Statistics 18, 1947), with the estimate and interval
# of Hodges and Lehmann (the same, 34, 1963) that belong to it. Both use only ranks, so they assume
# nothing about how measurements scatter, and a single outlier cannot spoil them.
#
# U is the number of pairs, one measurement of each list, in which that of the first list is larger;
# a tie counts one half. To stay with integers it is kept here as twice that number.
package Bonnie::MannWhitney;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(all max min sum sum0);
use POSIX      qw(ceil erfc);
use Bonnie::Ratios     qw(ratios_at);
use Bonnie::Statistics qw(geometric_middle);

our @EXPORT_OK = qw(p_value compare_ratios can_show fewest_runs runs_to_show);

# Up to this number of pairs (25 measurements against 25) the distribution of U is
# counted. Beyond, it is practically normal, and counting takes long.
our $EXACT_PAIRS = 625;

# The probability with which the suggested number of runs finds a difference.
my $POWER = 0.8;

# The two-sided probability that chance alone makes U as extreme as it is: twice
# the smaller tail. Where the distribution is counted, it covers all ways to
# deal the same measurements, ties included, to two lists of these lengths.
sub p_value ($x, $y) {
    my $pairs   = @{$x} * @{$y};
    my $twice_u = twice_u($x, $y);
    my @ties    = tie_sizes(@{$x}, @{$y});
    return p_of($twice_u, scalar @{$x}, @ties) if $twice_u <= $pairs;
    return p_of(2 * $pairs - $twice_u, scalar @{$y}, @ties);
}

# { p => as above, larger => whether the second list is: 1, 0 or -1, ratio => of the second to the
# first, low, high => its limits with a confidence of 1 - $alpha, undef if so few measurements have
# none }. No number may be negative; a ratio to zero is infinite.
#
# The limits are ratios of two measurements, chosen so that the test would reject ratios beyond
# them. That choice assumes measurements without ties; with ties the interval is a little too wide.
# Where interval and p-value disagree on whether there is a change, which only ties can cause, the
# p-value decides: the interval then ends at 1.
sub compare_ratios ($x, $y, $alpha) {
    my $pairs  = @{$x} * @{$y};
    my $beyond = rejected_counts(scalar @{$x}, scalar @{$y}, $alpha);
    my ($lower, $upper, $low, $high)
        = ratios_at($x, $y, int(($pairs - 1) / 2), int($pairs / 2), $beyond ? ($beyond - 1, $pairs - $beyond) : ());
    my %result = (p => p_value($x, $y), larger => $pairs <=> twice_u($x, $y), ratio => geometric_middle($lower, $upper));
    return \%result if !$beyond;
    ($low, $high)
        = $result{p} >= $alpha ? (min($low, 1), max($high, 1))
        : $result{larger} > 0  ? (max($low, 1), $high)
        :                        ($low, min($high, 1));
    return { %result, low => $low, high => $high };
}

# Whether $m and $n measurements can have p < $alpha, namely when all of one
# list exceed all of the other.
sub can_show ($m, $n, $alpha) { return 2 / binomial($m + $n, $m) < $alpha }

# The smallest number in each list that can.
sub fewest_runs ($alpha) {
    my $runs = 1;
    $runs++ while !can_show($runs, $runs, $alpha);
    return $runs;
}

# Approximately the number in each list that would show the difference between these two with a
# probability of 80 %; undef: they do not differ. Noether, Sample Size Determination for Some Common
# Nonparametric Tests, Journal of the American Statistical Association 82 (1987).
sub runs_to_show ($x, $y, $alpha) {
    my $off = twice_u($x, $y) / (2 * @{$x} * @{$y}) - 0.5;
    return undef if $off == 0;
    my $wanted = normal_quantile(1 - $alpha / 2) + normal_quantile($POWER);
    return max(fewest_runs($alpha), ceil(($wanted / $off)**2 / 6));
}

sub twice_u ($x, $y) {
    my ($values, $others) = map { [ sort { $a <=> $b } @{$_} ] } $x, $y;
    my ($below, $up_to, $sum) = (0, 0, 0);
    for my $value (@{$values}) {
        $below++ while $below < @{$others} && $others->[$below] < $value;
        $up_to++ while $up_to < @{$others} && $others->[$up_to] <= $value;
        $sum += $below + $up_to;
    }
    return $sum;
}

# The sizes of groups of equal measurements, from the smallest value up.
sub tie_sizes {
    my @values = sort { $a <=> $b } @_;
    my @sizes  = (1);
    for my $i (1 .. $#values) {
        $values[$i] == $values[ $i - 1 ] ? $sizes[-1]++ : push @sizes, 1;
    }
    return @sizes;
}

# How many values of U are small enough for p to reach $alpha, without ties.
# Cached, because all tests of a report need the same few.
my %REJECTED;

sub rejected_counts ($m, $n, $alpha) {
    return $REJECTED{"$m,$n,$alpha"} //= do {
        my @no_ties = (1) x ($m + $n);
        my ($low, $high) = (0, int($m * $n / 2));
        while ($low < $high) {
            my $u = int(($low + $high) / 2);
            p_of(2 * $u, $m, @no_ties) < $alpha ? ($low = $u + 1) : ($high = $u);
        }
        $low;
    };
}

# The p-value of a U that is not above its mean, for a list with $chosen of all measurements.
sub p_of ($twice_u, $chosen, @ties) {
    my $others = sum(@ties) - $chosen;
    return normal_p($twice_u, $chosen, @ties) if $chosen * $others > $EXACT_PAIRS;
    return tied_p($twice_u, $chosen, @ties)   if !all { $_ == 1 } @ties;
    return min(1, 2 * untied_tails($chosen, $others)->[ $twice_u / 2 ]);
}

# By the normal distribution, with corrections for ties and continuity: Lehmann, Nonparametrics
# (1975), section 1.4. If all values are equal, no way to deal them is more extreme than another.
sub normal_p ($twice_u, $chosen, @ties) {
    my $all   = sum(@ties);
    my $pairs = $chosen * ($all - $chosen);
    return 1 if @ties == 1;
    my $tied     = sum(map { $_**3 - $_ } @ties) / ($all * ($all - 1));
    my $variance = $pairs / 12 * ($all + 1 - $tied);
    my $distance = ($pairs - $twice_u - 1) / 2;
    return min(1, erfc($distance / sqrt(2 * $variance)));
}

# With ties, the two tails may differ.
sub tied_p ($twice_u, $chosen, @ties) {
    my $ways  = ways($twice_u, $chosen, @ties);
    my $all   = binomial(sum(@ties), $chosen);
    my $lower = sum0(map { $_ // 0 } @{$ways}) / $all;
    my $upper = 1 - $lower + ($ways->[$twice_u] // 0) / $all;
    return min(1, 2 * $lower, 2 * $upper);
}

# Cache: the share of all ways with a U of at most 0, 1, ... up to its mean.
my %UNTIED_TAILS;

sub untied_tails ($m, $n) {
    return $UNTIED_TAILS{"$m,$n"} //= do {
        my $ways = ways($m * $n, $m, (1) x ($m + $n));
        my $all  = binomial($m + $n, $m);
        my $sum  = 0;
        [ map { ($sum += $ways->[ 2 * $_ ]) / $all } 0 .. $m * $n / 2 ];
    };
}

# In how many ways $chosen of all measurements can be taken so that twice their U is 0, 1, ...
# $limit. From the smallest value up, each group of ties gives some of its measurements: these are
# above what was left below them, and even with what is left of their group.
sub ways ($limit, $chosen, @ties) {
    my $below = 0;
    my @ways  = ([1]);    # [taken so far][twice U so far]
    for my $size (@ties) {
        my @next;
        for my $taken (0 .. $#ways) {
            for my $more (0 .. min($size, $chosen - $taken)) {
                my $rise = 2 * $more * ($below - $taken) + $more * ($size - $more);
                add_ways($next[ $taken + $more ] //= [], $ways[$taken], $rise, binomial($size, $more), $limit);
            }
        }
        @ways = @next;
        $below += $size;
    }
    return $ways[$chosen];
}

# The innermost loop of a report.
sub add_ways ($sum, $ways, $rise, $factor, $limit) {
    for my $u (0 .. min($#{$ways}, $limit - $rise)) {
        $sum->[ $u + $rise ] += $factor * $ways->[$u] if $ways->[$u];
    }
    return;
}

# Exact up to 2**53, beyond all numbers that are counted.
sub binomial ($n, $k) {
    my $ways = 1;
    $ways = $ways * ($n - $k + $_) / $_ for 1 .. $k;
    return $ways;
}

# For a share above one half. Bisection is fast enough, because it is rarely called.
sub normal_quantile ($share) {
    my ($low, $high) = (0, 10);
    for (1 .. 60) {
        my $middle = ($low + $high) / 2;
        erfc($middle / sqrt 2) / 2 > 1 - $share ? ($low = $middle) : ($high = $middle);
    }
    return $low;
}

1;
