# SPDX-License-Identifier: GPL-2.0-or-later
# Runs fio, and finds figures in its reports.
package Bench::Fio;

use strict;
use warnings;
use Exporter 'import';
use JSON::PP   ();
use Bench::Run qw(output_of);

our @EXPORT_OK = qw(fio_blocks fio_iops fio_reads);

# fio uses threads, because bonnie's workers are threads, and because fio is faster with them. It
# records latencies, which is its default, because bonnie records each of them.
my @FIO = qw(fio --thread --group_reporting --output-format=json);

# --norandommap: bonnie may draw a place twice, too, and fio is faster without the map; lfsr is no
# faster.
my @RANDOM_READS = qw(--rw=randread --bs=4k --norandommap --time_based);

# Jobs of fio: options for all jobs, then the options of each. fio reports equal jobs together.
sub fio {
    my @options = @_;
    my $text = output_of(@FIO, @options);
    my ($json) = $text =~ /^(\{.*)/ms or die "fio printed no JSON\n";
    return @{ JSON::PP->new->decode($json)->{jobs} };
}

# A command that reads blocks of 4 KiB at random places of these files, and does not change them.
sub fio_reads {
    my ($files, @options) = @_;
    return (@FIO, @RANDOM_READS, '--filename=' . join(q{:}, @{$files}), qw(--readonly --runtime=24h), @options,
        '--name=bench');
}

# The rate of random reads by one job, and the seconds of CPU time that each takes.
#
# The CPU time is the job's own, in percent of its time. fio as a whole takes more, because it
# watches its threads and lays out the file; the job's own time is the fairer figure for fio.
sub fio_iops {
    my @options = @_;
    my ($job) = fio(@RANDOM_READS, @options, '--name=bench');
    my $read = $job->{read};
    my $rate = $read->{total_ios} / $read->{runtime} * 1000;
    return ($rate, ($job->{usr_cpu} + $job->{sys_cpu}) / 100 / $rate);
}

# KiB/s of writing new files in this directory, and of reading them, in one run as bonnie does it,
# because storage is slower for a while after it has been written to.
#
# fio's clock ends after its fsync (--end_fsync=1), as bonnie's does. The second job has to wait for
# the first (--stonewall), and must not lay out its files before that (--create_on_open=1).
sub fio_blocks {
    my ($directory, @options) = @_;
    my @files = ("--directory=$directory", '--filename_format=file.$jobnum');
    my @jobs = fio(@files, @options, qw(--name=put --rw=write --end_fsync=1),
        qw(--name=get --stonewall --new_group --rw=read --create_on_open=1));
    unlink glob "$directory/file.*";
    return (kib_per_second($jobs[0]{write}), kib_per_second($jobs[-1]{read}));
}

# fio rounds its own rate, and its times to milliseconds.
sub kib_per_second {
    my ($direction) = @_;
    die "fio: its clock shows nothing; larger sizes help\n" if !$direction->{runtime};
    return $direction->{io_bytes} / 1024 / $direction->{runtime} * 1000;
}

1;
