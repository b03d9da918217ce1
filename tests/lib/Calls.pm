# SPDX-License-Identifier: GPL-2.0-or-later
# The system calls of a run, the ways in which each of them may fail, and those
# failures that do no harm.
package Calls;

use strict;
use warnings;
use Errno ();
use Exporter 'import';
use File::Temp ();
use BonnieRun  qw(bonnie program);
use RunProgram qw(slurp);
use Trace      qw(same_call usual_name);

our @EXPORT_OK = qw(census failures faults_of harmless injected injection interrupted is_sanitized says_why was_refused);

# A sanitizer allocates for itself, and ends the program when that fails.
sub is_sanitized { return slurp(program()) =~ /__[at]san_init/ }

# Failures of all calls that are not listed below.
my @ANY = qw(EIO EPERM);

# Failures of the listed calls. `retval=` is the number of bytes that the call reports; `short`
# is a transfer of less than was asked for.
my %FAULTS = (
    openat       => [qw(EACCES EMFILE EIO EINTR)],
    openat2      => [qw(EACCES EMFILE EIO ENOSYS ELOOP EXDEV)],
    read         => [qw(EIO EINTR EAGAIN)],
    pread64      => [qw(EIO EINTR EAGAIN retval=0 short)],
    write        => [qw(EIO ENOSPC EINTR EAGAIN retval=0)],
    pwrite64     => [qw(EIO ENOSPC EINTR EAGAIN EDQUOT retval=0 short)],
    close        => [qw(EIO EINTR ENOSPC)],
    (map { $_ => [qw(EIO ENOSPC EINTR)] } qw(fsync syncfs)),
    sync_file_range => [qw(EIO ENOSPC EINTR EPERM ENOSYS)],
    ftruncate    => [qw(EIO EINTR EPERM)],
    fallocate    => [qw(ENOSPC EOPNOTSUPP)],
    fadvise64    => [qw(EINVAL EIO)],
    (map { $_ => [qw(EIO EACCES EPERM EBUSY)] } qw(unlink unlinkat)),
    (map { $_ => [qw(EIO ENOSPC EACCES EMLINK)] } qw(mkdirat linkat symlinkat rename)),
    (map { $_ => [qw(EIO ENOMEM EACCES)] } qw(newfstatat fstat statx statfs fstatfs)),
    getdents64   => [qw(EIO EACCES)],
    (map { $_ => [qw(ENOMEM)] } qw(mmap mremap mprotect munmap)),
    madvise      => [qw(EINVAL)],
    (map { $_ => [qw(EAGAIN ENOMEM)] } qw(clone clone3 fork)),
    (map { $_ => [qw(EMFILE ENFILE ENOMEM)] } qw(pipe2 socketpair)),
    sendto       => [qw(EPIPE EINTR ENOMEM)],
    (map { $_ => [qw(EINTR ENOMEM)] } qw(poll ppoll)),
    wait4        => [qw(EINTR ECHILD)],
    io_setup     => [qw(EAGAIN ENOMEM EINVAL)],
    io_submit    => [qw(EAGAIN EIO EINTR ENOMEM)],
    io_getevents => [qw(EIO EINTR EINVAL)],
    cachestat    => [qw(EIO EPERM ENOSYS)],
    io_destroy   => [qw(EINVAL)],
    io_uring_setup => [qw(EPERM ENOMEM ENOSYS EMFILE)],
    io_uring_enter => [qw(EIO EINTR EAGAIN EBUSY ENOMEM)],
    io_uring_register => [qw(ENOMEM EPERM)],
    flock        => [qw(EIO ENOLCK EAGAIN EINTR)],
    getrandom    => [qw(EAGAIN EINTR ENOSYS)],
    (map { $_ => [qw(EINTR)] } qw(nanosleep clock_nanosleep)),
    sched_getaffinity => [qw(EINVAL)],
);

# Calls that never fail, calls that end something, and calls that the C library makes for
# itself without expecting a failure (it takes an error of brk for the new end of memory, and
# aborts on one of futex).
my %NEVER = map { $_ => 1 } qw(exit exit_group execve rt_sigreturn restart_syscall getpid gettid getppid getuid geteuid getgid
    getegid umask sched_yield set_tid_address set_robust_list rseq arch_prctl uname brk futex);

# Failures after which a run may go on, and why it still measures the same: the call, what it is
# about (as strace shows it between the parentheses), the errors (undef: all), and the reason. It
# is a bug if the run succeeds after any other failure.
my $LIBRARY  = qr{/etc/|/usr/|/lib/|[.]so\b|AF_UNIX|socket:};
my $MACHINE  = qr{/(?:sys|proc)["/>](?!self/fd/)};
my $PRIVATE  = qr{/(?:bonnie|getc_putc)[.][0-9a-f]{16}};
my $DATA     = qr{$PRIVATE/(?:#\d+|data\d+)>};
my $NO_DATA  = qr{pipe:|socket:|UNIX|anon_inode:|/dev/null>|/report[.]\w+>|/bonnie-test-\w+(?:/file)?>|(?<=<)/(?:dev/shm|dev|tmp)?>|$PRIVATE(?:/(?:owner|o\d+|d\d+))?>};
my @HARMLESS = (
    [ qr/.+/,                   qr/./,         qr/EINTR/, 'what was interrupted is done again' ],
    [ qr/io_(?:submit|uring_enter)/, qr/./,    qr/EAGAIN|EBUSY/, 'the kernel takes no more at the moment: tried again' ],
    [ qr/p?poll/,               qr/./,         undef,     'it is called again' ],
    [ qr/p(?:read|write)64/,    qr/./,         qr/short/, 'the rest is moved' ],
    [ qr/write/,                qr/./,         qr/retval=0/, 'the C library writes the rest' ],
    [ qr/write/,                qr/\A2\b/,     undef,     'progress that cannot be shown' ],
    [ qr/openat2/,              qr/./,         qr/ENOSYS/, 'the older call does it' ],
    [ qr/renameat2/,            qr/NOREPLACE/, qr/EINVAL|ENOSYS|EPERM/, 'the same' ],
    [ qr/openat2/,              qr/\AAT_FDCWD/, qr/ELOOP|EXDEV|EACCES/, 'the way to a directory is walked name by name' ],
    [ qr/linkat/,               qr/./,         qr/EMLINK/, 'the next file gets its links from now on' ],
    [ qr/sendto/,               qr/"[gpe]"/,   undef,     'a monitor that does not hear notes fewer intervals' ],
    [ qr/flock/,                qr/./,         qr/EAGAIN|ENOLCK/, 'another directory is made, or it has no lock' ],
    [ qr/fchmod/,               qr{/(?:report|#\d)}, undef, 'the report is for its owner alone' ],
    [ qr/read/,                 qr/pipe:.*, 1\)/, undef, 'the byte is still there when it looks again' ],
    [ qr/openat/,               qr/"[.]", O_RDONLY/, undef, 'that nothing is left is known when the directory is removed' ],
    [ qr/getdents64|lseek/,     qr{(?:bonnie|getc_putc)[.][0-9a-f]{16}>}, undef, 'the same' ],
    [ qr/lseek/,                qr/SEEK_SET/,  undef,     'a directory that is not listed again is known by the count' ],
    [ qr/openat|read|readlink|newfstatat|close|getdents64|access|lseek|fcntl/, $MACHINE, undef, 'facts about the machine are told as not known' ],
    [ qr/openat/,               qr/"[.][.]", O_RDONLY[|]\S*O_PATH/, qr/EACCES|ENOENT/, 'who can move a directory that nobody may look at is not known' ],
    [ qr/getxattr/,             qr/system[.]posix_acl_access/, undef, 'a list that cannot be read may say more than the mode, and is taken so' ],
    [ qr/cachestat/,            qr/./,         undef,     'what is resident is told by mincore, or as not known' ],
    [ qr/statx|f?statfs|sysinfo|sched_getaffinity|prlimit64/, qr/./, undef, 'the same, or the common value is taken' ],
    [ qr/openat|read|newfstatat|close|lseek|fcntl|access|socket|connect/, $LIBRARY, undef, 'a user that is not found by name is one by number' ],
    [ qr/ioctl|fcntl/,          qr/./,         undef,     'the C library asks what kind of stream it has' ],
    [ qr/getrandom/,            qr/NONBLOCK|, 32, 0\b/, undef, 'the C library wants it for malloc, or for the numbers of getrandom() in the vDSO' ],
    [ qr/openat|read|close/,    qr/urandom/,   undef,     'the library of JSON takes the time instead' ],
    [ qr/openat/,               qr{/bonnie-test-\w+>, "[.]", O_WRONLY[|]\S*O_TMPFILE}, undef, 'the report has a temporary name from the start' ],
    [ qr/access/,               qr{\A"/proc/self/fd/\d+", F_OK}, undef, 'the same, as without /proc' ],
    [ qr/openat/,               qr{/dev/null}, undef,     'the standard descriptors are there already' ],
    [ qr/newfstatat/,           qr{\A(?:[12]<|\d+<\S*/bonnie-test-\w+/#\d+>).*"", .*AT_EMPTY_PATH}, undef, 'the C library asks how large a buffer should be, or it is seen whether somebody reads there' ],
    [ qr/newfstatat/,           qr/\A\d+<\S*$PRIVATE>, "", .*AT_EMPTY_PATH/, undef,
        'a fact about the filesystem is told as not known, or that nothing is left is known when the directory is removed' ],
    [ qr/newfstatat/,           qr{\A\d+<\S*/file>, "", .*AT_EMPTY_PATH}, undef, 'what zcav tells of the device in JSON is not known' ],
    [ qr/newfstatat/,           qr{$PRIVATE/owner>, "", .*AT_EMPTY_PATH}, undef, 'the directory is nobody else\'s to remove, as a rule' ],
    [ qr/close/,                qr/\A\d+<\S*$NO_DATA/, undef, 'there is nothing in it, and the kernel has released it' ],
    [ qr/close/,                qr/\A\d+<\S*$DATA/, undef, 'what was in it is durable by fsync, or thrown away' ],
    [ qr/mmap/,                 qr/MAP_(?:PRIVATE|DROPPABLE)[|]MAP_ANONYMOUS/, undef, 'the C library takes its memory from elsewhere' ],
    [ qr/mmap/,                 $LIBRARY,      undef,     'the C library does without, or reads it' ],
    [ qr/mmap/,                 qr/PROT_READ, MAP_SHARED, \d+<.*$DATA/, undef, 'how much is resident is told as not known' ],
    [ qr/openat/,               qr{"(?:/|dev|shm|tmp|bonnie-test-\w+)", O_RDONLY[|]\S*O_PATH}, undef,
        'whether the place is a device is asked first, and again when it is opened' ],
    [ qr/newfstatat/,           qr{\A\d+<(?:/|/dev|/dev/shm|/tmp|\S*/bonnie-test-\w+)>, "", .*AT_EMPTY_PATH}, undef, 'the same' ],
    [ qr/mincore|process_vm_readv/, qr/./,     undef,     'the same' ],
    [ qr/munmap|madvise/,       qr/./,         undef,     'address space is not given back' ],
    [ qr/fadvise64/,            qr/d0000\d/,   undef,     'what is resident is no failure' ],
    [ qr/io_uring_setup/,       qr/./,         qr/ENOMEM/, 'it is tried again: the memory of a ring that was closed comes back late' ],
    [ qr/mmap/,                 qr/anon_inode:\[io_uring\]/, undef, 'the same, for the memory of the new ring' ],
    [ qr/io_uring_register/,    qr/./,         undef,     'files and buffers that are not registered do as well' ],
    [ qr/sync_file_range/,      qr/./,         qr/EPERM|ENOSYS/, 'fsync does all of it' ],
    [ qr/io_destroy/,           qr/./,         undef,     'the kernel does it when the process ends' ],
    [ qr/wait4/,                qr/./,         qr/ECHILD/, 'a helper that has ended' ],
    [ qr/kill/,                 qr/SIGKILL/,   undef,     'a helper that has answered ends by itself' ],
    [ qr/rt_sigaction|rt_sigprocmask/, qr/./,  undef,     'fails for numbers of signals that there are not' ],
    [ qr/pread64/,              qr{$PRIVATE/#\d+>\(deleted\), 0x\w+000, 4096, 0\b}, undef, 'whether O_DIRECT is direct is told as not known' ],
    [ qr/capget/,               qr/./,         undef,     'the limits on processes are taken for those of anybody' ],
    [ qr/prctl|capset|close_range/, qr/./,     undef,     'a dropper that cannot be confined is not used' ],
    [ qr/openat/,               qr/drop_caches/, undef,   'the same, if there is none' ],
    [ qr/membarrier/,           qr/./,         undef,     'the C library does without' ],
    [ qr/shutdown/,             qr/./,         undef,     'the socket is closed next' ],
    [ qr/getres[ug]id/,         qr/./,         undef,     'then they are set, whatever they were' ],
    [ qr/setuid/,               qr/\A0/,       undef,     'that root cannot be had back is what is asked for' ],
    [ qr/getrusage|clock_gettime/, qr/./,      undef,     'the time of the CPU, which fails for clocks that there are not' ],
);

sub faults_of {
    my ($call) = @_;
    return $NEVER{$call} ? () : @{ $FAULTS{ usual_name($call) } // \@ANY };
}

# The argument for strace: the fault as in %FAULTS, at call number $when of every process. $short
# is the length of a short transfer.
sub injection {
    my ($call, $fault, $when, $short) = @_;
    $fault = "retval=$short" if $fault eq 'short';
    $fault = "error=$fault"  if $fault !~ /=/;
    return ('-e', "trace=$call", '-e', "inject=$call:$fault:when=$when");
}

# Why a run may go on after the fault; undef: it may not.
sub harmless {
    my ($what, $fault) = @_;
    my ($name, $args) = $what =~ /\A(\w+)[(](.*)/s;
    for my $row (@HARMLESS) {
        my ($calls, $about, $faults, $reason) = @{$row};
        return $reason if $name =~ /\A(?:$calls)\z/ && $args =~ $about && (!defined $faults || $fault =~ $faults);
    }
    return;
}

# From strace's log: the first call that was made to fail, as a text; the seconds from then to the
# end of the last process; and the others that were made to fail, because strace counts those of
# each thread separately. Calls are named as glibc makes them (Trace.pm). Returns nothing when no
# call was made to fail.
sub injected {
    my ($log) = @_;
    my (%begun, @calls, $at, $end);
    for my $line (split /\n/, slurp("$log")) {
        my ($pid, $time, $what) = $line =~ /\A(\d+) +([\d.]+) +(.*)/ or next;
        $begun{$pid} = $1 if $what =~ /\A(.*) <unfinished [.]{3}>\z/;
        $end = $time if $what =~ /\A[+]{3}/;
        next if $what !~ /INJECTED/;
        $at //= $time;
        my $call = $what =~ s/\A<[.]{3} \w+ resumed>/$begun{$pid} \/\/ /r;
        push @calls, $call =~ /\A(\w+)[(](.*)/s ? sprintf('%s(%s', same_call($1, $2)) : $call;
    }
    my $first = shift @calls;
    return defined $first ? ($first, ($end // $at) - $at, @calls) : ();
}

# From the log of strace -ttt, with execve: the seconds from the arrival of a signal at the program
# itself, not at a child, to the end of the last process, and the number of arrivals at any process.
# Returns nothing when the program got no signal.
sub interrupted {
    my ($log, $signal) = @_;
    my $text = slurp("$log");
    my ($at) = $text =~ /\A(\d+) .*?^\1 +([\d.]+) --- \Q$signal\E /ms ? $2 : return;
    my ($end) = $text =~ /.*^\d+ +([\d.]+) [+]{3}/ms;
    return (($end // $at) - $at, scalar(() = $text =~ / --- \Q$signal\E /g));
}

# The strace command that logs calls that the system refuses, and whether it has refused such a call
# in that way.
sub failures { my ($log) = @_; return (qw(strace -f -qq -Z -o), "$log", '--') }

sub was_refused {
    my ($log, $call, $error) = @_;
    return slurp("$log") =~ /^\d+ +$call[(].* = -1 $error /m;
}

# Other descriptions of a failure than the system's text for the error: pthread_create knows only
# one error; the dropper's filter kills the dropper when strace turns a call into another; glibc
# reads a file to find a user; and this program names the limit.
my $NO_THREAD    = qr/: Resource temporarily unavailable\z/;
my $NO_DROPPER   = qr/the process that drops the caches has died\z/;
my %OTHER_REASON = (
    clone    => $NO_THREAD,
    clone3   => $NO_THREAD,
    mprotect => $NO_THREAD,
    mmap     => $NO_THREAD,
    write    => $NO_DROPPER,
    pwrite64 => $NO_DROPPER,
    sendto   => $NO_DROPPER,
    read     => qr/$NO_DROPPER|no user is named 'nobody'\z/,
    io_setup => qr/see the sysctl fs[.]aio-max-nr\z/,
);

# True when a line gives the reason of a fault.
sub says_why {
    my ($line, $call, $fault) = @_;
    my $other = $OTHER_REASON{ usual_name($call) };
    return 1 if defined $other && $line =~ $other;
    return 1 if $call eq 'openat' && $fault =~ /\AE(?:ACCES|NOENT)\z/ && $line =~ /another user can change its directory/; # where a directory cannot be looked at
    my $reason = qr/Input\/output error|No space left on device/; # for a transfer of nothing
    if ($fault =~ /\AE/) {
        local $! = Errno->can($fault)->();
        $reason = qr/\Q$!\E/;
    }
    my $hint = $fault eq 'ENOSPC' ? qr/(?:; the filesystem has room, so the directory may be full: [^:]+)?/ : q{};
    $line =~ s/; remove [^:]+: [^:]+\z//; # what stays, and why
    return $line =~ /\A\w+: .+: $reason$hint\z/;
}

# census(\%how, ARGUMENT...): the run, and the system calls that it makes: {call => [before main(),
# in all]}, the largest numbers in any of its processes. Without the calls that only the loader makes.
sub census {
    my ($how, @args) = @_;
    my $log = File::Temp->new;
    chmod oct(666), "$log";
    my $run = bonnie({ %{$how}, wrap => [ qw(strace -f -qq -y -s200 -o), "$log", '--' ] }, @args);
    my (%count, %loader, $begun);
    for my $line (split /\n/, slurp("$log")) {
        my ($pid, $call, $rest) = $line =~ /\A(\d+) +((?!syscall_)[a-z]\w*)\((.*)/ or next;
        $begun ||= $call =~ /\Aopen(?:at)?\z/ && $rest =~ m{\A(?:AT_FDCWD[^,]*, )?"/dev/null", O_RDONLY\b}; # the first call of main()
        $count{$call}{$pid}++;
        $loader{$call}++ if !$begun;
    }
    my %calls;
    for my $call (keys %count) {
        my ($most) = sort { $b <=> $a } values %{ $count{$call} };
        my $before = $loader{$call} // 0;
        $calls{$call} = [ $before + 1, $most ] if $most > $before;
    }
    return ($run, \%calls);
}

1;
