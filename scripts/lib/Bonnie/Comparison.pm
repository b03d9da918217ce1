# SPDX-License-Identifier: GPL-2.0-or-later
# Two groups of runs (see Group.pm), test by test: what changed from the
# baseline to the other, and whether that is more than chance.
#
# In the rows each test is judged by itself: of twenty tests of two equal groups, one appears to
# differ at an alpha of 0.05. The tests can be judged together instead, corrected for their number;
# slower_by and unjudged, on which scripts act, always do that.
package Bonnie::Comparison;

use strict;
use warnings;
use experimental 'signatures';
use List::Util          qw(max min uniq);
use Bonnie::MannWhitney qw(can_show compare_ratios fewest_runs runs_to_show);
use Bonnie::Plain       qw(shorten);
use Bonnie::Statistics  qw(holm median);
use Bonnie::Tests       qw(all_tests);

# The probability with which chance alone may look like a change.
our $ALPHA = 0.05;

# Larger numbers of runs rest on too little to be suggested.
our $MANY_RUNS = 99;

# Number of labels that an error message lists.
my $MAX_LABELS = 10;
my $MAX_LABEL  = 40;

# Compares every other group with the group of this label, in their order. Dies
# if no group has this label, or if all have. %$how as for new.
sub with_baseline ($how, $label, @groups) {
    my ($baseline) = grep { $_->label eq $label } @groups;
    die 'no result has the label ' . named($label) . '; the labels are ' . all_named(@groups) . "\n" if !$baseline;
    my @others = grep { $_->label ne $label } @groups;
    die 'nothing to compare with: every result has the label ' . named($label) . "\n" if !@others;
    return map { __PACKAGE__->new($baseline, $_, %{$how}) } @others;
}

sub named ($label) { return q{"} . shorten($label, $MAX_LABEL) . q{"} }

sub all_named (@groups) {
    my @more   = splice @groups, $MAX_LABELS;
    return join ', ', (map { named($_->label) } @groups), @more ? scalar(@more) . ' more' : ();
}

# %how: together, whether the tests are judged together.
sub new ($class, $baseline, $other, %how) {
    my $self = bless { baseline => $baseline, other => $other, together => $how{together} ? 1 : 0 }, $class;
    $self->{rows}   = [ map { $self->row($_) } $self->tests ];
    $self->{judged} = [ grep { $_->{enough_runs} } $self->rows ];
    correct($self->judged);
    $self->judge_together if $self->{together};
    return $self;
}

sub baseline { return $_[0]{baseline} }
sub other    { return $_[0]{other} }
sub together { return $_[0]{together} }

# One for each test that either group ran, in the order of the tests:
#
#   test                             its name
#   baseline_runs    other_runs      that have a figure
#   baseline_median  other_median    undef without one
#
# and where both have some:
#
#   change_percent   how much faster the other is: its median to that of the
#                    baseline; undef if the baseline is zero
#   low_percent  high_percent        the 95 % interval of the change, from the
#                    ratios of all runs to all of the baseline, and as wide as
#                    change_percent needs; undef if there are too few runs for
#                    one, or no end to it
#   p                the probability that chance alone makes such a difference,
#                    corrected if the tests are judged together
#   significant      whether p is below alpha, and the medians differ as the
#                    runs do; if each test is judged by itself, "no change" is
#                    inside of the interval if it is not, and never if it is
#   verdict          'faster', 'slower', or 'not_known' if not significant
#   enough_runs      whether that number could be significant at all
#   runs_needed      of each, for about four chances in five to show such a
#                    difference; undef if it is shown, or if there is none
#   corrected_p      with enough runs, p corrected for the number of such tests
sub rows { return @{ $_[0]{rows} } }

# The tests that became slower by more than this. If the groups are equal, at
# most the share alpha of all comparisons gives any.
sub slower_by ($self, $percent) {
    return grep { $_->{verdict} eq 'slower' && $_->{corrected_p} < $ALPHA && $_->{change_percent} < -$percent } $self->judged;
}

# The number of runs of each label that all tests need to be significant.
sub runs_to_tell ($self) {
    my $tests = $self->{together} ? grep { defined $_->{p} } $self->rows : 1;
    return fewest_runs($ALPHA / ($tests || 1));
}

# The tests that slower_by could not have found, whatever their runs had measured, by the reason:
# { 'no figure' => [ NAMES ], 'too few runs' => [ NAMES ] }.
sub unjudged ($self) {
    my $alpha = $ALPHA / ($self->judged || 1);
    my %unjudged;
    for my $row (grep { ($_->{corrected_p} // 1) >= $ALPHA } $self->rows) {
        my ($m, $n) = @{$row}{qw(baseline_runs other_runs)};
        next if $m && $n && can_show($m, $n, $alpha);
        push @{ $unjudged{ $m && $n ? 'too few runs' : 'no figure' } }, $row->{test};
    }
    return \%unjudged;
}

# The rows with enough runs to be significant by themselves; in scalar context their number.
sub judged { return @{ $_[0]{judged} } }

sub correct (@rows) {
    my @corrected = holm(map { $_->{p} } @rows);
    $rows[$_]{corrected_p} = $corrected[$_] for 0 .. $#rows;
    return;
}

# Judges each test by its corrected p. Whether it has enough runs depends on the number of
# tests, too.
sub judge_together ($self) {
    my $alpha = $ALPHA / ($self->judged || 1);
    for my $row (grep { defined $_->{p} } $self->rows) {
        my ($old, $new) = map { $_->rates($row->{test}) } @{$self}{qw(baseline other)};
        $row->{p}           = $row->{corrected_p} // 1;
        $row->{significant} = $row->{p} < $ALPHA && $row->{agrees};
        $row->{enough_runs} = $row->{significant} || can_show(scalar @{$old}, scalar @{$new}, $alpha);
        $row->{verdict}     = 'not_known' if !$row->{significant};
        $row->{runs_needed} = $row->{significant} ? undef : runs_to_show($old, $new, $alpha);
    }
    return;
}

sub tests ($self) {
    my %ran = map { $_ => 1 } $self->{baseline}->tests, $self->{other}->tests;
    return map { $self->levels($_) } grep { $ran{$_} } map { $_->{name} } all_tests();
}

# The levels of a test whose speed fell in all runs, because a mean over several of them has no
# meaning; otherwise the test itself.
sub levels ($self, $test) {
    my @counts = uniq(map { scalar @{ $_->{levels} } } map { $_->details($test) } @{$self}{qw(baseline other)});
    return @counts == 1 && $counts[0] > 0 ? map {"$test.$_"} 1 .. $counts[0] : $test;
}

sub row ($self, $test) {
    my ($old, $new) = map { $_->rates($test) } @{$self}{qw(baseline other)};
    my %row = (
        test            => $test,
        baseline_runs   => scalar @{$old},
        other_runs      => scalar @{$new},
        baseline_median => @{$old} ? median(@{$old}) : undef,
        other_median    => @{$new} ? median(@{$new}) : undef,
    );
    return @{$old} && @{$new} ? { %row, change($old, $new) } : \%row;
}

sub change ($old, $new) {
    my $found  = compare_ratios($old, $new, $ALPHA);
    my $ratio  = ratio(median(@{$old}), median(@{$new}));
    my $agrees = ($ratio <=> 1) == $found->{larger};
    my $significant = $found->{p} < $ALPHA && $agrees;
    my ($low, $high) = defined $found->{low} ? (min($found->{low}, $ratio), max($found->{high}, $ratio)) : ();
    return (
        change_percent => percent($ratio),
        low_percent    => percent($low),
        high_percent   => percent($high),
        agrees         => $agrees,
        p              => $found->{p},
        significant    => $significant,
        verdict        => !$significant ? 'not_known' : $found->{larger} > 0 ? 'faster' : 'slower',
        enough_runs    => can_show(scalar @{$old}, scalar @{$new}, $ALPHA),
        runs_needed    => $significant ? undef : runs_to_show($old, $new, $ALPHA),
    );
}

sub ratio ($old, $new) { return $old > 0 ? $new / $old : $new > 0 ? 9**9**9 : 1 }

# A ratio to zero has no percentage.
sub percent ($ratio) { return defined $ratio && $ratio < 9**9**9 ? 100 * ($ratio - 1) : undef }

1;
