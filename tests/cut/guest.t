#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A guest of QEMU, whose disk is an nbdkit: a cut ends both at once, and the guest starts again. Its
# kernel sends writes with FUA, which loop devices do not have.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use PowerCut;
BEGIN { PowerCut::alone() }
use CutGuest;
use CutRun    qw(faults_of);
use SweepSize qw(is_long);

plan skip_all => 'with --long alone' if !is_long();
my $lacking = PowerCut::lacking() // CutGuest::lacking();
plan skip_all => $lacking if defined $lacking;

my $CUTS = 5; # for each drive
my %lost = (cached => 0, drive => 0);

for my $drive (qw(random strict)) {
    my $guest = CutGuest->new(PowerCut->image(drive => $drive));
    for my $cut (1 .. $CUTS) {
        my ($report, $said) = $guest->cut(.5 + rand);
        my $faults = faults_of($report);
        is_deeply($faults, {}, "$drive drive, cut $cut: of $report->{sum}{promises} promises nothing is lost") or diag(JSON::PP->new->pretty->encode($report));
        like($said, qr/^fua 1 cache write back/m, 'FUA is used') if $cut == 1;
        ok(!$report->{same_boot}, 'after a start of the guest');
        $lost{ $_->{name} } += $_->{lost} > 0 for @{ $report->{canaries} };
        note($report->{reason});
    }
}
cmp_ok($lost{$_}, '>', 0, "control group $_ lost something in $lost{$_} cuts") for qw(cached drive);

done_testing();
