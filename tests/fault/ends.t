#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A call that was interrupted is made again, and is no error of the storage; and where storage fails,
# the line also names what stays on it. Where it does not answer, a signal ends the program, which has
# not begun.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(finish run_tool scratch_on_disk start wait_until wait_until_stopped);
use RunProgram qw(slurp spew);
use Trace      qw(can_trace);

plan skip_all => 'needs root, strace and mounts of its own' if !Root::may_mount() || !can_trace();

sub interrupted { my ($call, $when) = @_; return (wrap => [ qw(strace -f -qq -o /dev/null -e), "trace=$call", '-e', "inject=$call:error=EINTR:when=$when", '--' ]) }

my $dir = scratch_on_disk();
for my $when (1 .. 3) { # of a file, of the directory above, of the next file
    my $run = run_tool('bonload', { interrupted('fsync', $when) }, qw(-show-progress=false -wt=1 -max-requests=4 -body-size=10 -fsync), "-url=$dir/$when-XX");
    is($run->{status}, 0, "fsync is interrupted, the $when. call: a load is not") or diag($run->{err});
    unlike($run->{out}, qr/Interrupted/, 'and it counts no error');
}

my $log = run_tool('boncut', 'write', qw(--time=.2 -c1 --units=2), '--methods=create,replace', "$dir")->{out};
for my $when (1 .. 6) {
    my $run = run_tool('boncut', { interrupted('openat2', $when), input => $log }, 'check', "$dir");
    unlike("$run->{out}$run->{err}", qr/UNREADABLE|Interrupted/, "openat2 is interrupted, the $when. call: boncut check judges");
}
for my $call (qw(fsync fdatasync syncfs)) {
    my $run = run_tool('boncut', { interrupted($call, 1) }, 'write', '--methods=fsync,fdatasync,syncfs,create', qw(--time=.2 -c1 --units=2), "$dir");
    is($run->{status}, 0, "$call is interrupted: boncut write goes on") or diag($run->{err});
}
run_tool('boncut', '--cleanup', "$dir");

my $fs  = Root::filesystem('ext4', 64);
my $run = start('-d', "$fs", qw(-r0 -q -s0 -n1:100:0:2 -x1000000));
wait_until('files', sub { glob "$fs/bonnie.*/d*/*" });
is(run_tool('boncut', 'fs-shutdown', '--yes', "$fs")->{status}, 0, 'a filesystem is shut down in a run');
finish($run);
is($run->{status}, 1, 'the run fails');
like($run->{err}, qr{(?:Input/output error|Read-only file system|Bad message|Structure needs cleaning); remove \S*\Q$fs\E/bonnie[.]}, 'and names what stays there');

# ---- a FUSE filesystem whose server is stopped ----------------------------------------------------
SKIP: {
    my $fuse = Root::fuse();
    skip 'this system mounts no FUSE filesystem', 10 if !defined $fuse;
    my ($server) = grep { (eval { slurp("$_/cmdline") } // q{}) =~ /\Abindfs\0.*\Q$fuse\E\0/s } glob '/proc/[0-9]*';
    my ($pid) = $server =~ /(\d+)/;
    spew("$fuse/file", 'x' x (1 << 20));
    for my $case (
        [ 'zcav', qw(-q -b1), "$fuse/file" ], [ 'zcav', qw(-q -w -b1), "$fuse/file" ], [ 'getc_putc', "$fuse" ], [ 'generate_randfile', '--file', "$fuse/made", 1 ],
        [ 'boncut', 'audit', "$fuse" ], [ 'boncut', 'write', "$fuse" ], [ 'boncut', 'check', "$fuse" ],
        [ 'bonload', qw(-rt=1 -duration=1000s), "-url=$fuse/file" ], [ 'bonload', '-good-for=etcd', "$fuse" ],
        [ 'bonnie', '-d', "$fuse", qw(-r0 -s0 -n1) ],
        )
    {
        my ($name, @args) = @{$case};
        kill STOP => $pid;
        # A server that is not yet stopped may take the request, and then nothing ends the program.
        wait_until_stopped($pid);
        my $waits = start({ program => $name, input => $log }, @args);
        wait_until("$name @args waits for its storage", sub { slurp("/proc/$waits->{pid}/wchan") =~ /request_wait/ });
        kill TERM => $waits->{pid};
        is(finish($waits)->{status}, 'signal 15', "$name @args: TERM ends it" =~ s/\Q$fuse\E/DIR/r);
        kill CONT => $pid;
    }
}

done_testing();
