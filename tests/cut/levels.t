#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Devices whose speed falls: at a known byte, and when the credit of a token bucket is used up.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../scripts/lib";
use PowerCut;
BEGIN { PowerCut::alone() }
use Test::More;
use BonnieRun  qw(bonnie program);
use IO::Select ();
use IoLimit    ();
use JSON::PP   ();
use JsonReport qw(report_ok);
use LoadRun    qw(bonload);
use POSIX      ();
use Root       ();
use RunProgram qw(slurp);
use SweepSize  qw(is_all);

my $why = PowerCut::lacking();
plan skip_all => $why if defined $why;

my $MIB = 1 << 20;

sub between {
    my ($what, $is, $low, $high) = @_;
    ok($low <= $is && $is <= $high, "$what: $is, between $low and $high");
    return;
}

# A busy machine may hide the fall: then the same is tried again.
sub found {
    my ($try) = @_;
    for (1 .. 4) {
        my @levels = @{ $try->() };
        return @levels if @levels == 2;
    }
    return;
}

my @CASES = (
    [ 'ext4', 'a token bucket', 'put_block', ['bucket=1'], 8 * $MIB, 8 * $MIB * 40 / 30 ],
    [ 'xfs',  'a step',         'put_block', [], 14 * $MIB,          12 * $MIB ], # its mount clears 2 MiB of the log
);
for my $case (@CASES) {
    my ($fs, $name, $test, $kind, $credit, $at) = @{$case};
    my $machine;
    my ($told, $judged);
    my @levels = found(sub {
        undef $machine;
        $machine = PowerCut->new(fs => $fs, speed => [ 'fast=' . 40 * $MIB, 'slow=' . 10 * $MIB, "credit=$credit", @{$kind} ]) // return [ 1, 2 ];
        my $run = bonnie('-d', $machine->dir, '-D', '-q', '-r0', '-n0', '-s50:256k', qw(--engine=libaio --iodepth=8), "--tests=$test", '--format=json,text');
        is($run->{status}, 0, "$name: exit status 0") or diag($run->{err});
        $told = $run->{err};
        $judged = report_ok($run->{out})->{runs}[0]{tests}[0];
        return $judged->{levels};
    });
    if (!$machine) {
        note("no mkfs.$fs");
        next;
    }
    is(scalar @levels, 2, "$name on $fs: two levels");
    note($told);
    next if !@levels;
    between('the place', $levels[0]{to_bytes}, .9 * $at, 1.1 * $at);
    between('before', $levels[0]{bytes_per_second}, 13 << 20, 55 * 2**20); # a busy machine is slower than the device, or catches up
    between('after',  $levels[1]{bytes_per_second}, 5 << 20, 10.5 * 2**20);
    is($levels[1]{from_bytes}, $levels[0]{to_bytes}, 'the second begins where the first ends');
    is($levels[1]{to_bytes}, 50 * $MIB,               'and lasts to the end');
    is($judged->{limited_by}, $levels[1]{limited_by}, 'the verdict is that on the second');
    like($told, qr{^  $test: [\d.]+ MiB/s for the first [\d.]+ MiB \(\d+(?:[.]\d+)? m?s(?:; limited by [\w ]+)?\); then\s+[\d.]+\s+MiB/s(?:\s+\(limited\s+by\s+[\w ]+\))?[.]$}m, 'the sentence below the table');
}

# A device that falls after the first part of a run of rounds, and of a load of bonload.
my @STEP = (fs => 'ext4', speed => [ 'fast=' . 20 * $MIB, 'slow=' . 5 * $MIB, 'credit=' . 60 * $MIB ]);
my ($told, $machine);
my @fallen = found(sub {
    undef $machine;
    $machine = PowerCut->new(@STEP) // return [ 1, 2 ];
    my $run  = bonnie('-d', $machine->dir, '-D', '-q', '-r0', '-n0', '-s16:256k', qw(--engine=libaio --iodepth=8 --tests=put_block --steady-state --round-time=1 --max-rounds=8 --format=json));
    my $test = report_ok($run->{out})->{runs}[0]{tests}[0];
    $told = $test->{steady_state}{reason};
    return $test->{levels};
});
SKIP: {
    skip 'no mkfs.ext4', 5 if !$machine;
    is(scalar @fallen, 2, 'in rounds: two levels');
    like($told, qr{steady after (?:round )?\d+ .*; its speed fell in round [2-7]\z}, 'the round in which it fell');
    my $report;
    @fallen = found(sub {
        undef $machine;
        $machine = PowerCut->new(@STEP);
        $report = JSON::PP::decode_json(bonload(qw(-wt=4 -rt=0 -body-size=256KiB -direct -duration=12s -mkdirs --json), $machine->dir . '/load/XXXX')->{out});
        return $report->{writes}{levels};
    });
    is(scalar @fallen, 2, 'bonload: two levels');
    between('the place', $fallen[0]{to_bytes}, 50 * $MIB,  66 * $MIB);
    between('after',     $fallen[1]{bytes_per_second},     2.5 * $MIB, 5.3 * $MIB);
}

# A limit of a control group, which is lifted for a while after the start: the second level is limited by it.
my @HELD = ([ 'put_block', 'iops', 100, '100 writes/s' ], [ 'get_block', 'iops', 100, '100 reads/s' ],
    [ 'put_block', 'bps', 400 << 10, 'writes of 400 KiB/s' ], [ 'get_block', 'bps', 400 << 10, 'reads of 400 KiB/s' ]);
for my $case (@HELD[ 0 .. (is_all() ? $#HELD : 0) ]) {
    my ($test, $kind, $limit, $words) = @{$case};
    my ($held, $group, $why, $limited);
    @fallen = found(sub {
        undef $group;
        $held = Root::filesystem_on_disk([qw(--direct-io=on)], 'ext4', 512) // return [ 1, 2 ];
        ($group, $why) = IoLimit::io_limit("$held", $limit, $kind);
        return [ 1, 2 ] if !$group;
        my $stat  = '/sys/dev/block/' . IoLimit::device_of("$held") . '/stat';
        my $moved = sub { return (split ' ', slurp($stat))[ $test eq 'get_block' ? 0 : 4 ] };
        my $begin = $moved->();
        my $pid = open my $out, '-|' // die "fork: $!\n";
        if (!$pid) {
            exec $group->wrap, program(), '-d', "$held", qw(-u root -D -q -r0 -n0 -s8:4k --json), "--tests=$test" or POSIX::_exit(127);
        }
        my $ended = IO::Select->new($out);
        until ($ended->can_read(.01)) { last if $moved->() >= $begin + 20 }
        $group->change(4 * $limit);
        until ($ended->can_read(.01)) { last if $moved->() >= $begin + 1200 }
        $group->change($limit);
        my $judged = JSON::PP::decode_json(join q{}, readline $out)->{runs}[0]{tests}[0];
        close $out;
        $limited = [ $judged->{limited_by}, $judged->{reason}, map { $_->{limited_by} } @{ $judged->{levels} // [] } ];
        return $judged->{levels} // [];
    });
SKIP: {
        skip $why // 'no mkfs.ext4', 4 if !$group;
        is(scalar @fallen, 2, "$words, a limit that is set back: two levels");
        is_deeply([ @{$limited}[ 0, 3 ] ], [ ('limit') x 2 ], 'the second, and so the test, is limited by it') or diag("@{$limited}");
        like($limited->[1], qr{^Control group: $words; \d+ % used[.]$}, 'which the reason names');
        between('the ratio of both speeds', $fallen[0]{bytes_per_second} / ($fallen[1]{bytes_per_second} || 1), 2.5, 5.5) if @fallen == 2 && ref $fallen[0];
    }
}

done_testing();
