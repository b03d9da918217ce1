# SPDX-License-Identifier: GPL-2.0-or-later
# The rates: the median of each label's runs, and their range.
package Bonnie::RateCharts;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any uniq);
use Bonnie::Axis       qw(axis_of_values);
use Bonnie::Chart      qw(panel panels value whisker);
use Bonnie::HtmlTable  qw(tests_run typical_rate);
use Bonnie::Tests      qw(families);
use Bonnie::Units      qw(figure_text);

our @EXPORT_OK = qw(rate_charts rate_charts_of_one);

my $RANGE_NOTE = 'Bars and dots are medians of the runs; lines go from the slowest run to the fastest.';

# A figure for each family of tests.
sub rate_charts {
    my @groups = @_;
    my @notes  = (any { @{ $_->records } > 1 } @groups) ? ($RANGE_NOTE) : ();
    my @charts;
    for my $family (families()) {
        my @tests = grep { $_->{family} eq $family->{name} } tests_run(@groups);
        push @charts, panels("$family->{title}, more is better", \@notes,
            map { my $test = $_; rate_panel($test->{name_alone}, typical_rate($test, @groups), map { { title => $_->row_label, group => $_, test => $test } } @groups) } @tests);
    }
    return @charts;
}

# All tests of a unit on one scale, a row for each of @measured (see OneRun.pm).
sub rate_charts_of_one {
    my @measured = @_;
    my %title  = ('KiB/s' => 'Throughput', 'ops/s' => 'Operations per second');
    my @panels = map { my $unit = $_; rate_panel($title{$unit}, undef, grep { $_->{test}{unit} eq $unit } @measured) } sort +uniq(map { $_->{test}{unit} } @measured);
    return panels('Rates, more is better', [], @panels);
}

# Rows are { title, group, test }; all have the same unit. Their figures are in the unit that suits
# $like or, if that is undef, each in its own.
sub rate_panel {
    my ($title, $like, @rows) = @_;
    my $unit    = $rows[0]{test}{unit};
    my @spreads = map { $_->{group}->spread_of($_->{test}{name}, 'rate') } @rows;
    my @known   = grep {defined} @spreads;
    my $axis    = @known ? axis_of_values($unit, $like, map { @{$_}{qw(min max)} } @known) : undef;
    return panel($title, axis => $axis, rows => [ map { rate_row($axis, $rows[$_], $spreads[$_], $like) } 0 .. $#rows ]);
}

sub rate_row {
    my ($axis, $row, $spread, $like) = @_;
    my %row = (label => $row->{title}, marks => []);
    return { %row, shown => $row->{group}->gap($row->{test}{name}, 'rate') } if !$spread;
    my ($low, $high) = map { $axis->{at}->($spread->{$_}) } qw(min max);
    push @{ $row{marks} }, value($axis, 'bar', $spread->{median});
    push @{ $row{marks} }, whisker('range', $low, $high) if $high > $low;
    return { %row, shown => figure_text($spread->{median}, $row->{test}{unit}, $like) };
}

1;
