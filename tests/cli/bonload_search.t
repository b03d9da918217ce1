#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A search finds a load that is known beforehand. It says when no load keeps the limit, when all
# do, and how far it came when it could not finish.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(has_terminal have program scratch);
use LoadRun    qw(bonload found_of loaded);
use RunProgram qw(quoted);
use SweepSize  qw(is_long);

# The target `sleep` has ten slots of 100 ms on average: N threads have a mean latency of 10 x N ms,
# so 20 threads have 200 ms. Twenty searches for exactly that take half an hour. A rate that was
# found is right within 10 %: a tenth less keeps the limit for a minute, and a tenth more does not.
if (is_long()) {
    for my $try (1 .. 20) {
        my $reads = loaded(qw(-requests-engine=sleep -max-latency=200ms -wt=0))->{reads};
        is(found_of($reads), 'found', "try $try: found");
        cmp_ok(abs($reads->{found_threads} - 20), '<=', 1, "try $try: 20 threads, within 1");
    }
    my @SLEEP = qw(-requests-engine=sleep -max-channels=100 -adjust-on-errors=false);
    for my $try (1 .. 10) {
        my $found = loaded(@SLEEP, qw(-search=rate -max-latency=p99:400ms -rps=0 -wps=60))->{writes};
        is(found_of($found), 'found', "try $try: a rate is found");
        my ($less, $more) = map { loaded(@SLEEP, '-wps=' . $_ * $found->{found_per_second}, '-duration=60s')->{writes}{latency_ns}{p99} } 0.9, 1.1;
        cmp_ok($less, '<=', 4e8, "try $try: a tenth less keeps the limit");
        cmp_ok($more, '>',  4e8, "try $try: a tenth more does not");
    }
}

# Ten threads have a mean of 100 ms, far below the limit; thirty have 300 ms, or more on a busy
# machine.
my $search;
for my $try (1 .. 3) { # on a busy machine even ten may get no verdict
    $search = loaded(qw(-requests-engine=sleep -max-latency=250ms -rt=0 -wt=10 -window=300ms -window-max=4s -adjust-on-errors=false));
    last if $search->{steps}[0]{writes}{verdict} eq 'good' && found_of($search->{writes}) eq 'found';
}
is(found_of($search->{writes}), 'found', 'found');
cmp_ok($search->{writes}{found_threads}, '>=', 10, 'ten threads keep 250 ms');
cmp_ok($search->{writes}{found_threads}, '<',  30, 'thirty do not');
is($search->{reads}, undef, 'no reads');
my @steps = @{ $search->{steps} };
is($steps[0]{writes}{load_threads}, 10, 'it begins with -wt');
is($steps[1]{writes}{load_threads}, 20, 'and doubles');
cmp_ok(scalar(grep { $_->{writes}{load_threads} > $search->{writes}{found_threads} && $_->{writes}{verdict} ne 'good' } @steps), '>', 0, 'until the limit breaks');
ok($steps[-1]{confirmation}, 'and confirms');
is($steps[-1]{writes}{verdict}, 'good', 'what keeps it');
is($steps[-1]{writes}{load_threads}, $search->{writes}{found_threads}, 'which is the answer');
cmp_ok($steps[-1]{seconds}, '>=', 0.9, 'in a window three times as long');

# All figures belong to the load that was confirmed.
my ($last, $writes) = ($steps[-1], $search->{writes});
is($search->{figures_of}, 'last load', 'the figures say what they are of');
is($writes->{made}, $last->{writes}{latency_ns}{count}, 'the requests are those of the last load');
is($writes->{latency_ns}{count}, $writes->{made}, 'so are the percentiles');
cmp_ok($_->{at_seconds}, '>=', $last->{start_seconds} - 0.01, 'so are the longest requests') for @{ $writes->{slowest} };
my $told = 0;
$told += $_->{count} for @{ $writes->{failures} };
is($told, $writes->{errors}, 'so are the failures');

my @NEVER = qw(-requests-engine=sleep -max-latency=max:1ms -wt=0 -window=100ms);
my $none = bonload(@NEVER);
like($none->{status}, qr/\A[23]\z/, 'no load keeps the limit');
like($none->{err}, $none->{status} eq '2' ? qr/^bonload: No load keeps the max of reads below 1[.]00 ms[.:]/m : qr/^bonload: Not known: no load was seen to keep the max of reads /m, 'which a line says');
my $rare = bonload(@NEVER, '-fail-above=p99.999:1s');
is($rare->{status}, $rare->{err} =~ /^bonload: No load keeps/m ? '2' : '3', 'is the exit status also where a percentile is not known');
like(bonload(@NEVER, '-output=human')->{out}, qr/^Threads with latency below 1ms: (?:0|not known)$/m, 'is an answer');
like($none->{out}, qr/^(?:No load keeps|Not known: no load was seen to keep) the \w+ of reads below/m, 'in words, too');
my $most = bonload(qw(-requests-engine=null -max-latency=p99:10s -max-channels=3 -window=20ms));
like($most->{out} =~ s/\n(?=\S)/ /gr, qr/At least 3 threads, which is all that -max-channels allows, keep the p99 of $_ below/, "$_: all loads keep it") for qw(writes reads);
is_deeply([ map { join q{ }, $_->{out} =~ /^ +((?:threads|asked).s? .*\S)/m ? split / +/, $1 : () } $none, $most ], [ 'threads made/s errors p50 p99 max', 'threads made/s errors p50 p99' ], 'the limited figure has one column');
my ($unsure, $AT_LEAST) = (undef, qr{\AAt least [\d.]+(?: [kM])?/s keeps the mean of reads below 10[.]0 s\s+[(]not\s+finished:\s+[\d.]+\s+m?s[)][.]$}m);
for my $window (20, 140) { # on a busy machine the first load may need longer
    $unsure = bonload(qw(-requests-engine=null -max-latency=10s -search=rate -rps=100 -wps=0), "-window=${window}ms", '-duration=' . 35 * $window . 'ms');
    last if $unsure->{out} =~ $AT_LEAST;
}
like($unsure->{out}, $AT_LEAST, 'what was given runs out: how far it came');
like("$unsure->{status} $unsure->{err}", qr/\A3 bonload: At least [\d.]+(?: [kM])?\/s keeps the mean of reads below 10[.]0 s [(]not finished: [^\n]*\n\z/, 'which is not known: status 3');

# What is told of steps: a word, and no column beyond the 80th.
is(() = "$none->{out}$most->{out}$unsure->{out}" =~ /^.{81}/mg, 0, 'steps have 80 columns');

# All requests are made before the first window ends: no load was tried.
my $few = bonload(qw(-requests-engine=null -max-latency=500ms -rpw=10 -max-requests=1000));
like("$few->{status} $few->{out}", qr/\A3 Not known: the first load was not tried to its end [(][\d.]+ [um]?s[)][.]$/m, 'few requests: nothing is known');
SKIP: {
    skip 'script(1) makes no terminal here', 1 if !has_terminal();
    my $run = quoted(program('bonload')) . ' -requests-engine=null -show-progress=false -max-latency=10s -max-requests=500 -window=1s';
    is_deeply([ map { scalar(() = qx(script -qec "$run $_" /dev/null </dev/null) =~ /(?:not tried to its end|no load was seen)/g) } '', qw(--json -output=human -output=json) ], [ 1, 2, 2, 2 ], 'on a terminal, a line says so unless the text does');
}
my $quiet = loaded(qw(-requests-engine=null -max-latency=10ms -search=rate -rps=0.5 -wps=0 -window=100ms -window-max=100ms))->{reads};
is($quiet->{found}, 'unsure', 'a rate at which nothing comes due is not known to break the limit');
like($quiet->{found_reason}, qr/-window-max[)] was too short to tell|others used the machine/, 'and the reason is the length of a window');

# Failures break the limit unless they are excluded.
my $dir    = scratch();
my @NONE   = ("-url=$dir/none", qw(-max-latency=10s -wt=0 -window=20ms -max-channels=2 -max-errors=100 -duration=5s));
my $failed = loaded(@NONE)->{reads};
is(found_of($failed), 'none', 'failures break the limit');
like($failed->{found_reason}, qr/most of the requests failed|others used the machine/, 'and that is the reason');

# When reads follow writes, the limit applies to the writes.
my $follows = loaded(qw(-requests-engine=null -max-latency=10s -rpw=3 -window=20ms -max-channels=2));
is($follows->{writes}{found}, 'most', '-rpw: writes are searched for');
is($follows->{reads}{found},  undef,  'and reads are not');

done_testing();
