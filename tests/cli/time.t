#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --time: the sequential block tests repeat laps through their files until the time is over. The
# program evicts files before laps that read, and empties them before laps that write; their
# contents are right wherever a lap was cut off.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie engines scratch scratch_on_disk tree);
use JsonReport qw(report_ok);
use Trace      qw(can_trace phases trace);

my $dir = scratch();
my $MIB = 1 << 20;
my @SEQUENTIAL = qw(put_block rewrite get_block);

# The tests of a run by name.
sub tests_of_run {
    my $run = bonnie('-d', $dir, qw(-q -r0 -n0 -f), q{--format=json,text}, @_);
    is($run->{status}, 0, 'exit status 0') or diag($run->{err});
    my $report = report_ok($run->{out});
    return { map { $_->{name} => $_ } @{ $report->{runs}[0]{tests} } }, $report, $run->{err};
}

# Calls $run with each of these times in turn until the result is enough: a busy machine needs a
# longer time.
sub first_time {
    my ($is_enough, $run, @seconds) = @_;
    my @result;
    for my $seconds (@seconds) {
        @result = ($seconds, $run->($seconds));
        last if $is_enough->(@result);
    }
    return @result;
}

subtest 'as long as was asked for' => sub {
    my ($seconds, $tests, $report, $told) = first_time(
        sub { my ($seconds, $tests) = @_; return !grep { $tests->{$_}{bytes} <= 4 * $MIB } @SEQUENTIAL },
        sub { tests_of_run(qw(-s4:16k:100:2 --cache=keep --iops-duration=0.02), "--time=$_[0]", '--tests=put_block,rewrite,get_block,seeks,iops') },
        .45, 4.5, 45,
    );
    for my $name (@SEQUENTIAL) {
        my $test = $tests->{$name};
        # A busy machine may need longer to prepare laps than the limit allows.
        my $is_told = $told =~ /^  (?:\w+ )*$name(?: \w+)*: measured for only \d/m;
        ok(($test->{elapsed_seconds} >= $seconds / 3 xor $is_told), "$name: a third of it at least, or it is told that it was not") or diag($test->{elapsed_seconds}, $told);
        cmp_ok($test->{bytes}, '>', 4 * $MIB, 'and more than once through the file') or diag($test->{bytes});
        is($test->{ops} * 16_384, $test->{bytes}, 'every chunk counts');
    }
    is($tests->{seeks}{ops}, 100, 'seeks: as many as without it, as --min-time says');
    is($report->{settings}{time_seconds}, $seconds, 'the settings say so');
    is_deeply([ @{ (tests_of_run('-s4', '--time=0.4', '--tests=put_block,iops'))[1]{settings} }{qw(time_seconds iops_duration_seconds sequential_test_seconds)} ],
        [ 0.4, 0.2, 0.2 ], q{the run's time, and each test's, unless iops has its own});
    my ($once, $plain) = tests_of_run(qw(-s1:16k --tests=put_block --time=0));
    is($once->{put_block}{bytes}, $MIB, '--time=0: once');
    is($plain->{settings}{time_seconds}, 0, 'which is said as well');
};

# Laps are cut off anywhere: in a file that is too large for the time, and in smaller ones;
# with several workers, with operations in flight, and with chunks that are not whole units.
my @sizes = ([ '-s64:16k:50:2', '-c3' ], [ '-s1:16k:50:2', '-c1' ], [ '-s300k:3000:50:2', '-c3' ], [ '-s7:24k:50:2', '-c1' ]);
for my $engine (grep { $_ ne 'null' } engines()) {
    for my $options (@sizes[ $engine eq 'sync' ? (0 .. 3) : (0, 2) ]) {
        my @tests = (qw(put_block rewrite getc get_block seeks), $options->[0] =~ /3000/ ? () : 'iops');
        my $run = bonnie('-d', $dir, qw(-q -r0 -n0 -f1 -x2 --verify=full --cache=keep --time=0.02 --iops-duration=0.02 --iops-writes=50), @{$options},
            "--engine=$engine", '--format=csv', '--tests=' . join q{,}, @tests);
        is("$run->{status} $run->{err}", '0 ', "$engine, @{$options}: no damage");
    }
}

SKIP: {
    skip 'strace cannot trace here', 1 if !can_trace();
    my $disk = scratch_on_disk();
    subtest 'every lap is prepared' => sub {
        my ($seconds, $run, %of) = first_time(
            sub { my ($seconds, $run, %of) = @_; return $of{put_block} =~ /(?:begin.*){3}/ && $of{get_block} =~ /(?:read.*){2}/ },
            sub { events_of_run($disk, @_) },
            .1, 1, 10,
        );
        is($run->{status}, 0, 'exit status 0') or diag($run->{err});
        like($of{put_block}, qr/\A(?:empty begin ){2,}/a, 'put_block: the file is emptied before each lap');
        like($of{get_block} , qr/\A(?:(?:evict )+read ?){2,}\z/a, 'get_block: it is evicted');
    };
}

# Makes a run with this time. Returns, for each test and in their order, what happened at the start
# of the file, and what was prepared.
sub events_of_run {
    my ($disk, $seconds) = @_;
    my ($run, @calls) = trace({}, [ '-e', 'trace=pread64,pwrite64,fadvise64,ftruncate,write' ],
        '-d', $disk, qw(-r0 -n0 -f -s256k:64k), "--time=$seconds", '--tests=put_block,get_block');
    my $phases = phases(@calls);
    return $run, map { my $name = $_; ($name => join q{ }, map { event($_) } grep { $_->{name} ne 'write' } @{ $phases->{$name} }) } qw(put_block get_block);
}

sub event {
    my ($call) = @_;
    return $call->{args} =~ /, 0\z/ ? 'empty' : () if $call->{name} eq 'ftruncate';
    return 'evict' if $call->{name} eq 'fadvise64';
    return $call->{args} !~ /, 65536, 0\z/ ? () : $call->{name} eq 'pread64' ? 'read' : 'begin';
}

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
