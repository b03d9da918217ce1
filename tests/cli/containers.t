#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Limits of control groups, and every program in a container: overlay root, a volume, 512 MiB, half
# a CPU, and containers that lack something.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd      qw(abs_path);
use JSON::PP ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun qw(bonnie program refused_ok run_tool scratch scratch_on_disk);
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
        qr/the buffers and statistics of 1 worker and 5 seekers take 6[.]00 GiB, more than half of the control group's memory \(256 MiB\)/,
        'buffers that a group of 256 MiB has no room for');
    my ($tests, $report) = tests_of(bonnie({ wrap => [ $small->wrap ] }, '-d', "$disk", qw(-q --json -n0 -f --engine=null --tests=put_block)));
    is($report->{settings}{size_bytes}, 512 << 20, 'the default size is twice the group\'s memory');
    is_deeply([ @{ $report->{host} }{qw(ram_bytes ram_from)} ], [ 256 << 20, 'control group' ], 'and JSON says whose that is');
    my $advised = bonnie({ wrap => [ $small->wrap ] }, '-d', "$disk", qw(-s 300m -n0 -f --tests=put_block));
    like($advised->{err}, qr/512/, 'a smaller size is checked against that');
    (undef, $report) = tests_of(bonnie('-d', "$disk", qw(-q --json -r0 -s1 -n0 -f --tests=put_block)));
    is($report->{host}{ram_from}, 'machine', 'outside it is the machine');

    $why = mpi_missing();
    skip $why, 1 if defined $why;
    for my $rank (0, 1) {
        my $refused = ranks({ ranks => 2, before => { $rank => $small->enter } }, '-d', "$disk", qw(-r 0 -s 2g:16m -n 0 -D --engine=io_uring --iodepth=64));
        my $who = $rank ? qr/rank 1 on \S+: / : qr//;
        like($refused->{err}, qr/^bonnie: ${who}--size: .* more than half of the control group's memory \(256 MiB\)$/m, "MPI: the memory of rank $rank");
    }
}

SKIP: {
    my ($slow, $why) = Container::group(cpus => .04);
    skip $why, 1 if !$slow;
    my ($tests, $report) = tests_of(bonnie({ wrap => [ $slow->wrap ] }, '-d', "$disk", qw(-q --json -r0 -s4 -f4 -n1 --min-time=1), q{--tests=getc,seq_stat}, '-cauto'));
    is($report->{settings}{concurrency}, 1,  '-c auto follows a quota');
    is($report->{host}{cpu_quota},   .04, 'which JSON has');
    for my $name (qw(getc seq_stat)) {
        is($tests->{$name}{limited_by}, 'limit', "$name: a limit");
        like($tests->{$name}{reason}, qr/\AControl group: 0[.]04 CPUs; (?:[5-9]\d|100) % used[.]\z/, 'because of the quota');
    }
    my $text;
    for (1 .. 5) { # other programs may move more at the device
        $text = bonnie({ wrap => [ $slow->wrap ] }, '-d', "$disk", qw(-r0 -s4 -f4 -n0 --tests=getc));
        last if "$text->{out}$text->{err}" !~ /^  others/m;
    }
    like("$text->{out}$text->{err}", qr/^  limit +getc +\d+ % +\d+ % +\d+ %\n  getc: Control group: 0[.]04 CPUs; \d+ % used[.] Running outside of that control\n  group would tell more[.]$/m, 'in words');

    $why = mpi_missing();
    skip $why, 1 if defined $why;
    my $quota = qr/\AControl group: 0[.]04 CPUs; \d+ % used[.]\z/;
    my @reasons; # others on the machine may be the stronger reason
    for (1 .. 5) {
        ($tests) = tests_of(ranks({ ranks => 2, before => { 1 => $slow->enter } }, '-d', "$disk", qw(-q --json -r0 -s8 -f8 -n0 --tests=getc)));
        push @reasons, $tests->{getc}{reason};
        last if $reasons[-1] =~ $quota;
    }
    like($reasons[-1], $quota, 'MPI: the quota of one rank') or diag(@reasons);
}

# ---- every program in a container --------------------------------------------------------------------

my @PROGRAMS = (
    [ bonnie  => 'bonnie',  qw(-d DIR -q --json -r0 -s4 -f1 -n1 --min-time=0) ],
    [ uring   => 'bonnie', qw(-d DIR -q --json -r0 -s4 -n0 -f --engine=io_uring --iodepth=4 --tests=put_block) ],
    [ tail    => 'bonnie', qw(-d DIR -q --json -r0 -s4 -n0 -f --explain-tail --tests=put_block) ],
    [ load    => 'bonload', qw(-wt=1 -rt=1 -url=DIR/l-XXX -max-requests=20 -show-progress=false --json) ],
    [ audit   => 'boncut',  qw(audit DIR) ],
    [ write   => 'boncut',  qw(write --time=0.2 DIR) ],
    [ ab      => abs_path($ENV{BON_AB}), qw(--pairs=1 --prepare-a=true --prepare-b=true --), program(), qw(-d DIR -q --json -r0 -s4 -n0 -f --time=0.1 --tests=put_block) ],
    [ getc    => 'getc_putc', qw(-d DIR -s 1m -q) ],
    [ random  => 'generate_randfile', 4096 ],
    [ zcav    => 'zcav', qw(-c1 -b1 /volume/file) ],
    [ csv2txt => abs_path($ENV{BON_CSV2TXT}), "$FindBin::Bin/../data/lab.csv" ],
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
        # 3: not known, or nothing is known of a drive; 2: the container's files are in memory
        if ($run->{status} eq '0' || $what eq 'ab' && $run->{status} eq '3' || $what eq 'audit' && "$run->{status} $run->{err}" =~ /\A(?:2 boncut: Not durable: .* in memory\b.*|3 boncut: Durability is not known: no drive is known below \S+)$/) {
            ok(1, "$name: $what: figures");
        }
        elsif ($may_fail) {
            like($run->{err}, qr/\A[^\n]*$may_fail[^\n]*\n\z/, "$name: $what: one clear line");
        }
        else {
            fail("$name: $what: status $run->{status}");
            diag($run->{err});
        }
        unlike($run->{out}, qr/\b(?:nan|inf)\b/i, 'and no figure that is none') if $what ne 'random'; # which prints any bytes
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
    undef $group;

    # A filter of seccomp(2): io_uring_setup, which has one number everywhere, is not permitted.
    my $filter = q{my $f = pack 'SCCL' x 4, 0x20, 0, 0, 0, 0x15, 0, 1, 425, 0x06, 0, 0, 0x50001, 0x06, 0, 0, 0x7fff0000;}
        . q{my $prctl = (POSIX::uname())[4] eq 'aarch64' ? 167 : 157;}
        . q{syscall($prctl, 22, 2, pack 'Sx6P', 4, $f) == 0 or die "seccomp: $!"; exec { $ARGV[0] } @ARGV};
    my %odd = (
        'a read-only root'      => { odd => 'mount -o remount,bind,ro /', fails => { ab => qr{file in /tmp: Read-only file system} } },
        'a full /tmp'           => { odd => 'mount -t tmpfs -o size=4k tmpfs /tmp; cat /dev/zero >/tmp/full 2>/dev/null || :', fails => { ab => qr{file in /tmp: No space left} } },
        'no /sys'               => { odd => 'umount -l /sys', fails => { tail => qr/tracefs/ } },
        'no tracefs'            => { odd => 'for at in $(grep -l . /sys/kernel/tracing/README /sys/kernel/debug/tracing/README 2>/dev/null); do umount -l ${at%/README}; done; mount -t tmpfs tmpfs /sys/kernel', fails => { tail => qr/tracefs/ } },
        'no /proc/sys'          => { odd => 'mount -t tmpfs -o ro tmpfs /proc/sys' },
        'no io_uring'           => { wrap => [ $^X, '-MPOSIX', '-e', $filter ], fails => { uring => qr/io_uring.*Operation not permitted/ } },
        'a user namespace'      => { wrap => [qw(unshare --user --map-root-user)], fails => { tail => qr/./ } },
    );
    # The kernel makes no user namespace for a process in a chroot.
    delete $odd{'a user namespace'} if run_tool('/bin/true', { wrap => [ Container::inside($box), qw(unshare --user --map-root-user) ] })->{status} ne '0';
    programs_ok($_, $box, $odd{$_}) for sort keys %odd;

    # A whiteout of the overlay hides a name of the lower layer.
    mkdir "$fs/second";
    my $other = Container::box("$fs/second");
    spew("$other/volume/file", 'x' x (4 << 20));
    is(system('mknod', "$other/upper/tmp", qw(c 0 0)), 0, 'no /tmp');
    programs_ok('no /tmp', $other, { fails => { ab => qr{file in /tmp: No such file} } });
}

done_testing();
