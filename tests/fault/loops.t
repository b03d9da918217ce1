#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# zcav -w asks every loop device in use whether its file is the one to be written. A device whose
# server hangs delays neither zcav nor a program that reads what zcav prints.

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
use Trace      qw(can_trace trace);

# A name in /dev that looks like a loop device, and exists on every system.
my $DEVICE = 'loop-control';

plan skip_all => 'needs root and its mounts' if !Root::may_mount();
plan skip_all => "this system has no /dev/$DEVICE" if !-e "/dev/$DEVICE";

# How strace shows a socket, over which the process that asks answers.
my $SOCKET = qr/\A\d+<(?:socket|UNIX)/;

# This test's own list of the devices in use.
my $list = '/sys/block';
system("mount -t tmpfs bonnie-test $list") == 0 or die "cannot mount on $list\n";
mkdir $_ or die "$_: $!\n" for "$list/$DEVICE", "$list/$DEVICE/loop";
spew("$list/$DEVICE/loop/backing_file", "/none\n");

my $dir  = scratch();
my $file = "$dir/file";

# Everything that zcav prints, until all writers have closed the pipe.
sub printed {
    spew($file, 'x' x (2 << 20));
    my $zcav = program('zcav');
    my $text = qx(timeout -s KILL 120 sh -c '"$zcav" -w --yes -q -b1 "$file" 2>&1; echo "status \$?"' | timeout -s KILL 120 cat);
    return $? == 0 ? $text : "${text}the pipe did not end\n";
}

like(printed(), qr/\A#block offset .*^status 0\n\z/ms, 'a device that answers');

# strace interrupts the read of the answer. Among the reads of its process it may have any
# number.
SKIP: {
    skip 'strace cannot trace here', 2 if !can_trace();
    my @how  = ({ program => 'zcav' }, [qw(-y -e trace=read)]);
    my @args = (qw(-w --yes -q -b1), $file);
    my ($usual, @calls) = trace(@how, @args);
    my ($reader) = map { $_->{pid} } grep { $_->{args} =~ $SOCKET } @calls;
    my @reads    = grep { $_->{made} eq 'read' && $_->{pid} == $reader } @calls;
    my ($answer) = grep { $reads[ $_ - 1 ]{args} =~ $SOCKET } 1 .. @reads;
    push @{ $how[1] }, '-e', "inject=read:error=EINTR:when=$answer";
    my ($run, @again) = trace(@how, @args);
    is("$run->{status}$run->{err}", "0$usual->{err}", 'an answer that is interrupted is read again');
    is(scalar(grep { $_->{args} =~ $SOCKET } @again), 2, 'which it was');
}

my $silent = SilentFile->mounted("/dev/$DEVICE");
SKIP: {
    skip 'this system mounts no FUSE filesystem', 2 if !$silent;
    is(printed(), "zcav: -w: whether /dev/$DEVICE uses $file cannot be known: Connection timed out\nstatus 1\n", 'one that does not: zcav ends, and says why');
    is(slurp($file), 'x' x (2 << 20), 'and nothing is written');
}
undef $silent;
system 'umount', $list;

done_testing();
