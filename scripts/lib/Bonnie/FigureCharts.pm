# SPDX-License-Identifier: GPL-2.0-or-later
# A panel for each test: its rates, as bars from zero or dots on a logarithmic axis; and its latencies,
# as bands on a logarithmic axis, which are percentiles from JSON, and the longest operation, which is
# the only latency of the CSV line.
package Bonnie::FigureCharts;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(any first uniq);
use Bonnie::Axis      qw(axis_of_latency axis_of_values);
use Bonnie::Chart     qw(bar panel panels spread tail);
use Bonnie::HtmlTable qw(tests_run typical_rate);
use Bonnie::Tests     qw(families);
use Bonnie::Units     qw(figure_text);

our @EXPORT_OK = qw(latency_charts latency_chart_of_one latency_panels rate_charts rate_charts_of_one);

my $RANGE_NOTE = 'Bars and dots are medians of the runs; lines go from the slowest run to the fastest.';

# A figure for each family of tests.
sub rate_charts (@groups) {
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
sub rate_charts_of_one (@measured) {
    my %title  = ('KiB/s' => 'Throughput', 'ops/s' => 'Operations per second');
    my @panels = map { my $unit = $_; rate_panel($title{$unit}, undef, grep { $_->{test}{unit} eq $unit } @measured) } sort +uniq(map { $_->{test}{unit} } @measured);
    return panels('Rates, more is better', [], @panels);
}

# Rows are { title, group, test }; all have the same unit. Their figures are in the unit that suits
# $like or, if that is undef, each in its own. A bar alone has nothing to be compared with.
sub rate_panel ($title, $like, @rows) {
    return if @rows < 2;
    my $unit    = $rows[0]{test}{unit};
    my @spreads = map { $_->{group}->spread_of($_->{test}{name}, 'rate') } @rows;
    my @known   = grep {defined} @spreads;
    my $axis    = @known ? axis_of_values($unit, $like, map { @{$_}{qw(min max)} } @known) : undef;
    return panel($title, axis => $axis, rows => [ map { rate_row($axis, $rows[$_], $spreads[$_], $like) } 0 .. $#rows ]);
}

sub rate_row ($axis, $row, $spread, $like) {
    return { label => $row->{title}, shown => $row->{group}->gap($row->{test}{name}, 'rate'), marks => [] } if !$spread;
    return { label => $row->{title}, shown => figure_text($spread->{median}, $row->{test}{unit}, $like), marks => spread($axis, $spread) };
}

# Bands from one percentile to the next, the darkest and thickest first. From
# the last percentile to the longest operation there is only a line.
my @BANDS  = ([ qw(p50 p90) ], [ qw(p90 p99) ], [ qw(p99 p99_9) ]);
my @NAMES  = qw(p50 p90 p99 p99_9 max);

my @NOTES = (
    'The bands, from thick to thin, go from the median (p50) to p90, to p99 and to p99.9; the line ends at the longest operation. '
        . 'Less is better.',
    'Each percentile is the median over the runs. A single mark is the longest operation where nothing else is known.',
);

sub latency_charts (@groups) {
    my @tests  = grep { has_latency($_, @groups) } tests_run(@groups);
    return panels('Latency of single operations', \@NOTES, map { my $test = $_; latency_panel($test->{name_alone}, map { { latencies($_, $test), label => $_->row_label } } @groups) } @tests);
}

# All of @measured (see OneRun.pm) on one scale, a row for each.
sub latency_chart_of_one {
    my @rows = grep { has_latency($_->{test}, $_->{group}) } @_;
    return latency_panels('Latency of single operations', 'All tests', map { { latencies(@{$_}{qw(group test)}), label => $_->{title} } } @rows);
}

# A figure with one panel; nothing without a latency, or for one mark. Each row is { label, gap; p50, p90, p99, p99_9,
# max in nanoseconds, if they are known }.
sub latency_panels ($caption, $title, @rows) {
    my $notes = (any { $_->{p50} } @rows) ? [ $NOTES[0] ] : ['The mark is the longest operation. Less is better.'];
    return panels($caption, $notes, (any { $_->{max} } @rows) && (@rows > 1 || $rows[0]{p50}) ? latency_panel($title, @rows) : ());
}

sub latency_panel ($title, @rows) {
    my @known = grep {$_} map { @{$_}{@NAMES} } @rows;
    my $axis  = @known ? axis_of_latency(@known) : undef;
    return panel($title, axis => $axis, rows => [ map { latency_row($axis, $_) } @rows ]);
}

sub has_latency ($test, @groups) { return any { $_->spread_of($test->{name}, 'latency') } @groups }

sub latencies ($group, $test) {
    my $spread = $group->spread_of($test->{name}, 'latency') or return (gap => $group->gap($test->{name}, 'latency'));
    return (max => $spread->{max}, map { $_ => $group->percentile($test->{name}, $_) } grep { $_ ne 'max' } @NAMES);
}

# Zeros have no logarithm.
sub latency_row ($axis, $row) {
    my %at = map { $_ => $axis->{at}->($row->{$_}) } grep { $row->{$_} } @NAMES;
    my @marks;
    for my $band (0 .. $#BANDS) {
        my ($from, $to) = @at{ @{ $BANDS[$band] } };
        push @marks, bar("band$band", $from, $to) if defined $from && defined $to && $to >= $from;
    }
    my $is_alone = keys %at == 1;
    push @marks, tail($is_alone ? 'alone' : 'tail', (first {defined} @at{qw(p99_9 p99 p90 max)}), $at{max}) if defined $at{max};
    my $shown = join " \x{2026} ", map { $row->{$_} ? figure_text($row->{$_}, 'ns') : () } qw(p50 max);
    return { label => $row->{label}, shown => $row->{gap} // (length $shown ? $shown : 'no requests'), marks => \@marks };
}

1;
