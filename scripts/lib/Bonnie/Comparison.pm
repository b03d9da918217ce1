# Two groups of runs (see Group.pm), test by test: what changed from the
# baseline to the other, and whether that is more than chance.
#
# In the rows each test is judged by itself: of twenty tests of two groups that
# do not differ, one is found to at an alpha of 0.05. They can be judged
# together instead, corrected for the number of tests; what a script is to act
# on, worse_by and unjudged, always is.
package Bonnie::Comparison;

use strict;
use warnings;
use Bonnie::MannWhitney qw(can_show compare_ratios runs_to_show);
use Bonnie::Plain       qw(shorten);
use Bonnie::Statistics  qw(holm median);
use Bonnie::Tests       qw(all_tests);

# How often chance alone may look like a change.
our $ALPHA = 0.05;

# What an error message names.
my $MAX_LABELS = 10;
my $MAX_LABEL  = 40;

# Every other group compared with the one of this label, in their order. Dies
# if there is none of this label, or no other. %$how as for new.
sub with_baseline {
    my ($how, $label, @groups) = @_;
    my ($baseline) = grep { $_->label eq $label } @groups;
    die 'no result has the label ' . named($label) . '; the labels are ' . all_named(@groups) . "\n" if !$baseline;
    my @others = grep { $_->label ne $label } @groups;
    die 'nothing to compare with: every result has the label ' . named($label) . "\n" if !@others;
    return map { __PACKAGE__->new($baseline, $_, %{$how}) } @others;
}

sub named {
    my ($label) = @_;
    return q{"} . shorten($label, $MAX_LABEL) . q{"};
}

sub all_named {
    my @groups = @_;
    my @more   = splice @groups, $MAX_LABELS;
    return join ', ', (map { named($_->label) } @groups), @more ? scalar(@more) . ' more' : ();
}

# %how: together, whether the tests are judged together.
sub new {
    my ($class, $baseline, $other, %how) = @_;
    my $self = bless { baseline => $baseline, other => $other, together => $how{together} ? 1 : 0 }, $class;
    $self->{rows}   = [ map { $self->row($_) } $self->tests ];
    $self->{judged} = [ grep { $_->{enough_runs} } $self->rows ];
    correct($self->judged);
    $self->judge_together if $self->{together};
    return $self;
}

sub baseline {
    my ($self) = @_;
    return $self->{baseline};
}

sub other {
    my ($self) = @_;
    return $self->{other};
}

sub together {
    my ($self) = @_;
    return $self->{together};
}

# One for each test that either group ran, in the order of the tests:
#
#   test                             its name
#   baseline_runs    other_runs      that have a figure
#   baseline_median  other_median    undef without one
#
# and where both have some:
#
#   change_percent   how much faster the other is, the median of the ratios of
#                    all its runs to all of the baseline; undef if that has no
#                    end, as the baseline is zero
#   low_percent  high_percent        the 95 % interval of the change; undef
#                    if there are too few runs for one, or no end to it
#   p                the probability that chance alone makes such a difference,
#                    corrected if the tests are judged together
#   significant      whether p is below alpha; if each test is judged by
#                    itself, "no change" is inside of the interval if it is
#                    not, and never if it is
#   verdict          'better', 'worse', or 'unclear' if not significant
#   enough_runs      whether that number could be significant at all
#   runs_needed      of each, for about four chances in five to show such a
#                    difference; undef if it is shown, or if there is none
#   corrected_p      with enough runs, p corrected for the number of such tests
sub rows {
    my ($self) = @_;
    return @{ $self->{rows} };
}

# The tests that became worse by more than this. Where nothing differs there is
# any in at most the share alpha of all comparisons.
sub worse_by {
    my ($self, $percent) = @_;
    return grep { $_->{verdict} eq 'worse' && $_->{corrected_p} < $ALPHA && $_->{change_percent} < -$percent } $self->judged;
}

# The tests that worse_by did not find and, by themselves, could not have found,
# whatever they had measured. By the reason: { 'no figure' => [ NAMES ], 'too few runs' => [ NAMES ] }.
sub unjudged {
    my ($self) = @_;
    my $alpha = $ALPHA / ($self->judged || 1);
    my %unjudged;
    for my $row (grep { ($_->{corrected_p} // 1) >= $ALPHA } $self->rows) {
        my ($m, $n) = @{$row}{qw(baseline_runs other_runs)};
        next if $m && $n && can_show($m, $n, $alpha);
        push @{ $unjudged{ $m && $n ? 'too few runs' : 'no figure' } }, $row->{test};
    }
    return \%unjudged;
}

# The rows that have enough runs to be significant by themselves; in scalar
# context their number.
sub judged {
    my ($self) = @_;
    return @{ $self->{judged} };
}

sub correct {
    my @rows = @_;
    my @corrected = holm(map { $_->{p} } @rows);
    $rows[$_]{corrected_p} = $corrected[$_] for 0 .. $#rows;
    return;
}

# With enough runs for the smallest p, if no other were small.
sub judge_together {
    my ($self) = @_;
    my $alpha = $ALPHA / ($self->judged || 1);
    for my $row (grep { defined $_->{p} } $self->rows) {
        my ($old, $new) = map { $_->rates($row->{test}) } @{$self}{qw(baseline other)};
        $row->{p}           = $row->{corrected_p} // 1;
        $row->{significant} = $row->{p} < $ALPHA;
        $row->{enough_runs} = $row->{significant} || can_show(scalar @{$old}, scalar @{$new}, $alpha);
        $row->{verdict}     = 'unclear' if !$row->{significant};
        $row->{runs_needed} = $row->{significant} ? undef : runs_to_show($old, $new, $alpha);
    }
    return;
}

sub tests {
    my ($self) = @_;
    my %ran = map { $_ => 1 } $self->{baseline}->tests, $self->{other}->tests;
    return grep { $ran{$_} } map { $_->{name} } all_tests();
}

sub row {
    my ($self, $test) = @_;
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

sub change {
    my ($old, $new) = @_;
    my $found = compare_ratios($old, $new, $ALPHA);
    my $significant = $found->{p} < $ALPHA;
    return (
        change_percent => percent($found->{ratio}),
        low_percent    => percent($found->{low}),
        high_percent   => percent($found->{high}),
        p              => $found->{p},
        significant    => $significant,
        verdict        => !$significant ? 'unclear' : $found->{larger} > 0 ? 'better' : 'worse',
        enough_runs    => can_show(scalar @{$old}, scalar @{$new}, $ALPHA),
        runs_needed    => $significant ? undef : runs_to_show($old, $new, $ALPHA),
    );
}

# A ratio to zero is no percentage.
sub percent {
    my ($ratio) = @_;
    return defined $ratio && $ratio < 9**9**9 ? 100 * ($ratio - 1) : undef;
}

1;
