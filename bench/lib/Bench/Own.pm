# Rows of what the program itself costs: with the null engine nothing else is left.
package Bench::Own;

use strict;
use warnings;
use Exporter 'import';
use Bench::Bonnie qw(bonnie_fields bonnie_iops $PUT_BLOCK);
use Bench::Fio    qw(fio_iops);
use Bench::Run    qw(compiled output_of);

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
            title => 'Recording one latency: ns beyond those of the loop around it',
            peer  => 'none', needs => ['cc'], experiments => [ record($setup) ],
        },
    );
}

# By CPU time: what others on the machine take is not to count.
sub millions_per_cpu_second {
    my ($rate, $seconds) = @_;
    return 1 / $seconds / 1e6;
}

sub null_engine {
    my ($setup) = @_;
    my $seconds = $setup->{null_seconds};
    my @ours = ('-d', $setup->{directory}, qw(-s 1024 --engine=null --iodepth=32),
        qw(--iops-writes=0 --iops-block=4k), "--iops-duration=$seconds");
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
