# SPDX-License-Identifier: GPL-2.0-or-later
# A command in a session of its own, so that Ctrl-C reaches only this process, and so that the
# command can be ended with all its descendants: when it is told to, and also when this process is
# killed, which a watcher notices, a process that holds the other end of a pipe.
package Bonnie::Ab::Session;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use POSIX          qw(:sys_wait_h setsid);
use Time::HiRes    qw(CLOCK_MONOTONIC clock_gettime);
use Bonnie::Output qw(complain tell_line);
use Bonnie::Plain  qw(plain_text);

our @EXPORT_OK = qw(now start_watcher);

# In seconds: the time that a command has to clean up after TERM, and the interval at which to look.
my $GRACE = 10;
my $LOOK  = 0.05;

# Marks the descendants of a command that have left the session.
my $MARK = 'BON_AB_SESSION';

sub now { return clock_gettime(CLOCK_MONOTONIC) }

# Starts the watcher of all sessions to come. Returns the handle that keeps it from acting, and its
# process number: when the last copy of the handle is closed, the watcher ends the sessions that have
# begun and not ended, and itself.
sub start_watcher {
    pipe my $reader, my $writer or die "cannot make a pipe: $!\n";
    my $child = fork // die "cannot start a process: $!\n";
    return ($writer, $child) if $child;
    close $writer;
    setsid();
    $SIG{$_} = 'IGNORE' for qw(PIPE INT TERM HUP QUIT);
    open $_, '+<', '/dev/null' for \*STDIN, \*STDOUT;
    my %sessions;
    while (defined(my $line = readline $reader)) {
        my ($what, $leader, $mark) = split q{ }, $line;
        $what eq 'begin' ? ($sessions{$leader} = bless { leader => $leader, mark => $mark }, __PACKAGE__) : delete $sessions{$leader};
    }
    my @left = map { $_->end } values %sessions;
    complain(join '; ', 'killed; the command that was running is ended, the state is not restored', @left) if %sessions;
    close STDERR;
    POSIX::_exit(0);
}

# $command: words for a shell, or a reference to the words of a program. $stdout, $stderr: handles.
sub start ($class, $watcher, $command, $stdout, $stderr) {
    my $mark  = join q{-}, $$, int(1e6 * now());
    my $child = fork // die "cannot start a process: $!\n";
    return bless { leader => $child, mark => $mark, watcher => $watcher }, $class if $child;
    setsid();
    syswrite $watcher, "begin $$ $mark\n";
    $ENV{$MARK} = $mark;
    $SIG{$_} = 'DEFAULT' for qw(PIPE INT TERM HUP QUIT CHLD ALRM);
    open STDIN,  '<',  '/dev/null' or POSIX::_exit(127);
    open STDOUT, '>&', $stdout     or POSIX::_exit(127);
    open STDERR, '>&', $stderr     or POSIX::_exit(127);
    my @words = ref $command ? @{$command} : ('/bin/sh', '-c', $command);
    { no warnings 'exec'; exec { $words[0] } @words }
    binmode STDERR, ':encoding(UTF-8)';
    tell_line(plain_text($words[0]) . ": $!");
    close STDERR;
    POSIX::_exit(127);
}

# The status of the command as in $?, or undef: it is still running.
sub status ($self) {
    return if waitpid($self->{leader}, WNOHANG) != $self->{leader};
    my $status = $?;
    $self->over;
    return $status;
}

# Whether the command has ended and status() was not yet called.
sub is_over ($self) {
    my ($pid, $process) = stat_of($self->{leader});
    return !$process || $process->{state} eq 'Z';
}

# What the processes of the session, and those of their children that have ended, have read from
# storage and written to it: (read_bytes, written_bytes); nothing if that is not known.
sub storage_bytes ($self) {
    my %bytes;
    for my $pid (keys %{ { $self->processes, $self->{leader} => 0 } }) {
        open my $in, '<', "/proc/$pid/io" or next;
        my %io = map { /\A(\w+): (\d+)/a } readline $in;
        $bytes{read_bytes}    += $io{read_bytes}  // 0;
        $bytes{written_bytes} += $io{write_bytes} // 0;
    }
    return %bytes;
}

sub over ($self) {
    syswrite $self->{watcher}, "end $self->{leader}\n" if $self->{watcher};
    return;
}

# Sends TERM and then KILL to all processes of the session and to their descendants, and waits for their ends. Returns the
# descendants that have left both and are still running, in words, or nothing.
sub end ($self) {
    my $leader = $self->{leader};
    my %ours;
    for my $signal (qw(TERM KILL)) {
        my %told;
        my $until = now() + $GRACE;
        while (1) {
            %ours = ($self->processes, alive(%ours));
            my @new = grep { !$told{$_}++ } keys %ours;
            kill $_ => @new for $signal, 'CONT';
            waitpid $leader, WNOHANG;
            last if !%ours || now() >= $until;
            select undef, undef, undef, $LOOK;
        }
    }
    waitpid $leader, 0;
    $self->over;
    my @left = map { "process $_->{pid} (" . plain_text($_->{name}) . ')' } $self->left_behind(%ours) or return;
    return join(', ', @left) . (@left == 1 ? ' has left its session and is' : ' have left their session and are') . ' still running';
}

# Maps process numbers to start times, which distinguish a process from a later
# one with the same number.
sub processes ($self) {
    my %all   = all_processes();
    my %ours  = map { $_ => 1 } grep { $_ == $self->{leader} || $all{$_}{session} == $self->{leader} } keys %all;
    my $known = 0;
    while ($known != keys %ours) {
        $known = keys %ours;
        $ours{$_} = 1 for grep { $ours{ $all{$_}{parent} } } keys %all;
    }
    return map { $_ => $all{$_}{start} } grep { $all{$_} && $all{$_}{state} ne 'Z' } keys %ours;
}

sub alive (%ours) {
    my %now = map { stat_of($_) } keys %ours;
    return map { $_ => $ours{$_} } grep { $now{$_} && $now{$_}{state} ne 'Z' && $now{$_}{start} == $ours{$_} } keys %ours;
}

# Processes with the mark of this session in their environment. %killed have been sent KILL.
sub left_behind ($self, %killed) {
    return grep { !$killed{ $_->{pid} } && $_->{state} ne 'Z' && index(environment($_->{pid}), "$MARK=$self->{mark}\0") >= 0 } values %{ { all_processes() } };
}

sub environment ($pid) {
    open my $in, '<', "/proc/$pid/environ" or return q{};
    local $/ = undef;
    return readline($in) // q{};
}

sub all_processes { return map { stat_of($_) } map { m{/(\d+)\z}a } glob '/proc/[0-9]*' }

# The name, in parentheses, may contain any character.
sub stat_of ($pid) {
    open my $in, '<', "/proc/$pid/stat" or return;
    my $line = readline($in) // return;
    my ($name, $state, $parent, $session, $start)
        = $line =~ /\A\d+ [(](.*)[)] (\S) (\d+) \d+ (\d+) (?:\S+ ){15}(\d+)/sa or return;
    return $pid => { pid => $pid, name => $name, state => $state, parent => $parent, session => $session, start => $start };
}

1;
