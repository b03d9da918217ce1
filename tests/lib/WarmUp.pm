# SPDX-License-Identifier: GPL-2.0-or-later
# What the warm-up must not change: the figures of a run.
package WarmUp;

use strict;
use warnings;
no warnings 'qw';
use Exporter 'import';
use LoadRun qw(found_of);
use Test::More;

our @EXPORT_OK = qw(warmups_agree);

my @NULL  = qw(-requests-engine=null -wt=0);
my @SLEEP = qw(-requests-engine=sleep -adjust-on-errors=false -max-errors=100);

# Loads with an exactly known figure, whatever the machine does meanwhile: the name, the arguments,
# and the figure in the report.
my @EXACT = (
    [ 'threads', [ @NULL, qw(-rt=3 -max-requests=3000) ], sub { $_[0]{reads}{made} }, 3000 ],
    [ 'threads that sleep', [ @SLEEP, qw(-rt=9 -max-requests=90) ], sub { $_[0]{reads}{made} + $_[0]{reads}{errors} }, 90 ],
    [ 'a rate', [ @NULL, qw(-rps=900 -duration=1s) ], sub { $_[0]{reads}{asked} }, 900 ],
    [ 'a rate of what sleeps', [ @SLEEP, qw(-rps=60 -duration=1s -max-channels=30) ], sub { $_[0]{reads}{asked} }, 60 ],
    [ 'a sweep', [ @NULL, qw(-sweep=300,900 -rps=1 -duration=500ms) ], loads_of('asked_per_second'), '300 900' ],
    [ 'a sweep of what sleeps',
        [ @SLEEP, qw(-sweep=30,60 -rps=1 -wps=0 -duration=500ms -max-channels=30) ], loads_of('load_per_second'), '30 60' ],
    [ 'a search', [ @NULL, qw(-max-latency=p90:10s -max-channels=6 -window=20ms -rt=3) ], \&answer, 'most 6' ],
    [ 'a search in vain', [ @SLEEP, qw(-max-latency=max:1ms -wt=0 -rt=3 -window=100ms) ], \&answer, 'none 0' ],
);

sub answer { my ($report) = @_; return found_of($report->{reads}) . " $report->{reads}{found_threads}" }

# The values of a key at each step of a sweep, in whole requests per second.
sub loads_of {
    my ($key) = @_;
    return sub { return join q{ }, map { sprintf '%.0f', $_->{reads}{$key} } @{ $_[0]{steps} } };
}

# warmups_agree($run, $except): $run->(ARGUMENT...) returns a run's report. Loads whose name matches $except are not made.
sub warmups_agree {
    my ($run, $except) = @_;
    for my $case (grep { !$except || $_->[0] !~ $except } @EXACT) {
        my ($name, $args, $figure, $expected) = @{$case};
        is($figure->($run->(@{$args}, "-warmup=$_")), $expected, "-warmup=$_: $name") for qw(0s 300ms);
    }
    # Nine threads that sleep for 100 ms on average make 90 requests a second. The bounds are wide
    # enough for a busy machine, and narrow enough to notice requests of the warm-up.
    for my $warmup (qw(0s 1s)) {
        my $reads = $run->(@SLEEP, qw(-rt=9 -duration=2s), "-warmup=$warmup")->{reads};
        my $mean  = $reads->{latency_ns}{mean} / 1e6;
        cmp_ok($mean, '>', 60, "-warmup=$warmup: the mean latency is that of nine threads");
        cmp_ok($reads->{made}, '>', 0, "-warmup=$warmup: requests are counted");
        cmp_ok($reads->{made} * $mean / 9, '<', 1100 * $reads->{elapsed_seconds}, "-warmup=$warmup: and no more than there was time for");
    }
    return;
}

1;
