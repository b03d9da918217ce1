#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Syncs that a library takes away, as eatmydata does: every program that asks for durability says
# that they reached nothing, and none says so of the same storage without that library.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use Root ();
BEGIN { Root::private_mounts() }
use BonnieRun qw(bonnie run_tool scratch);
use LoadRun   qw(bonload);

plan skip_all => 'only root can mount a filesystem of its own' if !Root::may_mount();

my $lib = scratch();
open my $out, '>', "$lib/lost.c" or die "$lib/lost.c: $!\n";
print {$out} <<'END';
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
int fsync(int fd) { return fd < 0; }
int fdatasync(int fd) { return fd < 0; }
int syncfs(int fd) { return fd < 0; }
int openat(int at, const char *name, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
    va_end(list);
    int (*real)(int, const char *, int, ...) = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
    return real(at, name, flags & ~O_SYNC, mode);
}
int open(const char *name, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
    va_end(list);
    return openat(AT_FDCWD, name, flags, mode);
}
int openat64(int, const char *, int, ...) __attribute__((alias("openat")));
int open64(const char *, int, ...) __attribute__((alias("open")));
END
close $out or die "$lib/lost.c: $!\n";
my $cc = $ENV{BONNIE_CC} // 'cc';
plan skip_all => 'no library can be made' if system("$cc -shared -fPIC -w -o $lib/lost.so $lib/lost.c -ldl") != 0;

my $dir = Root::filesystem_on_disk([], 'ext4', 800) // plan skip_all => 'no ext4';

# Runs a program without and with syncs, and returns both results.
sub both {
    my ($run) = @_;
    my $kept = $run->();
    local $ENV{LD_PRELOAD}   = "$lib/lost.so";
    local $ENV{ASAN_OPTIONS} = join q{:}, grep {defined} $ENV{ASAN_OPTIONS}, 'verify_asan_link_order=0';
    return ($kept, $run->());
}

# The reasons of the tests that write, by their names.
sub reasons {
    my ($run) = @_;
    my %said;
    for my $test (map { @{ $_->{tests} } } @{ JSON::PP::decode_json($run->{out})->{runs} }) {
        $said{ $test->{name} } = "$test->{limited_by}: $test->{reason}";
    }
    return \%said;
}
my $LOST    = 'page cache: Syncs reached no drive: nothing is durable.';
my $NOTHING = qr/^Durable: syncs reached no drive: nothing is durable[.]$/m; # in a look

subtest 'boncut audit' => sub {
    my ($kept, $lost) = both(sub { run_tool('boncut', 'audit', "$dir") });
    isnt($kept->{status}, 2, 'syncs that are kept');
    unlike($kept->{out}, qr/none of 200 fsyncs reaches the device/, 'reach a drive');
    is($lost->{status}, 2, 'lost syncs');
    like($lost->{out}, qr/none of 200 fsyncs reaches the device/, 'reach none');
};

subtest 'bonload -good-for' => sub {
    for my $profile (qw(etcd redis mariadb)) {
        my ($kept, $lost) = both(sub { bonload("-good-for=$profile", '-duration=0.2s', '-warmup=0s', "$dir") });
        unlike("$kept->{out}$kept->{err}", qr/fsyncs\s+reaches/, "$profile: syncs that are kept");
        like($lost->{out}, qr/none of 20 fsyncs\s+reaches\s+loop/, "$profile: lost syncs");
        unlike($lost->{out}, qr/\A\w+: good/, "$profile: are good for nothing");
        is($lost->{status}, 2, "$profile: status 2") if $profile ne 'mariadb';  # it has no limits
    }
};

subtest 'bonnie -b' => sub {
    my @options = ('-d', "$dir", '-b', '--json', '-r0', '-s2m:8k', '--tests=put_block,rewrite,seq_create,seq_stat,seq_del', '-n1');
    my ($kept, $lost) = both(sub { bonnie(@options) });
    unlike(reasons($kept)->{$_}, qr/reached no drive/, "$_: syncs that are kept") for sort keys %{ reasons($kept) };
    is(reasons($lost)->{$_}, $LOST, "$_: lost syncs") for qw(put_block rewrite seq_create seq_del);
    unlike(reasons($lost)->{seq_stat}, qr/reached no drive/, 'seq_stat syncs nothing');
};

subtest 'the short look' => sub {
    my $lost;
    for my $try (1 .. 10) { # on a busy machine the kernel may write back meanwhile what the rows before have written
        (undef, $lost) = both(sub { $ENV{LD_PRELOAD} ? bonnie('--time=1s', "$dir") : undef });
        last if $lost->{out} =~ $NOTHING;
    }
    like($lost->{out}, $NOTHING, 'Durable: lost syncs');
};

subtest 'a loop device whose file is in memory' => sub {
    my $memory = Root::tmpfs('size=600m');
    system("truncate -s 500m $memory/image && mkfs.ext4 -q -F $memory/image && mkdir $memory/on && mount -o loop $memory/image $memory/on") == 0 or plan skip_all => 'no loop device can be mounted';
    my $run = bonnie('-d', "$memory/on", qw(-u root -b --json -r0 -s2m:8k -n1), '--tests=put_block,seq_create,seq_del');
    my $look = bonnie(qw(-q --iops-duration=0.3 --min-time=0.1), "$memory/on");
    system 'umount', "$memory/on";
    is(reasons($run)->{$_}, $LOST, "$_: nothing is durable") for qw(put_block seq_create seq_del);
    like($look->{out}, qr/^Durable .* (?:page cache|too quick)$/m, 'the row of the short look is no figure of a device'); # of few writes there is none
    like($look->{out}, $NOTHING, 'and a line says why');
};

done_testing();
