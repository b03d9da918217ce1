# SPDX-License-Identifier: GPL-2.0-or-later
# The tables with a column for each test: rates and latencies of each label, coloured column by
# column, and rate and CPU use of each run.
package Bonnie::Overview;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Figure    qw(gap_words is_run is_value no_figure value_figure);
use Bonnie::Html      qw(element is_drawn text);
use Bonnie::HtmlTable qw(row_of row_head cell two_lines absent rate_below_title test_table tests_run typical_rate);
use Bonnie::Record    qw(figure);
use Bonnie::Statistics qw(geometric_middle);
use Bonnie::Units     qw(figure_text range_text);

our @EXPORT_OK = qw(grade_column legend rate_table latency_table run_table);

# How good a figure is, compared with the others of its column, and the classes and the legend that
# show it. The style sheet gives each class a sign besides its colour, which screen readers speak, so
# that nothing depends on colour alone.
#
# The measure is the ratio to the column's median, so that a grade means the
# same in every column and small differences stay uncoloured:
#
#   2    at least 2 times faster       -2   at least 2 times slower
#   1    at least 1.1 times faster     -1   at least 1.1 times slower
#   0    in between
my $MUCH = 2;
my $SOME = 1.1;

# Best first, as the legend shows them.
my @LOOKS = (
    [ 2,  'b2',  "at least $MUCH times faster than the median" ],
    [ 1,  'b1',  "$SOME to $MUCH times faster" ],
    [ 0,  undef, 'in between' ],
    [ -1, 'w1',  "$SOME to $MUCH times slower" ],
    [ -2, 'w2',  "at least $MUCH times slower" ],
);
my %CLASS = map { $_->[0] => $_->[1] } @LOOKS;

# A table with more tests is narrower in everything except text.
my $MANY_TESTS = 12;

my %RATES = (
    caption => 'Rate of each test: median of the runs, and their range', title => 'rate_title', kind => 'rate',
    better => 'higher', centre => 'median', text => \&rate_below_title, more => \&rate_range,
);

# The CSV line has only the longest operation.
my %LATENCIES = (
    caption => 'Latency: the longest operation of all runs; from JSON also percentiles', title => 'title', kind => 'latency',
    better => 'lower', centre => 'max', text => sub { figure_text($_[0], 'ns') }, more => \&percentiles,
);

# Arguments of both: whether cells are coloured, and the groups.
sub rate_table    { return figure_table(\%RATES,     @_) }
sub latency_table { return figure_table(\%LATENCIES, @_) }

sub figure_table ($table, $coloured, @groups) {
    my @tests  = tests_run(@groups);
    my @grades = map { [ $coloured ? grades($table, $_, @groups) : () ] } @tests;
    my @typical = map { $table->{kind} eq 'rate' ? typical_rate($_, @groups) : undef } @tests;
    my @rows;
    for my $row (0 .. $#groups) {
        my $group = $groups[$row];
        my @cells = map { figure_cell($table, $group, $tests[$_], $grades[$_][$row], $typical[$_]) } 0 .. $#tests;
        push @rows, row_of(row_head($group), cell(scalar @{ $group->records }), @cells);
    }
    return test_table({ %{$table}, before => [ 'Label', 'Runs' ], class => @tests > $MANY_TESTS ? 'wide' : undef }, \@tests, @rows);
}

sub grades ($table, $test, @groups) {
    my @spreads = map { $_->spread_of($test->{name}, $table->{kind}) } @groups;
    my @figures = map { $_ ? value_figure(q{}, $_->{ $table->{centre} }) : no_figure() } @spreads;
    return grade_column($table->{better}, @figures);
}

sub figure_cell ($table, $group, $test, $grade, $typical) {
    my $spread = $group->spread_of($test->{name}, $table->{kind});
    return absent($group->gap($test->{name}, $table->{kind})) if !$spread;
    my $more = $table->{more}->($group, $test, $spread, $typical);
    return two_lines($CLASS{ $grade // 0 }, $table->{text}->($spread->{ $table->{centre} }, $test, $typical), $more);
}

# The range; without a unit if that is the median's.
sub rate_range ($group, $test, $spread, $typical) {
    return q{} if @{ $group->rates($test->{name}) } < 2;
    my ($unit) = figure_text($spread->{median}, $test->{unit}, $typical) =~ /(\x{A0}.*)/;
    return range_text(@{$spread}{qw(min max)}, $test->{unit}, $typical) =~ s/^([^\x{A0}]*)\Q$unit\E\z/$1/r;
}

sub percentiles ($group, $test, @) {
    my @known = grep { defined $group->percentile($test->{name}, $_) } qw(p50 p99);
    return join ', ', map { "$_\x{A0}" . figure_text($group->percentile($test->{name}, $_), 'ns') } @known;
}

sub run_table (@groups) {
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

sub run_cell ($record, $test, $typical) {
    my ($rate, $cpu) = map { figure($record, $test, $_) } qw(rate cpu);
    return absent(gap_words($rate)) if !is_value($rate);
    my $share = is_value($cpu) ? sprintf('%.0f', $cpu->{value}) : is_run($cpu) ? gap_words($cpu) : q{};
    return two_lines(undef, rate_below_title($rate->{value}, $test, $typical), $share);
}

# $better: 'higher' or 'lower'. Returns one grade per figure, undef where
# there is nothing to compare.
sub grade_column ($better, @figures) {
    my @values = sort { $a <=> $b } map { $_->{value} } grep { is_value($_) } @figures;
    my $median = @values > 1 ? geometric_middle(@values[ $#values / 2, @values / 2 ]) : 0;
    return map { undef } @figures if $median == 0;
    return map { is_value($_) ? grade($better, $_->{value}, $median) : undef } @figures;
}

sub grade ($better, $value, $median) {
    my $sign = $better eq 'higher' ? 1 : -1;
    return  2 * $sign if $value >= $MUCH * $median;
    return  1 * $sign if $value >= $SOME * $median;
    return -2 * $sign if $value <= $median / $MUCH;
    return -1 * $sign if $value <= $median / $SOME;
    return 0;
}

# Of the colours of these tables.
sub legend (@tables) {
    my @items  = map { element('li', { class => $_->[1] }, text($_->[2])) } grep { !$_->[1] || is_drawn($_->[1], @tables) } @LOOKS;
    my $how    = 'Each label is compared with the median of its column. For rates more is better, for latencies less. Colours do not show whether a difference is more than chance; bon_csv2html --baseline does.';
    return element('p', {}, text($how)) . "\n" . element('ul', { class => 'legend' }, @items) . "\n";
}

1;
