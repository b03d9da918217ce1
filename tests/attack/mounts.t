#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A user mounts a filesystem that he has made, by an entry of fstab with `user`, by FUSE, or in a mount
# namespace of his own. All in it says that it is root's. No program may follow a link out of it, read
# a pipe of it, or run what is in it. What users ordinarily mount still works, twice in a row.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use POSIX      qw(mkfifo);
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use Attack     qw(attacker_works);
use BonnieRun  qw(program run_tool scratch scratch_on_disk);
use Fault      ();
use RunProgram qw(data_file path_of slurp spew);

plan skip_all => 'needs root, user nobody and mounts of its own' if !Root::may_mount() || !attacker_works();

my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];
my ($own, $group)      = (getpwnam 'daemon')[ 2, 3 ];
sub as { my ($user) = @_; return (qw(setpriv --reuid), $user, '--regid', $user eq 'nobody' ? $nogroup : $group, qw(--clear-groups --)) }
my @AS  = (wrap => [ as('daemon') ]);
my $CSV = data_file('lab.csv');
my $TXT = path_of('bon_csv2txt');
my $dir = scratch(oct 755);
spew("$dir/device", 'x' x (1 << 20));

my @NULL   = qw(bonload -show-progress=false -requests-engine=null -max-requests=10);
my @LOAD   = qw(bonload -show-progress=false -max-requests=5 -body-size=10 -wt=1);
my %WRITES = (
    'zcav -l'             => [ qw(zcav -q -b1 -l PATH), "$dir/device" ],
    'zcav -w'             => [ qw(zcav -q -b1 -w --yes PATH) ],
    'bonnie --output'     => [ program(), '-d', $dir, qw(-q -r0 -s256k -n0 -f --tests=put_block --engine=null --cache=keep --output=PATH) ],
    'generate_randfile'   => [ qw(generate_randfile -f PATH 1000) ],
    'bon_csv2txt -o'      => [ $^X, $TXT, '-o', 'PATH', $CSV ],
    'bon_csv2html -o'     => [ $^X, path_of('bon_csv2html'), '-o', 'PATH', $CSV ],
    '-live-file'          => [ @NULL, '-rt=1', '-live-file=PATH' ],
    '-written-urls-dump'  => [ @NULL, '-wt=1', '-written-urls-dump=PATH' ],
);
my %BELOW = (
    'disk'             => [ @LOAD, '-url=PATH/file' ],
    'disk -mkdirs'     => [ @LOAD, '-mkdirs', '-url=PATH/made/XX' ],
    'meta'             => [ @LOAD, qw(-requests-engine=meta -meta-ops=setattr -url=PATH/file) ],
    'bon_ab --keep'    => [ $^X, path_of('bon_ab'), qw(--pairs=6 --warmup=0), '--a=echo 1', '--b=echo 1', '--keep=PATH' ],
    'bonnie -d'        => [ program(), '-d', 'PATH', qw(-q -r0 -s256k -n0 -f --tests=put_block) ],
    'gobonniego -dir'  => [ program(), qw(--preset=gobonniego -dir PATH -size 1 -seconds 1) ],
);
my $AWAY = qr/a symbolic link is not followed/;

sub run_at { my ($how, $path, @command) = @_; s{PATH}{$path} for @command; return run_tool($command[0], $how, @command[ 1 .. $#command ]) }

# The files of the kernel's and of libmount that say who may mount, and who has.
my $top = scratch_on_disk(oct 755);
system qw(mount -t tmpfs bonnie-test /run/mount) if -d '/run/mount';
system "mknod -m 666 $top/fuse c 10 229 && mount --bind $top/fuse /dev/fuse && echo user_allow_other >$top/fuse.conf && mount --bind $top/fuse.conf /etc/fuse.conf" if -e '/dev/fuse' && -e '/etc/fuse.conf';

# A tree that says it is root's: links to root's files, one inside, and one that comes back.
mkdir "$top/precious" or die "precious: $!\n";
spew("$top/precious/file", "precious\n" x (1 << 17));
my $looks = Fault::fingerprint("$top/precious", 'file');

# Other ways out, from the directory above a mount: by `..`, by another link, and by links of the kernel.
my %WAYS_OUT = (up => '../precious/file', chain => 'up', below => 'dir/../../precious/file', root => "/proc/self/root$top/precious/file", fd => '/dev/fd/9');

sub tree_for {
    my ($below, $shown) = @_;
    mkdir $_, oct 755 or die "$_: $!\n" for $below, "$below/dir";
    chmod oct(777), "$below/dir" if $below =~ /fuse/; # bindfs is his
    symlink "$top/precious/file", "$below/log";
    symlink "$top/precious/new",  "$below/new";
    symlink "$top/precious",      "$below/away";
    symlink 'dir',                "$below/inside";
    symlink "$shown/dir",         "$below/back";
    symlink $WAYS_OUT{$_},        "$below/$_" for keys %WAYS_OUT;
    mkfifo("$below/pipe", oct 666);
    chmod oct(666), "$below/pipe";
    spew("$below/bon_csv2html", "#!/bin/sh\nid >$top/ran\n");
    chmod oct(755), "$below/bon_csv2html";
    return;
}

my @KINDS = (Root::have('mkfs.ext4') ? 'loop' : (), -e '/dev/fuse' && Root::have('bindfs') ? 'fuse' : ());

# mounted($kind, $user): where a user has mounted such a tree, or undef.
sub mounted {
    my ($kind, $user) = @_;
    my $at = "$top/$kind $user"; # which the tables of mounts write as \040
    mkdir "$at.mnt", oct 755;
    chown((getpwnam $user)[ 2, 3 ], "$at.mnt");
    tree_for("$at.tree", "$at.mnt");
    if ($kind eq 'fuse') {
        return if system(as($user), qw(bindfs -o allow_other --force-user=root --force-group=root --perms=u=rwX:go=rX), "$at.tree", "$at.mnt") != 0;
        return "$at.mnt";
    }
    truncate_to("$at.img", 16 << 20);
    system(qw(mkfs.ext4 -q -E root_owner=0:0 -d), "$at.tree", "$at.img") == 0 or die "mkfs failed\n";
    my $device = Root::loop("$at.img");
    spew("$top/fstab", "$device " . "$at.mnt" =~ s/ /\\040/gr . " ext4 user,exec,nosuid,nodev,noauto 0 0\n");
    system "mount --bind $top/fstab /etc/fstab";
    my $is_mounted = system(as($user), 'mount', "$at.mnt") == 0;
    system qw(umount /etc/fstab);
    system qw(losetup -d), $device; # when it is unmounted
    return $is_mounted ? "$at.mnt" : undef;
}

sub truncate_to { my ($file, $size) = @_; spew($file, q{}); return truncate $file, $size }

# ---- his --------------------------------------------------------------------------------------------

for my $kind (@KINDS) {
    my $mnt = mounted($kind, 'nobody') // do { fail("$kind: it is mounted"); next };
    is(join(q{ }, map { (lstat "$mnt/$_")[4] } qw(. log away pipe bon_csv2html)), '0 0 0 0 0', "$kind: all says that it is root's");
    for my $how ({}, {@AS}) {
        my $who = %{$how} ? 'a user' : 'root';
        my @wrong;
        for my $case ((map { [ $_, "$mnt/log", @{ $WRITES{$_} } ], [ "$_, new", "$mnt/new", @{ $WRITES{$_} } ] } sort keys %WRITES), map { [ $_, "$mnt/away", @{ $BELOW{$_} } ] } sort keys %BELOW) {
            my ($name, $path, @command) = @{$case};
            my $run = run_at($how, $path, @command);
            push @wrong, "$name: $run->{status} $run->{err}" if $run->{status} ne '1' || $run->{err} !~ $AWAY;
        }
        is_deeply(\@wrong, [], "$kind: $who follows no link out of it");
        my $at = { dir => "$top", wrap => [ @{ $how->{wrap} // [] }, 'sh', '-c', 'exec 9<"$0"; exec "$@"', "$top/precious/file" ] };
        for my $way (sort keys %WAYS_OUT) {
            my @open = map { "$_: " . run_at($at, "$mnt/$way", @{ $WRITES{$_} })->{err} } 'generate_randfile', 'bon_csv2txt -o', 'zcav -l';
            is_deeply([ grep { !/$AWAY/ } @open ], [], "$kind: nor this: $way, to $WAYS_OUT{$way}");
        }
        is(Fault::fingerprint("$top/precious", 'file'), $looks, 'root\'s file is as it was');
        is_deeply([ glob "$top/precious/*" ], ["$top/precious/file"], 'and nothing is made beside it');
        my @read = ([ $^X, $TXT, 'PATH' ], [ @NULL, '-rt=1', '-url-source=PATH' ]);
        like(run_at($how, "$mnt/pipe", @{$_})->{err}, qr/pipe/,  "$kind: $who reads no pipe there: $_->[1]")     for @read;
        like(run_at($how, "$mnt/log",  @{$_})->{err}, $AWAY, "$kind: $who reads nothing by a link: $_->[1]") for @read;
        my $page = run_tool('zcav', { %{$how}, env => { PATH => "$mnt:/usr/bin:/bin" } }, qw(-q -b1), "--html=$dir/page", "$dir/device");
        ok(!-e "$top/ran", "$kind: $who runs no program there") or diag($page->{err});
    }
    my @inside = $kind eq 'fuse' ? 'inside' : qw(inside back); # bindfs waits for itself on the way back
    is(run_at({}, "$mnt/$_/new-$_", @{ $WRITES{generate_randfile} })->{status}, 0, "$kind: $_, which ends there, is followed") for @inside;
    for (@inside) {
        my $run = run_at({}, "$mnt/$_/from-Perl-$_", @{ $WRITES{'bon_csv2txt -o'} });
        is($run->{status}, 0, 'by Perl, too') or diag($run->{err});
    }
    system qw(umount -l), $mnt;
}

# He shows a directory of root's elsewhere, in a mount namespace of his own, which root enters.
{
    mkdir "$top/$_" for qw(there there/root's here here/root's);
    symlink '../file', "$top/there/root's/link";
    spew("$top/here/file", "precious\n");
    my $pid = open my $ready, '-|', as('nobody'), qw(unshare -Urm sh -c), 'mount --bind "$0" "$1" && echo ready && exec sleep 600 >/dev/null', "$top/there/root's", "$top/here/root's" or die "fork: $!\n";
    SKIP: {
        skip 'a user cannot have a mount namespace here', 2 if (readline($ready) // q{}) ne "ready\n";
        my @enter = (qw(nsenter -t), $pid, qw(-m --));
        for my $name ('generate_randfile', 'bon_csv2txt -o') {
            my $run = run_at({ wrap => [@enter] }, "$top/here/root's/link", @{ $WRITES{$name} });
            is("$run->{status} " . slurp("$top/here/file"), "1 precious\n", "$name: root follows no link out of what he has mounted") or diag($run->{err});
        }
        kill KILL => $pid;
    }
    close $ready;
}

# ---- what is no attack ------------------------------------------------------------------------------

sub works {
    my ($how, $path) = @_;
    for my $name (('generate_randfile', 'bon_csv2txt -o') x 2) {
        my $run = run_at($how, $path, @{ $WRITES{$name} });
        is($run->{status}, 0, "$path: $name") or diag($run->{err});
    }
    return;
}

my $far = "$top/far";
mkdir $far;
chown $own, $group, $far;
for my $kind (@KINDS) {
    my $mnt = mounted($kind, 'daemon') // do { fail("$kind: it is mounted"); next };
    symlink $far, $kind eq 'fuse' ? "$top/$kind daemon.tree/far" : "$mnt/far" or die "far: $!\n";
    works({@AS}, "$mnt/far/file"); # a link on what this user has mounted
    like(run_at({}, "$mnt/far/file", @{ $WRITES{generate_randfile} })->{err}, $AWAY, 'but root does not follow it');
    system qw(umount -l), $mnt;
}
{
    my $home = Root::tmpfs('size=16m,mode=0755,nosuid,nodev'); # as hardened servers mount /home
    chown $own, $group, "$home";
    mkdir "$home/dir";
    chown $own, $group, "$home/dir";
    symlink $far,  "$home/far";
    symlink 'dir', "$home/inside";
    works({@AS}, "$home/far/file");

    # a stick that a service has mounted, for whom is not known
    spew('/run/mount/utab', "SRC=bonnie-test TARGET=$home ROOT=/ OPTS=uhelper=udisks2\n");
    works({@AS}, "$home/inside/file");
    like(run_at({@AS}, "$home/far/file", @{ $WRITES{$_} })->{err}, $AWAY, "not out of it: $_") for 'generate_randfile', 'bon_csv2txt -o';
    works({@AS}, "$home/dir/file");
    spew('/run/mount/utab', q{});
}
done_testing();
