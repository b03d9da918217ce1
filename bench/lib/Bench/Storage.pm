# SPDX-License-Identifier: GPL-2.0-or-later
# Rows about storage and memory, compared with fio: the same sizes, blocks, depths and
# flags.
package Bench::Storage;

use strict;
use warnings;
use Exporter 'import';
use Bench::Alternate qw(alternate files_of start_program);
use Bench::Bonnie    qw(bonnie_fields bonnie_reads $PUT_BLOCK $GET_BLOCK);
use Bench::Fio       qw(fio_blocks fio_reads);
use Bench::Run       qw(end_programs scratch_in);

our @EXPORT_OK = qw(storage_groups);

# With io_uring fio can register files and buffers, as bonnie does, and is faster with
# that.
my %FIO_ENGINE = (
    libaio   => ['--ioengine=libaio'],
    io_uring => [qw(--ioengine=io_uring --registerfiles=1 --fixedbufs=1)],
);

sub storage_groups {
    my ($setup) = @_;
    my @queueing = qw(libaio io_uring);
    return (
        group('Random reads of 4 KiB, O_DIRECT, depth 32',
            map { (random_reads($setup, $_, "randread $_"), batched_reads($setup, $_, 8), batched_reads($setup, $_, 16)) }
            @queueing),
        group('Sequential, 1 MiB, O_DIRECT, depth 16, MiB/s', map { sequential($setup, $_) } @queueing),
        group("Memory: tmpfs, 64 KiB, sync; bonnie's contents are stamped and checked, MiB/s",
            map { memory($setup, $_) } 1, 2),
        group('Scaling: random reads of 4 KiB, O_DIRECT, io_uring', scaling($setup)),
    );
}

sub group {
    my ($title, @experiments) = @_;
    return { title => $title, peer => 'fio', needs => ['fio'], experiments => \@experiments };
}

# For bonnie, and then for fio: operations per second, and the microseconds of CPU time of each.
# They run by turns, on the files that bonnie has just written, one for each worker. Every worker
# reads from all files.
sub reads_of_both {
    my ($setup, $mib, $engine, $depth, $workers, @more) = @_;
    my $directory = scratch_in($setup->{directory});
    my @figures = eval {
        my $ours = start_program(bonnie_reads('-d', $directory, '-s', $mib, "-c$workers", '-D', "--engine=$engine",
            "--iodepth=$depth"));
        my $peer = start_program(fio_reads([ files_of($ours, $directory) ], '--direct=1', "--numjobs=$workers",
            "--iodepth=$depth", @{ $FIO_ENGINE{$engine} }, @more));
        alternate($setup->{turns}, 4096, $ours, $peer);
    };
    end_programs();
    die $@ if !@figures;
    return @figures;
}

sub random_reads {
    my ($setup, $engine, $name, @more) = @_;
    return {
        rows => [ "$name IOPS", "$name us CPU/op" ],
        both => sub { reads_of_both($setup, $setup->{random_mib}, $engine, 32, 1, @more) },
    };
}

sub batched_reads {
    my ($setup, $engine, $batch) = @_;
    return random_reads($setup, $engine, "randread $engine, fio by $batch", "--iodepth_batch_submit=$batch",
        '--iodepth_batch_complete_min=1', '--iodepth_batch_complete_max=' . 2 * $batch);
}

sub scaling {
    my ($setup) = @_;
    my @experiments;
    for my $workers (1, 2, 4) {
        for my $depth (1, 4, 16, 64) {
            my $name = "depth $depth, $workers worker" . ($workers > 1 ? 's' : q{});
            push @experiments, {
                rows => [ "$name IOPS", "$name us CPU/op" ],
                both => sub { reads_of_both($setup, $setup->{scaling_mib}, 'io_uring', $depth, $workers) },
            };
        }
    }
    return @experiments;
}

sub our_blocks {
    my @options = @_;
    my @fields = bonnie_fields('-n0', '--tests=put_block,get_block', @options);
    return map { $_ =~ /\A[\d.]+\z/ ? $_ / 1024 : $_ } @fields[ $PUT_BLOCK, $GET_BLOCK ];
}

# The figures are MiB/s; each program has files of its own.
sub peer_blocks {
    my ($directory, $fallocate, @options) = @_;
    return map { $_ / 1024 } fio_blocks(scratch_in($directory), "--fallocate=$fallocate", @options);
}

# Both give the file its size before the clock starts: where a file grows by direct writes, a
# filesystem may do these one by one. fio's default also allocates the file's space, which bonnie
# does not do; another row compares with that.
sub sequential {
    my ($setup, $engine) = @_;
    my $mib = $setup->{sequential_mib};
    my @ours = ('-d', $setup->{directory}, '-s', "$mib:1m", '-D', "--engine=$engine", '--iodepth=16');
    my @fio = ("--size=${mib}m", qw(--bs=1m --direct=1 --iodepth=16), @{ $FIO_ENGINE{$engine} });
    return (
        {
            rows => [ "seqwrite $engine", "seqread $engine" ],
            ours => sub { our_blocks(@ours) },
            peer => sub { peer_blocks($setup->{directory}, 'truncate', @fio) },
        },
        {
            rows => ["seqwrite $engine, fio allocates"],
            ours => sub { (our_blocks(@ours))[0] },
            peer => sub { (peer_blocks($setup->{directory}, 'native', @fio))[0] },
        },
    );
}

# On tmpfs, allocating is half of the work of writing, so fio must not do it before its clock
# starts (--fallocate=none); neither does bonnie.
sub memory {
    my ($setup, $workers) = @_;
    my $mib = $setup->{tmpfs_mib};
    my $share = $mib / $workers;
    my @ours = ("-c$workers", '--engine=sync', '--cache=keep');
    my @fio = ("--numjobs=$workers", qw(--bs=64k --ioengine=psync));
    my $count = "$workers worker" . ($workers > 1 ? 's' : q{});
    return {
        rows => [ "tmpfs write, $count", "tmpfs read, $count" ],
        ours => sub { our_blocks('-d', $setup->{tmpfs}, '-s', "$mib:64k", @ours) },
        peer => sub { peer_blocks($setup->{tmpfs}, 'none', "--size=${share}m", @fio) },
    };
}

1;
