# Rows of storage and of memory, against fio: the same sizes, blocks, depths and flags.
package Bench::Storage;

use strict;
use warnings;
use Exporter 'import';
use Bench::Bonnie qw(bonnie_fields bonnie_iops $PUT_BLOCK $GET_BLOCK);
use Bench::Fio    qw(fio_blocks fio_iops);
use Bench::Run    qw(scratch_in);

our @EXPORT_OK = qw(storage_groups);

# fio may register files and buffers with io_uring, as bonnie does, and is faster for it.
my %FIO_ENGINE = (
    libaio   => ['--ioengine=libaio'],
    io_uring => [qw(--ioengine=io_uring --registerfiles=1 --fixedbufs=1)],
);

# fio submits and reaps one operation at a time unless it is told to do so with many. These are the rows
# called batched: fio at its fastest, with half of its depth in a batch.
my @FIO_BATCHES =
    qw(--iodepth_batch_submit=16 --iodepth_batch_complete_min=1 --iodepth_batch_complete_max=32);

sub storage_groups {
    my ($setup) = @_;
    my @queueing = qw(libaio io_uring);
    return (
        group('Random reads of 4 KiB, O_DIRECT, depth 32',
            map { (random_reads($setup, $_, "randread $_"), batched_reads($setup, $_)) } @queueing),
        group('Sequential, 1 MiB, O_DIRECT, depth 16, MiB/s', map { sequential($setup, $_) } @queueing),
        group("Memory: tmpfs, 64 KiB, sync; bonnie's contents are stamped and checked, MiB/s",
            map { memory($setup, $_) } 1, 2),
        group('Scaling: random reads of 4 KiB, O_DIRECT, io_uring, IOPS', scaling($setup)),
    );
}

sub group {
    my ($title, @experiments) = @_;
    return { title => $title, peer => 'fio', needs => ['fio'], experiments => \@experiments };
}

# (IOPS, CPU time) of both tools. Both lay out their file anew, before their clocks start, and make it
# durable: what was written lately may be read faster than what was written long ago. Both have a file for
# each worker, and every worker reads from all of them: with a single file fio does 6 % more with two workers.
sub our_reads {
    my ($directory, $mib, $seconds, $engine, $depth, $workers) = @_;
    return bonnie_iops('-d', $directory, '-s', $mib, "-c$workers", '-D', "--engine=$engine", "--iodepth=$depth",
        qw(--iops-writes=0 --iops-block=4k), "--iops-duration=$seconds");
}

sub fio_reads {
    my ($directory, $mib, $seconds, $engine, $depth, $workers, @more) = @_;
    my $scratch = scratch_in($directory);
    my @files = map { "$scratch/file$_" } 1 .. $workers;
    my @figures = fio_iops('--filename=' . join(q{:}, @files), "--size=${mib}m", '--direct=1', "--numjobs=$workers",
        "--iodepth=$depth", "--runtime=${\ int(1000 * $seconds)}ms", @{ $FIO_ENGINE{$engine} }, @more);
    unlink @files;
    return @figures;
}

sub random_reads {
    my ($setup, $engine, $name, @more) = @_;
    my @run = (@{$setup}{qw(directory random_mib random_seconds)}, $engine, 32, 1);
    return {
        rows => [ "$name IOPS", "$name us CPU/op" ],
        ours => sub { with_microseconds(our_reads(@run)) },
        peer => sub { with_microseconds(fio_reads(@run, @more)) },
    };
}

sub batched_reads {
    my ($setup, $engine) = @_;
    return random_reads($setup, $engine, "randread $engine batched", @FIO_BATCHES);
}

sub with_microseconds {
    my ($rate, $seconds) = @_;
    return ($rate, $seconds * 1e6);
}

sub scaling {
    my ($setup) = @_;
    my @experiments;
    for my $workers (1, 2, 4) {
        for my $depth (1, 4, 16, 64) {
            my @run = (@{$setup}{qw(directory scaling_mib scaling_seconds)}, 'io_uring', $depth, $workers);
            push @experiments, {
                rows => ["scaling depth $depth workers $workers"],
                ours => sub { (our_reads(@run))[0] },
                peer => sub { (fio_reads(@run))[0] },
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

# In MiB/s, and in files of its own.
sub peer_blocks {
    my ($directory, $fallocate, @options) = @_;
    return map { $_ / 1024 } fio_blocks(scratch_in($directory), "--fallocate=$fallocate", @options);
}

# Both give the file its size before the clock starts: where a file grows under direct writes, a filesystem
# may do them one by one. Left to itself fio allocates the file's space too, which bonnie does not: against
# that there is a row of its own.
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

# On tmpfs allocating is half of the work of writing: fio may not do it before its clock starts
# (--fallocate=none), as bonnie does not.
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
