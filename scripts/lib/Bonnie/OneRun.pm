# SPDX-License-Identifier: GPL-2.0-or-later
# The page of a single run, also of one whose rows are labels of their own: a table with a row for
# each test.
package Bonnie::OneRun;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any);
use Bonnie::Figure     qw(gap_words is_run is_value);
use Bonnie::HtmlTable  qw(row_of row_title head_cell cell absent tests_run scrolling_table);
use Bonnie::Limits     qw(limit_cell);
use Bonnie::Plain      qw(shorten);
use Bonnie::Record     qw(figure);
use Bonnie::Units      qw(figure_text size_text);

our @EXPORT_OK = qw(is_one_run measured result_table);

my $MAX_LABEL = 60;

# A column is left out if no test has anything in it.
my @COLUMNS = (
    { title => 'Rate',              show => \&rate_cell },
    { title => 'CPU, %',            show => \&cpu_cell },
    { title => 'Longest operation', show => sub { latency_cell(($_[0]->spread_of($_[1]{name}, 'latency') // {})->{max}) } },
    { title => 'Median (p50)',      show => sub { latency_cell($_[0]->percentile($_[1]{name}, 'p50')) } },
    { title => 'p99',               show => sub { latency_cell($_[0]->percentile($_[1]{name}, 'p99')) } },
    { title => 'Limited by',        show => sub { my ($group, $test) = @_; @{ $group->limits($test->{name}) } ? limit_cell(@_) : undef } },
);

# Whether there is one record, or one for each row of a run.
sub is_one_run {
    return @_ && @{ $_[0]->records } == 1 && !$_[0]->number_shown;
}

# What was measured: [ { title, group, test }, ... ].
sub measured {
    my @groups = @_;
    my @measured;
    for my $group (@groups) {
        my $row   = $group->records->[0]{row};
        my @tests = tests_run($group);
        push @measured, map { { title => !defined $row ? $_->{name_alone} : @tests > 1 ? "$row: $_->{name_alone}" : $row, group => $group, test => $_ } } @tests;
    }
    return @measured;
}

sub result_table {
    my @measured = @_;
    my @cells = map { my $row = $_; [ map { $_->{show}->(@{$row}{qw(group test)}) } @COLUMNS ] } @measured;
    my @shown = grep { my $column = $_; any { defined $_->[$column] } @cells } 0 .. $#COLUMNS;
    my @rows;
    for my $row (0 .. $#measured) {
        push @rows, row_of(row_title(shorten($measured[$row]{title}, $MAX_LABEL)), map { $_ // absent("\x{2013}") } @{ $cells[$row] }[@shown]);
    }
    my $head = row_of(map { head_cell($_) } 'Test', map { $COLUMNS[$_]{title} } @shown);
    return scrolling_table(caption => caption($measured[0]), class => 'result', head => [$head], rows => \@rows);
}

# Says what was measured, for a table that is cut out of the page.
sub caption {
    my ($measured) = @_;
    return 'Results' if !$measured;
    my ($record) = @{ $measured->{group}->records };
    my $size     = $record->{file_size} // q{};
    my $name     = defined $record->{row} ? ($record->{host} // {})->{name} // 'a run' : $measured->{group}->name;
    return 'Results of ' . shorten($name, $MAX_LABEL) . ($size eq q{} ? q{} : ' with ' . shorten(size_text($size, 'M'), $MAX_LABEL) . ' of data');
}

sub rate_cell {
    my ($group, $test) = @_;
    my $rate = figure($group->records->[0], $test, 'rate');
    return absent(gap_words($rate)) if !is_value($rate);
    return cell(figure_text($rate->{value}, $test->{unit}));
}

sub cpu_cell {
    my ($group, $test) = @_;
    my $cpu = figure($group->records->[0], $test, 'cpu');
    return is_value($cpu) ? cell(sprintf '%.0f', $cpu->{value}) : is_run($cpu) ? absent(gap_words($cpu)) : undef;
}

sub latency_cell {
    my ($nanoseconds) = @_;
    return defined $nanoseconds ? cell(figure_text($nanoseconds, 'ns')) : undef;
}

1;
