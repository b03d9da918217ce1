#!/usr/bin/perl
# Preset gobonniego: GoBonnieGo's three tests, its text, its JSON object key for key, its options.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use BonnieRun qw(bonnie refused_ok scratch tree);

my $dir  = scratch();
my @fast = ('-d', $dir, qw(--preset gobonniego --iops-duration=0.05));

my $run = bonnie(@fast, '--size', '0.015625');
is($run->{status}, 0, 'exit status 0') or diag($run->{err});
like($run->{out}, qr/\ASequential Write MB\/s: \d+\.\d\d\nSequential Read MB\/s: \d+\.\d\d\nIOPS: \d+\n\z/, 'three figures');
is_deeply([ tree($dir) ], [], 'nothing is left');

my $twice = bonnie(@fast, qw(--size=0.015625 --runs=2 -q));
is(scalar(() = $twice->{out} =~ /^IOPS: \d+$/mg), 2, '--runs 2: each run');

subtest 'JSON' => sub {
    my $json = bonnie(@fast, qw(--size 0.0625 --threads 2 --runs 2 --json -q));
    is($json->{status}, 0, 'exit status 0');
    my $object = JSON::PP->new->decode($json->{out});
    is_deeply([ sort keys %{$object} ], [qw(disk_space_used_gib gobonniego_directory iops_duration_seconds num_readers_and_writers physical_memory_bytes results version)], 'its keys');
    is($object->{gobonniego_directory}, "$dir", 'the directory');
    cmp_ok($object->{disk_space_used_gib}, '==', 0.0625, 'the size in GiB');
    is($object->{num_readers_and_writers}, 2, '--threads');
    cmp_ok($object->{iops_duration_seconds}, '==', 0.05, '--iops-duration');
    is(scalar @{ $object->{results} }, 2, 'two runs');
    for my $one (@{ $object->{results} }) {
        is_deeply([ sort keys %{$one} ], [qw(io_nanoseconds io_operations iops read_bytes read_megabytes_per_second read_nanoseconds
            write_bytes write_megabytes_per_second write_nanoseconds)], 'the keys of a result');
        is($one->{write_bytes}, 64 << 20, 'so many bytes written');
        is($one->{read_bytes},  64 << 20, 'and read');
        for my $way (qw(write read)) {
            cmp_ok(abs($one->{"${way}_megabytes_per_second"} - $one->{"${way}_bytes"} * 1000 / $one->{"${way}_nanoseconds"}), '<', .001, "$way: MB/s are 10^6 bytes");
        }
        cmp_ok(abs($one->{iops} - $one->{io_operations} * 1e9 / $one->{io_nanoseconds}), '<', .001, 'IOPS');
    }
};

my $plain = bonnie(@fast, qw(--size=64m --json -q --format=json));
is(JSON::PP->new->decode($plain->{out})->{disk_space_used_gib}, 0.0625, 'a size with a suffix is what it says');
like(bonnie(@fast, qw(--size=64m --format=csv -q))->{out}, qr/\A1\.98,(?:[^,]*,){48}[^,]*\n\z/, '--format=csv: 50 fields');
refused_ok(bonnie(qw(--size 0.5 -d), $dir), qr/a fraction of a MiB is not accepted; preset gobonniego takes fractions of a GiB/, 'no fraction without the preset');

done_testing();
