# SPDX-License-Identifier: GPL-2.0-or-later
# The page of bonwhy: the slowest calls over time, what they waited for, because of whom, and the
# tables of calls, files and devices.
package Bonnie::WhyPage;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Causes     qw(@CAUSES %CAUSE);
use Bonnie::Document   qw(document measured_text);
use Bonnie::HtmlTable  qw(plain_table);
use Bonnie::Plain      qw(few);
use Bonnie::TailCharts qw(tail_charts);
use Bonnie::Units      qw(bytes_text figure_text grouped);

our @EXPORT_OK = qw(why_page);

my $WRITERS = 3;

# $title is plain text, or undef for the target.
sub why_page ($title, $why) {
    my @sections = grep { @{ $_->{content} } } (
        { id => 'course',  title => 'The slowest calls',   content => [ tail_charts(0, [], [ $why->{call}, [ undef, $why->{slowest} ] ]) ] },
        { id => 'causes',  title => 'What they waited for', content => [ cause_table($why), other_table($why) ] },
        { id => 'calls',   title => 'All calls',           content => [ call_table($why) ] },
        { id => 'files',   title => 'Files',               content => [ file_table($why) ] },
        { id => 'devices', title => 'Devices',             content => [ device_table($why) ] },
    );
    return document(title => $title // "Why $why->{target} waits for its storage", class => 'one', headline => $why->{slowest}{sentence},
        facts => join(q{ }, measured_text([ $why->{host} ], [ $why->{start_time} ]), map {"$_."} $why->{in_the_way} || ()), sections => \@sections);
}

sub percent_words { return defined $_[0] ? sprintf "%.3g\x{A0}%%", $_[0] : undef }

sub time_words { return defined $_[0] ? figure_text($_[0], 'ns') : undef }

sub count_words { return defined $_[0] ? grouped(sprintf '%.0f', $_[0]) : undef }

# "rsyslogd (pid 640)"
sub who ($who) {
    return ($who->{name} eq q{} ? 'a process that has ended' : $who->{name}) . (defined $who->{pid} ? sprintf ' (pid %.0f)', $who->{pid} : q{});
}

sub cause_table ($why) {
    my $percent = $why->{slowest}{percent};
    my @causes  = sort { $percent->{$b} <=> $percent->{$a} } grep { $percent->{$_} } @CAUSES;
    my %table   = (caption => "What the slowest $why->{call} waited for", titles => [ 'The calls', 'Share of their time', 'Time' ]);
    return plain_table(\%table, map { [ $CAUSE{$_}{words}, percent_words($percent->{$_}), time_words($percent->{$_} / 100 * $why->{in_all}) ] } @causes);
}

sub other_table ($why) {
    return plain_table({ caption => 'Because of whom', titles => [ 'Process', 'Share of their time' ] }, map { [ who($_), percent_words($_->{percent}) ] } @{ $why->{others} });
}

sub call_table ($why) {
    return plain_table({ caption => 'All calls', titles => [qw(Call Calls Bytes p50 p99 max), 'In all'] },
        map { [ $_->{call}, count_words($_->{calls}), $_->{bytes} ? bytes_text($_->{bytes}) : undef, (map { time_words($_) } @{ $_->{latency} }{qw(p50 p99 max)}, $_->{in_all_ns}) ] } @{ $why->{calls} });
}

sub file_table ($why) {
    return plain_table({ caption => 'The files whose calls took longest', titles => [ 'File', 'Calls', 'In all' ] }, map { [ $_->{path}, count_words($_->{calls}), time_words($_->{in_all_ns}) ] } @{ $why->{files} });
}

sub device_table ($why) {
    return plain_table({ caption => 'Devices, and who wrote most to them', titles => [qw(Device Busy Flushes Written Writers)] }, map { device_row($_) } @{ $why->{devices} });
}

sub device_row ($device) {
    my $written = $device->{written_bytes} || 0;
    my @writers = map { who($_) . ($written && $_->{written_bytes} ? q{ } . percent_words(100 * $_->{written_bytes} / $written) : q{}) } few($WRITERS, @{ $device->{writers} });
    return [ $device->{name}, percent_words($device->{busy_percent}), count_words($device->{flushes}), $written ? bytes_text($written) : undef, join ', ', @writers ];
}

1;
