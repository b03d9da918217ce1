#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Limits of control groups, and every program in a container: overlay root, a volume, 512 MiB, half
# a CPU, and containers that lack something.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun qw(bonnie program refused_ok run_tool scratch scratch_on_disk takes_direct);
use Container;
use Ranks      qw(mpi_missing ranks);
use RunProgram qw(spew);

plan skip_all => 'needs root and its mounts' if !Root::may_mount();

sub tests_of {
    my ($run) = @_;
    is($run->{status}, 0, 'exit status 0') or diag($run->{err});
    my $report = eval { JSON::PP->new->decode($run->{out}) } // return ({}, {});
    return ({ map { $_->{name} => $_ } @{ $report->{runs}[0]{tests} } }, $report);
}

my $disk = scratch_on_disk();

SKIP: {
    my ($small, $why) = Container::group(memory => 256 << 20);
    skip $why, 1 if !$small;
    refused_ok(bonnie({ wrap => [ $small->wrap ] }, '-d', "$disk", qw(-r 0 -s 2g:16m -n 0 -D --engine=io_uring --iodepth=64)),
        qr/the buffers and statistics of 1 workers and 5 seekers take 6[.]0 GiB, more than half of the control group's memory \(256 MiB\)/,
        'buffers that a group of 256 MiB has no room for');
    my ($tests, $report) = tests_of(bonnie({ wrap => [ $small->wrap ] }, '-d', "$disk", qw(-q --json -n0 -f --engine=null --tests=put_block)));
    is($report->{settings}{data_bytes}, 512 << 20, 'the default size is twice the group\'s memory');
    is_deeply([ @{ $report->{host} }{qw(ram_bytes ram_from)} ], [ 256 << 20, 'control group' ], 'and JSON says whose that is');
    my $advised = bonnie({ wrap => [ $small->wrap ] }, '-d', "$disk", qw(-s 300m -n0 -f --tests=put_block));
    like($advised->{err}, qr/512/, 'a smaller size is checked against that');
    (undef, $report) = tests_of(bonnie('-d', "$disk", qw(-q --json -r0 -s1 -n0 -f --tests=put_block)));
    is($report->{host}{ram_from}, 'machine', 'outside it is the machine');
}

SKIP: {
    my ($slow, $why) = Container::group(cpus => .2);
    skip $why, 1 if !$slow;
    my ($tests, $report) = tests_of(bonnie({ wrap => [ $slow->wrap ] }, '-d', "$disk", qw(-q --json -r0 -s32 -f32 -n1 --min-time=1), q{--tests=getc,seq_stat}, '-cauto'));
    is($report->{settings}{workers}, 1,  '-c auto follows a quota');
    is($report->{host}{cpu_quota},   .2, 'which JSON has');
    for my $name (qw(getc seq_stat)) {
        is($tests->{$name}{limited_by}, 'cpu', "$name: the CPU");
        like($tests->{$name}{verdict}, qr/\AControl group: 0[.]20 CPUs; (?:[5-9]\d|100) % used[.]\z/, 'because of the quota');
    }
    my $text = bonnie({ wrap => [ $slow->wrap ] }, '-d', "$disk", qw(-r0 -s32 -f32 -n0 --tests=getc));
    like("$text->{out}$text->{err}", qr/^  cpu +getc +Control group: 0[.]20 CPUs; \d+ % used[.]\n +Running outside of that control group would tell more[.]$/m, 'in words');

    $why = mpi_missing();
    skip $why, 1 if defined $why;
    my $run = ranks({ ranks => 2, before => { 1 => $slow->enter } }, '-d', "$disk", qw(-q --json -r0 -s64 -f64 -n0 --tests=getc));
    ($tests) = tests_of($run);
    like($tests->{getc}{verdict}, qr/\AControl group: 0[.]20 CPUs; \d+ % used[.]\z/, 'MPI: the quota of one rank');
}

# ---- every program in a container --------------------------------------------------------------------

my @PROGRAMS = (
    [ bonnie  => 'bonnie',  qw(-d DIR -q --json -r0 -s4 -f1 -n1 --min-time=0) ],
    [ load    => 'bonload', qw(-wt=1 -rt=1 -url=DIR/l-XXX -max-requests=20 -show-progress=false -output=json) ],
    [ audit   => 'boncut',  qw(audit DIR) ],
    [ write   => 'boncut',  qw(write --time=0.2 DIR) ],
    [ ab      => $ENV{BON_AB}, qw(--pairs=1 --prepare-a=true --prepare-b=true --), program(), qw(-d DIR -q --json -r0 -s4 -n0 -f --min-time=0 --tests=put_block) ],
    [ getc    => 'getc_putc', qw(-d DIR -s 1m -q) ],
    [ random  => 'generate_randfile', 4096 ],
    [ zcav    => 'zcav', qw(-c1 -b1 /volume/file) ],
    [ csv2txt => $ENV{BON_CSV2TXT}, "$FindBin::Bin/../data/lab.csv" ],
);

# Runs each program in a container with this oddity. What succeeds says nothing on standard error that
# is not expected; what fails prints one line and no figure.
sub programs_ok {
    my ($name, $box, $how) = @_;
    for my $words (@PROGRAMS) {
        my ($what, $program, @args) = map { s{\bDIR\b}{$how->{dir} // '/volume'}er } @{$words};
        my $run = run_tool($program, { wrap => [ @{ $how->{before} // [] }, Container::inside($box, $how->{odd}), @{ $how->{wrap} // [] } ], env => $how->{env} // {} }, @args);
        my $lines = () = $run->{err} =~ /\n/g;
        my $may_fail = $how->{fails}{$what};
        if ($run->{status} eq '0') {
            ok(1, "$name: $what: figures");
            $how->{look}{$what}->($run) if $how->{look}{$what};
        }
        elsif ($may_fail) {
            like($run->{err}, qr/\A[^\n]*$may_fail[^\n]*\n\z/, "$name: $what: one clear line");
        }
        else {
            fail("$name: $what: status $run->{status}");
            diag($run->{err});
        }
        unlike($run->{out}, qr/\b(?:nan|inf)\b/i, 'and no figure that is none');
    }
    return;
}

SKIP: {
    my $fs = Root::filesystem('ext4', 256);
    skip 'this system has no overlayfs', 1 if !$fs || !Root::knows('overlay');
    my $box = Container::box($fs);
    spew("$box/volume/file", 'x' x (4 << 20));
    my ($group, $why) = Container::group(memory => 512 << 20, cpus => .5);
    skip $why, 1 if !$group;
    my %in = (before => [ $group->wrap ]);
    programs_ok('a container', $box, { %in, dir => $_ }) for qw(/volume /scratch);
}

done_testing();
