# SPDX-License-Identifier: GPL-2.0-or-later
# The page of a single run: a table with a row for each test.
package Bonnie::OneRun;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Figure     qw(gap_words is_run is_value);
use Bonnie::HtmlTable  qw(absent plain_table tests_run);
use Bonnie::Limits     qw(limit_cell);
use Bonnie::Plain      qw(shorten);
use Bonnie::Record     qw(figure);
use Bonnie::Units      qw(figure_text size_text);

our @EXPORT_OK = qw(is_one_run measured result_table);

# What decides comes first: on a telephone the last columns are outside the screen.
my @COLUMNS = (
    [ 'Rate',              sub { my ($group, $test) = @_; figure_cell($group, $test, 'rate', sub { figure_text($_[0], $test->{unit}) }) } ],
    [ 'Limited by',        sub { my ($group, $test) = @_; @{ $group->limits($test->{name}) } ? \limit_cell(@_) : undef } ],
    [ 'CPU, %',            sub { figure_cell(@_, 'cpu', sub { sprintf '%.0f', $_[0] }) } ],
    [ 'Longest operation', sub { latency_text(($_[0]->spread_of($_[1]{name}, 'latency') // {})->{max}) } ],
    [ 'Median (p50)',      sub { latency_text($_[0]->percentile($_[1]{name}, 'p50')) } ],
    [ 'p99',               sub { latency_text($_[0]->percentile($_[1]{name}, 'p99')) } ],
);

sub is_one_run { return @_ == 1 && @{ $_[0]->records } == 1 }

# What was measured: [ { title, group, test }, ... ].
sub measured {
    return map { my $group = $_; map { { title => $_->{name_alone}, group => $group, test => $_ } } tests_run($group) } @_;
}

sub result_table (@measured) {
    my @rows     = map { my $row = $_; [ shorten($row->{title}), map { $_->[1]->(@{$row}{qw(group test)}) } @COLUMNS ] } @measured;
    return plain_table({ caption => caption($measured[0]), class => 'result', titles => [ 'Test', map { $_->[0] } @COLUMNS ] }, @rows);
}

# Says what was measured, for a table that is cut out of the page.
sub caption ($measured) {
    return 'Results' if !$measured;
    my ($record) = @{ $measured->{group}->records };
    my $size     = $record->{file_size} // q{};
    my $name     = $measured->{group}->name;
    return 'Results' . ($name eq q{} ? q{} : ' of ' . shorten($name)) . ($size eq q{} ? q{} : ' with ' . shorten(size_text($size, 'M')) . ' of data');
}

sub figure_cell ($group, $test, $kind, $words) {
    my $figure = figure($group->records->[0], $test, $kind);
    return is_value($figure) ? $words->($figure->{value}) : is_run($figure) ? \absent(gap_words($figure)) : undef;
}

sub latency_text ($nanoseconds) {
    return defined $nanoseconds ? figure_text($nanoseconds, 'ns') : undef;
}

1;
