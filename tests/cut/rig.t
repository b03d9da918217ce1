#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The machine that these tests use, without boncut: after a power cut, everything that a plain
# writer synced is there, and what it did not sync is gone; a drive that lies has lost synced data.
# And a test that is killed leaves nothing behind.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use PowerCut;
BEGIN { PowerCut::alone() }
use BonnieRun  ();
use File::Temp ();
use IO::Handle ();
use POSIX      ();
use RunProgram qw(slurp spew);
use SweepSize  qw(is_long sized);

my $lacking = PowerCut::lacking();
plan skip_all => $lacking if defined $lacking;

# Starts a writer that overwrites a block with the number of the write, syncs it if $syncs, and
# prints the number. Returns the pipe that it prints to.
sub writer {
    my ($path, $syncs) = @_;
    pipe my $out, my $in or die "pipe: $!\n";
    if (!(fork // die "fork: $!\n")) {
        close $out;
        open my $file, '+<', $path or POSIX::_exit(1);
        for (my $number = 1; ; $number++) {
            sysseek $file, 0, 0;
            (syswrite($file, sprintf('%08d', $number) x 512) // 0) == 4096 or POSIX::_exit(1);
            !$syncs || $file->sync or POSIX::_exit(1);
            syswrite $in, "$number\n";
            select undef, undef, undef, .001 if !$syncs;
        }
    }
    return $out;
}

sub prepare {
    my ($path) = @_;
    open my $file, '>', $path or die "$path: $!\n";
    print {$file} '0' x 4096;
    $file->flush && $file->sync or die "$path: $!\n";
    close $file or die "$path: $!\n";
    return;
}

# The different numbers in a file, which has 512 of them: one, unless the file is torn;
# none, if the file is missing.
sub numbers {
    my ($path) = @_;
    open my $file, '<:raw', $path or return;
    my %seen = map { $_ => 1 } unpack '(A8)*', do { local $/ = undef; readline($file) // q{} };
    return map { $_ + 0 } grep {/\A\d+\z/} sort keys %seen;
}

# Cuts the power $seconds after both writers have begun. Returns for each writer the last number
# that it printed, and what is in its file.
sub cut {
    my ($machine, $seconds) = @_;
    my $dir = $machine->dir;
    prepare("$dir/$_") for qw(synced cached);
    my %out = map { $_ => writer("$dir/$_", $_ eq 'synced') } qw(synced cached);
    my %first = map { my $pipe = $out{$_}; $_ => scalar readline $pipe } keys %out;
    select undef, undef, undef, $seconds;
    $machine->off;
    my %told = map { my $pipe = $out{$_}; $_ => (map { chomp; $_ } grep {defined} $first{$_}, readline $pipe)[-1] // 0 } keys %out;
    my $is_mounted = $machine->on;
    return map { $_ => { told => $told{$_}, found => [ $is_mounted ? numbers("$dir/$_") : () ] } } keys %told;
}

sub is_kept {
    my ($file) = @_;
    return @{ $file->{found} } && !grep { $_ < $file->{told} } @{ $file->{found} };
}

my $CUTS = sized(1, 3, 20);

for my $case (map { my $fs = $_; map { [ $fs, @{$_} ] } [strict => 4096], [random => 4096], $fs eq 'btrfs' ? () : [random => 512] } qw(ext4 xfs btrfs)) {
    my ($fs, $drive, $sector) = @{$case};
SKIP: {
        my $machine = PowerCut->new(fs => $fs, drive => $drive, sector => $sector) // skip("there is no mkfs.$fs", 3);
        my ($synced, $cached, $told) = (0, 0, 0);
        for my $cut (1 .. $CUTS) {
            my %file = cut($machine, .2);
            $synced += is_kept($file{synced});
            $cached += is_kept($file{cached});
            $told   += $file{synced}{told} > 0;
        }
        is($told,   $CUTS, "$fs, $drive drive with sectors of $sector: something was synced before each cut");
        is($synced, $CUTS, 'and is there afterwards');
        is($cached, 0,     'what was not synced is not');
    }
}

# One file is not enough to find drives that lie only now and then, or only about single blocks:
# liars.t has these.
my @lies = (
    [ 'cache=unsafe'    => drive => 'unsafe' ],
    [ 'lie=last-second' => lie   => 'last-second' ],
    [ 'barrier=0'       => drive => 'strict', mount => 'barrier=0' ],
    [ 'lie=all-flushes' => lie   => 'all-flushes' ],
);
for my $lie (is_long() ? @lies : @lies[ 0, 1 ]) {
    my ($name, @how) = @{$lie};
    my ($lost, $cuts) = (0, 0);
    while (!$lost && $cuts++ < 150) {
        my %file = cut(PowerCut->new(@how), is_long() ? 1.5 : .3);
        $lost = !is_kept($file{synced});
    }
    ok($lost, "$name: what was synced is lost");
    note("after $cuts cuts");
}

# A test that is killed while its machine is on. It starts like any other test, without the
# mounts of this one.
{
    local $ENV{BONNIE_TEST_MOUNTS};
    my $program = File::Temp->new;
    spew("$program", <<~'END');
        use PowerCut;
        BEGIN { PowerCut::alone() }
        my $machine = PowerCut->new;
        $| = 1;
        print "$machine->{loop}\n";
        sleep 600;
        END
    my $pid = open my $out, '-|', $^X, (map {"-I$_"} @INC), "$program" or die "perl: $!\n";
    chomp(my $loop = readline($out) // q{});
    like($loop, qr{\A/dev/loop\d+\z}, 'a test whose machine is on');
    my $attached = PowerCut::attachment($loop);
    my $servers = sub {
        return grep { (eval { slurp($_) } // q{}) =~ /\Anbd/ } glob '/proc/[0-9]*/cmdline';
    };
    cmp_ok(scalar $servers->(), '>', 0, 'and whose processes run');
    kill KILL => $pid;
    waitpid $pid, 0;
    ok(eval { BonnieRun::wait_until('the end', sub { PowerCut::attachment($loop) ne $attached }) }, 'is killed: its loop device goes');
    ok(eval { BonnieRun::wait_until('their end', sub { $servers->() == 0 }) }, 'and its processes');
}

done_testing();
