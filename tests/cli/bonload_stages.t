#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The warm-up is step 0 of a load. All figures leave it out, and nothing else does. Each
# request is in exactly one step.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP qw(decode_json);
use List::Util qw(sum0);
use Test::More;
use BonnieRun  qw(run_tool scratch);
use LoadRun    qw(bonload loaded);
use RunProgram qw(spew);
use Trace      qw(can_trace);
use WarmUp     qw(warmups_agree);

my $dir = scratch();

# ---- names that recur: their contents are known, also when they were written during the warm-up ----
my $recurs = bonload(qw(-wt=2 -rt=2 -warmup=400ms -max-requests=100 -body-size=4k), "-url=$dir/XX");
is($recurs->{status}, '0', 'names that recur while warming up: no damage') or diag($recurs->{err});
like($recurs->{out}, qr/^checked +[1-9]\S* \w+ read, none damaged$/m, 'which was looked for');

# ---- the limit on requests does not include the warm-up ------------------------------------------
for my $case ([ 1000, qw(-rt=4 -requests-engine=null) ], [ 100, qw(-rps=200 -requests-engine=sleep -max-channels=10) ],
    [ 300, qw(-rt=3 -wt=3 -requests-engine=null) ], [ 50, qw(-rt=20 -requests-engine=sleep) ]) {
    my ($most, @load) = @{$case};
    my $done = loaded(@load, '-warmup=400ms', "-max-requests=$most");
    is(sum0(map { $_ // 0 } map { @{ $done->{$_} // {} }{qw(made errors)} } qw(reads writes)), $most, "@load -max-requests=$most: exactly so many");
}
my $followed = loaded(qw(-rpw=10 -wt=2 -requests-engine=null -warmup=200ms -max-requests=10000));
is($followed->{writes}{asked}, 909,  '-rpw=10: writes');
is($followed->{reads}{asked},  9090, '-rpw=10: and reads');

# ---- no figure includes the warm-up --------------------------------------------------------------
my $rate = loaded(qw(-rps=200 -requests-engine=sleep -max-channels=10 -warmup=1500ms -duration=500ms -stop-on-bad-rate));
my $reads = $rate->{reads};
cmp_ok($reads->{asked}, '<=', 100, 'what was due in half a second');
cmp_ok($reads->{staggered_ns}, '<=', 1e9 * $rate->{elapsed_seconds}, 'staggered for no longer than that');
is($reads->{latency_ns}{max}, $reads->{slowest}[0]{latency_ns}, 'the longest is that of what counts');

my $null = loaded(qw(-rt=1 -requests-engine=null -warmup=1s -max-requests=1000));
cmp_ok($null->{cpu_seconds}, '<', 0.5, 'CPU time is that of what counts');
my $failing = loaded(qw(-rt=40 -requests-engine=sleep -warmup=1s -max-requests=20 -max-errors=100));
my $errors = 0;
$errors += $_->{count} for @{ $failing->{reads}{failures} };
is($errors, $failing->{reads}{errors}, 'errors by kind: those that count');
my $sliced = loaded(qw(-rps=100 -requests-engine=null -warmup=1s -duration=1s));
my $ended = 0;
$ended += $_->{reads}{made} for @{ $sliced->{intervals} };
is($ended, $sliced->{reads}{made}, 'the intervals have what counts');
is($sliced->{reads}{asked}, 100, 'which is what was due, but for what a busy machine could not begin in time');
cmp_ok($ended, '<=', 100, 'and no more');

# ---- a run that ends during the warm-up: no figure -----------------------------------------------
my $early = LoadRun::load_started(qw(-rt=1 -requests-engine=null -warmup=60s --json));
ok(BonnieRun::wait_until('figures', sub { LoadRun::has_ended($early) }), 'SIGUSR1 shows the figures of the warming up');
like(RunProgram::slurp($early->{err_file}), qr/[(]of\s+the\s+warm-up,\s+which\s+does\s+not\s+count[)]/, 'and says so');
kill INT => $early->{pid};
my $stopped = BonnieRun::finish($early);
is($stopped->{status}, 'signal 2', 'a signal while warming up');
is(JSON::PP::decode_json($stopped->{out})->{reads}{asked}, 0, 'nothing counts');

# ---- steps ---------------------------------------------------------------------------------------------------
for my $warmup (qw(0s 300ms)) {
    my $sweep = loaded('-sweep=50,200', qw(-rps=1 -wps=0 -requests-engine=sleep -max-channels=10 -duration=1s), "-warmup=$warmup");
    my $steps = $sweep->{steps};
    my $all = 0;
    $all += $_->{reads}{latency_ns}{count} + $_->{reads}{errors} for @{$steps};
    is($all, $sweep->{reads}{made} + $sweep->{reads}{errors}, "-warmup=$warmup: each request of a sweep is in one step");
}

# A request that outlasts the longest pause counts with its step, and not again when it ends.
SKIP: {
    skip 'strace cannot trace here', 5 if !can_trace();
    my $dir = scratch();
    spew("$dir/file", 'x' x 4096);
    my $hung = run_tool('bonload', { wrap => [ qw(strace -f -qq -o /dev/null -P), "$dir/file", qw(-e inject=read:delay_enter=13s:when=4 --) ] },
        '-sweep=20,20', qw(-show-progress=false --json -rps=1 -wps=0 -max-channels=1 -duration=1s), "-url=$dir/file");
    my $report = decode_json($hung->{out});
    my ($first, $last) = map { $_->{reads} } @{ $report->{steps} };
    cmp_ok($first->{latency_ns}{max}, '>=', 10e9, 'a request that hangs has taken at least as long as the pause');
    is($first->{latency_ns}{count}, 4, 'and is one more');
    is($first->{latency_ns}{count} + $last->{latency_ns}{count}, $report->{reads}{made}, 'the run has those of its steps');
    cmp_ok($report->{reads}{latency_ns}{max}, '>=', 10e9, 'with the same latency');

    # A machine that takes a second over the look at its CPUs, while the load goes on.
    my $slow = run_tool('bonload', { wrap => [ qw(strace --seccomp-bpf -f -qq -o /dev/null -P /proc/stat -e trace=openat -e inject=openat:delay_enter=1s --) ] },
        '-sweep=50,50', qw(-show-progress=false --json -rps=1 -wps=0 -requests-engine=sleep -max-channels=10 -duration=1s));
    my @above = grep { $_->{reads}{latency_ns}{count} > 1 + 51 * $_->{seconds} } @{ decode_json($slow->{out})->{steps} };
    is_deeply(\@above, [], 'no step achieves more than was due in it');
}

# ---- with and without warming up ----------------------------------------------------------------------------
warmups_agree(sub { loaded(@_) });

done_testing();
