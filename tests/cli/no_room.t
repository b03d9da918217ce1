#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# An unusable directory, or a filesystem with too little room, is refused before anything is
# written; a later failure leaves nothing behind.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(bonnie is_used mark refused_ok scratch tree);
use LoadRun    qw(bonload);
use RunProgram qw(spew);
use Trace      qw(can_trace trace);

my $root = Root::is_root();
my $dir  = scratch();
my @q    = qw(-q -r0);

refused_ok(bonnie(@q, qw(-s1 -n0 -d), "$dir/none"), qr{\Q$dir\E/none: No such file or directory}, 'no such directory');
spew("$dir/file", 'precious');
refused_ok(bonnie(@q, qw(-s1 -n0 -d), "$dir/file"), qr{\Q$dir\E/file: Not a directory}, 'a file');
symlink 'nowhere', "$dir/dangling";
refused_ok(bonnie(@q, qw(-s1 -n0 -d), "$dir/dangling"), qr{dangling: No such file}, 'a dangling symbolic link');
symlink 'loop', "$dir/loop";
refused_ok(bonnie(@q, qw(-s1 -n0 -d), "$dir/loop"), qr{loop: Too many levels of symbolic links}, 'a symbolic link to itself');
refused_ok(bonnie(@q, qw(-s1 -n0 -d), "$dir/" . 'x' x 300), qr{File name too long}, 'a name that is too long');
refused_ok(bonnie(@q, qw(-s1 -n0 -d /proc)), qr{/proc}, 'a filesystem that holds no files');
is_deeply([ tree($dir) ], [qw(dangling file loop)], 'nothing is made');

my $locked = scratch(oct 555);
if ($root) {
    chmod oct(755), "$locked";
    refused_ok(bonnie({ as => 'nobody' }, @q, qw(-s1 -n0 -d), "$locked"), qr{\Q$locked\E.*Permission denied}, q{another user's directory});
    refused_ok(bonnie(@q, qw(-u nobody -s1 -n0 -d), "$locked"), qr{\Q$locked\E.*Permission denied}, 'which is not for -u either');
    mkdir "$locked/$_" for qw(closed closed/open);
    chmod oct(700), "$locked/closed";
    chmod oct(777), "$locked/closed/open";
    refused_ok(bonnie(@q, qw(-u nobody -s1 -n0 -d), "$locked/closed/open"), qr{open directory \Q$locked\E/closed/open: in \S+/closed: Permission denied}, 'the directory on the way that may not be entered');
}
else {
    refused_ok(bonnie(@q, qw(-s1 -n0 -d), "$locked"), qr{\Q$locked\E.*Permission denied}, 'a directory without permission to write');
}

# More than any filesystem has room for: the message has both figures, and
# nothing was written.
refused_ok(bonnie(@q, qw(-s 1024t -n0 -d), "$dir"), qr{: 1024 TiB are needed, [\d.]+ [GMT]iB are free}, 'data of 1024 TiB');
refused_ok(bonnie(@q, qw(-s0 -n 1000000000:1t -d), "$dir"), qr{[\d.]+ [TPE]iB are needed, [\d.]+ [GMT]iB are free}, 'files of 1 TiB');

if (!Root::may_mount()) {
    note('small filesystems of our own need root and its mounts');
    done_testing();
    exit;
}

my $small = Root::tmpfs('size=8m,nr_inodes=2000');
spew("$small/precious", 'data');
my %too_much = (
    'data'             => [ qr/: 9\.\d+ MiB are needed, [78]\.\d+ MiB are free; a smaller -s needs less\n/,           qw(-s9 -n0) ],
    'files with data'  => [ qr/: 16\.\d MiB are needed, [78]\.\d+ MiB are free; a smaller -n needs less\n/,           qw(-s0 -n1:16384:16384) ],
    'inodes'           => [ qr/: 2050 files are needed, 199\d can be made; a smaller -n needs less\n/, qw(-s0 -n2) ],
    'directories'      => [ qr/: 2025 files are needed, 199\d can be made/,    qw(-s0 -n1:0:0:1000) ],
    'hard links, which are inodes on tmpfs' => [ qr/: 2050 files are needed, 199\d can be made/, qw(-s1 -n2:-1) ],
    'symbolic links'   => [ qr/: 2050 files are needed, 199\d can be made/,    qw(-s1 -n2:-2) ],
);
for my $name (sort keys %too_much) {
    my ($reason, @options) = @{ $too_much{$name} };
SKIP: {
        my @command = (@q, '-d', "$small", @options);
        refused_ok(bonnie(@command), $reason, "too many $name");
        skip 'strace cannot trace here', 1 if !can_trace();
        my ($run, @calls) = trace({}, [ '-e', 'trace=openat,mkdirat,write,pwrite64' ], @command);
        is((grep { $_->{args} =~ /O_CREAT|O_TMPFILE/ || $_->{name} =~ /mkdirat|pwrite/ } @calls), 0, 'before anything is made');
    }
}

# Checks that a run has room, and uses it.
sub has_room {
    my ($name, $fs, @args) = @_;
    mark("$fs");
    is(bonnie(@q, '-d', "$fs", @args)->{status}, 0, $name);
    ok(is_used("$fs"), 'and files are made');
    return;
}
has_room('a filesystem is used up to the last MiB', $small, qw(-s7 -n0));
has_room('the data is gone before the files are made', $small, qw(-s7 -n1));

# Another program fills the filesystem while the run is at work.
sub fills_up {
    my ($name, $reason, $options, @args) = @_;
    my $fs = Root::tmpfs($options);
    my ($run) = trace({}, [ '-e', 'trace=fstatfs', '-e', 'inject=fstatfs:retval=0:poke_exit=@arg2=' . statfs_of_plenty() ],
        @q, '-d', "$fs", @args);
    refused_ok($run, $reason, $name);
    is_deeply([ tree("$fs") ], [], 'nothing is left');
    return;
}

# A struct statfs (x86-64: 15 longs) with a TiB of room and a million free inodes.
sub statfs_of_plenty {
    return unpack 'H*', pack 'q15', 0x01021994, 4096, (1 << 28) x 3, (1 << 20) x 2, 0, 255, 4096, 0, 0, 0, 0, 0;
}

SKIP: {
    skip 'strace cannot change results here', 14
        if !can_trace() || `uname -m` !~ /x86_64/ || system(qw(strace -qq -o /dev/null -e), 'inject=getppid:poke_exit=@arg1=00', 'true') != 0;
    my $no_space = qr/: No space left on device/;
    fills_up('full disk in putc',       $no_space, 'size=1m', qw(-s4 -n0 --tests=putc));
    fills_up('full disk in put_block',  qr/write data file 0 in \S+ at \d+$no_space/, 'size=1m', qw(-s4 -n0 --tests=put_block));
    fills_up('full disk while filling', qr/write data file \d in \S+ at \d+$no_space/, 'size=1m', qw(-s4 -n0 -c2 --tests=get_block));
    fills_up('full disk in files',      qr/write \S+\/d00000\/\S+ at \d+$no_space/, 'size=1m', qw(-s0 -n1:8192:8192 --tests=seq_create));
    fills_up('no inodes for files',     qr/create \S+\/d0000\d\/\S+$no_space/, 'size=4m,nr_inodes=300', qw(-s0 -n1 -c2));
    fills_up('no inodes for directories', qr/make directory \S+$no_space/, 'size=4m,nr_inodes=300', qw(-s0 -n1:0:0:500));
    fills_up('no inode at all',         qr/make a directory in \S+$no_space/, 'size=4m,nr_inodes=1', qw(-s1 -n0));
}

SKIP: {
    my $ext4 = Root::filesystem('ext4', 32);
    skip 'this system makes or mounts no ext4', 3 if !defined $ext4;
    my @many = (@q, '-d', "$ext4", qw(-s0 --cache=keep --tests=seq_create));
    refused_ok(bonnie(@many, '-n9'), qr/: 9218 files are needed, \d{4} can be made/, 'more files than ext4 has inodes');
    has_room('but hard links take none', $ext4, @many, '-n9:-1');
}

SKIP: {
    my $ext4 = Root::filesystem('ext4', 32, 'max_dir_size_kb=4');
    skip 'this system makes or mounts no ext4', 10 if !defined $ext4;
    my $full = qr/: No space left on device; the filesystem has room, so the directory may be full: use more directories/;
    for my $case ([qw(create -n1)], [qw(link -n1:-1)], [qw(symlink -n1:-2)]) {
        my ($verb, $files) = @{$case};
        refused_ok(bonnie(@q, '-s0', $files, '-d', "$ext4"), qr/$verb \S+$full \(DIRS of -n\)/, "$verb: the directory is full");
    }
    my @load = ('-max-requests=600', '-body-size=10', "-url=$ext4/load/some-longer-name-XXX");
    mkdir "$ext4/load";
    like(bonload('-wt=1', @load)->{said}, qr/^error +\d+ x open$full$/m, 'bonload says so, too');
    for my $op (qw(write mknod symlink)) {
        like(bonload(qw(-requests-engine=meta -rt=1), "-meta-ops=$op", @load)->{said}, qr/^error +\d+ x $op$full$/m, "and of $op");
    }
}

my $mount = Root::tmpfs('size=8m');
is(system('mount', '-o', 'remount,ro', "$mount"), 0, 'a read-only filesystem');
refused_ok(bonnie(@q, qw(-s1 -n0 -d), "$mount"), qr{\Q$mount\E.*Read-only file system}, 'a read-only filesystem is refused');

is_deeply([ tree("$small") ], ['precious'], 'what was there is there');
done_testing();
