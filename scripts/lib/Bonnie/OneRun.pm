# SPDX-License-Identifier: GPL-2.0-or-later
# The page of a single run: one table with a row for each test, a chart for each
# unit with the tests on one scale, and a chart of all latencies.
package Bonnie::OneRun;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any);
use Bonnie::Figure        qw(gap_words is_run is_value);
use Bonnie::Html          qw(element text);
use Bonnie::HtmlTable     qw(row_of head_cell cell absent tests_run scrolling_table);
use Bonnie::LatencyCharts qw(latency_chart_of_one);
use Bonnie::Limits        qw(limit_cell);
use Bonnie::Plain         qw(shorten);
use Bonnie::RateCharts    qw(rate_charts_of_one);
use Bonnie::Record        qw(figure);
use Bonnie::Statistics    qw(median);
use Bonnie::Units         qw(figure_text size_text);

our @EXPORT_OK = qw(is_one_run result_table rate_charts_of_one latency_chart_of_one);

my $MAX_LABEL = 60;

# A column is left out if no test has anything in it.
my @COLUMNS = (
    { title => 'Rate',              show => \&rate_cell },
    { title => 'CPU, %',            show => \&cpu_cell },
    { title => 'Longest operation', show => sub { latency_cell($_[0]->spread_of($_[1]{name}, 'latency'), 'max') } },
    { title => 'Median (p50)',      show => sub { percentile_cell(@_, 'p50') } },
    { title => 'p99',               show => sub { percentile_cell(@_, 'p99') } },
    { title => 'Limited by',        show => sub { my ($group, $test) = @_; @{ $group->limits($test->{name}) } ? limit_cell(@_) : undef } },
);

sub is_one_run {
    my @groups = @_;
    return @groups == 1 && @{ $groups[0]->records } == 1;
}

sub result_table {
    my ($group) = @_;
    my @tests   = tests_run($group);
    my @cells   = map { my $test = $_; [ map { $_->{show}->($group, $test) } @COLUMNS ] } @tests;
    my @shown   = grep { my $column = $_; any { defined $_->[$column] } @cells } 0 .. $#COLUMNS;
    my @rows;
    for my $row (0 .. $#tests) {
        my $head = element('th', { scope => 'row', class => 'label' }, text($tests[$row]{name_alone}));
        push @rows, row_of($head, map { $_ // absent("\x{2013}") } @{ $cells[$row] }[@shown]);
    }
    my $head = row_of(map { head_cell($_) } 'Test', map { $COLUMNS[$_]{title} } @shown);
    return scrolling_table(caption => caption($group), class => 'result', head => [$head], rows => \@rows);
}

# Says what was measured, for a table that is cut out of the page.
sub caption {
    my ($group)  = @_;
    my ($record) = @{ $group->records };
    my $size     = $record->{file_size} // q{};
    return 'Results of ' . shorten($group->name, $MAX_LABEL) . ($size eq q{} ? q{} : ' with ' . shorten(size_text($size, 'M'), $MAX_LABEL) . ' of data');
}

sub rate_cell {
    my ($group, $test) = @_;
    my $rate = figure($group->records->[0], $test, 'rate');
    return absent(gap_words($rate)) if !is_value($rate);
    my @alike = map { @{ $group->rates($_->{name}) } } grep { $_->{unit} eq $test->{unit} } tests_run($group);
    return cell(figure_text($rate->{value}, $test->{unit}, median(@alike)));
}

sub cpu_cell {
    my ($group, $test) = @_;
    my $cpu = figure($group->records->[0], $test, 'cpu');
    return is_value($cpu) ? cell(sprintf '%.0f', $cpu->{value}) : is_run($cpu) ? absent(gap_words($cpu)) : undef;
}

sub latency_cell {
    my ($spread, $which) = @_;
    return $spread ? cell(figure_text($spread->{$which}, 'ns')) : undef;
}

sub percentile_cell {
    my ($group, $test, $percentile) = @_;
    my $value = $group->percentile($test->{name}, $percentile);
    return defined $value ? cell(figure_text($value, 'ns')) : undef;
}

1;
