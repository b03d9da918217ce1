# SPDX-License-Identifier: GPL-2.0-or-later
# One metric of a campaign: its pairs, and the verdict on it.
package Bonnie::Ab::Judge;

use strict;
use warnings;
use experimental 'signatures';
use List::Util qw(max min);
use Bonnie::PairTest;
use Bonnie::Statistics qw(median);

# The number of pairs before the first forecast, and the distance from the measured ratio, in
# standard errors, within which the forecast assumes the true ratio. The standard error of the
# median is 1.25 times the scatter, divided by the root of the number of pairs.
my $FEWEST = 5;
my $ERRORS = 1;
my $OF_MEDIAN = 1.25;

# $metric: { name, unit, more, speed => whether the verdict is "faster" rather
# than "better" }. $tail as in PairTest.pm; $margin: a ratio above 1.
sub new ($class, $metric, $tail, $margin) {
    my $far  = log $margin;
    my $test = Bonnie::PairTest->new($tail, 0, $far, -$far);
    return bless { metric => $metric, far => $far, test => $test, a => [], b => [], course => [] }, $class;
}

sub metric { return $_[0]{metric} }

sub add ($self, $value_a, $value_b) {
    push @{ $self->{a} }, $value_a;
    push @{ $self->{b} }, $value_b;
    $self->{test}->add(log($value_b / $value_a));
    return;
}

sub pairs { return $_[0]{test}->pairs }

# The median of side 'a' or 'b'.
sub median_of ($self, $side) { return @{ $self->{$side} } ? median(@{ $self->{$side} }) : undef }

# 1: B is better, -1: B is worse, 0: they differ by less than the margin; undef: not known.
sub verdict ($self) {
    my ($test, $far) = @{$self}{qw(test far)};
    my $side = $test->refuted(0);
    return $self->{metric}{more} ? $side : -$side if $side;
    return $test->refuted($far) < 0 && $test->refuted(-$far) > 0 ? 0 : undef;
}

# The verdict as reports call it: faster, slower; better, worse of other figures than rates and
# times; no_difference, not_known.
sub word ($self) {
    my $verdict = $self->verdict;
    return 'not_known' if !defined $verdict;
    return 'no_difference' if !$verdict;
    return $self->{metric}{speed} ? ($verdict > 0 ? 'faster' : 'slower') : ($verdict > 0 ? 'better' : 'worse');
}

# The ratio of B to A and its interval. An end of it that is unknown is undef.
sub ratio ($self) {
    return if !$self->pairs;
    my ($low, $high) = $self->{test}->interval;
    my $middle = max($low // -50, min($high // 50, $self->{test}->middle));
    return exp $middle;
}

sub interval ($self) { return map { defined ? exp : undef } $self->{test}->interval }

# The scatter of the pairs as a fraction: 0.05 is 5 %. undef for fewer than two pairs.
sub noise ($self) {
    my $scale = $self->{test}->scale;
    return defined $scale ? exp($scale) - 1 : undef;
}

# (fewest, most) pairs until the verdict may be known. An end beyond all limits
# is undef. Returns nothing while there are too few pairs for a forecast.
sub forecast ($self) {
    return (0, 0) if defined $self->verdict;
    my $test = $self->{test};
    return if $test->pairs < $FEWEST;
    my $error = $ERRORS * $OF_MEDIAN * $test->scale / sqrt $test->pairs;
    my @pairs = map { $self->pairs_if($test->middle + $_ * $error) } -1, 0, 1;
    my @known = grep {defined} @pairs;
    return (@known ? min(@known) : undef, @known == @pairs ? max(@known) : undef);
}

# The number of pairs that are needed if this is the true ratio.
sub pairs_if ($self, $true) {
    my ($test, $far) = @{$self}{qw(test far)};
    my $differs = $test->pairs_to_refute(0, $true);
    my @within  = map { $test->pairs_to_refute($_, $true) } $far, -$far;
    my $same    = abs $true < $far && @within == grep({defined} @within) ? max(@within) : undef;
    my @ways    = grep {defined} $differs, $same;
    return @ways ? min(@ways) : undef;
}

1;
