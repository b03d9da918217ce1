# SPDX-License-Identifier: GPL-2.0-or-later
# The rounds of tests that were repeated until they were steady, from JSON: for
# each label the run with the median rate. A table has the outcome; a chart shows the rounds, the
# window in which the test became steady, and the line through it.
package Bonnie::SteadyCharts;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max);
use Bonnie::Axis       qw(axis_of_rounds axis_upwards);
use Bonnie::Chart      qw(block course over_time panels stroke time_panel);
use Bonnie::Html       qw(element text);
use Bonnie::HtmlTable  qw(plain_table row_head tests_run);
use Bonnie::TimeCharts qw(middle);
use Bonnie::Units      qw(figure_text);

our @EXPORT_OK = qw(steady_charts steady_table);

# Half the range that the rule allows, as a fraction of the mean.
my $HALF_BAND = 0.1;

my @NOTES = (
    'For each label, the run with the median rate. A step is a round. '
        . 'A test is steady when, in its last five rounds (the window), the figures range over at most 20 % of '
        . 'their mean (the band), and the line fitted to them (dashed) rises or falls by at most 10 % of it.',
    'Latency: the area is the mean, the line p99.',
);

my %METRIC = (iops => 'Operations', bandwidth => 'Bandwidth', latency => 'Mean latency', p99 => 'p99');

my @HEADS = ('Label', 'Test', 'Outcome', 'Mean of the window', 'Range', 'Slope per round', 'Round', 'Preconditioned');

# The tests that were repeated: [ test, [ group, their rounds in JSON ], ... ].
sub steady_tests (@groups) {
    my @tests;
    for my $test (tests_run(@groups)) {
        my @found = map { my ($details) = middle(grep { $_->{steady} } $_->details($test->{name})); $details ? [ $_, $details->{steady} ] : () } @groups;
        push @tests, [ $test, @found ] if @found;
    }
    return @tests;
}

sub steady_table {
    my @tests = steady_tests(@_) or return;
    return plain_table({ caption => 'Outcome', class => 'rounds', titles => \@HEADS }, map { my ($test, @found) = @{$_}; map { table_row($test, @{$_}) } @found } @tests);
}

sub table_row ($test, $group, $steady) {
    my ($fit, $times) = @{$steady}{qw(fit precondition)};
    return [ \row_head($group), $test->{name_alone}, \element('td', {}, text($steady->{reason})), figure_text($fit->{mean}, $steady->{unit}), sprintf("%.1f\x{A0}%%", $fit->{range_percent}),
        slope_text($fit), sprintf("%.3g\x{A0}s", $steady->{round_seconds}), !$times ? 'no' : $times == 1 ? 'once' : "$times times" ];
}

# Slope in percent of the mean, per round.
sub slope_text ($fit) {
    my $percent = $fit->{mean} > 0 ? 100 * $fit->{slope} / $fit->{mean} : 0;
    return sprintf('%+.1f', $percent) =~ s/-/\x{2212}/r =~ s/\A[+\x{2212}](?=0[.]0\z)//r . "\x{A0}%";
}

sub steady_charts {
    my @tests = steady_tests(@_) or return;
    return panels('Figure and latency of each round', \@NOTES, map { steady_panel(@{$_}) } @tests);
}

sub steady_panel ($test, @found) {
    my $x    = axis_of_rounds(max(map { scalar @{ $_->[1]{rounds} } } @found));
    return time_panel($test->{name_alone}, over_time($x, 2 * @found, sub { }), map { (figure_row($x, 2 * @found, @{$_}), latency_row($x, 2 * @found, @{$_})) } @found);
}

# The course of the rounds, the window's band, and the line fitted to it, from the middle of the
# window's first round to that of its last one.
sub figure_row ($x, $rows, $group, $steady) {
    my ($fit, $last) = ($steady->{fit}, scalar @{ $steady->{rounds} });
    my ($first, $mean) = @{$fit}{qw(first_round mean)};
    my @figures = map { $_->{figure} } @{ $steady->{rounds} };
    my $half    = $fit->{slope} * ($last - $first) / 2;
    my $strip   = strip_to($x, $rows, $steady->{unit}, @figures, (1 + $HALF_BAND) * $mean);
    return {
        label  => $group->row_label . ": $METRIC{ $steady->{metric} }",
        shown  => figure_text($mean, $steady->{unit}),
        y      => $strip->{y},
        marks  => [
            rounds($strip, 'course', @figures),
            block($strip, 'band', [ $first - 1, $mean * (1 - $HALF_BAND) ], [ $last, $mean * (1 + $HALF_BAND) ]),
            stroke($strip, 'fit', [ $first - 0.5, $mean - $half ], [ $last - 0.5, $mean + $half ]),
        ],
    };
}

sub latency_row ($x, $rows, $group, $steady) {
    my @rounds = @{ $steady->{rounds} };
    my $strip  = strip_to($x, $rows, 'ns', grep {defined} map { @{$_}{qw(mean_ns p99_ns)} } @rounds);
    return {
        label => 'Latency, last round',
        shown => join(" \x{2026} ", map { defined ? figure_text($_, 'ns') : () } @{ $rounds[-1] }{qw(mean_ns p99_ns)}),
        y     => $strip->{y},
        marks => [ rounds($strip, 'course', map { $_->{mean_ns} } @rounds), rounds($strip, 'tail', map { $_->{p99_ns} } @rounds) ],
    };
}

sub strip_to ($x, $rows, $unit, @values) {
    return over_time($x, $rows, sub { axis_upwards(max(@values) || 1, $unit, @_) });
}

sub rounds ($strip, $class, @values) {
    return course($strip, $class, map { [ $_ + 1, $values[$_] ] } grep { defined $values[$_] } 0 .. $#values);
}

1;
