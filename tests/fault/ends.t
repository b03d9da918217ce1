#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A call that was interrupted is made again, and is no error of the storage; and where storage fails,
# the line also names what stays on it.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(finish run_tool scratch_on_disk start wait_until);
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

done_testing();
