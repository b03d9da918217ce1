#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# boncut audit tells before any cut what can be known: whether flushes reach the drive, whether
# the mount sends any, whether all is in memory. About a drive that ignores flushes it says that
# only a cut can show that.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Handle;
use POSIX ();
use Test::More;
use PowerCut;
BEGIN { PowerCut::alone() }
use BonnieRun  qw(run_tool);
use Root       ();
use RunProgram qw(slurp);

my $lacking = PowerCut::lacking();
plan skip_all => $lacking if defined $lacking;

sub audit_ok {
    my ($name, $dir, $status, @patterns) = @_;
    my $audit = run_tool('boncut', 'audit', $dir);
    my $said = { 0 => q{}, 2 => qr/boncut: Not durable: [^\n]+\n/, 3 => qr/boncut: Durability is not known: [^\n]+\n/ }->{$status};
    like("$audit->{status} $audit->{err}", qr/\A$status $said\z/, "$name: exit status $status");
    like($audit->{out}, $_, 'says so') for @patterns;
    return;
}

for my $fs (qw(ext4 xfs btrfs)) {
SKIP: {
        my $machine = PowerCut->new(fs => $fs) // skip("there is no mkfs.$fs", 4);
        my ($loop) = $machine->{loop} =~ m{(loop\d+)\z};
        audit_ok("$fs on a drive that flushes reach", $machine->dir, 0, qr/\ADurability is not ruled out: flushes reach $loop \(.* for each fsync\); a\s+cut\s+can\s+show\s+more\.$/m, qr/^filesystem  $fs: /m, qr/^drive       $loop: cache write back/m);
    }
}

my $barrier = PowerCut->new(mount => 'barrier=0');
audit_ok('a mount that sends no flush', $barrier->dir, 2, qr/barrier/, qr/\ANot durable: /, qr/\bno\s+flush\s+reaches\s+it\b/);

# The number of writes that the kernel has counted for a drive.
sub writes_of {
    my ($drive) = @_;
    return (split q{ }, slurp("/sys/block/$drive/stat"))[4];
}

# Another program empties the drive's cache after every 20 writes, of which each fsync of the audit makes one or more.
my ($drive) = $barrier->{loop} =~ m{(loop\d+)\z};
my $WRITES = 20;
pipe my $flushed, my $flushes or die "pipe: $!\n";
my $other = fork // die "fork: $!\n";
if ($other == 0) {
    close $flushed; # so that SIGPIPE ends this process if the test dies
    my $goes_on = 1;
    local $SIG{TERM} = sub { $goes_on = 0 };
    open my $flushing, '+<', $barrier->{loop} or POSIX::_exit(1);
    for (my $last = 0; $goes_on; select undef, undef, undef, .001) {
        next if writes_of($drive) < $last + $WRITES;
        $last = writes_of($drive);
        $flushing->sync or POSIX::_exit(1);
        syswrite $flushes, '.';
    }
    POSIX::_exit(0);
}
close $flushes;
is(sysread($flushed, my $first, 1), 1, 'another program flushes the drive');
audit_ok('and somebody else flushes the drive', $barrier->dir, 2, qr/\ANot durable: /, qr/\bno\s+flush\s+reaches\s+it\b/);
is(sysread($flushed, my $next, 1), 1, 'which has flushed it again');
kill TERM => $other;
waitpid $other, 0;
is($?, 0, 'which the drive did');

# An overlay is what its upper layer is, and a volatile one syncs nothing.
audit_ok('an overlay above a mount that sends no flush', Root::overlay($barrier->dir) . q{}, 2, qr/barrier\S* below an overlay: the filesystem sends no flush/);
undef $barrier;
audit_ok('an overlay above memory', Root::overlay() . q{}, 2, qr/tmpfs below an overlay: everything is in memory/);

my $sound = PowerCut->new;
audit_ok('an overlay that syncs nothing', Root::overlay($sound->dir, 'volatile') . q{}, 2, qr/\ANot durable: (?:fsync=)?volatile: fsync does nothing/);
mkdir $sound->dir . '/sub' or die "mkdir: $!\n";
audit_ok('an overlay above a drive', Root::overlay($sound->dir . '/sub') . q{}, 0, qr/\ADurability is not ruled out: flushes reach /, qr/^filesystem  overlay: /m);
undef $sound;

audit_ok('memory', Root::tmpfs('size=16m') . q{}, 2, qr/\ANot durable: tmpfs: everything is in memory/);

my $unsafe = PowerCut->new(drive => 'unsafe');
audit_ok('a drive that ignores flushes', $unsafe->dir, 0, qr/flushes reach loop\d+/, qr/a\s+cut\s+can\s+show\s+more/);

done_testing();
