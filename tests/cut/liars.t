#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A drive that lies, a mount that lies and a program that lies: boncut finds each, and names what it
# did.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use PowerCut;
BEGIN { PowerCut::alone() }
use CutRun    qw(cut faults_of);
use BonnieRun qw(have);
use SweepSize qw(is_all is_long);

my $lacking = PowerCut::lacking();
plan skip_all => $lacking if defined $lacking;

my @small = qw(-c 4 --units 8);

# A drive that ignores one flush in fifty does not show it at every cut.
my $MOST_CUTS = 150;

# Cuts the power until a check finds one of these faults, by default any. Returns the
# report of that check.
sub first_fault {
    my ($name, $machine, $cut, $is_wanted) = @_;
    for my $count (1 .. $MOST_CUTS) {
        my $report = cut(PowerCut->new(%{$machine}, seed => $count), seconds => 1.5, options => \@small, %{$cut});
        next if !%{ faults_of($report) } || $is_wanted && !$is_wanted->($report);
        pass("$name: found");
        note("after $count cuts: $report->{reason}");
        is($report->{status}, 2, 'exit status 2');
        return;
    }
    fail("$name: found");
    return;
}

# ---- flushes that do nothing ------------------------------------------------------------------

my @flushes = (
    [ 'cache=unsafe',     { drive => 'unsafe' } ],
    [ 'barrier=0',        { drive => 'strict', mount => 'barrier=0' } ],
    [ 'one flush in 50',  { lie => 'some-flushes' } ],
    [ 'every flush',      { lie => 'all-flushes' } ],
    [ 'the last second',  { lie => 'last-second' } ],
);
my @mounts = is_long() ? qw(ext4 xfs btrfs) : qw(ext4);
for my $fs (@mounts) {
    for my $liar (@flushes) {
        my ($name, $machine) = @{$liar};
        next if $fs ne 'ext4' && $machine->{mount}; # the other filesystems no longer have this option
        first_fault("$fs, $name", { fs => $fs, %{$machine} }, {});
    }
}

# ---- single blocks ----------------------------------------------------------------------------

# btrfs can be told to write in place and without checksums.
my %IN_PLACE = (btrfs => 'nodatacow');

# The findings for each kind of damaged block.
my %said = (old => ['lost'], torn => ['lost torn'], misplaced => ['foreign misdirected', 'lost']);

# A finding with its detail. In a file of the method `replace`, a single older block means that
# the file is torn; the block itself is only seen to be old.
sub finding_of {
    my ($loss, $lie) = @_;
    return $said{$lie}[-1] if $loss->{method} eq 'replace' && $loss->{finding} eq 'torn';
    return join q{ }, grep { defined } @{$loss}{qw(finding detail)};
}

for my $lie (sort keys %said) {
    for my $fs (is_all() ? qw(ext4 xfs btrfs) : qw(ext4)) {
        my %found; # in all cuts together, because a cut may show only some of them
        my $is_whole = sub {
            my ($report) = @_;
            $found{ finding_of($_, $lie) } = 1 for @{ $report->{losses} };
            return !grep { !$found{$_} } @{ $said{$lie} };
        };
        first_fault("$fs, a block that is $lie", { fs => $fs, lie => $lie, mount => $IN_PLACE{$fs} // 'defaults' }, {}, $is_whole);
        is_deeply([ sort keys %found ], $said{$lie}, 'as what it is');
    }
}

# ---- a program that promises before it has synced ---------------------------------------------

SKIP: {
    skip 'needs strace', 2 if !have('strace');
    my $calls = 'fsync,fdatasync';
    my @mutant = (qw(strace -f -qq --seccomp-bpf -o /dev/null -e), "trace=$calls", '-e', "inject=$calls:retval=0", '--');
    first_fault('a boncut that does not sync', {}, { how => { wrap => \@mutant }, options => [ @small, '--methods=fsync,fdatasync' ] });
}

done_testing();
