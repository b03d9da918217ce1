#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonload -good-for on a drive that takes 15 ms for each flush, which is not good enough for
# etcd; and on one that delays nothing but flushes, where the verdict depends on the limit.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use PowerCut;
BEGIN { PowerCut::alone() }
use LoadRun qw(as_idle bonload);

my $lacking = PowerCut::lacking();
plan skip_all => $lacking if defined $lacking;

my $machine = PowerCut->new(fs => 'ext4', flush_us => 15_000);

# However quiet this machine is, the shortest possible flush here is above etcd's limits.
my $run = as_idle(bonload(qw(-good-for=etcd -duration=4s --json), $machine->dir));
is($run->{status}, '2', 'etcd on a drive with flushes of 15 ms: exit status 2') or diag($run->{err});
my ($answer) = @{ JSON::PP::decode_json($run->{out} || '{}')->{good_for}{profiles} // [] };
is($answer->{verdict}, 'not_good', 'not good');
is(scalar @{ $answer->{loads} }, 2, 'judged at two loads');
my ($sync) = grep { $_->{what} eq 'fdatasync' } @{ $answer->{loads}[0]{judged} };
cmp_ok($sync->{low_ns}, '>=', 15e6, 'the interval begins above the flush');
ok(!exists $answer->{found}, 'no search for more');

my $text = as_idle(bonload(qw(-good-for=etcd -duration=4s -wps=50), $machine->dir));
like($text->{out}, qr{\Aetcd: not good: (?:fdatasync|backend commit) p99\s+(?:above\s+)?\S+ m?s\s+at\s}, 'and so says the text');

# The same storage, with limits that are much higher.
my $kept = bonload(qw(-good-for=etcd -wps=50 -duration=3s -max-latency=max:1h), $machine->dir);
like($kept->{out}, qr/^fdatasync max +3600 s +\S+ [num]?s +50 writes\/s$/m, 'its fdatasync is beside a limit of an hour');

is_deeply([ grep { !m{/lost[+]found\z} } glob $machine->dir . '/*' ], [], 'nothing is left');

done_testing();
