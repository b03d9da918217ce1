#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes that are promised whole (RWF_ATOMIC): an honest drive tears none of them, and plain writes beside them; a drive
# that tears writes is found; where nothing is promised, that is said once.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use PowerCut;
BEGIN { PowerCut::alone() }
use BonnieRun  qw(have run_tool);
use CutRun     qw(cut faults_of);
use Root       ();
use SweepSize  qw(sized);

my $lacking = PowerCut::lacking();
plan skip_all => $lacking if defined $lacking;

my $CUTS = $ENV{BONNIE_TEST_CUTS} // sized(3, 6, 300);

# Cuts in which a plain write must have torn at least once; a busy machine may need more of them.
my $MOST = 60;

# Within so many cuts a drive that tears one write in four is found.
my $LIAR_CUTS = 20;

sub options { return [ qw(-c 4 --units 27 --methods), @_ ] }

# How many units and writes of `plain` a report has, and how many of them are torn.
sub whole_of {
    my ($report) = @_;
    my ($atomic) = grep { $_->{name} eq 'atomic' } @{ $report->{methods} };
    my ($plain)  = grep { $_->{name} eq 'plain' } @{ $report->{canaries} };
    return ($atomic, $plain);
}

# ---- what is promised ------------------------------------------------------------------------

my $ext4 = PowerCut->new;
like(run_tool('boncut', 'audit', $ext4->dir)->{out}, qr/^whole {7}no size of write is promised to be whole after a cut$/m, 'ext4 on a loop promises nothing');
my $left = run_tool('boncut', 'write', '--time=1', '--methods=fsync,atomic', $ext4->dir);
is(() = $left->{err} =~ /left out/g, 1, 'and the method is left out, which is said once') or diag($left->{err});
like($left->{err}, qr/^boncut: atomic is left out: /m, 'by its name');

SKIP: {
    skip 'needs strace', 2 if !have('strace');
    my $xfs = PowerCut->new(fs => 'xfs') // skip('there is no mkfs.xfs', 2);
    my $old = run_tool('boncut', { wrap => [qw(strace -f -qq --seccomp-bpf -o /dev/null -e trace=statx -e inject=statx:error=ENOSYS --)] },
        'write', '--time=1', '--methods=fsync,atomic', $xfs->dir);
    is(() = $old->{err} =~ /atomic is left out/g, 1, 'a kernel without the promise: said once') or diag($old->{err});
    like($old->{out}, qr/^fsync /m, 'and the other methods work');
}
undef $ext4;
like(run_tool('boncut', 'audit', Root::tmpfs('size=16m') . q{})->{out}, qr/^whole {7}no size of write is promised/m, 'memory promises nothing');
like(run_tool('boncut', 'audit', Root::overlay() . q{})->{out},         qr/^whole {7}no size of write is promised/m, 'an overlay promises nothing');

SKIP: {
    my $machine = PowerCut->new(fs => 'btrfs') // skip('there is no mkfs.btrfs', 1);
    like(run_tool('boncut', 'audit', $machine->dir)->{out}, qr/^whole {7}no size of write is promised/m, 'btrfs promises nothing');
}

# ---- an honest drive -------------------------------------------------------------------------

SKIP: {
    my $machine = PowerCut->new(fs => 'xfs', sector => 512) // skip('there is no mkfs.xfs', 1);
    my $audit   = run_tool('boncut', 'audit', $machine->dir);
    skip('this kernel promises no whole writes on xfs', 1) if $audit->{out} =~ /no size of write/;
    like($audit->{out}, qr/^whole {7}Writes of \d+ KiB to \d+ MiB are whole, by the filesystem \(copy on\s+write\)$/m, 'xfs promises them by itself');

    my $limited = run_tool('boncut', { wrap => [ 'sh', '-c', 'ulimit -f 4000; exec "$@"', 'sh' ] }, 'write', '--time=.1', '--methods=fsync,atomic', $machine->dir);
    is($limited->{status}, 1, 'a limit that only the file of atomic exceeds');
    like($limited->{err}, qr/\Aboncut: files are limited to \S+ MiB, but one of \S+ MiB is needed \(ulimit -f\)\n\z/, 'is named before anything is written');
    is_deeply([ glob $machine->dir . '/*' ], [], 'and nothing is there');

    my ($units, $plain_torn, $faults, $cuts) = (0, 0, 0, 0);
    while ($cuts < $CUTS || !$plain_torn && $cuts < $MOST) {
        my $report = cut($machine, seconds => .5 + rand .5, options => options('fsync,atomic'));
        my ($atomic, $plain) = whole_of($report);
        $cuts++;
        $faults++ if %{ faults_of($report) };
        diag("cut $cuts: $report->{reason}") if %{ faults_of($report) };
        $units += $atomic->{units};
        next if !$plain->{torn};
        like($report->{reason}, qr/With RWF_ATOMIC \(\d+ KiB to \d+ MiB\), none of \d+ units torn; of plain ones, $plain->{torn} of $plain->{blocks}\./,
            'the verdict says how many plain writes were torn beside them') if !$plain_torn;
        $plain_torn++;
    }
    is($faults, 0, "none of $units units is torn in $cuts cuts");
    cmp_ok($plain_torn, '>', 0, 'and plain writes of the same sizes are torn');
    note("plain writes were torn in $plain_torn of $cuts cuts");

    my $report = cut($machine, seconds => .5, options => options('atomic,fsync', '--block=16k'));
    my ($atomic, $plain) = whole_of($report);
    is($atomic->{found}{torn} // 0, 0, '--block chooses one size');
    like($report->{reason}, qr/With RWF_ATOMIC \(16 KiB\), none of $atomic->{units} units torn; (?:of plain ones, \d+ of \d+|but the cut tore no plain write of these sizes either)\./,
        'which the verdict names') if $report->{verdict} eq 'kept';
    my $odd = run_tool('boncut', 'write', '--time=1', '--methods=fsync,atomic', '--block=24k', $machine->dir);
    like($odd->{err}, qr/^boncut: atomic is left out: /m, 'a size that is no power of two is not promised');
}

# ---- a drive that tears ----------------------------------------------------------------------

SKIP: {
    PowerCut->new(fs => 'xfs') // skip('there is no mkfs.xfs', 2);
    my $report;
    for my $count (1 .. $LIAR_CUTS) {
        $report = cut(PowerCut->new(fs => 'xfs', lie => 'torn-units', seed => $count), seconds => 1, options => options('atomic'));
        my ($atomic) = whole_of($report);
        note("after $count cuts: $report->{reason}");
        last if ($report->{sum}{torn} // 0) > 0;
    }
    cmp_ok($report->{sum}{torn} // 0, '>', 0, 'a drive that tears writes is found');
    is($report->{status}, 2, 'exit status 2');
    like($report->{reason}, qr/With RWF_ATOMIC \(.*\), [1-9]\d* of \d+ units torn; /, 'and says so');
}

done_testing();
