#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the bytes came from on filesystems without a block device of their own: who knows, and that
# nobody claims more. ZFS, NFS and CIFS: tests/unit/measure/test_sources.c, tests/cut/guest_nfs.t.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use List::Util qw(any);
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(bonnie scratch);
use LoadRun    qw(bonload loaded);
use RunProgram qw(spew);
use SweepSize  qw(sized);

plan skip_all => 'needs root and its mounts' if !Root::may_mount();

my $TRIES = sized(2, 10, 20);
my $BYTES = 16 << 20;

# get_block of a file that was just written.
sub read_of {
    my ($dir, @options) = @_;
    my $run = bonnie('-d', "$dir", qw(-q --json -r0 -s16:1m -n0 -f), '--tests=put_block,get_block', @options);
    is($run->{status}, 0, "@options: exit status 0") or diag($run->{err});
    return JSON::PP->new->decode($run->{out})->{runs}[0]{tests}[1];
}

# Others may drop the kernel's caches at any moment, which the residency shows; then it is tried again.
sub cached {
    my ($dir) = @_;
    for (1 .. 100) {
        my $read = read_of($dir, '--cache=keep');
        return $read if $read->{cache}{resident_percent_before} > 99 && !$read->{evidence}{read_bytes};
    }
    BAIL_OUT('nothing stays in the cache');
}

# On a busy machine, some pages of a file may outlast what evicts it.
sub cold {
    my ($dir) = @_;
    for (1 .. 100) {
        my $read = read_of($dir);
        return $read if $read->{cache}{resident_percent_before} < 1;
    }
    BAIL_OUT('something stays in the cache');
}

sub said { return join ': ', @{ $_[0] }{qw(limited_by reason)} }

my $WAITED = qr/(?:; no CPU free \d+ %)?/;

sub process_speaks {
    my ($name, $overlay, $cold) = @_;
    for (1 .. $TRIES) {
        my $read = cached($overlay);
        like(said($read), qr/\Apage cache: This process read none of the data from storage$WAITED[.]\z/, "$name, cached");
        is_deeply([ @{ $read->{evidence} }{qw(read_by read_bytes)} ], [ 'process', 0 ], 'by its own counter');
        $read = cold($overlay);
        like(said($read), $cold, "$name, cold");
        cmp_ok($read->{evidence}{read_bytes}, '>=', $BYTES,        'all was read');
        cmp_ok($read->{evidence}{read_bytes}, '<=', 2 * $BYTES, 'by this process, perhaps some of it again');
    }
    return;
}

SKIP: {
    my $disk    = Root::filesystem('ext4', 192);
    my $overlay = $disk && Root::overlay($disk);
    skip 'this system has no overlayfs', 1 if !$overlay;
    my $busy = qr/device: Device busy|cpu: |others: |unknown: Device busy/;
    process_speaks('overlay', $overlay, qr/\A(?:$busy)/);
    my $files = "$overlay/f-XXX";
    loaded('-wt=1', "-url=$files", qw(-max-requests=20 -body-size=256KiB -fsync));
    my $kept = qr/^limited by +page cache: (?:this process read none of the data from storage|half took )/m;
    ok((any { bonload('-rt=1', "-url=$files", '-max-requests=20')->{said} =~ $kept } 1 .. 60), 'bonload: cached'); # others may drop the caches, or take the CPUs
    like(bonload('-rt=1', "-url=$files", qw(-max-requests=20 -evict))->{said}, qr/^limited by +device: this process read (?:all|\d+ %) of the data from storage$/m, 'bonload: cold');

    # As in a container: nothing shows what is below.
    is(system('mount', '-t', 'tmpfs', 'hidden', "$disk"), 0, 'the layers are hidden');
    process_speaks('overlay that hides its layers', $overlay, qr/\A(?:cpu: |others: |unknown: This process read all of the data from storage)/);
    system 'umount', "$disk";
}

# What limited bonload, and why, as a sentence.
sub measured {
    my (@options) = @_;
    return bonload(qw(-rt=1 -max-requests=20 -evict), @options)->{said} =~ /^limited by +([^:]+): (.*)$/m ? "$1: " . ucfirst($2) . q{.} : q{};
}

SKIP: {
    my $disk = Root::filesystem_on_disk([qw(--direct-io=on)], 'btrfs', 256, 'compress-force=zstd');
    skip 'this system makes or mounts no btrfs', 1 if !$disk;
    unlike(said($_), qr/page cache/, 'what is compressed was not in the page cache') for map { read_of($disk, '--data=zero', @{$_}) } [], ['-D'];
    like(said(cached($disk)), qr/\Apage cache: The device read none of the data$WAITED[.]\z/, 'nor does that hide what was');
    loaded('-wt=1', "-url=$disk/f-XX", qw(-max-requests=20 -body-size=256KiB -fsync));
    like(measured("-url=$disk/f-XX"), qr/\Adevice: (?:Device busy \d+ %|The device read all of the data)[.]\z/, 'bonload finds the device of a btrfs');
    spew("$disk/zeros", "\0" x (4 << 20));
    system 'sync', '-f', "$disk/zeros";
    like(measured("-url=$disk/zeros", '-max-requests=1'), qr/\A(?:device|not known): /, 'bonload: compressed');
}

# Files may be where the watched filesystem is not.
SKIP: {
    my ($disk, $fuse) = (Root::filesystem('ext4', 64), Root::fuse());
    skip 'this system has no ext4 or no FUSE', 3 if !$disk || !$fuse;
    my $memory = scratch();
    spew("$_/f-01", 'data' x 65536) for "$disk", "$fuse", "$memory";
    mkdir "$disk/$_" for qw(upper work);
    for my $case ([ 'tmpfs above a disk', "$disk", Root::tmpfs('size=8m') ], [ 'a disk above FUSE', "$fuse", $disk ]) {
        my ($name, $lower, $upper) = @{$case};
        mkdir "$upper/$_" for qw(upper work);
        my $dir = scratch();
        skip 'this system has no overlayfs', 1 if system(qw(mount -t overlay -o), "lowerdir=$lower,upperdir=$upper/upper,workdir=$upper/work", 'bonnie-test', "$dir") != 0;
        is(measured("-url=$dir/f-01"), 'not known: Nothing shows where the files below the overlay are.', $name);
        system 'umount', "$dir";
    }
    spew("$memory/$_", q{}) for 'mount', 'list';
    system qw(mount --bind), "$disk/f-01", "$memory/mount";
    is(measured("-url=$memory/mount"), 'not known: The names may lead to several filesystems.', 'a file that is a mount');
    system 'umount', "$memory/mount";
    truncate "$disk/f-01", 0;
    truncate "$disk/f-01", 1 << 20;
    like(measured("-url=$disk/f-01", '-max-requests=1', $_), qr/\A(?:device|not known|page cache): /, "a hole, $_") for '-evict', '-direct';
    spew("$memory/list", "$memory/f-01\n$disk/f-01\n");
    is(measured("-url-source=$memory/list"), 'not known: The names may lead to several filesystems.', 'a list of names');
    symlink "$disk", "$memory/01";
    mkdir "$memory/00";
    rename "$memory/f-01", "$memory/00/f-01";
    is(measured("-url=$memory/XX/f-01"), 'not known: The names may lead to several filesystems.', 'a template');
}

SKIP: {
    my $memory = Root::overlay();
    skip 'this system has no overlayfs', 1 if !$memory;
    like(said(read_of($memory)), qr/\Apage cache: tmpfs is memory and has no device$WAITED[.]\z/, 'an overlay on a tmpfs') for 1 .. $TRIES;
}

SKIP: {
    # By default FUSE forgets a file's pages when it is opened; then its server has them, which nothing shows.
    my ($keeps, $fuse) = (Root::fuse('-o', 'kernel_cache'), Root::fuse());
    skip 'this system mounts no FUSE filesystem', 1 if !$fuse;
    for (1 .. $TRIES) {
        my $read = cached($keeps);
        like(said($read), qr/\Apage cache: The page cache had (?:all|9\d %) of the data$WAITED[.]\z/, 'FUSE, cached');
        is($read->{evidence}{read_by}, undef, 'nobody else knows');
        for my $cold (read_of($keeps), read_of($fuse), read_of($fuse, '--cache=keep')) {
            like(said($cold), qr/\A(?:unknown: fuse has no block device to watch$WAITED[.]\z|others: (?:Waiting|The host took ))/, 'FUSE, cold');
        }
    }
}

done_testing();
