#!/usr/bin/perl
# A search finds what is known, says when no load keeps the limit and when all do, and how far it came.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(have scratch);
use LoadRun   qw(bonload loaded);

my $LONG = $ENV{BONNIE_TEST_LONG};

# Ten slots of 100 ms on average: N threads have a mean of 10 x N ms, so 20 of them have 200 ms. Ten
# searches for exactly that take some ten minutes.
if ($LONG) {
    for my $try (1 .. 10) {
        my $reads = loaded(qw(-requests-engine=sleep -max-latency=200ms -wt=0))->{bonload}{reads};
        is($reads->{found}, 'found', "try $try: found");
        cmp_ok(abs($reads->{found_load} - 20), '<=', 1, "try $try: 20 threads, within 1");
    }
}

# A limit so far from the means of 10 and of 20 threads that no noise matters: it lies between.
my $search = loaded(qw(-requests-engine=sleep -max-latency=150ms -rt=0 -wt=10 -window=300ms -adjust-on-errors=false))->{bonload};
is($search->{writes}{found}, 'found', 'found');
cmp_ok($search->{writes}{found_load}, '>=', 10, 'more than ten threads keep 150 ms');
cmp_ok($search->{writes}{found_load}, '<',  20, 'and fewer than twenty');
is($search->{reads}, undef, 'no reads');
my @steps = @{ $search->{steps} };
is($steps[0]{writes}{load}, 10, 'it begins with -wt');
is($steps[1]{writes}{load}, 20, 'doubles');
is($steps[1]{writes}{verdict}, 'broken', 'until the limit breaks');
ok($steps[-1]{confirmation}, 'and confirms');
is($steps[-1]{writes}{verdict}, 'kept', 'what keeps it');
is($steps[-1]{writes}{load}, $search->{writes}{found_load}, 'which is the answer');
cmp_ok($steps[-1]{seconds}, '>=', 0.9, 'in a window three times as long');

my $none = bonload(qw(-requests-engine=sleep -max-latency=max:1ms -wt=0 -window=100ms));
is($none->{status}, '0', 'no load keeps the limit');
like($none->{out}, qr/^Threads with latency below 1ms: 0$/m,    'is an answer');
like($none->{out}, qr/^Reads: no load keeps the limit$/m,       'in words, too');
my $most = bonload(qw(-requests-engine=null -max-latency=p90:10s -max-channels=3 -window=20ms));
like($most->{out}, qr/^$_: more than 3 threads: the limit is -max-channels$/m, "$_: all loads keep it") for qw(Writes Reads);
my $unsure = bonload(qw(-requests-engine=null -max-latency=10s -search=rate -rps=10 -wps=0 -window=20ms -duration=700ms));
like($unsure->{out}, qr{^Reads: the search was not finished: at least [\d.]+/s$}m, 'what was given runs out: how far it came');

# Failures break a limit, unless they are not to count.
my $dir    = scratch();
my @NONE   = ("-url=$dir/none", qw(-max-latency=10s -wt=0 -window=20ms -max-channels=2 -max-errors=100 -duration=5s));
my $failed = loaded(@NONE)->{bonload}{reads};
is($failed->{found}, 'none', 'failures break the limit');

# Reads that follow: the limit is that of the writes.
my $follows = loaded(qw(-requests-engine=null -max-latency=10s -rpw=3 -window=20ms -max-channels=2))->{bonload};
is($follows->{writes}{found}, 'most', '-rpw: writes are searched for');
is($follows->{reads}{found},  undef,  'and reads are not');

done_testing();
