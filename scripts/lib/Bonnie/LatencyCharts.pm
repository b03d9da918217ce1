# Bands of the latencies on a logarithmic axis: percentiles of JSON, and the
# longest operation, which is all that the CSV line has.
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

our @EXPORT_OK = qw(latency_charts);

# From one percentile to the next, the darkest and thickest first; from the
# last one to the longest operation there is only a line.
my @BANDS  = ([ qw(p50 p90) ], [ qw(p90 p99) ], [ qw(p99 p99_9) ]);
my $HEIGHT = 12;
my $CAP    = 8;

my @NOTES = (
    'Bands, from the thick one: median (p50) to p90, to p99, to p99.9; the line goes on to the longest operation. '
        . 'Less is better.',
    'Percentiles are medians of the runs. A single mark is the longest operation, where no more is known.',
);

sub latency_charts {
    my @groups = @_;
    my @tests  = grep { has_latency($_, @groups) } tests_run(@groups);
    return panels('Latency of single operations', \@NOTES, map { latency_panel($_, @groups) } @tests);
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

# { max, and the percentiles that are known }; a logarithm has no place for 0.
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
    push @{ $row{marks} }, tail('tail', $at{p99_9} // $end, $end, $HEIGHT / 2, $CAP) if exists $at{max};
    return { %row, shown => shown($latency) };
}

sub shown {
    my ($latency) = @_;
    my @parts = map { defined $latency->{$_} ? figure_text($latency->{$_}, 'ns') : () } qw(p50 max);
    return join " \x{2026} ", @parts;
}

1;
