# SPDX-License-Identifier: GPL-2.0-or-later
# Runs one command to its end, or ends it and all its descendants.
package Bonnie::Ab::Command;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util          qw(first);
use POSIX                ();
use Bonnie::Ab::Session qw(now);
use Bonnie::Plain       qw(plain_text shorten);

our @EXPORT_OK = qw($TOO_LONG contents ending is_too_long run_command temporary_file);

# Largest output of a command; reports are far smaller.
my $MOST_OUTPUT = 64 * 2**20;
our $TOO_LONG = 'printed more than ' . $MOST_OUTPUT / 2**20 . ' MiB';

sub is_too_long { my ($bytes) = @_; return $bytes > $MOST_OUTPUT }

# In seconds: the interval at which to look whether the command has ended, and whether a signal came
# just before the wait. When a command's output ends, the command is about to end, so the first
# looks come more often.
my $LOOK  = 0.05;
my $OFTEN = 0.0005;

my $LAST_LINE = 160;

# $watcher, $command: see Session.pm. %how: timeout in seconds, or undef; stopped => sub, true when
# the command has to end at once; tick => sub, called about once a second; captures, whether its
# output is wanted; regardless, whether it is run even if there is no room for what it says. A
# command whose output is not captured may leave daemons behind that print.
#
# Returns { seconds, output (bytes of stdout), errors (of stderr), lost => why errors may be
# incomplete, or undef, failed => why, in words, undef if it ended well, has_ended => true if it
# ended with an exit status, left => processes of a command that failed, in words }.
sub run_command ($watcher, $command, %how) {
    my $errors = temporary_file($how{regardless});
    my ($reader, $writer);
    if ($how{captures}) {
        pipe $reader, $writer or die "cannot make a pipe: $!\n";
        $reader->blocking(0);
    }
    my $began   = now();
    my $session = Bonnie::Ab::Session->start($watcher, $command, $writer // $errors, $errors);
    close $writer if $writer;
    my %run = (output => q{});
    my $why = wait_for($session, $reader, $began, \%run, \%how) // q{};
    $run{seconds}   = now() - $began;
    read_all($reader, \$run{output}) if $reader;
    $run{errors}    = contents($errors);
    $run{lost}      = no_room($errors);
    $run{has_ended} = defined $run{status} && !($run{status} & 127) && !is_too_long(length $run{output});
    $run{failed}    = failure(\%run, $why, $how{timeout});
    $run{left}      = $session->end if defined $run{failed} && $how{captures} || $why;
    return \%run;
}

# Perl makes it in TMPDIR, /tmp or the working directory, without a name.
sub temporary_file ($regardless = undef) {
    my $opened = open my $file, '+>', undef;
    my $fault  = $opened ? no_room($file) : fault_of_temporary(why_not("$!"));
    return $file if !defined $fault;
    die "$fault\n" if !$regardless;
    open $file, '+<', '/dev/null' or die "cannot open /dev/null: $!\n";
    return $file;
}

# Perl's last try was elsewhere, so its reason may be another one than that of the directory.
sub why_not ($reason) {
    return POSIX::access($ENV{TMPDIR} || '/tmp', POSIX::W_OK()) ? $reason : "$!";
}

# Whether nothing more can be written to a temporary file, in words, or undef.
sub no_room ($file) {
    my $end = sysseek $file, 0, 2;
    return fault_of_temporary("$!") if !syswrite $file, "\n";
    truncate $file, $end;
    sysseek $file, $end, 0;
    return;
}

sub fault_of_temporary ($reason) {
    return 'cannot write a temporary file in ' . plain_text($ENV{TMPDIR} || '/tmp') . ": $reason; TMPDIR names another directory";
}

# Waits for the command, and then puts its status into $run. Returns why it must be ended instead:
# 'stopped' or 'timeout'.
sub wait_for ($session, $reader, $began, $run, $how) {
    my ($ticked, $pause) = ($began, $LOOK);
    local $SIG{CHLD} = sub { };    # ends select
    while (1) {
        $run->{status} = $session->status;
        return if defined $run->{status};
        return 'stopped' if $how->{stopped}->();
        return 'timeout' if defined $how->{timeout} && now() - $began > $how->{timeout};
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

# Reads what has arrived; returns false at the end.
sub read_all ($reader, $output) {
    while (1) {
        my $got = sysread $reader, my $bytes, 65_536;
        return 1 if !defined $got;
        return 0 if !$got;
        ${$output} .= $bytes if !is_too_long(length ${$output});
    }
}

sub contents ($file) {
    seek $file, 0, 0;
    local $/ = undef;
    return readline($file) // q{};
}

# Why a run failed, in words; undef: it has not failed.
sub failure ($run, $why, $timeout) {
    return 'was interrupted'            if $why eq 'stopped';
    return "timed out after $timeout s" if $why eq 'timeout';
    return $TOO_LONG                    if is_too_long(length $run->{output});
    return $run->{status} ? ending(@{$run}{qw(status errors output lost)}) : undef;
}

# How a command ended, and the last that it said.
sub ending ($status, $errors, $output, $lost = undef) {
    my $signal = $status & 127;
    my $ended  = $signal ? "was killed by signal $signal" : 'ended with exit status ' . ($status >> 8);
    my $last   = last_line($errors) // last_line($output);
    return defined $last ? "$ended: $last" : $ended . (defined $lost ? "; $lost" : ' and said nothing');
}

sub last_line ($bytes) {
    my $line = first {/\S/} reverse split /[\n\r]+/, length $bytes > 65_536 ? substr $bytes, -65_536 : $bytes;
    return defined $line ? shorten(plain_text($line =~ s/\A\s+|\s+\z//gr), $LAST_LINE) : undef;
}

1;
