#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# iops moves whole blocks at random offsets in all files. It has the wanted share of writes,
# and its offsets are distributed uniformly, or a few blocks are used much more often than
# others.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(max);
use Test::More;
use BonnieRun qw(bonnie csv_of engines is_used mark refused_ok scratch tree);
use Trace     qw(can_trace phases trace);

my $dir = scratch();

# Runs iops, for longer and longer times, until it has made that number of operations, and up to
# ten seconds until the sub before the options, if there is one, finds them enough. Returns all of
# them, each as { pid, fd, offset, length, write }. The offsets depend only on the seed.
sub operations {
    my ($least, @options) = @_;
    my $is_enough = ref $options[0] ? shift @options : sub {1};
    for my $seconds (0.2, 1, 10, 100) {
        my ($run, @calls) = trace({}, [ '-e', 'trace=pread64,pwrite64,write' ],
            '-d', $dir, qw(-r0 -n0 -f -z7 --cache=keep --verify=full --tests=iops), "--iops-duration=$seconds", @options);
        my @moves = map { operation($_) } grep { $_->{name} ne 'write' } @{ phases(@calls)->{iops} };
        # Before that, the same phase fills the files through other descriptors.
        my %used = map { $_->{fd} => 1 } @moves[ @moves / 2 .. $#moves ];
        @moves = grep { $used{ $_->{fd} } } @moves;
        next if $run->{status} eq '0' && (@moves < $least || $seconds < 10 && !$is_enough->(@moves));
        is("$run->{status}" . ($run->{err} =~ /^(bonnie: (?:iops|the storage).*)/m ? $1 : q{}), '0', "@options: exit status 0, no damage");
        return @moves;
    }
    return;
}

sub operation {
    my ($call) = @_;
    my ($fd, $length, $offset) = $call->{args} =~ /\A(\d+), .*, (\d+), (\d+)\z/s;
    return { pid => $call->{pid}, fd => $fd, offset => $offset, length => $length, write => $call->{name} eq 'pwrite64' };
}

# Which workers went to which files, and how often.
sub pairs_of {
    my %by;
    $by{"$_->{pid} $_->{fd}"}++ for @_;
    return %by;
}

sub places_of { return map {"$_->{fd}:$_->{offset}"} @_ }

# How often the most frequent offset was used.
sub most {
    my %count;
    $count{$_}++ for places_of(@_);
    return max(values %count);
}

sub writes { return scalar grep { $_->{write} } @_ }

SKIP: {
    skip 'strace cannot trace here', 1 if !can_trace();

    # [BLOCK, bytes]: powers of two and others, smaller and larger than a chunk of 16 KiB.
    for my $case ([ '512', 512, 48 ], [ '4k', 4096, 192 ], [ '12k', 12_288, 192 ], [ '20k', 20_480, 192 ], [ '64k', 65_536, 192 ]) {
        my ($block, $bytes, $kib) = @{$case};
        subtest "one file, blocks of $block" => sub {
            my $places = int($kib * 1024 / $bytes);
            my @all    = operations(24 * $places, "-s${kib}k:16k", "--iops-block=$block", '--iops-writes=10');
            is((grep { $_->{length} != $bytes } @all), 0, 'every operation is a block');
            is((grep { $_->{offset} % $bytes } @all), 0, 'at a multiple of it');
            is((grep { $_->{offset} + $bytes > $kib << 10 } @all), 0, 'within the file');
            my %seen = map { $_ => 1 } places_of(@all);
            is(scalar(keys %seen), $places, 'every block has its turn');
        };
    }

    subtest 'three files of different sizes' => sub {
        my @all = operations(1600, sub { my %by = pairs_of(@_); return keys %by == 9 }, qw(-s160k:16k -c3 --iops-writes=50));
        my %by  = pairs_of(@all);
        my (%end, %seen);
        for my $one (@all) {
            $end{ $one->{fd} } = max($end{ $one->{fd} } // 0, $one->{offset} + $one->{length});
        }
        is(join(q{ }, sort { $a <=> $b } values %end), '49152 49152 65536', 'each up to its end, and no further');
        $seen{$_}++ for places_of(@all);
        is(scalar(keys %seen), 40, 'every block of all of them has its turn');
        is(scalar(keys %by),   9,  'every worker goes to every file');
        my ($least, $most) = (sort { $a <=> $b } values %seen)[ 0, -1 ];
        cmp_ok($most, '<', 4 * $least, 'evenly');
    };

    subtest 'made durable at the end' => sub {
        my ($run, @calls) = trace({}, [ '-e', 'trace=pwrite64,fsync,write' ], '-d', $dir,
            qw(-r0 -n0 -s160k:16k -c4 --tests=iops --iops-writes=90 --iops-duration=0.2));
        is($run->{status}, 0, 'exit status');
        my @moves = grep { $_->{name} ne 'write' } @{ phases(@calls)->{iops} };
        my ($last) = grep { $moves[$_]{name} eq 'pwrite64' } reverse 0 .. $#moves;
        my @after = @moves[ $last + 1 .. $#moves ];
        is(scalar @after, 4, 'after the last write there is one fsync for each worker');
        my %files = map { $_->{args} =~ /(\d+)/ ? ($1 => 1) : () } @after;
        is(scalar(keys %files), 4, 'of a file of its own');
        cmp_ok(max(map { $_->{ended} } @moves[ 0 .. $last ]), '<=', $after[0]{order}, 'begun when no write was under way any more');
    };

    subtest 'files that no block ends with' => sub {
        my @all = operations(300, qw(-s160k:16k -c3 --iops-block=20k));
        my %seen = map { $_ => 1 } places_of(@all);
        is(scalar(keys %seen), 3 + 2 + 2, 'whole blocks only');
        is((grep { $_->{offset} % 20_480 } @all), 0, 'at multiples of their size');
    };

    subtest 'the share of writes' => sub {
        my %share;
        for my $percent (0, 1, 10, 50, 90, 100) {
            my @all = operations(1000, '-s160k:16k', "--iops-writes=$percent");
            $share{$percent} = 100 * writes(@all[ 0 .. 999 ]) / 1000;
            is(writes(@all), 0, '0: not one') if $percent == 0;
            is(writes(@all), scalar @all, '100: all of them') if $percent == 100;
        }
        cmp_ok(abs($share{$_} - $_), '<', 8, "$_ percent: so many") for 10, 50, 90;
        ok($share{1} > 0 && $share{1} < 4, '1 percent: a few');
        my @default = operations(1000, '-s160k:16k');
        cmp_ok(abs(writes(@default[ 0 .. 999 ]) / 10 - 10), '<', 8, 'a tenth when nothing is said');
        is((grep { $_->{length} != 4096 } @default), 0, 'and blocks of 4 KiB');
    };

    subtest 'patterns' => sub {
        my @where = ('-s1m:16k', '--iops-writes=20');
        my $even  = most((operations(1000, @where, '--iops-pattern=uniform'))[ 0 .. 999 ]);
        cmp_ok($even, '<', 30, 'uniform: no block much more often than others');
        my %hot;
        for my $theta (qw(0.5 0.99 1 1.2 2.5 10)) {
            my @all = operations(1000, @where, "--iops-pattern=zipf:$theta");
            is((grep { $_->{offset} % 4096 || $_->{offset} >= 1 << 20 } @all), 0, "zipf:$theta: blocks of the file");
            $hot{$theta} = most(@all[ 0 .. 999 ]);
        }
        cmp_ok($hot{'1.2'}, '>', 5 * $even, 'zipf:1.2: some much more often than others');
        cmp_ok($hot{'1.2'}, '>', $hot{'0.5'}, 'and more so than with zipf:0.5');
        cmp_ok($hot{'10'},  '>', 950, 'zipf:10: nearly always the same');
        my @warm = operations(1000, @where, '--iops-pattern=zipf:1.2');
        my %seen = map { $_ => 1 } places_of(@warm);
        cmp_ok(scalar(keys %seen), '>', 100, 'zipf:1.2: the others have their turn too');
    };

    subtest 'the seed decides' => sub {
        my @options = ('-s160k:16k', '--iops-writes=30', '--iops-pattern=zipf:0.8');
        my ($one, $again, $other) = map { join q{ }, places_of((operations(500, @options, $_))[ 0 .. 499 ]) } qw(-z5 -z5 -z6);
        is($one, $again, 'the same: the same places');
        isnt($one, $other, 'another: others');
    };
}

# With few blocks, or a single one, and many operations in flight, no worker
# waits for ever.
my %usable = map { $_ => 1 } engines();
for my $engine (grep { $usable{$_} } qw(sync libaio io_uring null)) {
    for my $size (qw(4k:4k 16k:16k 16k:4k)) {
        my @options = ("-s$size", '--iops-writes=100', '--iops-duration=0.05', '-c' . ($size eq '16k:4k' ? 3 : 1),
            "--engine=$engine", $engine eq 'sync' ? () : '--iodepth=64');
        mark("$dir");
        my $run = bonnie('-d', $dir, qw(-r0 -n0 -q --verify=full --tests=iops), @options);
        ok(is_used($dir), 'files were made');
        is("$run->{status}" . ($run->{err} =~ /^(bonnie:.*)/m ? $1 : q{}), '0', "it ends: @options");
    }
}
is(csv_of(bonnie('-d', $dir, qw(-r0 -s1 -n0 -q -x2 --iops-duration=0.05 --tests=iops)))->{file_size}, '1M', 'a run after the other');

# Block sizes that are larger than any file.
my @iops = ('-d', $dir, qw(-r0 -n0 -q --tests=iops));
refused_ok(bonnie(@iops, qw(-s1:8k --iops-block=2m)), qr/\Abonnie: --iops-block: 2097152 bytes are more than a worker's file has \(1048576\)/, 'a block larger than the file');
refused_ok(bonnie(@iops, qw(-s1:8k --iops-block=512k -c3)), qr/--iops-block: 524288 bytes are more than a worker's file has \(\d+\)/, q{larger than a worker's file});
is(bonnie(@iops, qw(-s1:8k --iops-block=512k --iops-duration=0.05 -c2))->{status}, 0, q{as large as a worker's file});
refused_ok(bonnie(@iops, '-s1:1000'), qr/\Abonnie: --size: chunks of 1000 bytes cannot be combined with iops, which needs multiples of 512/, 'an odd chunk');
is(bonnie('-d', $dir, qw(-r0 -n0 -q -s1:1000 --iops-block=2m --tests=put_block))->{status}, 0, 'neither matters without iops');
refused_ok(bonnie(@iops, '-s0'), qr/nothing to do/, 'no data');

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
