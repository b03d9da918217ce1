# SPDX-License-Identifier: GPL-2.0-or-later
# Bars of the hosts that made a run together, from the slowest to the fastest,
# in a panel for each test. If there are many hosts, outliers have rows of their
# own, and all others share one.
package Bonnie::HostCharts;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(min sum0);
use Bonnie::Axis       qw(axis_of_values);
use Bonnie::Chart      qw(panel panels spread value);
use Bonnie::HtmlTable  qw(tests_run);
use Bonnie::Json       qw(hash number text);
use Bonnie::Plain      qw(shorten);
use Bonnie::Statistics qw(median spread_of);
use Bonnie::Units      qw(counted figure_text);

our @EXPORT_OK = qw(host_charts hosts_of host_panel how_to_read_hosts load_hosts ranks_text slow_host);

# With more hosts, not every host has a row; and at most this number of outliers
# is named at either end.
my $MOST_EACH  = 12;
my $MOST_NAMED = 5;

# Tukey's fences: this many interquartile ranges beyond the quartiles.
my $FENCE = 1.5;

# A host is called slow if it is beyond the fence of the others, and their median is at least this
# many times as good.
my $SLOW = 1.25;

# A figure for each label whose runs several hosts have made.
sub host_charts {
    my @charts;
    for my $group (@_) {
        my @tests = grep { @{ $_->[1] } } map { [ $_, [ hosts_of($group, $_) ] ] } tests_run($group);
        my @notes = ('A bar is the rate of a host divided by the number of its ranks.', how_to_read_hosts(map { $_->[1] } @tests));
        push @charts, panels($group->row_label . ': hosts, more is better', \@notes, map { test_panel($_->[0], @{ $_->[1] }) } @tests);
    }
    return @charts;
}

# The explanation that the panels of these hosts need, if any.
sub how_to_read_hosts (@lists) {
    return if !grep { @{$_} > $MOST_EACH } @lists;
    return 'The slowest host and those that are far from the others have rows of their own. '
        . 'The others share one: its bar is their median, and its line goes from the slowest of them to the fastest.';
}

sub test_panel ($test, @hosts) {
    return host_panel($test->{name_alone}, $test->{unit}, $hosts[ @hosts / 2 ]{value}, @hosts);
}

# "from 32 ranks on 8 hosts"; nothing without hosts. Each is { name, ranks }.
sub ranks_text (@hosts) {
    my $ranks = sum0(map { $_->{ranks} // 1 } @hosts);
    return $ranks > 1 ? "from $ranks ranks on " . counted(scalar @hosts, 'host') : ();
}

# Which host is clearly slower than the others: its name, how many times as fast their median is, and
# where most of all, and in how many of the cases; nothing if none is. Each of @cases is [ what, hosts
# from the slowest to the fastest, whose values are speeds ].
sub slow_host {
    my %slow;
    for my $case (@_) {
        my ($what, $slowest, @others) = @{$case};
        next if !@others || !$slowest->{value};
        my @values = map { $_->{value} } @others;
        my ($low, $high) = @values[ @values / 4, 3 * @values / 4 ];
        my $times = median(@values) / $slowest->{value};
        push @{ $slow{ $slowest->{name} } }, [ $times, $what ] if $times >= $SLOW && $slowest->{value} < $low - $FENCE * ($high - $low);
    }
    my ($name) = sort { @{ $slow{$b} } <=> @{ $slow{$a} } || $a cmp $b } keys %slow or return;
    my ($worst) = sort { $b->[0] <=> $a->[0] } @{ $slow{$name} };
    return (shorten($name), @{$worst}, scalar @{ $slow{$name} });
}

# The latencies of the hosts of a load. One all of whose requests failed has none.
sub load_hosts ($kind) {
    my @hosts;
    for my $host (map { hash($_) } $kind->{load}->hosts) {
        my ($name, $mean) = (text($host->{name}), number(hash($host->{ $kind->{key} })->{latency_mean_ns}));
        push @hosts, { name => $name, value => $mean, ranks => number($host->{ranks}) } if defined $name && $mean;
    }
    my @sorted = sort { $b->{value} <=> $a->{value} || $a->{name} cmp $b->{name} } @hosts;
    return @sorted;
}

# The rates of the hosts: medians of the runs.
sub hosts_of ($group, $test) {
    my %rates;
    for my $record (@{ $group->records }) {
        push @{ $rates{ $_->{name} } }, $_->{rate} for @{ $record->{tests}{ $test->{name} }{hosts} // [] };
    }
    my @hosts = map { { name => $_, value => median(@{ $rates{$_} }) } } keys %rates;
    my @sorted = sort { $a->{value} <=> $b->{value} || $a->{name} cmp $b->{name} } @hosts;
    return @sorted;
}

# A panel of hosts, { name, value }, that are sorted from the slowest to the
# fastest; nothing if there are fewer than two. $unit as in Units.pm; values are
# written in the unit that suits $like or, if that is undef, each in its own.
sub host_panel ($title, $unit, $like, @hosts) {
    return if @hosts < 2;
    my $axis = axis_of_values($unit, $like, map { $_->{value} } @hosts);
    my $shown = sub { figure_text($_[0], $unit, $like) };
    return panel($title, axis => $axis, rows => [ rows_of($axis, $shown, @hosts) ]);
}

sub rows_of ($axis, $shown, @hosts) {
    return map { host_row($axis, $shown, $_) } @hosts if @hosts <= $MOST_EACH;
    my ($slow, $fast) = outliers(map { $_->{value} } @hosts);
    my @others = @hosts[ $slow .. $#hosts - $fast ];
    return (
        (map { host_row($axis, $shown, $_) } @hosts[ 0 .. $slow - 1 ]),
        others_row($axis, $shown, @others),
        (map { host_row($axis, $shown, $_) } @hosts[ @hosts - $fast .. $#hosts ]),
    );
}

# How many values at the start and at the end of a sorted list are outliers. The
# slowest host always counts, because the others wait for it.
sub outliers (@values) {
    my ($low, $high) = sort { $a <=> $b } @values[ @values / 4, 3 * @values / 4 ];
    my $far    = $FENCE * ($high - $low);
    my @is_far = map { $_ < $low - $far || $_ > $high + $far } @values;
    my $half   = int(@values / 2);
    my $slow   = grep {$_} @is_far[ 0 .. $half - 1 ];
    my $fast   = grep {$_} @is_far[ $half .. $#values ];
    return (min($slow, $MOST_NAMED) || 1, min($fast, $MOST_NAMED));
}

sub host_row ($axis, $shown, $host) {
    return { label => shorten($host->{name}), shown => $shown->($host->{value}), marks => [ value($axis, 'bar', $host->{value}) ] };
}

sub others_row ($axis, $shown, @others) {
    my $spread = spread_of(map { $_->{value} } @others);
    return { label => scalar(@others) . ' others', shown => $shown->($spread->{median}), marks => spread($axis, $spread) };
}

1;
