#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What boncut check says where nothing was cut, and where it cannot see what the storage holds: no loss
# is reported of anything that was not looked at, and nothing is called kept that only the kernel
# remembers. A log that is shortened or reordered says the same as the whole log.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use PowerCut;
BEGIN { PowerCut::alone() }
use BonnieRun  qw(finish have run_tool scratch start wait_until);
use JSON::PP   ();
use RunProgram qw(slurp spew);
use SweepSize  qw(is_all);

plan skip_all => 'needs root, and processes and mounts of its own' if !PowerCut::is_alone();
plan skip_all => 'needs losetup, strace'                          if !have(qw(losetup strace));

my $dir = scratch();
my ($mnt, $second) = map {"$dir/$_"} qw(mnt second);
mkdir $_ or die "$_: $!\n" for $mnt, $second;

my %MAKE = (ext4 => [qw(mkfs.ext4 -q -F)], xfs => [qw(mkfs.xfs -q -f)], btrfs => [qw(mkfs.btrfs -q -f)]);

# How each filesystem is mounted without what a restart after a cut needs.
my %WITHOUT_JOURNAL = (ext4 => 'ro,noload', xfs => 'ro,norecovery', btrfs => 'ro,rescue=nologreplay');

sub must {
    my (@command) = @_;
    system("@command >$dir/said 2>&1") == 0 or die "@command: ", slurp("$dir/said");
    return;
}

sub image {
    my ($fs, $name) = @_;
    open my $image, '>', "$dir/$name" or die "$name: $!\n";
    truncate $image, 320 << 20 or die "$name: $!\n";
    close $image;
    must(@{ $MAKE{$fs} }, "$dir/$name");
    return;
}

sub mounted {
    my ($image, $options, $where) = @_;
    # mount would use a loop device that is still there, also one that only reads
    wait_until("a loop device of $image to go", sub { qx(losetup -n -O RO -j '$dir/$image') !~ /1/ }) if ($options // 'rw') !~ /\bro\b/;
    must('mount', '-o', 'loop,' . ($options // 'rw'), "$dir/$image", $where // $mnt);
    return;
}

sub unmounted {
    for my $where (@_ ? @_ : $mnt) {
        wait_until("$where can be unmounted", sub { system("umount $where 2>/dev/null") == 0 });
    }
    return;
}

sub write_some {
    my ($where, @options) = @_;
    my $write = run_tool('boncut', 'write', '--time=0.5', qw(-c 2 --units 4), @options, $where);
    is($write->{status}, 0, 'write') or diag($write->{err});
    return $write->{out};
}

# The check says what is expected: status, and words in what it prints, in one line if it fails; and
# never that something is lost.
sub says {
    my ($name, $status, $words, $log, $where, @strace) = @_;
    my @how   = @strace ? (wrap => [ qw(strace -f -o /dev/null), @strace, '--' ]) : ();
    my $check = run_tool('boncut', { input => $log, @how }, 'check', $where);
    my $said  = $status eq '1' ? $check->{err} : $check->{out};
    is($check->{status}, $status, "$name: status $status") or diag($check->{out}, $check->{err});
    like($said, $words, 'and says why');
    unlike($check->{out}, qr/LOST|not as promised:$/m, 'and of no loss');
    is(scalar(() = $said =~ /\n/g), 1, 'in one line') if $status eq '1';
    return;
}

my $SAME = qr/^NOT KNOWN: The filesystem has not been unmounted/m;
my $NONE = qr/^NOT KNOWN: .*nothing\s+was\s+cut/ms;

sub situations {
    my ($fs) = @_;
    image($fs, $_) for qw(first other);
    mounted('first');
    mkdir "$mnt/$_" or die "$_: $!\n" for qw(test elsewhere);
    my $log = write_some("$mnt/test");
    my ($run) = glob "$mnt/test/boncut.*";
    my $of_other_run = write_some("$mnt/elsewhere");
    my $test = "$mnt/test";

    says("$fs, the same mount", 3, $SAME, $log, $test);
    says('another directory with another run', 1, qr/the log is not of this directory/, $log, "$mnt/elsewhere");
    run_tool('boncut', '--cleanup', "$mnt/elsewhere");
    says('another directory', 1, qr/not the directory of that filesystem/, $log, "$mnt/elsewhere");
    says('the log of another run', 1, qr/the log is not of this directory/, $of_other_run, $test);
    says('EIO in readdir', 2, qr/^UNREADABLE: \d+ promised units cannot be read \(EIO\)[.]$/m, $log, $test, '-e', 'inject=getdents64:error=EIO');
    says('EIO in a read', 2, qr/^UNREADABLE: \d+ promised units cannot be read \(EIO\)[.]$/m, $log, $test, '-P', "$run/fsync.0", '-e', 'inject=pread64:error=EIO');
    says('EIO in the open of a file', 2, qr/^UNREADABLE: \d+ promised units cannot be read \(EIO\)[.]$/m, $log, $test, '-P', 'fsync.0', '-e', 'inject=openat:error=EIO');
    my ($name) = $run =~ m{([^/]+)\z};
    says('EIO in the open of the directory', 1, qr/Input.output error/, $log, $test, '-P', $name, '-e', 'inject=openat,openat2:error=EIO');

    must('mount', '--bind', $test, $second);
    says('a second mount', 3, $SAME, $log, $second);
    unmounted($second);
    open my $open, '<', "$run/fsync.0" or die "$run/fsync.0: $!\n";
    must(qw(umount -l), $mnt);
    says('not mounted', 1, qr/No such file or directory/, $log, $test);
    mounted('first');
    says('mounted again while a file was open', 3, $SAME, $log, $test);
    close $open;
    must('mount', '-o', 'remount,ro', $mnt);
    says('read-only now', 3, $SAME, $log, $test);
    unmounted();

    mkdir $test or die "$test: $!\n";
    says('not mounted, and the directory is there', 1, qr/is that one mounted/, $log, $test);
    rmdir $test;
    mounted('other');
    mkdir $test or die "$test: $!\n";
    says('another filesystem', 1, qr/is that one mounted/, $log, $test);
    unmounted();

    mounted('other', 'rw', $second); # which takes the loop device
    mounted('first');
    says('another loop device', 3, $NONE, $log, $test);
    unmounted($mnt, $second);
    mounted('first', 'ro');
    says('read-only', 3, $NONE, $log, $test);
    unmounted();
    mounted('first', $WITHOUT_JOURNAL{$fs});
    says('without its journal', 1, qr/so nothing on it can be judged/, $log, $test);
    unmounted();
    mounted('first');
    if (run_tool('boncut', 'fs-shutdown', '--yes', $mnt)->{status} eq '0') {
        says('shut down', 1, qr/is shut down, so nothing|Input.output error/, $log, $test);
        my $cleanup = run_tool('boncut', '--cleanup', $test);
        like("$cleanup->{status}: $cleanup->{err}", qr/\A1: .*Input.output error$/s, 'shut down: --cleanup does not take an error for absence');
    }
    unmounted();

    mounted('first');
    rename $run, "$mnt/elsewhere/$name" or die "$run: $!\n";
    my $gone = run_tool('boncut', { input => $log }, 'check', $test);
    is($gone->{status}, 2, 'gone from that filesystem: lost');
    like($gone->{out}, qr/^LOST: The directory \Q$name\E is gone, with all of \d+\s+promises/m, 'which it says');
    unmounted();
    unlink map {"$dir/$_"} qw(first other);
    return;
}

# What an option names is not what the filesystem is.
{
    image('ext4', 'first');
    mounted('first');
    must('mkdir', '-p', map {"$mnt/shutdown/$_"} qw(norecovery work));
    must('mount', '-t', 'overlay', '-o', "lowerdir=$mnt/shutdown,upperdir=$mnt/shutdown/norecovery,workdir=$mnt/shutdown/work", 'bonnie-test', $second);
    my $log = write_some($second);
    says('directories of an overlay called shutdown and norecovery', 3, $SAME, $log, $second);
    unmounted($second, $mnt);
    image('btrfs', 'first') if have('mkfs.btrfs');
SKIP: {
        skip 'there is no btrfs', 1 if !have('mkfs.btrfs');
        mounted('first');
        must(qw(btrfs -q subvolume create), "$mnt/shutdown");
        unmounted();
        mounted('first', 'subvol=shutdown');
        $log = write_some($mnt);
        unmounted();
        mounted('first', 'subvol=shutdown');
        says('a subvolume called shutdown', 3, $NONE, $log, $mnt);
        unmounted();
        mounted('first', 'ro,rescue=ignorebadroots,rescue=nologreplay');
        says('a list of ways to rescue', 1, qr/so nothing on it can be judged/, $log, $mnt);
        unmounted();
    }
}

for my $fs (is_all() ? qw(ext4 xfs btrfs) : qw(ext4 xfs)) {
SKIP: {
        skip "there is no mkfs.$fs", 1 if !have($MAKE{$fs}[0]);
        situations($fs);
    }
}

# ---- the drive's content of before, under a mounted filesystem ------------------------------------

# Names and sizes come from the kernel's memory, which is not what the drive holds.
image('ext4', 'first');
mounted('first');
my $write = start({ program => 'boncut' }, 'write', '--methods=truncate,mkdir', $mnt);
my $promises = sub { return scalar(() = slurp($write->{out_file}) =~ /^(?:truncate|mkdir) /mg) };
wait_until('promises', sub { $promises->() > 100 });
must('cp', '--sparse=always', "$dir/first", "$dir/before");
my $had = $promises->();
wait_until('more promises', sub { $promises->() > 3 * $had });
kill TERM => $write->{pid};
finish($write);
must('dd', "if=$dir/before", "of=$dir/first", qw(bs=1M conv=notrunc status=none));
my $swapped = run_tool('boncut', { input => $write->{out} }, 'check', '--json', $mnt);
is($swapped->{status}, 3, 'the content of before below a mounted filesystem: nothing is claimed') or diag($swapped->{out});
my $verdict = eval { JSON::PP::decode_json($swapped->{out}) } // {};
ok($verdict->{same_mount} && $verdict->{layer_cut} ne 'drive', 'of the drive');
unmounted();
unlink "$dir/before";

# ---- logs -----------------------------------------------------------------------------------------

image('ext4', 'first');
mounted('first');
my $log = write_some($mnt, '--units=1', '--methods=fsync,fdatasync,create,unlink,rename,replace,syncfs');
my ($header, @lines) = split /^/, $log;

# When the writer is killed, the next file of one that grows may be empty.
my ($run) = glob "$mnt/boncut.*";
for my $method (qw(fsync fdatasync)) {
    my ($last) = sort { $b <=> $a } map {/\+(\d+)\z/} glob "$run/$method.0+*";
    spew("$run/$method.0+" . ($last + 1), q{});
}
my $tenth = int(@lines / 10);
for my $tenths (reverse 0 .. 10) {
    says("$tenths tenths of the log", 3, qr/^NOT KNOWN/m, join(q{}, $header, @lines[ 0 .. $tenth * $tenths - 1 ]), $mnt);
}
says('its last ten lines dropped', 3, $SAME, join(q{}, $header, @lines[ 0 .. $#lines - 10 ]), $mnt);
says('reversed', 3, $SAME, join(q{}, $header, reverse @lines), $mnt);
unmounted();

# After a cut of the filesystem alone a reversed log has the same verdict as the log itself.
image('ext4', 'first');
my ($cut, $whole, $reversed);
for my $attempt (1 .. 20) {
    mounted('first');
    run_tool('boncut', '--cleanup', $mnt);
    $cut = start({ program => 'boncut' }, 'write', qw(-c 2 --units 4 --rate 20), $mnt);
    wait_until('promises', sub { slurp($cut->{out_file}) =~ /^(?!boncut|cached|drive)\w+ /m });
    select undef, undef, undef, .3;
    run_tool('boncut', 'fs-shutdown', '--yes', $mnt);
    finish($cut);
    unmounted();
    mounted('first');
    my ($first, @rest) = split /^/, $cut->{out};
    ($whole, $reversed) = map { run_tool('boncut', { input => $_ }, 'check', $mnt) } $cut->{out}, join q{}, $first, reverse @rest;
    unmounted();
    last if $whole->{status} ne '3'; # for a moment after a syncfs nothing can be lost
}
is($whole->{status}, 0, 'a cut of the filesystem alone: kept');
is($reversed->{out} =~ s/^The log: .*\n//mr, $whole->{out} =~ s/^The log: .*\n//mr, 'and the reversed log says the same');

done_testing();
