#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonnie-mpi: several ranks make one run, and are refused together. Faults while they work are in
# mpi_faults.t.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(max sum);
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(@ALL_TESTS bonnie csv_of have program run_tool scratch scratch_on_disk tree);
use IoLimit    qw(io_limit);
use JsonReport qw(report_ok);
use RunProgram qw(quoted spew);
use Ranks      qw(faked_clock lines_of mpi_missing ranks ranks_together);
use SweepSize  qw(is_long);
use Trace      qw(can_trace);

my $WHY  = mpi_missing();
my $ROOT = Root::is_root();

subtest 'plain bonnie' => sub {
    unlike(qx(ldd ${\ quoted(program())}), qr/libmpi/, 'links no MPI');
};
if (defined $WHY) {
    note "skipped: $WHY";
    done_testing();
    exit;
}

my $dir   = scratch(oct 777);
my @small = ('-d', "$dir", qw(-r0 -s12m -n1 --min-time=0 -m lab));

subtest 'without a launcher it is as bonnie' => sub {
    my $alone = run_tool('bonnie-mpi', @small, '-q');
    my $plain = bonnie(@small, '-q');
    is($alone->{status}, 0, 'exit status 0');
    is($alone->{out} =~ tr/\n//, 1, 'one line');
    for my $field (qw(format_version name concurrency file_size chunk_size num_seeks num_files)) {
        is(csv_of($alone)->{$field}, csv_of($plain)->{$field}, $field);
    }
    my ($usage, $plain_usage) = map { run_tool($_, '--help')->{out} } qw(bonnie-mpi bonnie);
    is($usage, $plain_usage, 'the same options');
};

# One host is one kernel; names only tell people which it was.
SKIP: {
    skip 'hosts of their own need root', 1 if !$ROOT;
    for my $case (
        [ 'numbers behind the dot', [qw(mpi-worker.1.foo mpi-worker.2.foo)], [ 0, 1 ], [qw(mpi-worker.1 mpi-worker.2)] ],
        [ 'addresses',              [qw(10.1.2.1 10.1.2.2)],                 [ 0, 1 ], [qw(10.1.2.1 10.1.2.2)] ],
        [ 'domains',                [qw(web.eu.foo web.us.foo)],             [ 0, 1 ], [qw(web.eu.foo web.us.foo)] ],
        [ 'an ordinary domain',     [qw(a.foo b.foo)],                       [ 0, 1 ], [qw(a b)] ],
        [ 'containers of a kernel', [qw(c1 c2)],                             [ 0, 0 ], [qw(c1)] ],
        )
    {
        my ($name, $names, $boots, $shown) = @{$case};
        my %hosts = (ranks => 2, hosts => 2, names => $names, boots => $boots);
        my $run   = ranks(\%hosts, '-d', "$dir", qw(-r0 -s4m -n0 --min-time=0 --json), '--tests=put_block,get_block');
        my $json  = report_ok($run->{out});
        is_deeply([ map { $_->{name} } @{ $json->{runs}[0]{tests}[0]{hosts} } ], $shown, "$name: hosts") or diag($run->{err});
        is($json->{label}, $shown->[0] =~ s/web\K.*//r, "$name: the label");
    }
}

# Parts of the report of a test that are the same on any machine.
sub sums_ok {
    my ($test, $hosts) = @_;
    my @hosts = @{ $test->{hosts} };
    is(scalar @hosts, $hosts, "$test->{name}: hosts");
    for my $what (qw(ops bytes)) {
        is(sum(map { $_->{$what} } @hosts), $test->{$what}, "$test->{name}: $what are the sum of the hosts'");
    }
    is(sum(map { $_->{ranks} } @hosts), $test->{ranks}, "$test->{name}: ranks");
    is(max(map { $_->{latency_max_ns} } @hosts), $test->{latency_ns}{max}, "$test->{name}: the longest operation");
    my $mean = sum(map { $_->{latency_mean_ns} * $_->{ops} } @hosts) / $test->{ops};
    cmp_ok(abs($mean - $test->{latency_ns}{mean}), '<=', 2, "$test->{name}: the mean latency");
    cmp_ok($test->{ops_per_second}, '<=', 1.000001 * sum(map { $_->{ops_per_second} } @hosts), "$test->{name}: the rate is no more than theirs");
    cmp_ok($test->{elapsed_seconds}, '>=', .999999 * max(map { $_->{elapsed_seconds} } @hosts), "$test->{name}: the time is that of all");
    ok((grep { $_->{name} eq $test->{slowest_host} } @hosts), "$test->{name}: the slowest host is one of them");
    return;
}

subtest 'one report of all' => sub {
    my $hosts  = $ROOT ? 2 : 1;
    my $run    = ranks({ ranks => 3, hosts => $ROOT ? 2 : q{} }, @small, '--json', '--iops-duration=1', '--tests=' . join q{,}, @ALL_TESTS);
    my $report = report_ok($run->{out});
    my @tests  = @{ $report->{runs}[0]{tests} };
    is($run->{status}, 0, 'exit status 0') or diag($run->{err});
    is(scalar @tests, @ALL_TESTS, 'all tests');
    is($report->{settings}{concurrency}, 3, 'workers are those of all');
    sums_ok($_, $hosts) for @tests;
    my %test = map { $_->{name} => $_ } @tests;
    is($test{$_}{bytes}, 12 << 20, "$_: the size is the total") for qw(put_block rewrite get_block);
    is($test{get_block}{verified_bytes}, 12 << 20, 'what all have read is verified');
    is($test{seeks}{ops}, 8192, 'the number of seeks is the total');
    is($test{ran_stat}{ops}, 1024, 'the number of files is the total');
    is(join(q{ }, tree($dir)), q{}, 'nothing is left');
};

subtest 'null: sums, and no device' => sub {
    my $run = ranks({ ranks => 2 }, @small, qw(-n0 --engine=null --json), '--tests=put_block,get_block');
    my $report = report_ok($run->{out});
    sums_ok($_, 1) for @{ $report->{runs}[0]{tests} };
};

subtest 'each total is shared out' => sub {
    my $run = ranks({ ranks => 3 }, '-d', "$dir", qw(-r0 -s1m -n1:0:0:5 -c2 --min-time=0 -q -x2));
    my @lines = $run->{out} =~ /^1\.98,.*$/mg;
    is($run->{status}, 0, 'exit status 0') or diag($run->{err});
    is(scalar @lines, 2, 'a line for each run, of all ranks together');
    is(csv_of($run)->{concurrency}, 6, 'which has the number of all workers');
    is(csv_of($run)->{num_dirs},    5, 'and the directories as they were given');
};

SKIP: {
    my @apart = qw(unshare --time --monotonic 5000 --fork --kill-child);
    skip 'no clock of its own can be had here', 1 if !$ROOT || system("@apart true 2>/dev/null") != 0;
    subtest 'a rank with another clock' => sub {
        my $run = ranks({ ranks => 3, before => { 1 => "before='@apart'" } }, @small, '--json');
        my $report = report_ok($run->{out});
        for my $test (@{ $report->{runs}[0]{tests} }) {
            cmp_ok($test->{start_spread_seconds}, '<', 1000, "$test->{name}: it began with the others");
            cmp_ok($test->{elapsed_seconds},      '<', 1000, "$test->{name}: and ended with them");
            cmp_ok($test->{clock_uncertainty_seconds}, '>', 0, "$test->{name}: by a clock that is known so well");
        }
    };
}

# Virtual machines that were restored from one snapshot have the same boot id, and clocks of their own.
subtest 'the clock of one rank differs, and the kernel seems to be the same' => sub {
    plan skip_all => 'there is no faketime' if !have('faketime');
    my $report = report_ok(ranks({ ranks => 3, before => { 1 => faked_clock('+3600s') } }, @small, '--json')->{out});
    for my $test (@{ $report->{runs}[0]{tests} }) {
        cmp_ok($test->{start_spread_seconds}, '<', 1000, "$test->{name}: it began with the others");
        cmp_ok($test->{elapsed_seconds},      '<', 1000, "$test->{name}: and ended with them");
        cmp_ok($test->{ops_per_second},                 '>', 0,    "$test->{name}: at a rate");
    }
};

# The figures of a run in which each rank reads what another one wrote, and
# verifies everything.
subtest 'shifted' => sub {
    my @full = ('-d', "$dir", qw(-r0 -s12m -n1:3000:100:5 -c2 --verify=full -x2 --json));
    my %shift = ('--shift=1' => 1, is_long() ? ('--shift=5' => 2, '--shift=0' => 0) : ());
    $shift{'--min-time=0'} = 1 if $ROOT; # the default, because the next rank is on another host
    my @options = sort keys %shift;
    my @runs    = ranks_together(map { [ { ranks => 3, hosts => $ROOT ? 3 : q{} }, @full, '--min-time=0.1', $_ ] } @options);
    is(join(q{ }, tree($dir)), q{}, 'nothing is left');
    for my $option (@options) {
        my $run    = shift @runs;
        my $report = report_ok($run->{out});
        is($run->{status}, 0, "$option: exit status 0") or diag($run->{err});
        is($report->{settings}{shift}, $shift{$option}, "$option: as it was asked for");
        for my $test (map { @{ $_->{tests} } } @{ $report->{runs} }) {
            is($test->{damaged}, 0, "$option: $test->{name}: nothing is damaged");
            is($test->{verified_bytes}, $test->{bytes}, "$option: $test->{name}: all is verified") if $test->{name} =~ /get|rewrite/;
        }
    }
};

# Checks that the run failed with one line, which matches.
sub fails_ok {
    my ($run, $reason, $name) = @_;
    my @lines = lines_of($run);
    isnt($run->{status}, 0, "$name: exit status not 0");
    is(scalar @lines, 1, "$name: one line") or diag($run->{err});
    like($lines[0] // q{}, $reason, "$name: which says why");
    is(join(q{ }, tree($dir)), q{}, "$name: nothing is left");
    return;
}

subtest 'refused once' => sub {
    my @refused = (
        [ 'an unknown option',   qr/--frob/, { ranks => 3 }, '--frob' ],
        [ '-y',                  qr/\A-y cannot be used with MPI: /, { ranks => 3 }, @small, '-y' ],
        [ 'no directory',        qr{\Arank \d on \S+: open directory /nonexistent}, { ranks => 3 }, qw(-d /nonexistent -r0) ],
        [ 'too little for each', qr/less than one chunk of 8192 bytes for each of 3 workers/, { ranks => 3 }, '-d', "$dir", qw(-r0 -n0 -s20k) ],
        [ 'other options',       qr/\Arank 1 on \S+ was given other options/, { ranks => 2, before => { 1 => 'set -- "$@" -b' } }, @small ],
    );
    my @runs = ranks_together(map { [ @{$_}[ 2 .. $#{$_} ] ] } @refused);
    fails_ok($runs[$_], @{ $refused[$_] }[ 1, 0 ]) for 0 .. $#refused;
};

SKIP: {
    skip 'mounts take root', 1 if !Root::may_mount();
    subtest 'a rank without room' => sub {
        my $room   = Root::tmpfs('size=2m');
        my %places = (0 => "cd $dir", 1 => "cd $dir", 2 => "cd $room");
        my ($full, $apart) = ranks_together(
            [ { ranks => 3, hosts => 3, before => \%places }, qw(-d . -r0 -n0 -s30m) ],
            [ { ranks => 3, before => \%places }, qw(-d . -r0 -n0 -s3m --shift=1) ],
        );
        fails_ok($full, qr/\Arank 2 on node2: [.]: 10[.]\d+ MiB are needed, .* are free/, 'refused');
        fails_ok($apart, qr/\Arank 0 on \S+: --shift: rank 2 on \S+ does not see/, 'not shared');
        is(join(q{ }, tree($room)), q{}, 'nothing is written');
    };
}

# A preloaded library reverses the number with which rank 1 shows its byte order, as if the rank's
# machine were big-endian.
subtest 'ranks of another byte order are refused' => sub {
    my $shim = scratch(oct 777);
    my $cc   = $ENV{BONNIE_CC} // 'cc';
    plan skip_all => 'handles of this MPI are no pointers' if qx(ldd ${\ quoted(program('bonnie-mpi'))}) !~ /libmpi[.]so/;
    spew("$shim/turn.c", <<'END');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
int MPI_Isend(void *bytes, int count, void *type, int to, int tag, void *comm, void *request)
{
    static const unsigned long long order = 0x0102030405060708;
    int (*next)(void *, int, void *, int, int, void *, void *) = dlsym(RTLD_NEXT, "MPI_Isend");
    unsigned long long *found = memmem(bytes, count, &order, sizeof order);
    if (found)
        *found = __builtin_bswap64(*found);
    return next(bytes, count, type, to, tag, comm, request);
}
END
    is(system("$cc -shared -fPIC -o $shim/turn.so $shim/turn.c -ldl"), 0, 'the library is made');
    my @env = ("LD_PRELOAD=$shim/turn.so", 'ASAN_OPTIONS=' . join q{:}, grep {defined} $ENV{ASAN_OPTIONS}, 'verify_asan_link_order=0');
    my $run = ranks({ ranks => 3, before => { 1 => "before='env @env'" } }, @small, '-q');
    fails_ok($run, qr/\Arank 1 has another architecture or build than rank 0 on \S+; all ranks of a run need the same\z/, 'rank 1');
};

SKIP: {
    skip 'strace cannot trace here', 1 if !can_trace();
    my @never = qw(-f -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:error=ENOSPC:when=100+);
    subtest 'a rank fails while all work' => sub {
        for my $rank (is_long() ? (0 .. 2) : 1) {
            for my $shift (is_long() ? (0, 1) : 1) {
                my $run = ranks({ ranks => 3, hosts => $ROOT ? 3 : q{}, before => { $rank => "before='strace @never'" } }, @small, qw(-x1000 -q), "--shift=$shift");
                fails_ok($run, qr/\Arank $rank on \S+: write data file $rank in .*: No space left on device/, "rank $rank");
            }
        }
    };
}

SKIP: {
    last SKIP if !is_long();
    my $disk = scratch_on_disk();
    my ($limit, $why) = io_limit("$disk", 50 << 20);
    skip $why, 1 if !$limit;
    subtest 'a device held to 50 MiB/s' => sub {
        for my $number (1, 2, 4) {
            my $run    = ranks({ ranks => $number, wrap => [ $limit->wrap ] }, '-d', "$disk", qw(-r0 -n0 -s1024m:1m -D --json), '--tests=put_block,get_block');
            my $report = report_ok($run->{out});
            for my $test (@{ $report->{runs}[0]{tests} }) {
                cmp_ok($test->{bytes_per_second} / (50 << 20), '<', 1.02, "$number ranks, $test->{name}: no more than 50 MiB/s");
                cmp_ok($test->{bytes_per_second} / (50 << 20), '>', .9, "$number ranks, $test->{name}: nor much less");
                note("$number ranks, $test->{name}: $test->{bytes_per_second} bytes/s");
            }
        }
    };
}

done_testing();
