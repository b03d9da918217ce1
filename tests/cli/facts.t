#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What stands in the way of a directory's drive is printed by every program that heads a report. The drive is a loop
# device; over /sys/dev/block lies a tree in which it is an NVMe drive with one lane of four. Which facts there are,
# tests/unit/measure/test_facts.c tries.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Path qw(make_path);
use JSON::PP   ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(bonnie has_terminal have program run_tool scratch source);
use JsonSchema qw(schema_errors);
use LoadRun    qw(bonload);
use RunProgram qw(slurp spew);

plan skip_all => 'needs root and mounts of its own' if !Root::may_mount();
plan skip_all => 'needs losetup and mkfs.ext4' if !have(qw(losetup mkfs.ext4)) || !-e '/dev/loop-control';

my $FACT = 'nvme0n1: PCIe 3.0 x1; drive and slot can do 3.0 x4: at most 985 MB/s';
my $dir  = scratch(oct 755);
my $place = "$dir/mnt";
my $loop;
END { local ($?, $!); system "umount /sys/dev/block; umount $place; losetup -d $loop" if $loop }

mkdir $place or die "$place: $!\n";
spew("$dir/file", q{});
truncate "$dir/file", 256 << 20 or die "$dir/file: $!\n";
system("mkfs.ext4 -q -F -E nodiscard $dir/file") == 0 or die "mkfs.ext4\n";
chomp($loop = qx(losetup -f --show $dir/file 2>/dev/null));
plan skip_all => 'losetup does not work here' if !$loop;
system("mount $loop $place && chmod 1777 $place") == 0 or plan skip_all => 'the loop device cannot be mounted';

# The tree is all in /sys/dev/block: the real /sys must not lie below a directory that is removed.
my $number = do { my $n = (stat $loop)[6]; ($n >> 8 & 0xfff) . q{:} . ($n & 0xff) };
my $real   = "/sys/devices/virtual/block/" . $loop =~ s{.*/}{}r;
my $slot   = '/sys/dev/block/0000:00:1d.0';
my $drive  = "$slot/0000:3b:00.0/nvme/nvme0/nvme0n1";
plan skip_all => 'the loop device is elsewhere' if !-e "$real/stat";
system('mount -t tmpfs none /sys/dev/block') == 0 or plan skip_all => '/sys/dev/block cannot be hidden';
make_path($drive);
symlink $drive, "/sys/dev/block/$number";
symlink "$real/$_", "$drive/$_" for qw(dev stat queue size);
symlink '../../nvme0',           "$drive/device";
symlink '../../../0000:3b:00.0', "$drive/../device";
for (["$slot/0000:3b:00.0/current", 1], ["$slot/0000:3b:00.0/max", 4], ["$slot/max", 4]) {
    spew("$_->[0]_link_speed", "8.0 GT/s PCIe\n");
    spew("$_->[0]_link_width", "$_->[1]\n");
}

# The fact is a line of a text, which may be broken; `before` comes before it.
sub said {
    my ($text, $before, $program) = @_;
    my $words = join '\s+', map {quotemeta} split q{ }, $FACT;
    return like($text, qr/$before(?s:.*?)^ *(?:in the way +)?$words\r?$/m, "$program says it");
}

# It is the only fact of a report in JSON about one drive.
sub in_json {
    my ($text, $schema) = @_;
    my $json = JSON::PP->new->decode($text);
    my @facts = grep { $_->{fact} eq 'link' } @{ $json->{storage}{facts} };
    is_deeply(\@facts, [ { fact => 'link', text => $FACT, link_bytes_per_second => 984615000 } ], "and so does its JSON");
    is_deeply([ schema_errors(JSON::PP->new->decode(slurp(source("share/$schema.schema.json"))), $json) ], [], 'which is as its schema says');
    return;
}

my @short = qw(--time=0.4 -s 4);
said(bonnie(@short, $_)->{out}, qr/^\d+ s/m, "bonnie, of $_") for $place, $loop;
in_json(bonnie(qw(-q --json), @short, $place)->{out}, 'bonnie');
my $long = bonnie(qw(--tests=put_block -s 4 -r 0 -f -d), $place);
said($long->{out} . $long->{err}, qr/What limited each test/, 'a long test');

my @load = ('-rps=20', '-wps=20', '-duration=0.3s', '-mkdirs', "$place/load/XXXX");
said(bonload(@load)->{out}, qr/\A[^:]*:\s+ext4\s+on\s+nvme0n1\n/, 'bonload');
in_json(bonload('--json', @load)->{out}, 'bonload');

in_json(run_tool('zcav', qw(-q --json -b16), $loop)->{out}, 'zcav');
SKIP: {
    skip 'script(1) makes no terminal here', 1 if !has_terminal();
    my ($programs) = program() =~ m{\A(.*)/};
    said(scalar qx(script -qec "'$programs/zcav' -q -b16 '$loop'" /dev/null), qr/^unreadable  none\r\n/m, 'zcav, on a terminal');
}

said(run_tool('boncut', 'audit', $place)->{out}, qr/^drive /m, 'boncut audit');
in_json(run_tool('boncut', qw(audit --json), $place)->{out}, 'boncut');
mkdir "$place/cut";
my $written = run_tool('boncut', qw(write -c2 --units=4 --time=0.3), "$place/cut");
is($written->{status}, 0, 'boncut write') or diag $written->{err};
said(run_tool('boncut', { input => $written->{out} }, qw(check -v), "$place/cut")->{out}, qr/^run /m, 'boncut check');

my @sync = ('--', $^X, '-MIO::Handle', '-e', 'open my $f, ">", shift or die; for (1 .. 40) { syswrite $f, "x"; $f->sync; select undef, undef, undef, .01 }', "$place/synced");
my $why  = run_tool('bonwhy', '-q', @sync);
SKIP: {
    skip "cannot trace here: $why->{err}", 3 if $why->{status} == 125;
    said($why->{out}, qr/\A[^\n]*perl/, 'bonwhy');
    in_json(run_tool('bonwhy', qw(-q --json), @sync)->{out}, 'bonwhy');
}

system "umount /sys/dev/block; umount $place; losetup -d $loop";
undef $loop;
done_testing();
