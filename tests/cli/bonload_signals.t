#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonload and signals: the first one ends the load, and bonload prints its figures; the second one
# ends bonload at once; USR1 asks for the figures so far. Also how bonload reports its progress.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use BonnieRun  qw(finish is_alive scratch wait_until wait_until_stopped);
use LoadRun    qw(bonload ended_in has_ended load_started);
use RunProgram qw(slurp);

my @SLEEP = qw(-requests-engine=sleep -duration=100s);

for my $signal (qw(INT TERM)) {
    my $run = load_started(@SLEEP, '-rt=3');
    wait_until('requests', sub { has_ended($run) });
    kill $signal => $run->{pid};
    finish($run);
    my %number = (INT => 2, TERM => 15);
    is($run->{status}, "signal $number{$signal}", "$signal: it ends by it");
    cmp_ok(ended_in($run->{out}, 'reads'), '>', 0,               "$signal: with the figures");
    like($run->{out}, qr/[(]stopped\s+by\s+a\s+signal[)]/,     "$signal: and says so");
}

my $run = load_started(@SLEEP, '-rt=3');
wait_until('the figures so far', sub { has_ended($run) });
like(slurp($run->{err_file}), qr/[(]the\s+run\s+goes\s+on[)]/, 'USR1: the figures so far');
is(slurp($run->{out_file}), q{}, 'on standard error alone');
kill INT => $run->{pid};
finish($run);

# Each request takes seconds: the second signal does not wait for them.
$run = load_started(@SLEEP, '-rt=500');
wait_until('requests', sub { has_ended($run) });
# A signal within 20 ms of the first counts as the same one, so it is sent again until the run has
# ended.
wait_until('the end', sub { kill INT => $run->{pid}; !is_alive($run->{pid}) });
finish($run);
is($run->{status}, 'signal 2', 'the second one ends it at once');
is($run->{out}, q{}, 'without figures');

# A stop is a stop: what is caught up is not told of the time before it.
my @still;
for (1 .. 5) { # on a busy machine the load threads may not wait long enough for the main thread
    $run = load_started(qw(-requests-engine=null -rps=200 -wps=0 -json));
    wait_until('requests', sub { has_ended($run) });
    kill STOP => $run->{pid};
    wait_until_stopped($run->{pid});
    select undef, undef, undef, 1.5;
    my $before = length slurp($run->{err_file});
    kill CONT => $run->{pid};
    wait_until('figures again', sub { has_ended($run) && length slurp($run->{err_file}) > $before });
    kill INT => $run->{pid};
    finish($run);
    @still = grep { $_->{seconds} > 1 && $_->{reads}{made} == 0 } @{ JSON::PP::decode_json($run->{out})->{intervals} };
    last if @still;
}
is(scalar @still, 1, 'a second in which nothing ended shows that') or diag $run->{out};

# At a low rate, threads sleep for a long time, and a signal wakes them.
$run = load_started(qw(-requests-engine=null -rps=0.01 -max-requests=5));
wait_until('the first request', sub { has_ended($run) });
kill TERM => $run->{pid};
finish($run);
is($run->{status}, 'signal 15', 'TERM wakes all sleeping threads');
like($run->{out}, qr/[(]stopped\s+by\s+a\s+signal[)]/, 'and the figures are printed');

# bonload ends by SIGPIPE when its output is a closed pipe, as other programs do.
pipe my $reader, my $writer or die "pipe: $!\n";
close $reader;
my $gone = bonload({ out => "/proc/$$/fd/" . fileno $writer }, qw(-requests-engine=null -rt=1 -max-requests=10));
is("$gone->{status}$gone->{err}", 'signal 13', 'nobody reads the figures: ended by SIGPIPE, without a word');

# ---- progress ---------------------------------------------------------------------------------------
# Every five seconds where there is no terminal, and the memory every ten: the four runs wait at the same time.
my ($shown, $silent, $memory, $failing) = map { load_started(qw(-requests-engine=null -rps=100), @{$_}) }
    [qw(-duration=9s -show-progress)], [qw(-duration=9s -show-progress=false)], [qw(-duration=11s -memory-debug)],
    [ qw(-requests-engine=disk -duration=9s -show-progress -max-errors=100), "-url=/proc/$$/none/XX" ];
like(finish($shown)->{err}, qr{\Areads \S+/s of 100 p50 \S+ [unm]?s p99 \S+ [unm]?s, \d s left\n(?:reads [^\n]*\n)?\z}, 'a line where there is no terminal');
like(finish($failing)->{err}, qr{^reads 0/s of 100 p50 - p99 -, \d+ errors}m, 'its rate has no requests that failed');
my $done = finish($silent);
is("$done->{status}$done->{err}", '0', 'nothing with -show-progress=false');
cmp_ok(ended_in($done->{out}, 'reads'), '>', 0, 'while requests are made');
like(finish($memory)->{err}, qr/\Abonload: memory used: \d+ KiB\n\z/, '-memory-debug');

# ---- other messages while it runs ----------------------------------------------------------------
my $dir = scratch();
my $verbose = bonload('-rt=2', "-url=$dir/none", '-max-requests=100', '-verbose', '-max-errors=100');
is($verbose->{status}, '0', '-max-errors=100');
is($verbose->{err}, "bonload: read: $dir/none: open: No such file or directory; what is read must have been written, as by -wt=1, with -mkdirs where a directory is missing\n", '-verbose: each distinct error once');
like($verbose->{said}, qr/^error +100 x open: No such file or directory$/m, 'how often, at the end');

done_testing();
