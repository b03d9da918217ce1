# SPDX-License-Identifier: GPL-2.0-or-later
# The tables of load reports.
package Bonnie::LoadTables;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(uniq);
use Bonnie::HtmlTable qw(plain_table);
use Bonnie::Json      qw(hash list number text);
use Bonnie::Plain     qw(shorten);
use Bonnie::Units     qw(figure_text grouped);

our @EXPORT_OK = qw(load_table slow_table step_table load_label latency_text rate_text);

# "tmp/XXX, reads", or just "Reads" for a single load: the heading of one kind's rows in tables and
# charts.
sub load_label {
    my ($kind) = @_;
    my $name = shorten($kind->{load}->name);
    return $name eq q{} ? $kind->{title} : "$name, " . lc $kind->{title};
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

# The results of single loads (see Load.pm).
sub load_table {
    my @kinds = @_;
    return map { my $what = $_; plain_table({ caption => $what, titles => [ 'Load', 'Achieved/s', 'Median', 'p99', 'p99.9', 'Longest', 'Offered/s', 'Late', 'Errors', 'Requests' ] }, map { load_row($_) } grep { $_->{what} eq $what } @kinds) } uniq map { $_->{what} } @kinds;
}

sub load_row {
    my ($kind) = @_;
    my $f = $kind->{figures};
    return [ load_label($kind), rate_text($f->{achieved_per_second}), latency_texts($f->{latency_ns}, qw(p50 p99 p99_9 max)), rate_text($f->{offered_per_second}),
        map { count_text($_) } @{$f}{qw(late errors)}, $f->{requests} // hash($f->{latency_ns})->{count} ];
}

sub latency_texts {
    my ($latencies, @names) = @_;
    return map { latency_text($_) } @{ hash($latencies) }{@names};
}

# The requests that took longest. What is the same for all of them is not said ten times.
sub slow_table {
    my @kinds = @_;
    my @slow  = map { my $kind = $_; map { [ $kind, hash($_) ] } list($kind->{figures}{slowest}) } @kinds;
    my @told  = grep { my $key = $_; 1 < uniq map { text($_->[1]{$key}) // q{} } @slow } qw(name outcome);
    my @rows  = map { my ($kind, $slow) = @{$_}; [ load_label($kind), latency_text($slow->{latency_ns}), sprintf('%.3f', number($slow->{at_seconds}) // 0), map { text($slow->{$_}) } @told ] } @slow;
    return plain_table({ caption => 'The slowest requests', titles => [ 'Load', 'Latency', 'Due at, s', map { ucfirst } @told ] }, @rows);
}

sub step_table {
    my ($load) = @_;
    my @rows;
    for my $step (map { hash($_) } $load->steps) {
        for my $kind ($load->kinds) {
            my $f = hash($step->{ $kind->{key} });
            my $verdict = join q{ }, text($f->{verdict}) // q{}, $step->{confirmation} ? '(confirmation)' : ();
            push @rows, [ load_label($kind), rate_text($f->{load}), $verdict, rate_text($f->{achieved_per_second}), count_text($f->{errors}), latency_texts($f->{latency_ns}, qw(mean p50 p99 max)) ]
                if %{$f};
        }
    }
    return plain_table({ caption => 'Steps, in order', titles => [ 'Load', $load->is_of_threads ? 'Threads' : 'Offered/s', 'Limit', 'Achieved/s', 'Errors', 'Mean', 'Median', 'p99', 'Longest' ] }, @rows);
}

1;
