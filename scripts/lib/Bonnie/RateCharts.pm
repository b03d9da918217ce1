# Bars of the rates: the median over the runs of each label, and their range.
package Bonnie::RateCharts;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any max);
use Bonnie::Axis      qw(axis_from_zero);
use Bonnie::Chart     qw(bar whisker);
use Bonnie::HtmlTable qw(tests_run);
use Bonnie::Panels    qw(panels panel row_label);
use Bonnie::Tests     qw(families);
use Bonnie::Units     qw(figure_text);

our @EXPORT_OK = qw(rate_charts);

my $BAR   = 12;
my $RANGE = 8;    # height of the caps

my $RANGE_NOTE = 'Bars are medians of the runs, lines go from the slowest run to the fastest.';

# A figure for each family of tests.
sub rate_charts {
    my @groups = @_;
    my @notes  = (any { @{ $_->records } > 1 } @groups) ? ($RANGE_NOTE) : ();
    my @charts;
    for my $family (families()) {
        my @tests = grep { $_->{family} eq $family->{name} } tests_run(@groups);
        push @charts, panels("$family->{title}, more is better", \@notes, map { rate_panel($_, @groups) } @tests);
    }
    return @charts;
}

sub rate_panel {
    my ($test, @groups) = @_;
    my @spreads = map { $_->spread_of($test->{name}, 'rate') } @groups;
    my @largest = map { $_->{max} } grep { defined } @spreads;
    my $axis    = @largest ? axis_from_zero(max(@largest), $test->{unit}) : undef;
    return panel($test->{name_alone},
        axis   => $axis,
        height => $BAR,
        rows   => [ map { rate_row($test, $axis, $groups[$_], $spreads[$_]) } 0 .. $#groups ],
    );
}

sub rate_row {
    my ($test, $axis, $group, $spread) = @_;
    my %row = (label => row_label($group), marks => []);
    return { %row, shown => $group->gap($test->{name}, 'rate') } if !$spread;
    my ($low, $high, $median) = map { $axis->{at}->($spread->{$_}) } qw(min max median);
    push @{ $row{marks} }, bar('bar', 0, $median, $BAR / 2);
    push @{ $row{marks} }, whisker('range', $low, $high, $BAR / 2, $RANGE) if $high > $low;
    return { %row, shown => figure_text($spread->{median}, $test->{unit}) };
}

1;
