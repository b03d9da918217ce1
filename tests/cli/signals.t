#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A signal in any phase ends the run by that same signal, and the run leaves
# nothing behind.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Fcntl      qw(F_GETFL F_SETFL O_NONBLOCK O_RDWR);
use POSIX      ();
use Test::More;
use BonnieRun  qw(%SIGNAL @ALL_TESTS @TESTS bonnie engines finish has_terminal have is_alive program scratch scratch_on_disk start takes_direct tree wait_until wait_until_taken wait_until_working);
use JsonReport qw(report_ok);
use RunProgram qw(quoted slurp spew);
use Trace      qw(%TITLE can_trace trace);

my $dir    = scratch();

# Endless runs with a single test. They are in the middle of it, or prepare it.
my $SEEKS   = [qw(-s1:256:1000000000:3 -n0 -f)];
my %endless = (
    (map { ($_ => [ qw(-s2:256:2000:3 -n0 -x 1000000 -c2), "--tests=$_" ]) } @TESTS[ 0 .. 4 ]),
    seeks => $SEEKS,
    iops  => [qw(-s2:256k -n0 -c2 --iops-duration=1000000 --tests=iops)],
    (map { ($_ => [ qw(-s0 -n2:100:0:5 -x 1000000 -c2), "--tests=$_" ]) } @TESTS[ 6 .. 11 ]),
);

# Starts a run and waits until it is in the middle of its test.
sub begin {
    my ($test, @args) = @_;
    my $run = start('-d', $dir, qw(-r0 --cache=keep), @args ? @args : @{ $endless{$test} });
    wait_until("$test begins", sub { slurp($run->{err_file}) =~ /^\Q$TITLE{$test}\E\.\.\./m });
    wait_until_working($run->{pid});
    return $run;
}

sub ended_ok {
    my ($run, $signal, $name) = @_;
    finish($run) if !defined $run->{status};
    is($run->{status}, "signal $SIGNAL{$signal}", "$name: ended by the same signal");
    is_deeply([ tree($dir) ], [], "$name: nothing is left");
    unlike($run->{out}, qr/[^\n]\z/, "$name: no line is printed in part");
    return;
}

for my $test (@ALL_TESTS) {
    for my $signal (qw(TERM INT)) {
        my $run = begin($test);
        kill $signal => $run->{pid};
        ended_ok($run, $signal, "SIG$signal in $test");
    }
}

# The rows of a short look are printed as they are measured; -o keeps the whole look or nothing.
for my $case ([qw(KILL)], [qw(INT)], [ 'INT', "--output=$dir/report" ]) {
    my ($signal, @how) = @{$case};
    my $run = start("$dir", '--iops-duration=60', @how);
    wait_until('a test at random places', sub { slurp($run->{err_file}) =~ /^Read 4 KiB, one by one[.]{3}/m });
    my $rows = slurp($run->{out_file});
    like($rows, qr/\A\Q$dir\E: (?:.+\n)+\n +per second .*\nWrite {4}1 MiB, .*\nRead {5}1 MiB, .*\n\z/, 'two rows of a look are there while the third is measured') if !@how;
    kill $signal => $run->{pid};
    is(finish($run)->{status}, "signal $SIGNAL{$signal}", "SIG$signal in a look @how");
    is($run->{out}, $rows, @how ? 'nothing is printed' : 'and nothing else is') if $signal eq 'KILL' || @how;
    like($run->{out}, qr/\A\Q$rows\E\n\d+ s, ended by a signal[,.] /, 'what it cost follows, and that rows may be missing') if $signal eq 'INT' && !@how;
    # while a process of the killed run is ending, its directory is in use
    wait_until('nothing of it is in use', sub { bonnie('--cleanup', "$dir"); return !tree($dir) }) if $signal eq 'KILL';
    is_deeply([ tree($dir) ], [], 'nothing is left');
}

# INT and TERM print the figures of the tests that are done, when everything is removed.
my %goes_on = (
    (map { $_ => '--time=1000000' } qw(put_block rewrite get_block)),
    iops => '--iops-duration=1000000',
    (map { $_ => '--min-time=1000000' } 'seeks', grep {/_(?:create|stat|del)\z/} @TESTS),
);
for my $test (grep { $goes_on{$_} } @ALL_TESTS) {
    my @args = (qw(-s2 -f1 -n1 -mlab), "--tests=putc,$test", $goes_on{$test});
    for my $signal (qw(INT TERM)) {
        my $run = begin($test, @args, $signal eq 'INT' ? '--json' : ());
        kill $signal => $run->{pid};
        ended_ok($run, $signal, "SIG$signal in $test after another test");
        if ($signal eq 'TERM') {
            like($run->{out}, qr/\AVersion .*^lab +2M +(?:[\d.]+[kmg]?|\+{5}) +[\d+]+\nLatency +\d+[mu]?s\n\n\z/ms, 'the table has the first alone, and there is no CSV line');
            next;
        }
        my $report = report_ok($run->{out});
        is_deeply([ $report->{ended_by}, map { $_->{name} } @{ $report->{runs}[0]{tests} } ], [qw(signal putc)], 'JSON has the first alone, and says how it ended');
    }
}
for my $case ([ 'INT', 'into a file', "--output=$dir/report" ], [ 'TERM', 'CSV alone', '--format=csv' ], [ 'HUP', 'another signal' ]) {
    my ($signal, $name, @how) = @{$case};
    my $run = begin('iops', qw(-s2 -f1 -n0 --iops-duration=1000000), '--tests=putc,iops', @how);
    kill $signal => $run->{pid};
    ended_ok($run, $signal, $name);
    is($run->{out}, q{}, 'nothing is printed');
}
my $quiet; # it says nothing when its first test is done
for (my $later = .1; !$quiet || $quiet->{out} eq q{} && $later < 60; $later *= 2) {
    $quiet = start('-d', $dir, qw(-r0 -s2 -f1 -n0 -mlab -q --iops-duration=1000000), '--tests=putc,iops');
    select undef, undef, undef, $later;
    kill INT => $quiet->{pid};
    finish($quiet);
}
ended_ok($quiet, 'INT', '-q');
like($quiet->{out}, qr/\AVersion .*^lab +2M .*\nLatency .*\n\z/ms, 'the table, which has a form for a part of a run, is on standard output');
my $several = begin('seq_create', qw(-s0 -n1 -x1000000 --format=json --tests=seq_create --min-time=0.01));
wait_until('a second run', sub { 1 < (() = slurp($several->{err_file}) =~ /^Creating files/gm) });
kill INT => $several->{pid};
ended_ok($several, 'INT', 'one of many runs');
is(report_ok($several->{out})->{ended_by}, 'signal', 'JSON has the runs before it');

# All signals that end a process, except KILL, those for a fault in the program, two that belong to
# the C library, the one with which the program wakes its workers, and the one that asks for figures
# (inquiry.t).
my %NOT = map { $_ => 1 } qw(ZERO KILL STOP SEGV BUS ILL FPE ABRT IOT SYS TRAP CHLD CLD CONT TSTP TTIN TTOU URG USR1 WINCH NUM32 NUM33 RTMIN);
# SIGRTMIN, with which the program wakes its workers, is the first that the C
# library leaves to programs.
my $is_musl = bonnie('-d', $dir, qw(-r0 -s0 -n1 -q --json --tests=seq_create))->{out} =~ /"c_library": "musl"/;
my $waking  = $is_musl ? 35 : 34;
$NOT{"NUM$waking"} = 1;
my @ENDING = grep { !$NOT{$_} } sort { $SIGNAL{$a} <=> $SIGNAL{$b} } keys %SIGNAL;
cmp_ok(scalar @ENDING, '>', 43, 'there are many signals that end a process');
for my $signal (@ENDING) {
    my $run = begin('ran_stat');
    kill $SIGNAL{$signal} => $run->{pid};
    ended_ok($run, $signal, "SIG$signal");
}

# The manual names the signal that the program uses itself.
my $woken = begin('ran_stat');
kill $waking => $woken->{pid};
wait_until_taken($woken->{pid});
is(waitpid($woken->{pid}, POSIX::WNOHANG()), 0, 'SIGRTMIN wakes, and ends nothing');
kill TERM => $woken->{pid};
ended_ok($woken, 'TERM', 'SIGTERM after it');

# A limit that every further write exceeds, too; and, where its signal is ignored, the failure.
SKIP: {
    skip 'no prlimit(1)', 10 if !have('prlimit');
    for my $test (qw(putc put_block)) {
        my @alone   = grep { $_ ne '-c2' } @{ $endless{$test} }; # the kernel signals the thread that writes
        my $limited = begin($test, @alone);
        system 'prlimit', "--pid=$limited->{pid}", '--fsize=65536';
        ended_ok($limited, 'XFSZ', "a file of 64 KiB at most, $test");
        like($limited->{err}, qr/^bonnie: [^\n]*: File too large\n\z/m, 'and told');
        local $SIG{XFSZ} = 'IGNORE';
        $limited = begin($test, @alone);
        system 'prlimit', "--pid=$limited->{pid}", '--fsize=65536';
        is(finish($limited)->{status}, 1, "$test, and SIGXFSZ is ignored: a failure");
        like($limited->{err}, qr/: File too large\n\z/, 'with the reason');
    }
}

# With transfers in flight.
my %usable = map { $_ => 1 } engines();
my $disk   = scratch_on_disk();
my @direct = takes_direct($disk) ? ('-D', '-d', $disk) : ();
for my $engine (grep { $usable{$_} } qw(libaio io_uring null)) {
    for my $test (qw(put_block rewrite seeks iops)) {
        for my $signal (qw(TERM INT)) {
            my $run = begin($test, map { s/\A-s\d:256\b/-s8:4k/r } @{ $endless{$test} }, "--engine=$engine", '--iodepth=64', "--tests=$test", @direct);
            kill $signal => $signal eq 'INT' ? -$run->{pid} : $run->{pid};
            ended_ok($run, $signal, "$engine, $test: SIG$signal");
        }
    }
}
is_deeply([ tree($disk) ], [], 'nothing is left on the disk either');

# Writeback takes long on slow storage: the run stops after one piece, not after everything.
SKIP: {
    skip 'strace cannot trace here', 4 if !can_trace();
    for my $test (qw(put_block get_block)) {
        my ($run, @calls) = trace({}, [ '-e', 'trace=sync_file_range,fsync', '-e', 'inject=sync_file_range:signal=TERM:when=6' ],
            '-d', $disk, qw(-q -r0 -s64 -n0 -f), "--tests=$test");
        is($run->{status}, "signal $SIGNAL{TERM}", "SIGTERM while data is written back for $test: ended by it");
        is(join(q{ }, map { $_->{name} } @calls), join(q{ }, ('sync_file_range') x 6), 'nothing more is written back');
    }
}
is_deeply([ tree($disk) ], [], 'and nothing is left');

# A call fails when the signal comes. The run reports the failure if it has a reason other
# than the signal, and if somebody reads.
SKIP: {
    skip 'strace cannot trace here', 4 if !can_trace();
    local $BonnieRun::HANGS = 120;
    my $fails = sub {
        my ($fault, %how) = @_;
        my @strace = (qw(strace -f -qq -o /dev/null -e trace=fsync -e), "inject=fsync:$fault:signal=TERM:when=1", '--');
        my $run    = bonnie({ wrap => \@strace, %how }, '-d', $dir, qw(-q -r0 -s1 -n0 --cache=keep --format=csv --tests=put_block));
        ended_ok($run, 'TERM', "SIGTERM and $fault of fsync");
        return $run->{err};
    };
    my $told = qr/bonnie: fsync data file 0 in \Q$dir\E: Input\/output error\n/;
    like($fails->('error=EIO'), qr/\A$told\z/, 'the failure is told');
    is($fails->('error=EINTR'), q{}, 'the signal is not reported');
    my $pipe = unread_pipe(4096);
    $fails->('error=EIO', err => $pipe->{name});
    like(what_is_in($pipe), qr/\n$told\z/, 'a pipe: the failure is told');
    $pipe = unread_pipe(0);
    $fails->('error=EIO', err => $pipe->{name});
    is(index(what_is_in($pipe), 'bonnie'), -1, 'a pipe that nobody reads: the run does not wait for it');
}

# A terminal sends the signal to the whole group, including seekers and helper.
for my $test (qw(put_block seeks seq_create)) {
    my $run = begin($test);
    kill INT => -$run->{pid};
    finish($run);
    is($run->{status}, "signal $SIGNAL{INT}", "SIGINT to the whole group in $test: ended by it");
    is_deeply([ tree($dir) ], [], 'nothing is left');
}

# ---- nobody reads -------------------------------------------------------------------------------

# A pipe that nobody reads, with room for this number of bytes, and a name under which a program
# can open it.
sub unread_pipe {
    my ($room) = @_;
    pipe my $reader, my $writer or die "pipe: $!\n";
    fcntl $writer, F_SETFL, fcntl($writer, F_GETFL, 0) | O_NONBLOCK;
    my $filled = 0;
    while (my $put = syswrite $writer, 'x' x 4096) {
        $filled += $put;
    }
    sysread $reader, my $page, 4096; # now one page is free again
    syswrite $writer, 'x' x (4096 - $room);
    fcntl $writer, F_SETFL, fcntl($writer, F_GETFL, 0) & ~O_NONBLOCK;
    return { reader => $reader, writer => $writer, name => "/proc/$$/fd/" . fileno $writer };
}

# What is in the pipe and has not been read.
sub what_is_in {
    my ($pipe) = @_;
    my $text = q{};
    fcntl $pipe->{reader}, F_SETFL, O_NONBLOCK;
    1 while sysread $pipe->{reader}, $text, 65536, length $text;
    return $text;
}

# Waits until the process is blocked in a call on that descriptor, which three looks in a row
# must find.
sub wait_for_writer {
    my ($pid, $fd) = @_;
    my $call = sprintf '\A\d+ %#x ', $fd;
    my $seen = 0;
    wait_until("a writer to $fd", sub { $seen = slurp("/proc/$pid/syscall") =~ /$call/ ? $seen + 1 : 0; $seen == 3 });
    return;
}

{
    local $BonnieRun::HANGS = 120;
    my @work = ('-d', $dir, qw(-r0 -s256k -n1 -mlab --cache=keep --min-time=0));

    # The reader stops reading at various points: before the first word, within it, in a later
    # one.
    for my $room (0, 1, 100, 150, 200, 250, 300, 350, 400) {
        for my $workers (1, 2) {
            my $pipe = unread_pipe($room);
            my $run  = start({ err => $pipe->{name} }, @work, "-c$workers");
            wait_for_writer($run->{pid}, 2);
            kill TERM => $run->{pid};
            ended_ok($run, 'TERM', "$workers workers, stderr is a pipe with room for $room bytes that nobody reads: SIGTERM");
        }
    }

    # The line that reports a failure cannot be written.
    my $pipe = unread_pipe(0);
    my $run  = start({ err => $pipe->{name} }, '-d', $dir, qw(-q -r0 -s1 -n0 --tests=put_block --engine=null --null=fail=1));
    wait_for_writer($run->{pid}, 2);
    kill TERM => $run->{pid};
    ended_ok($run, 'TERM', 'the reason of a failure, which nobody reads: SIGTERM');

    # The report cannot be written: standard output is a pipe that nobody reads, and so is
    # a named pipe; another named pipe has not even been opened by a reader.
    $pipe = unread_pipe(0);
    $run  = start({ out => $pipe->{name} }, @work, qw(-q --json));
    wait_for_writer($run->{pid}, 1);
    kill TERM => $run->{pid};
    finish($run);
    is($run->{status}, "signal $SIGNAL{TERM}", 'standard output is a pipe that nobody reads: SIGTERM');
    is_deeply([ tree($dir) ], [], 'nothing is left');
    my $fifo = scratch();
    POSIX::mkfifo("$fifo/report", oct 600) or die "mkfifo: $!\n";
    $run = start(@work, '-q', "--output=$fifo/report");
    my $opened = sub { return grep { (readlink "/proc/$run->{pid}/fd/$_" // q{}) eq "$fifo/report" } 3 .. 40 };
    wait_until('it is found', sub { $opened->() == 1 });
    kill TERM => $run->{pid};
    ended_ok($run, 'TERM', '--output is a pipe that nobody has opened: SIGTERM');
    sysopen my $reader, "$fifo/report", O_RDWR | O_NONBLOCK or die "$fifo/report: $!\n";
    1 while syswrite $reader, 'x' x 4096;
    $run = start(@work, '-q', "--output=$fifo/report");
    wait_until('it is found, and opened', sub { $opened->() == 2 });
    wait_for_writer($run->{pid}, ($opened->())[1]);
    kill TERM => $run->{pid};
    ended_ok($run, 'TERM', '--output is a pipe that nobody reads: SIGTERM');
    close $reader;

    # The run reports what it could not remove, even after a signal, if somebody reads.
    for my $room (0, 4096) {
        $pipe = unread_pipe($room);
        $run  = start({ err => $pipe->{name} }, '-d', $dir, qw(-q -r0 -s0 -n2 -x1000000 --tests=seq_create));
        my ($private) = map { m{\A([^/]+)/d00000\z} } wait_for_files();
        spew("$dir/$private/precious", 'precious');
        kill TERM => $run->{pid};
        is(finish($run)->{status}, "signal $SIGNAL{TERM}", 'something of somebody else is in the directory: ended by SIGTERM');
        like(what_is_in($pipe), qr/\nbonnie: [^\n]*\Q$private\E[^\n]*\n\z/, 'and what is left is told, though after a signal') if $room;
        is_deeply([ grep {/precious/} tree($dir) ], ["$private/precious"], 'and left');
        unlink "$dir/$private/precious";
        is(bonnie('-d', $dir, '--cleanup')->{status}, 0, 'until it is cleaned up');
        is_deeply([ tree($dir) ], [], 'then nothing is left');
    }
}

sub wait_for_files {
    my @files;
    wait_until('files', sub { @files = grep {m{/d00000\z}} tree($dir) });
    return @files;
}

# Nobody reads the terminal, to which progress lines go, and the live line of another
# process.
SKIP: {
    skip 'script(1) makes no terminal here', 2 if !has_terminal();
    my $terminal = fork // die "fork: $!\n";
    if ($terminal == 0) {
        setpgrp 0, 0;
        open STDOUT, '>', '/dev/null' or die "/dev/null: $!\n";
        my $command = join q{ }, 'TERM=xterm exec', quoted(program()), '-d', $dir, qw(-r0 -s1 -n0 -f --cache=keep --min-time=0 -x1000000 >/dev/null);
        exec 'script', '-qfec', $command, '/dev/null' or POSIX::_exit(127);
    }
    my $pid;
    my $is_run = sub { (readlink "/proc/$_[0]/exe" // q{}) eq program() };
    wait_until('a run', sub { ($pid) = grep { $is_run->($_) } children($terminal); $pid });
    kill STOP => $terminal;
    wait_for_writer($pid, 2);
    kill TERM => $pid;
    my $ended = eval { local $BonnieRun::HANGS = 120; wait_until('its end', sub { !is_alive($pid) }) };
    ok($ended, 'stderr is a terminal that nobody reads: SIGTERM ends the run');
    is_deeply([ tree($dir) ], [], 'nothing is left');
    kill $_ => -$terminal for qw(KILL CONT);
    waitpid $terminal, 0;
}

# Several signals at once, and a signal that was ignored from the start.
my $run = begin('seeks');
kill $_ => $run->{pid} for qw(TERM TERM INT HUP);
finish($run);
like($run->{status}, qr/\Asignal (?:1|2|15)\z/, 'several signals: ended by one of them');
bonnie('-d', $dir, '--cleanup');
is_deeply([ tree($dir) ], [], 'and --cleanup removes what that left, if anything');

$run = do { local $SIG{HUP} = 'IGNORE'; begin('seeks') };
kill HUP => $run->{pid};
wait_until_taken($run->{pid});
is(waitpid($run->{pid}, POSIX::WNOHANG()), 0, 'SIGHUP under nohup is ignored');
kill TERM => $run->{pid};
ended_ok($run, 'TERM', 'SIGTERM under nohup');

# After SIGKILL no data file and no process is left.
$run = begin('seeks');
my @children;
wait_until('three seekers and the monitor', sub { @children = children($run->{pid}); @children == 4 });
is(scalar(locks($run->{pid})), 1, 'the run has locked its directory');
my $alone = eval { local $BonnieRun::HANGS = 30; wait_until('children without the lock', sub { !locks(@children) }) };
ok($alone, 'and its children, which may end later, do not keep the lock');
kill KILL => $run->{pid};
is(finish($run)->{status}, "signal $SIGNAL{KILL}", 'SIGKILL');
is_deeply([ grep { !m{\Abonnie\.[0-9a-f]{16}(?:/owner)?\z} } tree($dir) ], [], 'leaves no data file');
my $ended = eval { local $BonnieRun::HANGS = 30; wait_until('the end of the seekers', sub { !grep {is_alive($_)} @children }) };
ok($ended, 'and no process') or kill KILL => @children;
is(bonnie('-d', $dir, '--cleanup')->{status}, 0, 'what it leaves');
is_deeply([ tree($dir) ], [], 'is cleaned up');

# The locked files of private directories that these processes have open.
sub locks {
    my (@pids) = @_;
    return grep { (readlink($_) // q{}) =~ m{/owner\z} } map { glob "/proc/$_/fd/*" } @pids;
}

sub children {
    my ($pid) = @_;
    return split q{ }, slurp("/proc/$pid/task/$pid/children");
}

done_testing();
