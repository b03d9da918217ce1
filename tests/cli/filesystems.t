#!/usr/bin/perl
# Whole runs on real filesystems: tmpfs, ext4, xfs and btrfs; as root, as root with -u nobody, and
# as an ordinary user. All twelve figures are there, and nothing is left.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun qw(@TESTS bonnie csv_of scratch scratch_on_disk tree);

my @size = qw(-s32 -n4 -mlab -f4);

sub measures_all {
    my ($name, $dir, $how, @options) = @_;
    my $run = bonnie($how, '-d', "$dir", @size, @options);
    is($run->{status}, 0, "$name: exit status 0") or diag($run->{err});
    my $csv = csv_of($run);
    is(scalar(grep { length $csv->{$_} && length $csv->{"${_}_latency"} } @TESTS), 12, "$name: all twelve figures");
    is_deeply([ grep { $_ ne 'lost+found' } tree("$dir") ], [], "$name: nothing is left");
    return;
}

if (!Root::may_mount()) {
    measures_all('this user', $_, {}) for scratch(), scratch_on_disk();
    note('filesystems of our own need root and its mounts');
    done_testing();
    exit;
}

my %make = (tmpfs => sub { Root::tmpfs('size=200m') }, map { my $type = $_; ($type => sub { Root::filesystem($type, 512) }) } qw(ext4 xfs btrfs));
for my $type (qw(tmpfs ext4 xfs btrfs)) {
    my $dir = $make{$type}->();
SKIP: {
        skip "this system makes or mounts no $type", 12 if !defined $dir;
        measures_all("$type, root", $dir, {});
        measures_all("$type, root with -u nobody", $dir, {}, '-u', 'nobody');
        measures_all("$type, nobody", $dir, { as => 'nobody' });
        measures_all("$type, -D -b -c2", $dir, {}, qw(-c2 -b -n1:100:0:2 -s8), $type eq 'tmpfs' ? () : '-D');
    }
}

done_testing();
