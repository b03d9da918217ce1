#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Storage that fails, or has lost what its filesystem wrote there, as below a backing file that was
# truncated: however few requests notice it, or only the filesystem, the exit status of a load on files is 1.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(finish scratch wait_until);
use LoadRun    qw(bonload has_ended load_started);
use RunProgram qw(spew);
use Trace      qw(can_trace);

plan skip_all => 'strace cannot trace here' if !can_trace();

my $dir = scratch();
my %reason = (EIO => 'Input/output error', EUCLEAN => 'Structure needs cleaning', EBADMSG => 'Bad message', EMFILE => undef);
for my $errno (sort keys %reason) {
    my $how  = { wrap => [ qw(strace -f -qq -o /dev/null -e trace=unlink,unlinkat -e), "inject=unlink,unlinkat:error=$errno:when=7" ] };
    my @load = (qw(-requests-engine=meta -wt=1 -max-requests=100 -meta-ops=unlink:1,mknod:1 -show-progress=false), "$dir/XX");
    my $run  = bonload($how, @load);
    like($run->{out}, qr/^error +1 x unlink: /m, "$errno: a single request fails");
    is($run->{status}, $reason{$errno} ? 1 : 0, 'the exit status');
    like($run->{err}, qr/^bonload: the storage failed: [^\n]*unlink: \Q$reason{$errno}\E\n\z/m, 'and the reason') if $reason{$errno};
    is(bonload($how, '-max-errors=100', @load)->{status}, 0, 'where all may fail, this one may');
}

# Requests find everything in memory, but the filesystem has met an error: here one that the kernel's own tests provoke.
SKIP: {
    my $fs = Root::may_mount() ? Root::filesystem('ext4', 64) : undef;
    skip 'needs root, mounts of its own and mkfs.ext4', 6 if !defined $fs;
    my ($major, $minor) = map { ($_ >> 8 & 0xfff, $_ & 0xff) } (stat "$fs")[0];
    my ($device) = readlink("/sys/dev/block/$major:$minor") =~ m{([^/]+)\z};
    my $errors = "/sys/fs/ext4/$device/trigger_fs_error";
    skip 'this kernel provokes no errors', 6 if !-w $errors;
    for my $engine (qw(meta disk)) {
        my @load = ("-requests-engine=$engine", qw(-wt=1 -duration=3s -body-size=100 -show-progress=false), "$fs/$engine-XX");
        my $run  = load_started(@load);
        wait_until('requests', sub { has_ended($run) });
        spew($errors, 'of a test');
        is(finish($run)->{status}, 1, "$engine: the filesystem meets an error: exit status 1");
        like($run->{err}, qr/^bonload: the storage failed: the filesystem met 1 error\n\z/m, 'and the reason');
        is(bonload(map {s/3s/0.1s/r} @load)->{status}, 0, 'errors of before are not those of a run');
    }
}
done_testing();
