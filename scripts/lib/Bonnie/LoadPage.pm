# SPDX-License-Identifier: GPL-2.0-or-later
# The sections of the page about load reports.
package Bonnie::LoadPage;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::LoadCharts qw(load_host_charts load_time_charts load_heat_charts load_percentile_charts load_step_charts);
use Bonnie::LoadSettings qw(load_settings_table);
use Bonnie::LoadTables qw(load_label load_table slow_table step_table);
use Bonnie::LoadVerdict qw(load_verdict_content);
use Bonnie::Json qw(hash slowest_operations);
use Bonnie::TailCharts qw(tail_content);

our @EXPORT_OK = qw(load_sections);

# In the form of the page's sections: each has a content sub that gets the page.
# Without load reports all are empty.
sub load_sections {
    return (
        { id => 'good-for',      title => 'Is this storage good enough?', content => sub { load_verdict_content(loads_of(@_)) } },
        { id => 'load-tail',     title => 'What the slowest requests waited for', content => with_kinds(\&tail_of_kinds) },
        { id => 'load-steps',    title => 'Latency at each load',  content => sub { map { (load_step_charts($_), step_table($_)) } grep { $_->steps } loads_of(@_) } },
        { id => 'load',          title => 'Requests and latency',  content => with_kinds(sub { my @one = grep { $_->{load}->is_one } @_; @one ? (load_table(@one), load_percentile_charts(@one)) : () }) },
        { id => 'load-hosts',    title => 'Latency on each host',  content => with_kinds(\&load_host_charts) },
        { id => 'load-time',     title => 'Load over time',        content => with_kinds(sub { (load_time_charts(@_), load_heat_charts(@_)) }) },
        { id => 'load-slowest',  title => 'Slowest requests',      content => with_kinds(\&slow_table) },
        { id => 'load-settings', title => 'Machine and settings of the load', content => sub { load_settings_table(loads_of(@_)) } },
    );
}

sub loads_of {
    my ($page) = @_;
    return @{ $page->{loads} // [] };
}

sub with_kinds {
    my ($content) = @_;
    return sub {
        my @kinds = map { $_->kinds } loads_of(@_);
        return @kinds ? $content->(@kinds) : ();
    };
}

sub tail_of_kinds {
    my @explained;
    for my $kind (@_) {
        my $slowest = slowest_operations(hash($kind->{figures}{tail})) or next;
        push @explained, [ load_label($kind), [ undef, $slowest ] ];
    }
    return tail_content(['Load'], [], @explained);
}

1;
