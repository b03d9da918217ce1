# Two programs that read from the same files at the same time, by turns: one is stopped while the other is
# measured, many times a second. A virtual machine's storage is 20 % faster in one minute than in the next,
# and a file may lie at a better place than another: this way both have the same of either.
package Bench::Alternate;

use strict;
use warnings;
use Cwd          qw(abs_path);
use Exporter 'import';
use File::Temp   ();
use POSIX        qw(WNOHANG);
use Time::HiRes  qw(clock_gettime CLOCK_MONOTONIC sleep);
use Bench::Table qw(median);

our @EXPORT_OK = qw(alternate end_programs files_of start_program);

# Seconds: of a turn, of what is not measured at its beginning, and of the pause in which what the other
# has in flight comes back.
my ($TURN, $WARM, $PAUSE) = (0.15, 0.03, 0.01);

# A program reads all the time when it has read something at each of $LOOKS looks in a row, $BETWEEN seconds
# apart; after $PATIENCE looks it is given up.
my ($LOOKS, $BETWEEN, $PATIENCE) = (5, 0.1, 1200);

# What is smaller is no data file.
my $DATA_BYTES = 1 << 20;

# Every process that was started and not ended, which must not outlive this program: its name and the file of
# its messages.
my %running;

END {
    my $status = $?;
    end_programs();
    $? = $status;
}

# Starts a program, waits until it reads all the time, and stops it. Returns its process ID.
sub start_program {
    my @command = @_;
    my $errors = File::Temp->new;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDOUT, '>',  '/dev/null';
        open STDERR, '>&', $errors;
        { exec @command }
        print {*STDERR} "$command[0]: $!\n";
        POSIX::_exit(1);
    }
    $running{$pid} = { name => $command[0], errors => $errors };
    wait_until_it_reads($pid);
    kill STOP => $pid;
    return $pid;
}

sub wait_until_it_reads {
    my ($pid) = @_;
    my $seen = 0;
    for (1 .. $PATIENCE) {
        my $before = bytes_read_by($pid);
        sleep $BETWEEN;
        $seen = bytes_read_by($pid) > $before ? $seen + 1 : 0;
        return if $seen == $LOOKS;
    }
    die "$running{$pid}{name} does not read\n";
}

# Ends all that were started, which remove what they made.
sub end_programs {
    for my $pid (keys %running) {
        kill TERM => $pid;
        kill CONT => $pid;
        waitpid $pid, 0;
        delete $running{$pid};
    }
    return;
}

# The files below that directory that the process has open, removed or not, as names that can be opened.
sub files_of {
    my ($pid, $directory) = @_;
    my $above = abs_path($directory) . q{/};
    my %name_of;
    for my $fd (glob "/proc/$pid/fd/*") {
        my $file = readlink $fd // next;
        $name_of{$file} = $fd if index($file, $above) == 0 && -f $fd && -s $fd >= $DATA_BYTES;
    }
    die "no data file below $directory is open\n" if !%name_of;
    return values %name_of;
}

# Gives each its turns. Returns operations per second (the median of its turns) and the CPU time of one in
# microseconds (the mean), of the first, then of the second. All reads are of that number of bytes.
sub alternate {
    my ($turns, $block_bytes, @pids) = @_;
    my %of = map { $_ => { rates => [], operations => 0, ns => 0 } } @pids;
    for my $turn (1 .. $turns) {
        take_turn($_, $block_bytes, $of{$_}) for $turn % 2 ? @pids : reverse @pids;
    }
    return map { (median(@{ $_->{rates} }), $_->{ns} / $_->{operations} / 1000) } @of{@pids};
}

sub take_turn {
    my ($pid, $block_bytes, $sums) = @_;
    kill CONT => $pid;
    sleep $WARM;
    my ($begin, $bytes, $ns) = (clock_gettime(CLOCK_MONOTONIC), bytes_read_by($pid), cpu_ns_of($pid));
    sleep $TURN;
    my $operations = (bytes_read_by($pid) - $bytes) / $block_bytes;
    push @{ $sums->{rates} }, $operations / (clock_gettime(CLOCK_MONOTONIC) - $begin);
    $sums->{operations} += $operations;
    $sums->{ns} += cpu_ns_of($pid) - $ns;
    kill STOP => $pid;
    sleep $PAUSE;
    die "$running{$pid}{name} no longer reads\n" if $operations == 0;
    return;
}

sub die_of_end {
    my ($program) = @_;
    my ($message) = content_of($program->{errors}->filename) =~ /^(.+)$/m;
    die "$program->{name} has ended", defined $message ? ": $message" : q{}, "\n";
}

# What the kernel fetched from storage for this process.
sub bytes_read_by {
    my ($pid) = @_;
    die_of_end(delete $running{$pid}) if waitpid($pid, WNOHANG) != 0;
    my ($bytes) = content_of("/proc/$pid/io") =~ /^read_bytes: (\d+)$/m or die "/proc/$pid/io tells nothing\n";
    return $bytes;
}

sub cpu_ns_of {
    my ($pid) = @_;
    my $sum = 0;
    $sum += (split q{ }, content_of($_))[0] // 0 for glob "/proc/$pid/task/*/schedstat";
    return $sum;
}

sub content_of {
    my ($file) = @_;
    open my $in, '<', $file or return q{};
    local $/ = undef;
    return readline($in) // q{};
}

1;
