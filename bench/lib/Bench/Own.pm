# SPDX-License-Identifier: GPL-2.0-or-later
# Rows about the cost of the program itself: with the null engine there is no other.
package Bench::Own;

use strict;
use warnings;
use Exporter 'import';
use Bench::Bonnie qw(bonnie_fields bonnie_iops $PUT_BLOCK);
use Bench::Fio    qw(fio_iops);
use Bench::Run    qw(compiled output_of queue_sources scratch_in);

our @EXPORT_OK = qw(own_groups);

sub own_groups {
    my ($setup) = @_;
    return (
        {
            title => 'Null engine, depth 32, every latency recorded: million operations per CPU second',
            peer  => 'fio', needs => ['fio'], experiments => [ null_engine($setup) ],
        },
        {
            title => 'Making contents, 64 KiB, null engine, beside copying them: GB/s',
            peer  => 'memcpy', needs => ['cc'], experiments => [ contents($setup) ],
        },
        {
            title => "Little's law: rate x mean latency of random reads beside the mean number in flight",
            peer  => 'in flight', needs => ['cc'], experiments => [ littles_law($setup) ],
        },
        {
            title => 'Recording one latency: ns beyond those of the loop around it',
            peer  => 'none', needs => ['cc'], experiments => [ record($setup) ],
        },
    );
}

# Counts CPU time, so that other programs on the machine have no influence.
sub millions_per_cpu_second {
    my ($rate, $seconds) = @_;
    return 1 / $seconds / 1e6;
}

sub null_engine {
    my ($setup) = @_;
    my $seconds = $setup->{null_seconds};
    my @ours = ('-d', $setup->{directory}, qw(-s 1024 --engine=null --iodepth=32), "--iops-duration=$seconds");
    my @fio = (qw(--ioengine=null --iodepth=32 --size=1g), "--runtime=${\ int(1000 * $seconds)}ms");
    return {
        rows => ['null'],
        ours => sub { millions_per_cpu_second(bonnie_iops(@ours)) },
        peer => sub { millions_per_cpu_second(fio_iops(@fio)) },
    };
}

# Both fill 32 buffers of 64 KiB in turn.
sub contents {
    my ($setup) = @_;
    my $mib = $setup->{contents_mib};
    my @ours = ('-d', $setup->{directory}, '-s', "$mib:64k", qw(-n 0 --tests=put_block),
        qw(--engine=null --iodepth=32));
    return {
        rows => ['contents'],
        ours => sub { (bonnie_fields(@ours))[$PUT_BLOCK] * 1024 / 1e9 },
        peer => sub { output_of(compiled('memcpy'), $mib) + 0 },
    };
}

# [ engine, bytes of a block, depth ]
sub littles_law {
    my ($setup) = @_;
    my @experiments;
    for my $engine (qw(libaio io_uring null)) {
        for my $case ([ '4k', 4096, 32 ], [ '64k', 65_536, 64 ], [ '64k', 65_536, 256 ], [ '1m', 1 << 20, 32 ]) {
            my ($name, $bytes, $depth) = @{$case};
            push @experiments, {
                rows => ["in flight $engine $name x $depth"],
                both => sub { in_flight($setup, $engine, $bytes, $depth) },
            };
        }
    }
    push @experiments, { rows => ['in flight sync 4k x 1'], both => sub { in_flight($setup, 'sync', 4096, 1) } };
    return @experiments;
}

sub in_flight {
    my ($setup, @run) = @_;
    my $program = compiled('in_flight', queue_sources());
    my $file = file_of($setup->{directory}, $setup->{scaling_mib});
    return split q{ }, output_of($program, $file, @run, $setup->{scaling_seconds});
}

# A file whose bytes cannot be compressed, written once.
my %files;

sub file_of {
    my ($directory, $mib) = @_;
    return $files{"$directory $mib"} //= do {
        my $file = scratch_in($directory) . '/file';
        output_of('dd', 'if=/dev/urandom', "of=$file", 'bs=1M', "count=$mib", 'conv=fsync', 'status=none');
        $file;
    };
}

sub record {
    my ($setup) = @_;
    return {
        rows => ['record'],
        ours => sub {
            my ($with, $without) = split q{ }, output_of(compiled('record'), $setup->{records});
            return $with - $without;
        },
    };
}

1;
