#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Whether O_DIRECT went past the page cache, as each program sees it on each kind of filesystem.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP   ();
use List::Util qw(uniq);
use POSIX      ();
use Test::More;
use Root qw(filesystem filesystem_on_disk fuse_over overlay tmpfs);
BEGIN { Root::private_mounts() }
use BonnieRun qw(bonnie run_tool scratch_on_disk);
use LoadRun   qw(loaded);
use SweepSize qw(sized);

plan skip_all => 'needs root and its mounts' if !Root::may_mount();

my $disk = scratch_on_disk();
chomp(my $below = `stat -f -c %T $disk`);
plan skip_all => "a loop device's file on $below need not be direct" if $below !~ m{\A(?:ext2/ext3|xfs)\z};

# The filesystems (undef: one that cannot be made here), with what the writes and the reads must be, and why. --direct-io=on leaves no page cache
# below the loop device.
my @DIRECT = ([qw(--direct-io=on)]);
my $ext4   = filesystem_on_disk(@DIRECT, 'ext4', 800);
mkdir "$ext4/$_" for qw(layers seen);
my $GONE   = qr/\Aa direct (?:write dropped the page from|read left no page in) the cache\z/;
my $BUFFER = qr/\A(?:ext4|btrfs) buffered the (?:reads|writes)\z/;
my $FUSE   = qr/\Amost of the bytes that fuse took did not reach the device below it\z/;
my @ALL    = (
    [ 'ext4', $ext4, yes => $GONE, yes => $GONE ],
    [ 'ext4, data=journal', scalar filesystem_on_disk(@DIRECT, 'ext4', 800, 'data=journal'), no => $BUFFER, no => $BUFFER ],
    [ 'ext4, a loop with cached file', scalar filesystem_on_disk([], 'ext4', 800), (no => qr/\Aloop\d+ has its file in the page cache\z/) x 2 ],
    [ 'ext4, a loop in memory', scalar filesystem('ext4', 800), (no => qr/\Athe file of loop\d+ is in memory\z/) x 2 ],
    [ 'xfs', scalar filesystem_on_disk(@DIRECT, 'xfs', 800), (yes => $GONE) x 2 ],
    [ 'btrfs', scalar filesystem_on_disk(@DIRECT, 'btrfs', 800), undef, undef, yes => $GONE ],
    [ 'btrfs, compress', scalar filesystem_on_disk(@DIRECT, 'btrfs', 800, 'compress=zstd'), no => $BUFFER, yes => $GONE ],
    [ 'btrfs, nodatasum', scalar filesystem_on_disk(@DIRECT, 'btrfs', 800, 'nodatasum'), (yes => $GONE) x 2 ],
    [ 'overlay', scalar overlay("$ext4/layers"), (yes => $GONE) x 2 ],
    [ 'overlay over tmpfs', scalar overlay(tmpfs('size=800m')), (no => qr/\Atmpfs keeps everything in memory\z/) x 2 ],
    [ 'tmpfs', tmpfs('size=800m'), (no => qr/\Atmpfs keeps everything in memory\z/) x 2 ],
    [ 'FUSE', scalar fuse_over("$ext4/seen"), (no => $FUSE) x 2 ],
    [ 'FUSE, direct_io', scalar fuse_over("$ext4/seen", qw(-o direct_io)), (no => $FUSE) x 2 ],
    [ 'FUSE in memory', scalar Root::fuse(), (no => qr/\Afuse has its files in memory\z/) x 2 ],
);

# Since Linux 6.14 btrfs buffers direct writes of files with checksums.
my ($major, $minor) = (POSIX::uname())[2] =~ /\A(\d+)[.](\d+)/;
@{ $_ }[ 2, 3 ] = $major * 1000 + $minor >= 6014 ? (no => $BUFFER) : (yes => $GONE) for grep { !defined $_->[2] } @ALL;

# Every test of a report that used O_DIRECT must have seen what its bytes did, and say so.
sub report_ok {
    my ($what, $report, $case) = @_;
    my ($name, undef, $writes, $why_writes, $reads, $why_reads) = @{$case};
    my @asked = grep { $_->{direct_asked} } map { @{ $_->{tests} } } @{ $report->{runs} };
    ok(scalar(@asked), "$name: $what used O_DIRECT");
    for my $test (@asked) {
        my $is_read = $test->{name} eq 'get_block' || ($test->{name} eq 'iops' && !($test->{write_percent} // 0));
        my ($seen, $why) = $is_read ? ($reads, $why_reads) : ($writes, $why_writes);
        my $row = join q{ }, grep {defined} @{$test}{qw(row name)};
        is($test->{direct_seen}, $seen, "$name: $what, $row");
        like($test->{direct_reason}, $why, 'and why');
        is($test->{limited_by}, 'page cache', 'the page cache limits what is not direct') if $seen eq 'no';
    }
    return;
}

for my $case (@ALL) {
    my ($name, $dir, $writes, undef, $reads) = @{$case};
SKIP: {
        skip "this system makes no $name", 1 if !defined $dir;
        my $run = bonnie('-d', "$dir", qw(-q --json -r0 -D -s4:64k -n0 -f --min-time=0), '--tests=put_block,get_block');
        is($run->{status}, 0, "$name: exit status 0") or diag($run->{err});
        report_ok('-D', JSON::PP->new->decode($run->{out}), $case);
    }
}

# bonload tries it with a file without a name, which bindfs cannot make. boncut asks whether its blocks reach
# the device in their places, which those of btrfs do not.
for my $case (@ALL) {
    my ($name, $dir, @seen) = @{$case};
SKIP: {
        skip "this system makes no $name", 1 if !defined $dir;
        @seen = (not_known => qr/\Ait could not be tried: /) x 2 if $name =~ /\AFUSE/;
        for my $kind (qw(writes reads)) {
            my ($seen, $why) = splice @seen, 0, 2;
            my @load = $kind eq 'writes' ? qw(-wt=1 -rt=0) : qw(-wt=0 -rt=1);
            my $load = loaded(@load, qw(-max-requests=9 -body-size=64KiB -direct), "-url=$dir/load-X");
            is($load->{$kind}{direct_seen}, $seen, "$name: bonload, $kind");
            like($load->{$kind}{direct_reason}, $why, 'and why');
            like($load->{$kind}{limited_by}, qr/\Apage cache\z/, 'the page cache limits what is not direct') if $seen eq 'no' && $name !~ /overlay/; # whose files may be in any layer
        }
        my $place = $case->[2] eq 'yes' && $name !~ /\Abtrfs/ ? 1 : 0;
        like(run_tool('boncut', qw(write --time=0.1 --methods=fsync), "$dir")->{out}, qr/\A.* in_place=$place\b/, "$name: boncut");
        run_tool('boncut', '--cleanup', "$dir");
    }
}

# What people read: one sentence, and nobody claims more than was seen.
my @SHORT = qw(--time=0.2 --iops-duration=0.1 --min-time=0.02);
for my $case (grep { defined $_->[1] } @ALL[ sized(4, 0, 0) ? (0, 1, 2, 5, 9) : 0 .. $#ALL ]) {
    my ($name, $dir, $writes, undef, $reads) = @{$case};
    my $seen = join q{ }, uniq($writes, $reads);
    for my $how ([ 'short look', @SHORT, "$dir" ], [ 'diskmark', '--preset=diskmark', '-d', "$dir", qw(-q -s64 -r0), @SHORT ]) {
        my ($what, @options) = @{$how};
        my $run = bonnie(@options);
        is($run->{status}, 0, "$name: $what: exit status 0") or diag($run->{err});
        my @said = $run->{out} =~ /(past the page cache \(seen\)[.]|(?:O_DIRECT was not|It is not known whether|\w+ is memory: these).*)$/mg;
        is(scalar(@said), 1, "$name: $what: one sentence") or diag($run->{out});
        like("@said", $seen eq 'yes' ? qr/\Apast the page cache \(seen\)/ : qr/\A(?:O_DIRECT was not direct: |tmpfs is memory: )/, 'and a true one');
    }
}
done_testing();
