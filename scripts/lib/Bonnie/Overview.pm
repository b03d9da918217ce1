# SPDX-License-Identifier: GPL-2.0-or-later
# The tables with a column for each test: rates and latencies of each label, coloured column by
# column, and rate and CPU use of each run.
package Bonnie::Overview;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Figure    qw(gap_words is_run is_value no_figure value_figure);
use Bonnie::Grade     qw(grade_class grade_column);
use Bonnie::Html      qw(element);
use Bonnie::HtmlTable qw(row_of row_head cell two_lines absent rate_below_title test_table tests_run typical_rate);
use Bonnie::Record    qw(figure);
use Bonnie::Units     qw(figure_text range_text);

our @EXPORT_OK = qw(rate_table latency_table run_table);

# A table with more tests is narrower in everything except text.
my $MANY_TESTS = 12;

my %RATES = (
    caption => 'Rate of each test: median of the runs, and their range',
    title   => 'rate_title',
    before  => [ 'Label', 'Runs' ],
    kind    => 'rate',
    better  => 'higher',
    centre  => 'median',
    text    => \&rate_below_title,
    more    => \&rate_range,
);

# The CSV line has only the longest operation.
my %LATENCIES = (
    caption => 'Latency: the longest operation of all runs; from JSON also percentiles',
    title   => 'title',
    before  => [ 'Label', 'Runs' ],
    kind    => 'latency',
    better  => 'lower',
    centre  => 'max',
    text    => sub { figure_text($_[0], 'ns') },
    more    => \&percentiles,
);

# Arguments of both: whether cells are coloured (see Grade.pm), and the groups.
sub rate_table    { return figure_table(\%RATES,     @_) }
sub latency_table { return figure_table(\%LATENCIES, @_) }

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
    return test_table({ %{$table}, class => @tests > $MANY_TESTS ? 'wide' : undef }, \@tests, @rows);
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
    return two_lines(grade_class($grade), $table->{text}->($spread->{ $table->{centre} }, $test, $typical), $more);
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

sub run_table {
    my @groups  = @_;
    my @tests   = tests_run(@groups);
    my @typical = map { typical_rate($_, @groups) } @tests;
    my @rows;
    for my $group (@groups) {
        my @runs  = @{ $group->records };
        my @heads = (row_head($group, scalar @runs), (q{}) x $#runs);    # the label appears once beside all of its runs
        for my $run (0 .. $#runs) {
            push @rows, row_of($heads[$run], element('th', { scope => 'row' }, $run + 1), map { run_cell($runs[$run], $tests[$_], $typical[$_]) } 0 .. $#tests);
        }
    }
    return test_table({ caption => 'Every run: rate, and below it the CPU time in percent of the elapsed time', class => 'runs',
            title => 'rate_title', before => [ 'Label', 'Run' ] }, \@tests, @rows);
}

sub run_cell {
    my ($record, $test, $typical) = @_;
    my ($rate, $cpu) = map { figure($record, $test, $_) } qw(rate cpu);
    return absent(gap_words($rate)) if !is_value($rate);
    my $share = is_value($cpu) ? sprintf('%.0f', $cpu->{value}) : is_run($cpu) ? gap_words($cpu) : q{};
    return two_lines(undef, rate_below_title($rate->{value}, $test, $typical), $share);
}

1;
