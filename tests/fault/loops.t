#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# zcav -w knows the file of a loop device by the kernel's text alone: neither the device nor the
# file is touched, so a server that hangs delays nothing.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(program scratch);
use RunProgram qw(slurp spew);
use SilentFile ();

plan skip_all => 'needs root and its mounts' if !Root::may_mount();

# This test's own list of the devices in use.
my $list = '/sys/block';
system("mount -t tmpfs bonnie-test $list") == 0 or die "cannot mount on $list\n";
mkdir $_ or die "$_: $!\n" for "$list/loop7", "$list/loop7/loop";

my $dir  = scratch();
my $file = "$dir/file";

# Everything that zcav prints, until all writers have closed the pipe.
sub printed {
    my ($backing) = @_;
    spew("$list/loop7/loop/backing_file", "$backing\n");
    spew($file, 'x' x (2 << 20));
    my $zcav = program('zcav');
    my $text = qx(timeout -s KILL 120 sh -c '"$zcav" -w --yes -q -b1 "$file" 2>&1; echo "status \$?"' | timeout -s KILL 120 cat);
    return $? == 0 ? $text : "${text}the pipe did not end\n";
}

my $busy = "zcav: -w: /dev/loop7 uses $file: Device or resource busy\nstatus 1\n";
is(printed($file), $busy, 'the file of a loop device');
is(slurp($file), 'x' x (2 << 20), 'and nothing is written');
like(printed("$file (deleted)"), qr/\A#block offset .*^status 0\n\z/ms, 'a file that had its name');
SKIP: {
    spew("$dir/silent", q{});
    my $silent = SilentFile->mounted("$dir/silent");
    skip 'this system mounts no FUSE filesystem', 1 if !$silent;
    like(printed("$dir/silent"), qr/\A#block offset .*^status 0\n\z/ms, 'a device whose file does not answer');
}
system 'umount', $list;

done_testing();
