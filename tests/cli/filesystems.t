#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole runs on real filesystems: tmpfs, ext4, xfs and btrfs; as root, as root with -u nobody, and
# as an ordinary user; and on others, as root. All twelve figures are printed, and nothing is left
# behind.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(@TESTS bonnie csv_of finish is_used mark refused_ok scratch scratch_on_disk start tree wait_until wait_until_closed);
use RunProgram qw(slurp);

my @size = qw(-s32 -n4 -mlab -f4);

sub measures_all {
    my ($name, $dir, $how, @options) = @_;
    mark("$dir");
    my $run = bonnie($how, '-d', "$dir", @size, @options);
    is($run->{status}, 0, "$name: exit status 0") or diag($run->{err});
    ok(is_used("$dir"), "$name: files were made");
    my $csv = csv_of($run);
    is(scalar(grep { length $csv->{$_} && length $csv->{"${_}_latency"} } @TESTS), 12, "$name: all twelve figures");
    is_deeply([ grep { $_ ne 'lost+found' } tree("$dir") ], [], "$name: nothing is left");
    return;
}

if (!Root::may_mount()) {
    measures_all('this user', $_, {}) for scratch(), scratch_on_disk();
    note('filesystems of our own need root and its mounts');
    done_testing();
    exit;
}

my %make = (tmpfs => sub { Root::tmpfs('size=200m') }, map { my $type = $_; ($type => sub { Root::filesystem($type, 512) }) } qw(ext4 xfs btrfs));
for my $type (qw(tmpfs ext4 xfs btrfs)) {
    my $dir = $make{$type}->();
SKIP: {
        skip "this system makes or mounts no $type", 16 if !defined $dir;
        measures_all("$type, root", $dir, {});
        measures_all("$type, root with -u nobody", $dir, {}, '-u', 'nobody');
        measures_all("$type, nobody", $dir, { as => 'nobody' });
        measures_all("$type, -D -b -c2", $dir, {}, qw(-c2 -b -n1:100:0:2 -s8), $type eq 'tmpfs' ? () : '-D');
    }
}

# The other filesystems that this kernel knows or that programs can mount: each does everything that
# it can; what it cannot is reported in one line, and nothing is left behind. docs/filesystems.md
# has the table.
my %other = (
    ext2      => [ sub { Root::filesystem('ext2', 64) } ],
    ramfs     => [ sub { Root::ramfs() }, '-D' => qr/this filesystem refuses O_DIRECT/ ],
    overlay   => [ sub { Root::overlay() } ],
    bindfs    => [ sub { Root::fuse() } ],
    ntfs      => [ sub { Root::foreign('ntfs') } ],
    exfat     => [ sub { Root::foreign('exfat') }, '-n1:-1' => qr/link \S+: Operation not permitted/, '-n1:-2' => qr/symlink \S+: Function not implemented/ ],
    gocryptfs => [ sub { Root::foreign('gocryptfs') } ],
);
my @quick = qw(-q -r0 -s4 -f1 --format=csv);

sub left_in {
    my ($dir) = @_;
    return [ grep { $_ ne 'lost+found' } tree("$dir") ];
}

sub leaves_little {
    my ($type, $dir) = @_;
    my $killed = start('-d', "$dir", qw(-q -r0 -s4 -n0 -f -x1000000));
    wait_until('a line of it', sub { (() = slurp($killed->{out_file}) =~ /\n/g) > 1 });
    kill KILL => $killed->{pid};
    is(finish($killed)->{status}, 'signal 9', "$type: a run is killed");
    wait_until_closed($_) for glob "$dir/bonnie.*";
    is(bonnie('-d', "$dir", '--cleanup')->{status}, 0, "$type, --cleanup after a run that was killed: exit status 0");
    is_deeply(left_in($dir), [], 'nothing is left');
    return;
}

for my $type (sort keys %other) {
    my ($make, %cannot) = @{ $other{$type} };
SKIP: {
        my $dir = $make->() // skip("this system makes or mounts no $type", 11);
        measures_all($type, $dir, {}, qw(-s4 -n1:500:0:3 -f1));
        for my $way (qw(-D -n1:-1 -n1:-2)) {
            my $run = bonnie('-d', "$dir", @quick, '-n1', $way);
            refused_ok($run, $cannot{$way}, "$type cannot do $way") if $cannot{$way};
            is("$run->{status}$run->{err}", '0', "$type, $way: exit status 0") if !$cannot{$way};
        }
        is_deeply(left_in($dir), [], 'nothing is left');
        leaves_little($type, $dir);
    }
}

SKIP: {
    my $dir = Root::squashfs() // skip('this system makes or mounts no squashfs', 1);
    refused_ok(bonnie('-d', "$dir", @quick), qr/\A\S+ \Q$dir\E: Read-only file system$/m, 'squashfs');
}

done_testing();
