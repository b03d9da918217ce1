# SPDX-License-Identifier: GPL-2.0-or-later
# The tables of load reports.
package Bonnie::LoadTables;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Html      qw(element text);    # not the text() of Bonnie::Json, which is no HTML
use Bonnie::HtmlTable qw(row_of row_title head_cell cell scrolling_table);
use Bonnie::Json      qw(hash list number);
use Bonnie::Plain     qw(shorten);
use Bonnie::Units     qw(figure_text grouped);

our @EXPORT_OK = qw(load_table slow_table step_table course_table load_label latency_text rate_text);

my $MAX_LABEL = 60;

# Number of rows that the table of the load over time has at most.
my $MOST_ROWS = 20;

# In seconds: a last interval that is shorter and has no requests gets no row.
my $SHORTEST = 0.1;

# "tmp/XXX, reads", or just "Reads" for a single load: the heading of one kind's rows in tables and
# charts.
sub load_label {
    my ($kind) = @_;
    my $name = shorten($kind->{load}->name, $MAX_LABEL);
    return $name eq q{} ? $kind->{title} : "$name, " . lc $kind->{title};
}

sub head {
    my ($kind) = @_;
    return row_title(load_label($kind));
}

sub latency_text {
    my ($nanoseconds, $limit) = @_;
    my $value = number($nanoseconds);
    return $value ? figure_text($value, 'ns', undef, number($limit)) : "\x{2013}";
}

sub rate_text {
    my ($rate) = @_;
    my $value = number($rate);
    return "\x{2013}" if !defined $value;
    return $value >= 1000 ? grouped(sprintf '%.0f', $value) : sprintf '%.4g', $value;
}

sub count_text {
    my ($count) = @_;
    my $value = number($count);
    return defined $value ? grouped(sprintf '%.0f', $value) : "\x{2013}";
}

sub table {
    my ($caption, $titles, @rows) = @_;
    return if !@rows;
    return scrolling_table(caption => $caption, head => [ row_of(map { head_cell($_) } @{$titles}) ], rows => \@rows);
}

# The settings of each load, and its results.
sub load_table {
    my @kinds = @_;
    my @rows = map { load_row($_) } @kinds;
    return table('Requests and their latency', [ 'Load', 'Requests', 'Errors', 'Offered/s', 'Achieved/s', 'Late', 'Median', 'p99', 'p99.9', 'Longest' ], @rows);
}

sub load_row {
    my ($kind) = @_;
    my $f = $kind->{figures};
    my $l = hash($f->{latency_ns});
    return row_of(head($kind), (map { cell(count_text($f->{$_})) } qw(requests errors)), cell(rate_text($f->{offered_per_second})),
        cell(rate_text($f->{achieved_per_second})), cell(count_text($f->{late})), map { cell(latency_text($l->{$_})) } qw(p50 p99 p99_9 max));
}

# The requests that took longest.
sub slow_table {
    my @kinds = @_;
    my @rows;
    for my $kind (@kinds) {
        for my $slow (map { hash($_) } list($kind->{figures}{slowest})) {
            push @rows, row_of(head($kind), cell(latency_text($slow->{latency_ns})), cell(sprintf '%.3f', number($slow->{at_seconds}) // 0),
                cell(Bonnie::Json::text($slow->{name}) // q{}), cell(Bonnie::Json::text($slow->{outcome}) // q{}));
        }
    }
    return table('The slowest requests', [ 'Load', 'Latency', 'Due at, s', 'Name', 'Outcome' ], @rows);
}

sub step_table {
    my ($load) = @_;
    my @rows;
    my $is_search = $load->mode eq 'search';
    my $is_of_threads = $is_search && (Bonnie::Json::text($load->limit->{search}) // q{}) eq 'threads';
    for my $step (map { hash($_) } $load->steps) {
        for my $kind ($load->kinds) {
            my $f = hash($step->{ $kind->{key} });
            my $l = hash($f->{latency_ns});
            next if !%{$f};
            push @rows, row_of(head($kind), cell(rate_text($f->{load})), cell(rate_text($f->{achieved_per_second})), cell(count_text($f->{errors})),
                (map { cell(latency_text($l->{$_})) } qw(mean p50 p99 max)), $is_search ? cell(verdict($step, $f)) : ());
        }
    }
    return table('Steps, in order', [ 'Load', $is_of_threads ? 'Threads' : 'Offered/s', 'Achieved/s', 'Errors', 'Mean', 'Median', 'p99', 'Longest', $is_search ? 'Limit' : () ], @rows);
}

sub verdict {
    my ($step, $figures) = @_;
    my $word = Bonnie::Json::text($figures->{verdict}) // q{};
    return $step->{confirmation} ? "$word (confirmation)" : $word;
}

# The course of a load as a table. A row covers one or more intervals. A percentile of
# several intervals is at most the highest one of a single interval.
sub course_table {
    my ($kind) = @_;
    my @intervals = map { hash($_) } $kind->{load}->intervals;
    my $together = int((@intervals + $MOST_ROWS - 1) / $MOST_ROWS) || 1;
    my ($end, @rows) = (0);
    while (my @some = splice @intervals, 0, $together) {
        my ($from, %sum) = ($end);
        for my $interval (@some) {
            my $f = hash($interval->{ $kind->{key} });
            $end += number($interval->{seconds}) // 0;
            $sum{$_} += number($f->{$_}) // 0 for qw(ended errors);
            $sum{$_} = larger($sum{$_}, number($f->{$_})) for qw(p50_ns p99_ns max_ns);
        }
        next if $end <= $from || !$sum{ended} && !$sum{errors} && $end - $from < $SHORTEST;
        my $begin = element('th', { scope => 'row', class => 'label' }, text(sprintf '%.4g', $from));
        push @rows, row_of($begin, cell(rate_text($sum{ended} / ($end - $from))), cell(count_text($sum{errors})),
            map { cell(latency_text($sum{$_})) } qw(p50_ns p99_ns max_ns));
    }
    my @percentiles = $together > 1 ? ('Highest median', 'Highest p99') : ('Median', 'p99');
    return table(load_label($kind) . ' over time', [ 'From, s', 'Requests/s', 'Errors', @percentiles, 'Longest' ], @rows);
}

sub larger {
    my ($one, $other) = map { $_ // 0 } @_;
    return $one > $other ? $one : $other;
}

1;
