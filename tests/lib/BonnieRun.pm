# SPDX-License-Identifier: GPL-2.0-or-later
# Runs bonnie or another program of the suite, as this user or another, either to its end or
# beside the test, and reports what it printed, how it ended and what it left behind.
package BonnieRun;

use strict;
use warnings;
use Config         ();
use Cwd            qw(abs_path);
use Exporter 'import';
use Fcntl          ();
use File::Basename qw(basename dirname);
use File::Copy     qw(copy);
use File::Find     ();
use File::Glob     qw(bsd_glob);
use File::Spec     ();
use File::Temp     ();
use POSIX          ();
use Test::More     ();
use RunProgram     qw(path_of slurp spew);

our @EXPORT_OK = qw($LIMIT %SIGNAL @ALL_TESTS @BLOCK_TESTS @FIELDS @TESTS bonnie csv_of engines
    finish have has_terminal is_alive is_used mark nobody_can nothing_left_ok program refused_ok
    run_tool scratch scratch_on_disk source sources start table_of takes_direct tree wait_until
    wait_until_closed wait_until_stopped wait_until_taken wait_until_working);

# The number of each signal, by its name.
our %SIGNAL;
@SIGNAL{ split q{ }, $Config::Config{sig_name} } = split q{ }, $Config::Config{sig_num};

# The tests that have fields in the CSV line.
our @TESTS = qw(putc put_block rewrite getc get_block seeks
    seq_create seq_stat seq_del ran_create ran_stat ran_del);

# All tests, those without such fields included, in the order in which they run.
our @ALL_TESTS = (@TESTS[ 0 .. 5 ], 'iops', @TESTS[ 6 .. 11 ]);

# The tests that move their data through an engine.
our @BLOCK_TESTS = qw(put_block rewrite get_block seeks iops);

# The names of the 50 fields of the CSV line, in order. They are the header's, except that the
# header uses `seeks` both for the number of seeks and for their rate.
our @FIELDS = (
    qw(format_version bonnie_version name concurrency seed file_size chunk_size num_seeks seek_proc_count),
    (map { ($_, "${_}_cpu") } @TESTS[ 0 .. 5 ]),
    qw(num_files max_size min_size num_dirs file_chunk_size),
    (map { ($_, "${_}_cpu") } @TESTS[ 6 .. 11 ]),
    (map {"${_}_latency"} @TESTS),
);

# What limited a figure, as tables name it: on a busy machine it may be any of these.
our $LIMIT = qr/(?:device|page cache|server|cpu|others|limit|link|not known)/;

# In seconds: a run that takes longer hangs. It is killed, and fails its test.
our $HANGS = $ENV{BONNIE_TEST_HANGS} // 300;

my $SOURCE  = $ENV{BONNIE_TEST_SRCDIR} // dirname(__FILE__) . '/../..';
my $PROGRAM = abs_path($ENV{BONNIE}    // './bonnie');
die "there is no program to test: set BONNIE\n" if !defined $PROGRAM || !-x $PROGRAM;

# Leak checkers do not work under tracers; everything else of a sanitizer stays
# on.
$ENV{ASAN_OPTIONS} = join q{:}, grep {defined} $ENV{ASAN_OPTIONS}, 'detect_leaks=0';
$ENV{LC_ALL}       = 'C';

sub source { return join q{/}, $SOURCE, @_ }

# Files of the sources whose names fit a pattern, also where there is a blank in the path.
sub sources { my ($pattern) = @_; return bsd_glob(source($pattern)) }

# The path of bonnie, of a program of another name beside it, of one in Perl, or of a program that is
# given by its path.
sub program {
    my ($name) = @_;
    return $PROGRAM if !defined $name;
    my $path = $name =~ m{/} ? $name : defined path_of($name) ? abs_path(path_of($name)) : dirname($PROGRAM) . "/$name";
    die "there is no program to test: $path\n" if !-x $path;
    return $path;
}

# True when the system has all these commands.
sub have {
    my (@commands) = @_;
    for my $command (@commands) {
        return 0 if !grep { -x "$_/$command" } split(/:/, $ENV{PATH}), '/sbin', '/usr/sbin';
    }
    return 1;
}

# True when script(1) can make a terminal: it needs /dev/pts, which a chroot may lack.
sub has_terminal { return have('script') && system('script -qec true /dev/null </dev/null >/dev/null 2>&1') == 0 }

# New directories, which are removed at the end: in memory if that has enough room, and otherwise
# where TMPDIR says. With a mode, everybody may write to them.
sub scratch         { return new_directory(in_memory() // File::Spec->tmpdir, @_) }
sub scratch_on_disk { return new_directory(File::Spec->tmpdir,               @_) }

sub new_directory {
    my ($parent, $mode) = @_;
    my $dir;
    do { $dir = File::Temp->newdir('bonnie-test-XXXXXX', DIR => $parent) } while "$dir" =~ /([NRX])\1/; # characters that are wildcards for bonload
    chmod $mode // oct(700), "$dir" or die "$dir: $!\n";
    return $dir;
}

# A directory in memory with at least 200 MB of room, or undef.
sub in_memory {
    my $dir = '/dev/shm';
    return if !-w $dir;
    my $free = (split q{ }, `df -Pk $dir | tail -n 1`)[3] // 0;
    return $free > 200_000 ? $dir : undef;
}

# A copy of a program that other users can run, wherever the build directory is.
my ($FOR_ALL, %COPIED);

sub program_for_all {
    my ($path) = @_;
    $FOR_ALL //= scratch_on_disk(oct 755);
    my $copy = "$FOR_ALL/" . basename($path);
    if (!$COPIED{$path}++) {
        copy($path, $copy) or die "copy $path: $!\n";
        chmod oct(755), $copy or die "$copy: $!\n";
    }
    return $copy;
}

# True when user nobody can reach the directory of temporary files.
sub nobody_can {
    my $dir = scratch(oct 777);
    my $child = fork // die "fork: $!\n";
    if ($child == 0) {
        become('nobody');
        POSIX::_exit(-w "$dir" ? 0 : 1);
    }
    waitpid $child, 0;
    return $? == 0;
}

sub become {
    my ($user) = @_;
    my ($uid, $gid) = (getpwnam $user)[ 2, 3 ];
    $) = "$gid $gid";
    POSIX::setgid($gid) && POSIX::setuid($uid) or die "cannot become $user: $!\n";
    return;
}

sub redirect {
    my ($number, $mode, $file) = @_;
    if ($file eq 'closed') {
        POSIX::close($number);
        return;
    }
    my $fd = POSIX::open($file, $mode, oct 600) // POSIX::_exit(126);
    return if $fd == $number;
    POSIX::dup2($fd, $number);
    POSIX::close($fd);
    return;
}

# The runs that have not been waited for, and for each the process that started it.
our %RUNNING;
my %STARTED; # the same, and those that have ended

# start(\%how, ARGUMENT...): starts a run and returns it. Keys of %how, all optional:
#   as    => USER       another user, for root
#   dir   => PATH       the working directory
#   env   => {}         more environment
#   in    => FILE       standard input: a file, '/dev/null' if left out
#   input => TEXT       or a text
#   out, err => FILE    the streams; 'closed' for none; captured if left out
#   program => NAME     not bonnie, but the program of that name beside it, or the one of that path
#   wrap  => [COMMAND]  to run the program with, such as strace and its options
sub start {
    my %how  = ref $_[0] ? %{ shift() } : ();
    my @args = @_;
    my $kept = File::Temp->newdir('bonnie-test-XXXXXX', TMPDIR => 1);
    my $path = program($how{program});
    my %run  = (kept => $kept, name => $how{program} // 'bonnie', out_file => $how{out} // "$kept/out", err_file => $how{err} // "$kept/err");
    spew("$kept/$_", q{}) for qw(out err);
    if (defined $how{input}) {
        $how{in} = "$kept/in";
        spew($how{in}, $how{input});
    }
    unshift @args, '--min-time=0' # or every test takes half a second
        if !defined $how{program} && !grep {/\A--min-time/} @args;
    my @command = (@{ $how{wrap} // [] }, $how{as} ? program_for_all($path) : $path, @args);
    # No signal comes between fork and exec while the test's own handlers would answer it.
    my $before = POSIX::SigSet->new;
    POSIX::sigprocmask(POSIX::SIG_BLOCK(), POSIX::SigSet->new(map { POSIX->can("SIG$_")->() } qw(HUP INT QUIT TERM)), $before);
    $run{pid} = fork // die "fork: $!\n";
    if ($run{pid} == 0) {
        setpgrp 0, 0;
        # Signals that a shell ignores for background jobs must act as in the foreground.
        my @defaults = (qw(INT QUIT), grep { ref $SIG{$_} } qw(HUP TERM));
        local @SIG{@defaults} = ('DEFAULT') x @defaults;
        POSIX::sigprocmask(POSIX::SIG_SETMASK(), $before);
        local %ENV = (%ENV, %{ $how{env} // {} });
        redirect(0, POSIX::O_RDONLY(), $how{in} // '/dev/null');
        redirect(1, POSIX::O_WRONLY() | POSIX::O_CREAT() | POSIX::O_APPEND(), $run{out_file});
        redirect(2, POSIX::O_WRONLY() | POSIX::O_CREAT() | POSIX::O_APPEND(), $run{err_file});
        become($how{as})                             if $how{as};
        chdir $how{dir} or POSIX::_exit(126)         if $how{dir};
        exec {$command[0]} @command or POSIX::_exit(127);
    }
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), $before);
    $RUNNING{ $run{pid} } = $$;
    $STARTED{ $run{pid} } = 1;
    return \%run;
}

# A test that breaks off or is ended takes its runs with it.
$SIG{$_} = sub { exit 1 } for qw(HUP INT TERM);

END {
    local ($?, $!);
    for my $pid (grep { $RUNNING{$_} == $$ } keys %RUNNING) {
        kill KILL => -$pid;
        waitpid $pid, 0;
    }
}

# Waits for the end. Sets in the run: status (the exit status, or "signal N"), out, err.
sub finish {
    my ($run) = @_;
    my $hangs = 0;
    local $SIG{ALRM} = sub { $hangs = 1; kill KILL => -$run->{pid} };
    alarm $HANGS;
    1 while waitpid($run->{pid}, 0) < 0 && $!{EINTR};
    my $status = $?;
    alarm 0;
    delete $RUNNING{ $run->{pid} };
    $run->{status} = $hangs ? 'it hangs' : $status & 127 ? 'signal ' . ($status & 127) : $status >> 8;
    for my $stream (qw(out err)) {
        my $file = $run->{"${stream}_file"};
        $run->{$stream} = -f $file ? slurp($file) : q{};
    }
    # Removes messages of --enable-coverage about counts that it cannot write, because root was
    # given up, or because one of its own calls was made to fail.
    $run->{err} =~ s/^(?:libgcov )?profiling(?: error)?:.*\n//mg;
    # The same for what a killed run of another test suite has left in tracefs, which is the machine's.
    $run->{err} =~ s/^\w+: removed the trace instance explain-tail-(\d+)-.*\n/$STARTED{$1} ? $& : q{}/mge;
    return $run;
}

sub bonnie { return finish(start(@_)) }

# run_tool(NAME, \%how, ARGUMENT...): the same for a program of that name.
sub run_tool {
    my ($name, @rest) = @_;
    my %how = ref $rest[0] ? %{ shift @rest } : ();
    return finish(start({ %how, program => $name }, @rest));
}

# The engines that the program says can be used here. Skips a test for each of the others.
sub engines {
    my $help = bonnie('--engine=help')->{out};
    my @usable;
    for my $engine ($help =~ /^(\w+) /mg) {
        my ($reason) = $help =~ /^\Q$engine\E .*\n +cannot be used here: (.*)/m;
        push @usable, $engine if !defined $reason;
    SKIP: {
            Test::More::skip("$engine: $reason", 1) if defined $reason;
        }
    }
    return @usable;
}

# True when a file in this directory can be opened with O_DIRECT.
sub takes_direct {
    my ($dir) = @_;
    my $name = "$dir/probe";
    my $taken = sysopen my $file, $name, Fcntl::O_RDWR() | Fcntl::O_CREAT() | Fcntl::O_DIRECT();
    unlink $name;
    return $taken;
}

# Waits until a condition holds; dies when that takes too long.
sub wait_until {
    my ($what, $condition) = @_;
    for my $look (1 .. 50 * $HANGS) {
        return 1 if $condition->();
        select undef, undef, undef, .02;
    }
    die "never seen: $what\n";
}

# Waits until no process has anything open at or below a path: a process that a run has started
# may end a moment after the run was killed.
sub wait_until_closed {
    my ($path) = @_;
    return wait_until('the end of all processes of a run', sub {
        !grep { (readlink($_) // q{}) =~ m{\A\Q$path\E(?:/|\z)} } glob '/proc/[0-9]*/fd/*';
    });
}

# Waits until all threads of the process are stopped.
sub wait_until_stopped {
    my ($pid) = @_;
    return wait_until("the stop of process $pid", sub {
        my @threads = glob "/proc/$pid/task/*/stat";
        return @threads && !grep { slurp($_) !~ /[)] T / } @threads;
    });
}

# Waits until no signal is pending for the process: it has taken or ignored all
# that were sent, or has ended.
sub wait_until_taken {
    my ($pid) = @_;
    my $pending = qr/^(?:Shd|Sig)Pnd:\s+0*[1-9a-f]/m;
    return wait_until('the signal to be taken', sub { (eval { slurp("/proc/$pid/status") } // q{}) !~ $pending });
}

# Waits until a process or one of its children has done something since the call: it has moved
# data, made a child, or used a CPU for a tick. A run whose test has begun is then in the middle of
# it. Also returns when the process has ended.
sub wait_until_working {
    my ($pid) = @_;
    my $before = work_of($pid);
    return wait_until("process $pid at work", sub { work_of($pid) ne $before || !is_alive($pid) });
}

# False when a process has ended, waited for or not.
sub is_alive {
    my ($pid) = @_;
    my $state = eval { slurp("/proc/$pid/stat") } // return 0;
    return $state !~ /[)] [ZX] /;
}

# What the kernel has counted for a process and its children.
sub work_of {
    my ($pid) = @_;
    my $work = q{};
    for my $process ($pid, split q{ }, eval { slurp("/proc/$pid/task/$pid/children") } // q{}) {
        my (undef, $stat) = split /[)] /, eval { slurp("/proc/$process/stat") } // q{};
        my @ticks = (split q{ }, $stat // q{})[ 11, 12 ];
        $work .= join q{ }, $process, (map { $_ // q{} } @ticks), eval { slurp("/proc/$process/io") } // q{};
    }
    return $work;
}

# The last CSV line on stdout as a hash of named fields; empty when there is none.
sub csv_of {
    my ($run) = @_;
    my $line = ($run->{out} =~ /^(1\.98,.*)$/mg)[-1] // return {};
    my @values = split /,/, $line, -1;
    return {} if @values != @FIELDS;
    my %field;
    @field{@FIELDS} = @values;
    return \%field;
}

# The output without the lines below the table, which depend on the machine.
sub table_of {
    my ($text) = @_;
    return $text =~ s/^What (?:limited each test|was damaged)\b.*\n(?:  .*\n)+//mgr;
}

# Everything in a directory, at any depth, as sorted relative names.
sub tree {
    my ($dir) = @_;
    my @names;
    File::Find::find({ no_chdir => 1, wanted => sub { push @names, $File::Find::name } }, "$dir");
    my @sorted = sort map { s{\A\Q$dir\E/?}{}r } grep { $_ ne "$dir" } @names;
    return @sorted;
}

# A time long ago, in whole even seconds, which every filesystem keeps.
my $MARK = 1_000_000_000;

# Marks directories: is_used() then tells of each whether anything was made in it or removed from it
# since. That a program has left nothing behind says something only if it has made something.
sub mark {
    my (@dirs) = @_;
    utime($MARK, $MARK, @dirs) == @dirs or die "utime @dirs: $!\n";
    return;
}

sub is_used { my ($dir) = @_; return ((stat $dir)[9] // $MARK) != $MARK }

# Checks that a directory has been used since it was marked and is empty again, and marks it anew.
sub nothing_left_ok {
    my ($dir, $name) = @_;
    Test::More::ok(is_used($dir), "$name: files were made");
    Test::More::is_deeply([ tree($dir) ], [], "$name: nothing is left");
    mark("$dir");
    return;
}

# Checks a refusal or failure: exit status 1, one line on stderr that matches, and nothing on
# stdout.
sub refused_ok {
    my ($run, $reason, $name) = @_;
    return Test::More::subtest($name => sub {
        Test::More::is($run->{status}, 1, 'exit status 1');
        Test::More::is($run->{out}, q{}, 'nothing on stdout');
        Test::More::like($run->{err}, qr/\A\Q$run->{name}\E: [^\n]*\n\z/, 'one line on stderr');
        Test::More::like($run->{err}, $reason, 'which says why');
    });
}

1;
