# SPDX-License-Identifier: GPL-2.0-or-later
# Bands of the latencies on a logarithmic axis: percentiles from JSON, and the
# longest operation, which is the only latency of the CSV line.
package Bonnie::LatencyCharts;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any);
use Bonnie::Axis      qw(axis_of_latency);
use Bonnie::Chart     qw(bar tail);
use Bonnie::HtmlTable qw(tests_run);
use Bonnie::Panels    qw(panels panel row_label);
use Bonnie::Units     qw(figure_text);

our @EXPORT_OK = qw(latency_charts latency_chart_of_one);

# Bands from one percentile to the next, the darkest and thickest first. From
# the last percentile to the longest operation there is only a line.
my @BANDS  = ([ qw(p50 p90) ], [ qw(p90 p99) ], [ qw(p99 p99_9) ]);
my $HEIGHT = 12;
my $CAP    = 8;

my @NOTES = (
    'The bands, from thick to thin, go from the median (p50) to p90, to p99 and to p99.9; the line ends at the longest operation. '
        . 'Less is better.',
    'Each percentile is the median over the runs. A single mark is the longest operation where nothing else is known.',
);

sub latency_charts {
    my @groups = @_;
    my @tests  = grep { has_latency($_, @groups) } tests_run(@groups);
    return panels('Latency of single operations', \@NOTES, map { latency_panel($_, @groups) } @tests);
}

# All tests of one label on one scale, a row for each.
sub latency_chart_of_one {
    my ($group) = @_;
    my @tests = grep { has_latency($_, $group) } tests_run($group) or return;
    my @latencies = map { latencies($group, $_) } @tests;
    my @known     = map { values %{$_} } @latencies;
    my $axis      = @known ? axis_of_latency(@known) : undef;
    my @rows = map { { %{ latency_row($axis, $tests[$_], $group, $latencies[$_]) }, label => $tests[$_]{name_alone} } } 0 .. $#tests;
    my $notes     = (any { keys %{$_} > 1 } @latencies) ? [ $NOTES[0] ] : ['The mark is the longest operation. Less is better.'];
    return panels('Latency of single operations', $notes, panel('All tests', axis => $axis, height => $HEIGHT, rows => \@rows));
}

sub has_latency {
    my ($test, @groups) = @_;
    return any { $_->spread_of($test->{name}, 'latency') } @groups;
}

sub latency_panel {
    my ($test, @groups) = @_;
    my @latencies = map { latencies($_, $test) } @groups;
    my @known     = map { values %{$_} } @latencies;
    my $axis      = @known ? axis_of_latency(@known) : undef;
    return panel($test->{name_alone},
        axis   => $axis,
        height => $HEIGHT,
        rows   => [ map { latency_row($axis, $test, $groups[$_], $latencies[$_]) } 0 .. $#groups ],
    );
}

# { max, and the known percentiles }, without zeros, which have no logarithm.
sub latencies {
    my ($group, $test) = @_;
    my $spread = $group->spread_of($test->{name}, 'latency') or return {};
    my %latency = (max => $spread->{max});
    $latency{$_} = $group->percentile($test->{name}, $_) for qw(p50 p90 p99 p99_9);
    delete @latency{ grep { !$latency{$_} } keys %latency };
    return \%latency;
}

sub latency_row {
    my ($axis, $test, $group, $latency) = @_;
    my %row = (label => row_label($group), marks => []);
    return { %row, shown => $group->gap($test->{name}, 'latency') } if !%{$latency};
    my %at = map { $_ => $axis->{at}->($latency->{$_}) } keys %{$latency};
    for my $band (grep { exists $at{ $BANDS[$_][0] } && exists $at{ $BANDS[$_][1] } } 0 .. $#BANDS) {
        my ($from, $to) = @at{ @{ $BANDS[$band] } };
        push @{ $row{marks} }, bar("band$band", $from, $to, $HEIGHT / 2) if $to >= $from;
    }
    my $end = $at{max} // 0;
    my $is_alone = keys %at == 1;
    push @{ $row{marks} }, tail($is_alone ? 'alone' : 'tail', $at{p99_9} // $end, $end, $HEIGHT / 2, $is_alone ? $HEIGHT : $CAP) if exists $at{max};
    return { %row, shown => shown($latency) };
}

sub shown {
    my ($latency) = @_;
    my @parts = map { defined $latency->{$_} ? figure_text($latency->{$_}, 'ns') : () } qw(p50 max);
    return join " \x{2026} ", @parts;
}

1;
