# SPDX-License-Identifier: GPL-2.0-or-later
# Whether pairs of measurements differ, and by what ratio: a test whose result
# may be used after every pair.
#
# Its input are the logarithms of the pairs' ratios. It relies only on their symmetry: with the
# order within a pair drawn at random, the logarithm of a pair's ratio, less that of the true one,
# is as likely positive as negative, whatever its size, whatever came before, and however the
# machine drifts, stalls or scatters. So a gambler who bets on the sign, knowing the size and all
# earlier pairs, cannot expect to win; one who starts with a fortune of 1 ever reaches 1/p with a
# probability of at most p (Ville's inequality). This is the test by betting of Shafer and Vovk,
# Game-Theoretic Foundations for Probability and Finance (2019), for the symmetric increments of de
# la Pena, A General Class of Exponential Inequalities for Martingales and Ratios, The Annals of
# Probability 27 (1999): his exp(b*y - b*b*y*y/2) is at most exp(b*y)/cosh(b*y), which is the
# fortune after a bet of tanh(b*abs(y)).
#
# The fortune is divided among several b, so that the size of the difference need not be known in
# advance. b is in units of the scatter of the earlier pairs, taken from their quartiles, and no y
# counts for more than $MOST such units: where the tails are long, an extreme pair says little. A
# bet that grows with y makes the fortune fall as the supposed ratio rises: the ratios that are not
# refuted form an interval, whose ends are found by bisection. The scatter is the same for every
# supposed ratio.
#
# docs/comparison.md has simulations of how often it errs, and how many pairs it needs.
package Bonnie::PairTest;

use strict;
use warnings;
use experimental 'signatures';
use List::Util qw(max min sum0);
use Bonnie::Statistics qw(quantile_of_sorted);

# The differences on which the test bets, in units of the scatter: the smallest one that a hundred
# pairs can find, and seven more, each larger by the square root of two.
my $STAKES   = 8;
my $SMALLEST = 0.2;

# In units of the scatter.
my $MOST = 3;

# Interquartile range of the normal distribution, in standard deviations.
my $QUARTILES = 1.349;

# Corrects for few values, whose quartiles are too close together. The test is
# valid with any factor.
my $OF_FEW = 1.5;

# Precision and bounds of an interval's ends, as natural logarithms of ratios.
my $EXACTLY = 1e-6;
my $FARTHEST = 50;

# $tail: the largest probability that one end of the interval is ever on the wrong side of the true
# ratio. @watched: logarithms of ratios about which refuted() must answer at once.
sub new ($class, $tail, @watched) {
    my $self = bless { wanted => $STAKES / $tail, values => [], scales => [], sorted => [], watched => {} }, $class;
    $self->{watched}{$_} = fortunes() for @watched;
    return $self;
}

# Adds the logarithm of the next pair's ratio.
sub add ($self, $value) {
    my $scale = $self->scale;
    push @{ $self->{values} }, $value;
    push @{ $self->{scales} }, $scale;
    insert($self->{sorted}, $value);
    my $watched = $self->{watched};
    bet($watched->{$_}, $self->{wanted}, units($value - $_, $scale)) for keys %{$watched};
    return;
}

sub pairs { return scalar @{ $_[0]{values} } }

# With fewer pairs nothing is known, however large the difference is.
sub fewest_pairs ($tail) {
    my ($state, $pairs) = (fortunes(), 0);
    bet($state, $STAKES / $tail, ++$pairs > 2 ? $MOST : 1) until $state->{larger};
    return $pairs;
}

# The answer about a watched ratio: 1 if the true ratio has proved to be larger,
# -1 if smaller, 0 if neither.
sub refuted ($self, $watched) {
    my $state = $self->{watched}{$watched};
    return $state->{larger} ? 1 : $state->{smaller} ? -1 : 0;
}

# (low, high) as logarithms of ratios, valid for all looks so far together. An unknown end is undef.
sub interval ($self) {
    return if !@{ $self->{values} };
    $self->{interval}{ $self->pairs } //= [ map { scalar $self->end($_) } 1, -1 ];
    return @{ $self->{interval}{ $self->pairs } };
}

# Scatter of the pairs so far, in the unit of the values; undef: there are fewer than two pairs.
sub scale ($self) {
    my $sorted = $self->{sorted};
    my $count = @{$sorted};
    return if $count < 2;
    return (quantile_of_sorted(0.75, $sorted) - quantile_of_sorted(0.25, $sorted)) / $QUARTILES * (1 + $OF_FEW / ($count - 0.5));
}

# The median of the pairs so far.
sub middle ($self) { return quantile_of_sorted(0.5, $self->{sorted}) }

# How many further pairs it takes until the fortune against this ratio is large enough, if $true is
# the true ratio and the scatter stays as it is. undef: it never would be.
sub pairs_to_refute ($self, $watched, $true) {
    return 0 if $self->refuted($watched);
    my $scale = $self->scale;
    return if !defined $scale || $true == $watched;
    my $distance = $scale > 0 ? min($MOST, abs($true - $watched) / $scale) : $MOST;
    my $state    = $self->{watched}{$watched};
    my $fortune  = sum0(@{ $true > $watched ? $state->{up} : $state->{down} });
    my $missing  = log($self->{wanted}) - log(max($fortune, 1e-9));
    my $growth   = log(2) * (1 - exp(-$distance**2 / (2 * log 2)));
    return $growth > 0 ? max(1, $missing / $growth) : undef;
}

sub insert ($sorted, $value) {
    my ($from, $to) = (0, scalar @{$sorted});
    while ($from < $to) {
        my $middle = ($from + $to) >> 1;
        $sorted->[$middle] < $value ? ($from = $middle + 1) : ($to = $middle);
    }
    splice @{$sorted}, $from, 0, $value;
    return;
}

# The first two pairs have no scatter before them, so only their signs count.
sub units ($distance, $scale) {
    return $distance <=> 0 if !defined $scale;
    return $MOST * ($distance <=> 0) if abs $distance >= $MOST * $scale;
    return $distance / $scale;
}

# The fortunes of those who bet on larger values ("up") and on smaller ones,
# with a share for each stake, and whether either fortune was ever large enough.
sub fortunes {
    return { up => [ (1) x $STAKES ], down => [ (1) x $STAKES ], larger => 0, smaller => 0 };
}

# The factors are 1 + tanh(b*$units) and 1 - tanh(b*$units).
sub bet ($state, $wanted, $units) {
    my ($up, $down) = @{$state}{qw(up down)};
    my @power = map { exp(-2 * $SMALLEST * $_ * $units) } 1, sqrt 2;
    my ($larger, $smaller) = (0, 0);
    for my $stake (0 .. $STAKES - 1) {
        my $power  = $power[ $stake & 1 ];
        my $factor = 2 / (1 + $power);
        $larger  += ($up->[$stake]   *= $factor);
        $smaller += ($down->[$stake] *= $factor * $power);
        $power[ $stake & 1 ] = $power * $power;
    }
    $state->{larger}  ||= $larger >= $wanted;
    $state->{smaller} ||= $smaller >= $wanted;
    return;
}

# The largest ratio that the true one exceeds or, with $side -1, the smallest
# one that it stays below.
sub end ($self, $side) {
    my $inside  = $side > 0 ? $self->{sorted}[-1] : $self->{sorted}[0];
    my $outside = -$side * $FARTHEST;
    return if !$self->refutes($side, $outside);
    while (abs($inside - $outside) > $EXACTLY) {
        my $middle = ($inside + $outside) / 2;
        $self->refutes($side, $middle) ? ($outside = $middle) : ($inside = $middle);
    }
    return $outside;
}

# Whether the pairs, at any look, have refuted that ratio as too small ($side 1) or too large (-1).
sub refutes ($self, $side, $ratio) {
    my ($values, $scales, $wanted) = @{$self}{qw(values scales wanted)};
    my $state = fortunes();
    my $known = $side > 0 ? 'larger' : 'smaller';
    for my $pair (0 .. $#{$values}) {
        bet($state, $wanted, units($values->[$pair] - $ratio, $scales->[$pair]));
        return 1 if $state->{$known};
    }
    return 0;
}

1;
