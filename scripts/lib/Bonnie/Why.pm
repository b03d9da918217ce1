# SPDX-License-Identifier: GPL-2.0-or-later
# A report of bonwhy, read from its JSON. Invalid figures become 0 or undef, whatever the file
# contains.
package Bonnie::Why;

use strict;
use warnings;
use experimental 'signatures';
use Bonnie::Json  qw(hash in_the_way list number slowest_operations text version_fault);
use Bonnie::Plain qw(few shorten);

# Limit on rows, above the number of any real report.
my $MANY = 100;

sub is_report ($report) {
    return ref $report eq 'HASH' && (text($report->{format}) // q{}) eq 'bonwhy';
}

# Like report_records() of Json.pm: the one record has only { why => ... }, with target, host,
# start_time, in_the_way, slowest as slowest_operations() has it, the time of these calls, and the rows of the
# tables.
sub records ($report) {
    my $fault  = version_fault($report);
    my $answer = hash($report->{answer});
    my $slowest = slowest_operations({ %{$answer}, slowest => $answer->{examined}, lost_events => $report->{lost_events} });
    return ([], $fault) if defined $fault;
    return ([], 'the report of bonwhy has no call') if !$slowest;
    my %why = (
        target  => shorten(text(hash($report->{settings})->{target}) // q{}),
        host    => text(hash($report->{host})->{name}),
        start_time => text($report->{start_time}),
        in_the_way => in_the_way($report),
        call    => shorten(text($answer->{call}) // q{}),
        in_all  => number($answer->{in_all_ns}) // 0,
        slowest => $slowest,
        others  => [ map { row($_, [qw(name)], [qw(pid percent)]) } rows($answer->{others}) ],
        calls   => [ map { +{ %{ row($_, [qw(call)], [qw(calls bytes in_all_ns)]) }, latency => row($_->{latency_ns}, [], [qw(p50 p99 max)]) } } rows($report->{calls}) ],
        files   => [ map { row($_, [qw(path)], [qw(calls in_all_ns)]) } rows($report->{files}) ],
        devices => [ map { my $device = $_;
            +{ %{ row($_, [qw(name)], [qw(busy_percent flushes written_bytes)]) }, writers => [ map { row($_, [qw(name)], [qw(pid written_bytes)]) } rows($device->{writers}) ] } } rows($report->{devices}) ],
    );
    return [ { why => \%why } ];
}

sub rows { return map { hash($_) } few($MANY, list($_[0])) }

sub row ($written, $texts, $numbers) {
    my $of = hash($written);
    return { (map { $_ => shorten(text($of->{$_}) // q{}) } @{$texts}), map { $_ => number($of->{$_}) } @{$numbers} };
}

1;
