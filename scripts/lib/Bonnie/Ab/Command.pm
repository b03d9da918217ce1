# Runs one command to its end, or ends it and all its descendants.
package Bonnie::Ab::Command;

use strict;
use warnings;
use Exporter 'import';
use File::Temp     ();
use List::Util     qw(first);
use POSIX          qw(:sys_wait_h setsid);
use Time::HiRes    qw(CLOCK_MONOTONIC clock_gettime);
use Bonnie::Plain  qw(plain_text shorten);

our @EXPORT_OK = qw(now run_command);

# Largest output of a command; reports are far smaller.
my $MOST_OUTPUT = 64 * 2**20;

# In seconds: the time that a command has to clean up after TERM; the interval
# at which to look whether it has ended, and whether a signal came just before
# the wait. When a command's output ends, the command is about to end, so the
# first looks come more often.
my $GRACE = 10;
my $LOOK  = 0.05;
my $OFTEN = 0.0005;

my $LAST_LINE = 160;

sub now {
    return clock_gettime(CLOCK_MONOTONIC);
}

# $command: words for a shell, or a reference to the words of a program. %how:
# timeout in seconds, or undef; stopped => sub, true when the command has to end
# at once; tick => sub, called about once a second; captures, whether its output
# is wanted. A command whose output is not captured may leave daemons behind
# that print.
#
# Returns { seconds, output (bytes of stdout), errors (of stderr), failed =>
# why, in words, undef if it ended well, stopped => true if it was ended }.
sub run_command {
    my ($command, %how) = @_;
    my $errors = File::Temp->new;
    my ($reader, $writer);
    if ($how{captures}) {
        pipe $reader, $writer or die "cannot make a pipe: $!\n";
        $reader->blocking(0);
    }
    my $began = now();
    my $child = start($command, $writer // $errors, $errors);
    close $writer if $writer;
    my %run = (output => q{});
    my $why = wait_for($child, $reader, $began, \%run, \%how);
    $run{seconds} = now() - $began;
    read_all($reader, \$run{output}) if $reader;
    $run{errors}  = contents($errors);
    $run{stopped} = $why && $why eq 'stopped';
    $run{failed}  = failure($command, \%run, $why // q{}, $how{timeout});
    return \%run;
}

# Starts the command in a session of its own: Ctrl-C reaches only this process, and the
# command's descendants can be found.
sub start {
    my ($command, $stdout, $stderr) = @_;
    my $child = fork // die "cannot start a process: $!\n";
    return $child if $child;
    setsid();
    $SIG{$_} = 'DEFAULT' for qw(PIPE INT TERM HUP QUIT CHLD ALRM);
    open STDIN,  '<',  '/dev/null' or POSIX::_exit(127);
    open STDOUT, '>&', $stdout     or POSIX::_exit(127);
    open STDERR, '>&', $stderr     or POSIX::_exit(127);
    my @words = ref $command ? @{$command} : ('/bin/sh', '-c', $command);
    { no warnings 'exec'; exec { $words[0] } @words }
    print {*STDERR} "$words[0]: $!\n";
    close STDERR;
    POSIX::_exit(127);
}

# Waits for the command. Returns undef when it has ended by itself ($? has its
# status), and otherwise why it must be ended: 'stopped' or 'timeout'.
sub wait_for {
    my ($child, $reader, $began, $run, $how) = @_;
    my ($ticked, $pause) = ($began, $LOOK);
    local $SIG{CHLD} = sub { };    # ends select
    while (1) {
        my $ended = waitpid $child, WNOHANG;
        return remember($run) if $ended == $child;
        if ($how->{stopped}->()) {
            end_all($child);
            return 'stopped';
        }
        if (defined $how->{timeout} && now() - $began > $how->{timeout}) {
            end_all($child);
            return 'timeout';
        }
        if ($how->{tick} && now() - $ticked > 1) {
            $ticked = now();
            $how->{tick}->();
        }
        my $bits = q{};
        vec($bits, fileno $reader, 1) = 1 if $reader;
        my $ready = select $reader ? $bits : undef, undef, undef, $pause;
        $pause = 2 * $pause > $LOOK ? $LOOK : 2 * $pause;
        ($reader, $pause) = (undef, $OFTEN) if $ready > 0 && $reader && !read_all($reader, \$run->{output});
    }
}

sub remember {
    my ($run) = @_;
    $run->{status} = $?;
    return;
}

# Reads what has arrived; returns false at the end.
sub read_all {
    my ($reader, $output) = @_;
    while (1) {
        my $got = sysread $reader, my $bytes, 65_536;
        return 1 if !defined $got;
        return 0 if !$got;
        ${$output} .= $bytes if length ${$output} <= $MOST_OUTPUT;
    }
}

sub contents {
    my ($file) = @_;
    seek $file, 0, 0;
    local $/ = undef;
    return readline($file) // q{};
}

# Sends TERM and then KILL to all processes of the command's session and to
# their descendants.
sub end_all {
    my ($child) = @_;
    my %ours  = processes_of($child);
    my $until = now() + $GRACE;
    kill $_ => keys %ours for qw(TERM CONT);
    while (now() < $until) {
        waitpid $child, WNOHANG;
        my %left = processes_of($child);
        %ours = (%left, alive(%ours));
        last if !%ours;
        select undef, undef, undef, $LOOK;
    }
    kill KILL => keys %ours if %ours;
    waitpid $child, 0;
    return;
}

# Maps process numbers to start times, which distinguish a process from a later
# one with the same number.
sub processes_of {
    my ($child) = @_;
    my %all   = map { stat_of($_) } map { m{/(\d+)\z}a } glob '/proc/[0-9]*';
    my %ours  = map { $_ => 1 } grep { $_ == $child || $all{$_}{session} == $child } keys %all;
    my $known = 0;
    while ($known != keys %ours) {
        $known = keys %ours;
        $ours{$_} = 1 for grep { $ours{ $all{$_}{parent} } } keys %all;
    }
    return map { $_ => $all{$_}{start} } grep { $all{$_} && $all{$_}{state} ne 'Z' } keys %ours;
}

sub alive {
    my (%ours) = @_;
    my %now = map { stat_of($_) } keys %ours;
    return map { $_ => $ours{$_} } grep { $now{$_} && $now{$_}{state} ne 'Z' && $now{$_}{start} == $ours{$_} } keys %ours;
}

# The name, in parentheses, may contain any character.
sub stat_of {
    my ($pid) = @_;
    open my $in, '<', "/proc/$pid/stat" or return;
    my $line = readline($in) // return;
    my ($state, $parent, $session, $start)
        = $line =~ /.*[)] (\S) (\d+) \d+ (\d+) (?:\S+ ){15}(\d+)/sa or return;
    return $pid => { state => $state, parent => $parent, session => $session, start => $start };
}

# Why a run failed, in words; undef: it has not failed.
sub failure {
    my ($command, $run, $why, $timeout) = @_;
    return 'was interrupted'            if $why eq 'stopped';
    return "timed out after $timeout s" if $why eq 'timeout';
    return 'printed more than ' . $MOST_OUTPUT / 2**20 . ' MiB' if length $run->{output} > $MOST_OUTPUT;
    return if !$run->{status};
    my $signal = $run->{status} & 127;
    my $ended  = $signal ? "was killed by signal $signal" : 'ended with exit status ' . ($run->{status} >> 8);
    my $last   = last_line($run->{errors}) // last_line($run->{output});
    return defined $last ? "$ended: $last" : "$ended and said nothing";
}

sub last_line {
    my ($bytes) = @_;
    my $line = first {/\S/} reverse split /[\n\r]+/, length $bytes > 65_536 ? substr $bytes, -65_536 : $bytes;
    return defined $line ? shorten(plain_text($line =~ s/\A\s+|\s+\z//gr), $LAST_LINE) : undef;
}

1;
