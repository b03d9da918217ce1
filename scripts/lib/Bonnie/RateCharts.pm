# SPDX-License-Identifier: GPL-2.0-or-later
# Bars of the rates: the median of each label's runs, and their range.
package Bonnie::RateCharts;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any);
use Bonnie::Axis      qw(axis_of_values);
use Bonnie::Chart     qw(value whisker);
use Bonnie::HtmlTable qw(tests_run typical_rate);
use Bonnie::Panels    qw(panels panel row_label);
use Bonnie::Tests     qw(families);
use Bonnie::Statistics qw(median);
use Bonnie::Units     qw(figure_text);

our @EXPORT_OK = qw(rate_charts rate_charts_of_one);

my $BAR   = 12;
my $RANGE = 8;    # height of the caps

my $RANGE_NOTE = 'Bars are medians of the runs; lines go from the slowest run to the fastest.';

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
    my @values  = map { @{$_}{qw(min max)} } grep { defined } @spreads;
    my $like    = typical_rate($test, @groups);
    my $axis    = @values ? axis_of_values($test->{unit}, $like, @values) : undef;
    return panel($test->{name_alone},
        axis   => $axis,
        height => $BAR,
        rows   => [ map { rate_row($test, $axis, $groups[$_], $spreads[$_], $like) } 0 .. $#groups ],
    );
}

# All tests of a unit on one scale, a row for each.
sub rate_charts_of_one {
    my ($group) = @_;
    my @tests   = tests_run($group);
    my %title   = ('KiB/s' => 'Throughput', 'ops/s' => 'Operations per second');
    my @panels  = map { panel_of_unit($title{$_}, $group, $_, @tests) } sort keys %title;
    return panels('Rates, more is better', [], @panels);
}

sub panel_of_unit {
    my ($title, $group, $unit, @tests) = @_;
    my @alike = grep { $_->{unit} eq $unit } @tests or return;
    my @rates = map { @{ $group->rates($_->{name}) } } @alike;
    my $like  = @rates ? median(@rates) : undef;
    my $axis  = @rates ? axis_of_values($unit, $like, @rates) : undef;
    my @rows  = map { { %{ rate_row($_, $axis, $group, $group->spread_of($_->{name}, 'rate'), $like) }, label => $_->{name_alone} } } @alike;
    return panel($title, axis => $axis, height => $BAR, rows => \@rows);
}

# The figure is in the unit that suits $like.
sub rate_row {
    my ($test, $axis, $group, $spread, $like) = @_;
    my %row = (label => row_label($group), marks => []);
    return { %row, shown => $group->gap($test->{name}, 'rate') } if !$spread;
    my ($low, $high) = map { $axis->{at}->($spread->{$_}) } qw(min max);
    push @{ $row{marks} }, value($axis, 'bar', $spread->{median}, $BAR / 2);
    push @{ $row{marks} }, whisker('range', $low, $high, $BAR / 2, $RANGE) if $high > $low;
    return { %row, shown => figure_text($spread->{median}, $test->{unit}, $like) };
}

1;
