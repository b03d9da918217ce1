# SPDX-License-Identifier: GPL-2.0-or-later
# Two programs read from the same files by turns, many times a second: one is stopped while the
# other is measured. A virtual machine's storage is 20 % faster in one minute than in the next, and
# one file may lie at a better place than another: by turns both programs have the same share of
# both.
package Bench::Alternate;

use strict;
use warnings;
use Cwd          qw(abs_path);
use Exporter 'import';
use File::Temp   ();
use POSIX        qw(WNOHANG);
use Time::HiRes  qw(clock_gettime CLOCK_MONOTONIC sleep);
use Bench::Run   qw(content_of has_begun has_ended);
use Bench::Table qw(median);

our @EXPORT_OK = qw(alternate files_of start_program);

# Seconds: the length of a turn, the part at its beginning that is not measured, and the pause in
# which the other program's transfers end.
my ($TURN, $WARM, $PAUSE) = (0.15, 0.03, 0.01);

# A program counts as reading all the time when it has read something at each of $LOOKS looks in a
# row, $BETWEEN seconds apart. After $PATIENCE looks it has failed.
my ($LOOKS, $BETWEEN, $PATIENCE) = (5, 0.1, 1200);

# Smaller files are not data files.
my $DATA_BYTES = 1 << 20;

# Starts a program, waits until it reads all the time, and stops it. Returns the program: its name,
# its process ID, and the file with its messages.
sub start_program {
    my @command = @_;
    my %program = (name => $command[0], errors => File::Temp->new);
    $program{pid} = fork // die "fork: $!\n";
    if ($program{pid} == 0) {
        open STDOUT, '>',  '/dev/null';
        open STDERR, '>&', $program{errors};
        { exec @command }
        print {*STDERR} "$command[0]: $!\n";
        POSIX::_exit(1);
    }
    has_begun($program{pid});
    wait_until_it_reads(\%program);
    kill STOP => $program{pid};
    return \%program;
}

sub wait_until_it_reads {
    my ($program) = @_;
    my $seen = 0;
    for (1 .. $PATIENCE) {
        my $before = bytes_read_by($program);
        sleep $BETWEEN;
        $seen = bytes_read_by($program) > $before ? $seen + 1 : 0;
        return if $seen == $LOOKS;
    }
    die "$program->{name} does not read\n";
}

# The files below this directory that the program has open, as names that can be opened. This
# includes removed files.
sub files_of {
    my ($program, $directory) = @_;
    my $above = abs_path($directory) . q{/};
    my %name_of;
    for my $fd (glob "/proc/$program->{pid}/fd/*") {
        my $file = readlink $fd // next;
        $name_of{$file} = $fd if index($file, $above) == 0 && -f $fd && -s $fd >= $DATA_BYTES;
    }
    die "no data file below $directory is open\n" if !%name_of;
    return values %name_of;
}

# Gives each program its turns; all reads are of $bytes bytes. Returns for the first program, and
# then for the second, the operations per second (the median of its turns) and the CPU time of one
# operation in microseconds (the mean).
sub alternate {
    my ($turns, $block_bytes, @programs) = @_;
    my @sums = map { { program => $_, rates => [], operations => 0, ns => 0 } } @programs;
    for my $turn (1 .. $turns) {
        take_turn($_, $block_bytes) for $turn % 2 ? @sums : reverse @sums;
    }
    return map { (median(@{ $_->{rates} }), $_->{ns} / $_->{operations} / 1000) } @sums;
}

sub take_turn {
    my ($sums, $block_bytes) = @_;
    my $program = $sums->{program};
    kill CONT => $program->{pid};
    sleep $WARM;
    my ($begin, $bytes, $ns) = (clock_gettime(CLOCK_MONOTONIC), bytes_read_by($program), cpu_ns_of($program));
    sleep $TURN;
    my $operations = (bytes_read_by($program) - $bytes) / $block_bytes;
    push @{ $sums->{rates} }, $operations / (clock_gettime(CLOCK_MONOTONIC) - $begin);
    $sums->{operations} += $operations;
    $sums->{ns} += cpu_ns_of($program) - $ns;
    kill STOP => $program->{pid};
    sleep $PAUSE;
    die "$program->{name} no longer reads\n" if $operations == 0;
    return;
}

# The number of bytes that the kernel has fetched from storage for this program.
sub bytes_read_by {
    my ($program) = @_;
    die_of_end($program) if waitpid($program->{pid}, WNOHANG) != 0;
    my $file = "/proc/$program->{pid}/io";
    my ($bytes) = content_of($file) =~ /^read_bytes: (\d+)$/m or die "$file tells nothing\n";
    return $bytes;
}

sub die_of_end {
    my ($program) = @_;
    has_ended($program->{pid});
    my ($message) = content_of($program->{errors}->filename) =~ /^(.+)$/m;
    die "$program->{name} has ended", defined $message ? ": $message" : q{}, "\n";
}

sub cpu_ns_of {
    my ($program) = @_;
    my $sum = 0;
    $sum += (split q{ }, content_of($_))[0] // 0 for glob "/proc/$program->{pid}/task/*/schedstat";
    return $sum;
}

1;
