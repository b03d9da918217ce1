# SPDX-License-Identifier: GPL-2.0-or-later
# The ratios of every value of one list to every value of another, in order.
# Finds those at given positions without making all of them where they are many.
package Bonnie::Ratios;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(first max sum0);

our @EXPORT_OK = qw(ratios_at);

# This many are sorted in a few milliseconds.
our $FEW = 10_000;

my $INFINITY = 9**9**9;

# The ratios of all @$y to all @$x at these positions; 0 is the smallest ratio. No value may be
# negative. Equal values have a ratio of 1, even two zeros; other ratios to zero are infinite.
sub ratios_at ($x, $y, @places) {
    my ($divisors, $values) = map { [ sort { $a <=> $b } @{$_} ] } $x, $y;
    return (between($divisors, $values, -1, $INFINITY))[@places] if @{$x} * @{$y} <= $FEW;
    my %at;
    return map { $at{$_} //= ratio_at($divisors, $values, $_) } @places;
}

# For sorted lists. Halves the range that has the ratio, until only few ratios
# are in it, or all of them are equal.
sub ratio_at ($divisors, $values, $place) {
    my ($low, $high) = (0, largest_finite($divisors, $values));
    my ($below, $within) = map { up_to($divisors, $values, $_) } $low, $high;
    return $low      if $place < $below;
    return $INFINITY if $place >= $within;
    while ($within - $below > $FEW) {
        my $middle = $low + ($high - $low) / 2;
        return $high if $middle <= $low || $middle >= $high;
        my $count = up_to($divisors, $values, $middle);
        $count <= $place ? (($low, $below) = ($middle, $count)) : (($high, $within) = ($middle, $count));
    }
    return (between($divisors, $values, $low, $high))[ $place - $below ];
}

sub largest_finite ($divisors, $values) {
    my $smallest = first { $_ > 0 } @{$divisors};
    return max(1, $smallest ? $values->[-1] / $smallest : 0);
}

# The number of ratios that do not exceed $limit.
sub up_to { return sum0(heads(@_)) }

# The ratios above $low and not above $high, in order.
sub between ($divisors, $values, $low, $high) {
    my @from = heads($divisors, $values, $low);
    my @to   = heads($divisors, $values, $high);
    my @ratios;
    for my $i (0 .. $#{$divisors}) {
        push @ratios, map { ratio($divisors->[$i], $_) } @{$values}[ $from[$i] .. $to[$i] - 1 ];
    }
    return sort { $a <=> $b } @ratios;
}

# For each divisor, the number of values whose ratio to it does not exceed
# $limit: they come first, and there are more of them for larger divisors.
sub heads ($divisors, $values, $limit) {
    my $count = 0;
    my @heads;
    for my $divisor (@{$divisors}) {
        $count++ while $count < @{$values} && ratio($divisor, $values->[$count]) <= $limit;
        push @heads, $count;
    }
    return @heads;
}

sub ratio ($x, $y) {
    return 1 if $x == $y;
    return $x == 0 ? $INFINITY : $y / $x;
}

1;
