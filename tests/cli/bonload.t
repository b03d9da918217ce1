#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonload makes the load that it was asked for, and reports it: rates, threads, sweeps, reads that
# follow writes, and the commands of goader's documentation in goader's own words.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(sum);
use Test::More;
use BonnieRun  qw(refused_ok scratch);
use LoadRun    qw(bonload loaded succeeds_ok);
use RunProgram qw(slurp);
use SweepSize  qw(is_long);

# ---- rates: offered and achieved are the same, whatever the machine does meanwhile ---------------
for my $rate (10, 1000, 20_000) {
    for my $arrival (qw(constant poisson)) {
        my $seconds = is_long() ? 10 : 2;
        my $k;
        for my $try (1 .. 20) { # a very busy machine does not make requests that are still due 100 ms after the end
            $k = loaded("-rps=$rate", '-requests-engine=null', "-duration=${seconds}s", "-arrival=$arrival")->{reads};
            last if $k->{made} == $k->{asked};
        }
        my $asked = $arrival eq 'constant' ? 0 : 5 * sqrt $rate * $seconds;
        cmp_ok(abs($k->{asked} - $rate * $seconds), '<=', $asked, "$rate/s, $arrival: the right number came due");
        is($k->{made}, $k->{asked}, "$rate/s, $arrival: and all were made");
    }
}
my $both;
for my $try (1 .. 20) {
    $both = loaded(qw(-rps=300 -wps=0.5 -requests-engine=null -duration=2s));
    last if $both->{writes}{made} && $both->{reads}{made};
}
is($both->{writes}{made}, 1, 'half a write a second');
cmp_ok($both->{reads}{made}, '>', 0, 'reads begin at the first write');

my $dir = scratch();

# ---- threads --------------------------------------------------------------------------------------
my $threads = loaded(qw(-rt=3 -requests-engine=sleep -max-requests=30));
is($threads->{reads}{asked},       30, '-max-requests: so many');
ok(!$threads->{writes}, 'and no writes');
cmp_ok(30 * $threads->{reads}{latency_ns}{mean} / 1e9, '<=', 3 * $threads->{elapsed_seconds}, 'at most three at a time');
is(sum(map { $_->{reads}{made} } @{ $threads->{intervals} }), 30, 'the intervals add up');
my $goaders = JSON::PP::decode_json(bonload(qw(-rt=3 -requests-engine=sleep -max-requests=30 -output=json))->{out});
is(join(q{ }, sort keys %{$goaders}), 'Errors Reads Reports StartTime Writes', '-output=json: the keys of goader, and no others');
is($goaders->{Reads}{FinalSpeed}, 0,  'FinalSpeed is that of a search');
is_deeply($goaders->{Reports}, ['Maximum requests count'], 'why the run ended, in a sentence of goader\'s');
is(scalar @{ $goaders->{Reads}{TopTen} }, 10, 'the ten that took longest');
is_deeply([ sort { $a <=> $b } @{ $goaders->{Reads}{TopTen} } ], $goaders->{Reads}{TopTen}, 'the longest last');
for my $ours (['-good-for=etcd'], [ '-sweep=100,200', '-requests-engine=null' ], [ '-ramp=1..2/1s', '-requests-engine=null' ]) {
    refused_ok(bonload(@{$ours}, '-output=json', "$dir"), qr/-output=json .*--json/, "@{$ours}: goader never had it");
}
is(loaded(qw(-rt=200 -max-requests=7 -requests-engine=null))->{reads}{asked}, 7, 'fewer requests than threads');

# ---- reads that follow writes: the numbers are exact ---------------------------------------------
for my $case ([ 10, 9090, 909 ], [ 0.3, 2307, 7693 ], [ 1, 5000, 5000 ]) {
    my ($reads, $expected_reads, $expected_writes) = @{$case};
    my $done = loaded("-rpw=$reads", qw(-wt=3 -requests-engine=null -max-requests=10000));
    is($done->{writes}{asked}, $expected_writes, "-rpw=$reads: writes");
    is($done->{reads}{asked},  $expected_reads,  "-rpw=$reads: reads");
}

# ---- a sweep --------------------------------------------------------------------------------------
my $sweep = loaded(qw(-wps=1 -rps=3 -requests-engine=null -duration=300ms), '-sweep=200,400')->{steps};
is(scalar @{$sweep}, 2, 'a step for each rate');
is_deeply([ map { ($_->{writes}{load_per_second}, $_->{reads}{load_per_second}) } @{$sweep} ], [ 50, 150, 100, 300 ], 'shared out as -rps and -wps are');
my @times = bonload(qw(-requests-engine=sleep -wps=1 -rps=0 -duration=500ms -max-errors=100), '-sweep=300,600')->{out} =~ /^writes +\S+ +[\d.]+(?: k)? +\d+ +(\S+ m?s) +(\S+ m?s)$/mg;
is(scalar @times, 4, 'a line for each, with median and p99');
my @ms = map { /(\S+) (m?)s/; $2 ? $1 : 1000 * $1 } @times;
cmp_ok($ms[$_], '<=', $ms[ $_ + 1 ], 'in this order') for grep { $_ < $#ms } 0, 2;
my $alone = loaded(qw(-sweep=100 -rps=0 -requests-engine=null -duration=200ms));
is($alone->{reads}, undef, '-rps=0: writes alone');
is($alone->{steps}[0]{writes}{load_per_second}, 100, 'have all of it');
my @SWEEP = qw(-requests-engine=null -wps=1 -rps=0);
like(bonload(@SWEEP, qw(-sweep=1000 -max-requests=20))->{out}, qr/\ANot known: the first load was not tried to its end/, 'what the end of the run cuts short says nothing');
my $chance; # on a busy machine, the last request may be too late
for my $try (1 .. 9) {
    $chance = bonload(@SWEEP, '-sweep=20,50', qw(-arrival=poisson -seed=3 -duration=400ms))->{out};
    last if $chance =~ /\A[\d.]+ writes\/s were made, the highest tried/;
}
like($chance, qr/\A[\d.]+ writes\/s were made, the highest tried/, 'where chance made fewer due, none is missing');
# The answer has the rate that was made, as the table has it, and that which came due. With gaps that are all alike it is the one asked.
my @SLOW = qw(-requests-engine=sleep -wps=1 -rps=0 -duration=1s -max-channels=1);
for my $case ([ @SWEEP, '-sweep=20,50', qw(-seed=3 -duration=400ms) ], [ @SWEEP, '-sweep=30,60,90', qw(-seed=5 -duration=400ms) ],
    [ @SLOW, qw(-sweep=20 -seed=7) ], [ @SLOW, '-sweep=30,60', '-seed=3' ])
{
    my @load = @{$case};
    my $text = bonload(@load, '-arrival=poisson')->{out};
    my @made = $text =~ /^writes +\d+ +(\S+)/mg;
    my ($told, $due) = $text =~ /\A(?:\S+ writes\/s were made; )?(?:[Oo]nly )?(\S+) (?:of (\S+) )?writes\/s were made/;
    ok(scalar(grep { $_ eq ($told // q{}) } @made), "@load: what was made by chance") or diag($text);
    isnt($due, $_, 'and not what was asked for came due') for $load[0] =~ /sleep/ ? $text =~ /^writes +(\d+)/mg : ();
}
like(bonload(@SLOW, '-sweep=20')->{out}, qr/\AOnly \S+ of 20 writes\/s were made/, 'with constant gaps what was asked came due');

# ---- the warm-up is left out ---------------------------------------------------------------------
my $warm;
for my $try (1 .. 20) {
    $warm = loaded(qw(-rps=1000 -requests-engine=null -warmup=500ms -duration=500ms))->{reads};
    last if $warm->{made};
}
is($warm->{asked}, 500, '-warmup: what came due afterwards');
cmp_ok($warm->{made}, '>', 0, 'is made, but for what a busy machine could not begin in time');
cmp_ok($warm->{made}, '<=', 500, 'and nothing else');
is(loaded(qw(-rt=1 -requests-engine=sleep -warmup=300ms -max-requests=3))->{reads}{asked}, 3, '-warmup: its requests are not counted');

# ---- a rate that is not kept ---------------------------------------------------------------------
my $behind = bonload(qw(-rps=200 -requests-engine=sleep -max-channels=10 -max-requests=100));
is($behind->{status}, '0', 'a rate that is not kept is no failure');
like($behind->{out}, qr{\A\S+ reads/s [(]200 asked[)] }, 'it is said');
like($behind->{out}, qr/^reads +\d+ +\d+ +\d+ +[1-9]\d* /m, 'with how many were late');
my @BAD = qw(-rps=200 -requests-engine=sleep -max-channels=10 -stop-on-bad-rate);
my $bad = bonload(@BAD);
is($bad->{status}, '2', '-stop-on-bad-rate: exit status 2');
like($bad->{out} =~ s/\n(?=\S)/ /r, qr/[(]ended early: two seconds' worth of requests were overdue[)]/, 'it says so');
like(bonload(@BAD, '-output=human')->{out}, qr/^Staggered for: [1-9]/m, 'and in goader\'s lines, how long it was behind');

# ---- the commands of goader's documentation, in a directory instead of a server --------------------
mkdir "$dir/tmp";
my @NAME = ('--body-size=4k', '-max-requests=100');
my @COMMANDS = (
    [qw(-rps=30 -wps=30)],
    [qw(--max-latency=300ms -window=100ms)],
    [qw(--max-latency=300ms -rt=0 -window=100ms)],
    [qw(-rpw=10 --max-latency=300ms -window=100ms)],
    [qw(-rt=200 -wt=30)],
    [qw(-rt=200 -wt=0)],
);
for my $engine (qw(disk meta null sleep)) {
    mkdir "$dir/$engine";
    for my $command (@COMMANDS) {
        my $run = bonload(@{$command}, "--requests-engine=$engine", "--url=$dir/$engine/XXX", @NAME, '-max-errors=100');
        succeeds_ok($run, @{$command}, $engine);
    }
}
my $example = bonload('-output=human', '--max-latency=500ms', '--max-requests=10000', '-rpw=10', '--requests-engine=disk',
    "--url=$dir/tmp/XXX", '--body-size=4k', '-max-channels=8', '-window=50ms');
succeeds_ok($example, 'the example of -max-latency');
my $TIME = qr/\d+(?:[.]\d+)?(?:ns|\xC2\xB5s|ms|s)/;
my $GOADERS = join q{}, map {"^$_\\n"} "Average response time: $TIME",
    (map {"Percentile $_ - $TIME"} 30, 40, 50, 60, 70, 80, 90, 95, 99),
    "TopTen latencies:  $TIME(?: $TIME)*", 'Threads with latency below 500ms: \d+', 'Total requests: \d+',
    'Total errors: 0', 'Average OP/s:  \d+', 'Average good OP/s:  \d+';
like($example->{out}, qr/^Writes\n$GOADERS/m,     'the lines of writes, as goader prints them');
like($example->{out}, qr/^Reads\n$GOADERS/m,   'and of reads, which follow');
my $STAGGERED = qr/^Total errors: 0\nStaggered for: 0s\nAverage OP\/s: /m;
my $at_rate;
for my $try (1 .. 5) { # a busy machine may fall behind
    $at_rate = bonload(qw(-wps=100 -requests-engine=null -max-requests=20 -output=human))->{out};
    last if $at_rate =~ $STAGGERED;
}
like($at_rate, $STAGGERED, 'at a rate: Staggered for');

# ---- repeatable ------------------------------------------------------------------------------------
my @again = map { loaded(qw(-wt=1 -requests-engine=null -max-requests=50 -seed=-5), '-url=x-NNNN-RRRR', "-written-urls-dump=$dir/dump$_") } 1, 2;
is(slurp("$dir/dump1"), slurp("$dir/dump2"), '-seed: the same names again');
like(slurp("$dir/dump1"), qr/\A(?:x-\d{4}-[a-zA-Z]{4}\n){50}\z/, 'one a line');

done_testing();
