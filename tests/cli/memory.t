#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Memory does not grow with what is measured: names are computed, not stored.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(finish is_alive scratch start wait_until);
use RunProgram qw(slurp);
use SweepSize  qw(is_long sized);

plan skip_all => 'sanitizers need memory of their own' if slurp(BonnieRun::program()) =~ /__asan_init|__tsan_init/;

my $dir  = scratch();

# The peak memory of a run in KiB, as the kernel reports it. It never falls, so it is read once, when the first report is
# there; further runs keep the process from ending before that.
sub peak {
    my (@args) = @_;
    my $run = start('-d', $dir, qw(-r0 -q --cache=keep --format=csv -x1000000), @args);
    wait_until('a report', sub { slurp($run->{out_file}) =~ /^1[.]98,.*\n/m || !is_alive($run->{pid}) });
    my ($peak) = (eval { slurp("/proc/$run->{pid}/status") } // q{}) =~ /^VmHWM:\s+(\d+) kB$/m;
    kill TERM => $run->{pid};
    finish($run);
    is($run->{status}, 'signal 15', "@args: it runs until it is ended") or diag($run->{err});
    like($run->{out}, qr/^1[.]98,.*\n/m, 'and has reported');
    note("@args: $peak KiB");
    return $peak;
}

my $few  = peak(qw(-s0 -n2));
my $more = peak(qw(-s0 -n128));
cmp_ok($few, '>', 500, 'there is something to see');
cmp_ok($more - $few, '<=', 1024, 'no more than for few files');
SKIP: {
    skip 'this number of files takes minutes on a disk, and /dev/shm has no room', 1 if !is_long() && !BonnieRun::in_memory();
    my $count = sized(256, 1024, 1024);
    my $many  = peak('-s0', "-n$count", is_long() ? () : '--tests=seq_create,seq_stat,seq_del');
    cmp_ok($many, '<=', 16 << 10, "-n $count: at most 16 MiB");
    cmp_ok($many - $few, '<=', 1024, 'no more than for few files');
}

my $small = peak(qw(-s16 -n0 -f));
my $large = peak(qw(-s128 -n0 -f));
cmp_ok($large, '<=', 8 << 10, '-s 128: a few MiB');
cmp_ok($large - $small, '<=', 1024, 'no more than for less data');
my $chunks = peak(qw(-s128:8m:50 -n0 -f -c2));
cmp_ok($chunks, '<=', $small + 2 * (8 << 10) + 3072, 'chunks of 8 MiB and two workers: as much as their two buffers need');

done_testing();
