#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Two honest drives: at a cut, one loses everything that was not flushed, and the other stores a
# random part of it. After each cut everything that a filesystem promised must be there, and both
# control groups must have lost something.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use PowerCut;
BEGIN { PowerCut::alone() }
use CutRun    qw(cuts);
use SweepSize qw(is_all sized);

my $lacking = PowerCut::lacking();
plan skip_all => $lacking if defined $lacking;

# By default, six machines with one cut each; with --all, some cuts of every machine; with
# --long 200 cuts of each, or the number in BONNIE_TEST_CUTS.
my @machines = (
    [qw(ext4 strict 4096)], [qw(ext4 random 512)], [qw(xfs random 4096)], [qw(btrfs random 4096)],
    [qw(btrfs random 4096 nodatacow)], [qw(ext4 random 4096 data=journal)],
    is_all() ? ([qw(ext4 random 4096)], [qw(xfs strict 4096)], [qw(xfs random 512)], [qw(btrfs strict 4096)]) : (),
);
my $CUTS = $ENV{BONNIE_TEST_CUTS} // sized(1, 3, 200);

# Where the writes of `drive` are not in place: what they lose shows nothing of the drive.
sub is_elsewhere {
    my ($fs, $mount) = @_;
    return $mount eq 'data=journal' || $fs eq 'btrfs' && $mount ne 'nodatacow';
}

# In how many cuts each control group must lose something: 95 in a hundred on a quiet machine. On a
# busy machine, cuts often come when nothing was written since the last flush; and for a moment
# after a syncfs, `cached` has nothing to lose.
my %all = (cuts => 0, cached => 0, drive => 0);

# Makes cuts. Nothing may be lost, and all of them must count.
sub cuts_ok {
    my ($machine, $cuts, $name, $is_elsewhere) = @_;
    my $sum = cuts($machine, $cuts);
    is($sum->{faults}, 0, "$name: nothing is lost in $cuts cuts") or diag(join "\n", @{ $sum->{words} });
    cmp_ok($sum->{promises}, '>', 0, "of $sum->{promises} promises");
    is($sum->{in_place}, $is_elsewhere ? 0 : $cuts, $is_elsewhere ? '`drive` does not count' : '`drive` counts');
    is($sum->{reached_drive}, $is_elsewhere ? 0 : $sum->{drive}, 'and says how far the cut reached');
    note(sprintf '%.2f s a cut; control groups lost in %d and %d', @{$sum}{qw(seconds cached drive)});
    return if $is_elsewhere;
    $all{$_} += $sum->{$_} for qw(cached drive);
    $all{cuts} += $cuts;
    return;
}

for my $case (@machines) {
    my ($fs, $drive, $sector, $mount) = (@{$case}, 'defaults');
SKIP: {
        my $machine = PowerCut->new(fs => $fs, drive => $drive, sector => $sector, mount => $mount) // skip("there is no mkfs.$fs", 4);
        cuts_ok($machine, $CUTS, "$fs ($mount), $drive drive with sectors of $sector", is_elsewhere($fs, $mount));
    }
}

# If a few cuts have all met such a moment, further ones follow until one has not.
my $machine = PowerCut->new(drive => 'random');
my $MOST    = 100;
for (my $more = 0; $all{cached} * $all{drive} == 0 && $more < $MOST; $more++) {
    cuts_ok($machine, 1, 'once more');
}
for my $control (qw(cached drive)) {
    cmp_ok($all{$control}, '>', 0, "control group $control lost something");
    cmp_ok($all{$control}, '>', $all{cuts} / 2, 'in most of the cuts') if $all{cuts} > 20 * @machines;
}

done_testing();
