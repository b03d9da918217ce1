# SPDX-License-Identifier: GPL-2.0-or-later
# The tables with one row for each label: rates and latencies of every test,
# coloured column by column.
package Bonnie::Overview;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Figure    qw(no_figure value_figure);
use Bonnie::Grade     qw(grade_column);
use Bonnie::Html      qw(element text);
use Bonnie::HtmlTable qw(row_of row_head cell absent rate_below_title test_heads tests_run typical_rate scrolling_table);
use Bonnie::Legend    qw(grade_class);
use Bonnie::Units     qw(figure_text range_text);

our @EXPORT_OK = qw(rate_table latency_table);

# A table with more tests is narrower in everything except text.
my $MANY_TESTS = 12;

my %RATES = (
    caption => 'Rate of each test: median of the runs, and their range',
    heading => 'rate_title',
    kind    => 'rate',
    better  => 'higher',
    centre  => 'median',
    text    => \&rate_below_title,
    more    => \&rate_range,
);

# The CSV line has only the longest operation.
my %LATENCIES = (
    caption => 'Latency: the longest operation of all runs; from JSON also percentiles',
    heading => 'title',
    kind    => 'latency',
    better  => 'lower',
    centre  => 'max',
    text    => sub { figure_text($_[0], 'ns') },
    more    => \&percentiles,
);

# Arguments of both: whether cells are coloured (see Grade.pm), and the groups.

sub rate_table {
    return figure_table(\%RATES, @_);
}

sub latency_table {
    return figure_table(\%LATENCIES, @_);
}

sub figure_table {
    my ($table, $coloured, @groups) = @_;
    my @tests  = tests_run(@groups);
    my @grades = map { [ $coloured ? grades($table, $_, @groups) : () ] } @tests;
    my @typical = map { $table->{kind} eq 'rate' ? typical_rate($_, @groups) : undef } @tests;
    my @rows;
    for my $row (0 .. $#groups) {
        my $group = $groups[$row];
        my @cells = map { figure_cell($table, $group, $tests[$_], $grades[$_][$row], $typical[$_]) } 0 .. $#tests;
        push @rows, row_of(row_head($group), cell(scalar @{ $group->records }), @cells);
    }
    my @heads = test_heads($table->{heading}, [ 'Label', 'Runs' ], [], @tests);
    return scrolling_table(caption => $table->{caption}, class => @tests > $MANY_TESTS ? 'wide' : undef, head => \@heads, rows => \@rows);
}

sub grades {
    my ($table, $test, @groups) = @_;
    my @spreads = map { $_->spread_of($test->{name}, $table->{kind}) } @groups;
    my @figures = map { $_ ? value_figure(q{}, $_->{ $table->{centre} }) : no_figure() } @spreads;
    return grade_column($table->{better}, @figures);
}

sub figure_cell {
    my ($table, $group, $test, $grade, $typical) = @_;
    my $spread = $group->spread_of($test->{name}, $table->{kind});
    return absent($group->gap($test->{name}, $table->{kind})) if !$spread;
    my $more = $table->{more}->($group, $test, $spread, $typical);
    return element('td', { class => grade_class($grade) },
        text($table->{text}->($spread->{ $table->{centre} }, $test, $typical)),
        $more eq q{} ? q{} : element('small', {}, text($more)));
}

# The range; without a unit if that is the median's.
sub rate_range {
    my ($group, $test, $spread, $typical) = @_;
    return q{} if @{ $group->rates($test->{name}) } < 2;
    my ($unit) = figure_text($spread->{median}, $test->{unit}, $typical) =~ /(\x{A0}.*)/;
    return range_text(@{$spread}{qw(min max)}, $test->{unit}, $typical) =~ s/^([^\x{A0}]*)\Q$unit\E\z/$1/r;
}

sub percentiles {
    my ($group, $test) = @_;
    my @known = grep { defined $group->percentile($test->{name}, $_) } qw(p50 p99);
    return join ', ', map { "$_\x{A0}" . figure_text($group->percentile($test->{name}, $_), 'ns') } @known;
}

1;
