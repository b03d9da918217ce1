# The system calls of a run, how each of them may fail, and which failures do no harm.
package Calls;

use strict;
use warnings;
use Errno ();
use Exporter 'import';
use File::Temp ();
use BonnieRun  qw(bonnie);
use RunProgram qw(slurp);

our @EXPORT_OK = qw(census faults_of harmless injected injection interrupted says_why);

# How a call fails that is not named here.
my @ANY = qw(EIO EPERM);

# How the others do. `retval=` is what the call is said to have moved, `short` less than was asked for.
my %FAULTS = (
    openat       => [qw(EACCES EMFILE EIO EINTR)],
    read         => [qw(EIO EINTR EAGAIN)],
    pread64      => [qw(EIO EINTR EAGAIN retval=0 short)],
    write        => [qw(EIO ENOSPC EINTR EAGAIN retval=0)],
    pwrite64     => [qw(EIO ENOSPC EINTR EAGAIN EDQUOT retval=0 short)],
    close        => [qw(EIO EINTR ENOSPC)],
    (map { $_ => [qw(EIO ENOSPC EINTR)] } qw(fsync syncfs)),
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
    io_destroy   => [qw(EINVAL)],
    io_uring_setup => [qw(EPERM ENOMEM ENOSYS EMFILE)],
    io_uring_enter => [qw(EIO EINTR EAGAIN EBUSY ENOMEM)],
    io_uring_register => [qw(ENOMEM EPERM)],
    flock        => [qw(ENOLCK EAGAIN EINTR)],
    getrandom    => [qw(EAGAIN EINTR ENOSYS)],
    (map { $_ => [qw(EINTR)] } qw(nanosleep clock_nanosleep)),
    sched_getaffinity => [qw(EINVAL)],
);

# Calls that never fail, that end something, or that the C library makes for itself and is sure of (it
# takes an error of brk for the new end of memory, and aborts on one of futex).
my %NEVER = map { $_ => 1 } qw(exit exit_group execve rt_sigreturn restart_syscall getpid gettid getppid getuid geteuid getgid
    getegid umask sched_yield set_tid_address set_robust_list rseq arch_prctl uname brk futex);

# Failures after which a run may go on, and why it measures the same: which call, what it is about (what
# strace shows between the parentheses), which errors (all if undef), the reason. A success after any
# other failure is a false one.
my $LIBRARY  = qr{/etc/|/usr/|/lib/|[.]so\b|AF_UNIX|socket:};
my $MACHINE  = qr{/(?:sys|proc)/(?!self/fd/)|/sys["/>]};
my @HARMLESS = (
    [ qr/.+/,                   qr/./,         qr/EINTR/, 'what was interrupted is done again' ],
    [ qr/io_(?:submit|uring_enter)/, qr/./,    qr/EAGAIN|EBUSY/, 'the kernel takes no more at the moment: tried again' ],
    [ qr/p?poll/,               qr/./,         undef,     'it is called again' ],
    [ qr/p(?:read|write)64/,    qr/./,         qr/short/, 'the rest is moved' ],
    [ qr/write/,                qr/./,         qr/retval=0/, 'the C library writes the rest' ],
    [ qr/write/,                qr/\A2\b/,     undef,     'progress that cannot be shown' ],
    [ qr/linkat/,               qr/./,         qr/EMLINK/, 'the next file gets its links from now on' ],
    [ qr/sendto/,               qr/"[gpe]"/,   undef,     'a monitor that does not hear notes fewer intervals' ],
    [ qr/flock/,                qr/./,         qr/EAGAIN/, 'another directory is made' ],
    [ qr/fchmod/,               qr/./,         undef,     'the report is for its owner alone' ],
    [ qr/read/,                 qr/pipe:/,     undef,     'the byte is still there when it looks again' ],
    [ qr/openat/,               qr/"[.]", O_RDONLY/, undef, 'that nothing is left is known when the directory is removed' ],
    [ qr/getdents64|lseek/,     qr{bonnie[.][0-9a-f]{16}>}, undef, 'the same' ],
    [ qr/lseek/,                qr/SEEK_SET/,  undef,     'a directory that is not listed again is known by the count' ],
    [ qr/openat|read|readlink|newfstatat|close|getdents64|access|lseek|fcntl/, $MACHINE, undef, 'facts about the machine are told as not known' ],
    [ qr/statx|fstatfs|sysinfo|sched_getaffinity|prlimit64/, qr/./, undef, 'the same, or the common value is taken' ],
    [ qr/openat|read|newfstatat|close|lseek|fcntl|access|socket|connect/, $LIBRARY, undef, 'a user that is not found by name is one by number' ],
    [ qr/newfstatat/,           qr/AT_EMPTY_PATH/, undef, 'the C library asks how large a buffer should be, or it is a fact about the device' ],
    [ qr/ioctl|fcntl/,          qr/./,         undef,     'the C library asks what kind of stream it has' ],
    [ qr/getrandom/,            qr/NONBLOCK/,  undef,     'the C library wants it for malloc' ],
    [ qr/openat|read|close/,    qr/urandom/,   undef,     'the library of JSON takes the time instead' ],
    [ qr/openat/,               qr{/dev/null}, undef,     'the standard descriptors are there already' ],
    [ qr/close/,                qr/./,         undef,     'what was in it is durable or thrown away, and the kernel has released it' ],
    [ qr/mmap|munmap|madvise/,  qr/./,         undef,     'the C library takes its memory from elsewhere, or gives none back' ],
    [ qr/fadvise64/,            qr/d0000\d/,   undef,     'what is resident is no failure' ],
    [ qr/io_uring_register/,    qr/./,         undef,     'files and buffers that are not registered do as well' ],
    [ qr/io_destroy/,           qr/./,         undef,     'the kernel does it when the process ends' ],
    [ qr/wait4/,                qr/./,         qr/ECHILD/, 'a helper that has ended' ],
    [ qr/rt_sigaction|rt_sigprocmask/, qr/./,  undef,     'fails for numbers of signals that there are not' ],
    [ qr/prctl|capset|close_range/, qr/./,     undef,     'a dropper that cannot be confined is not used' ],
    [ qr/openat/,               qr/drop_caches/, undef,   'the same, if there is none' ],
    [ qr/shutdown/,             qr/./,         undef,     'the socket is closed next' ],
    [ qr/getres[ug]id/,         qr/./,         undef,     'then they are set, whatever they were' ],
    [ qr/setuid/,               qr/\A0/,       undef,     'that root cannot be had back is what is asked for' ],
    [ qr/getrusage|clock_gettime/, qr/./,      undef,     'the time of the CPU, which fails for clocks that there are not' ],
);

sub faults_of {
    my ($call) = @_;
    return $NEVER{$call} ? () : @{ $FAULTS{$call} // \@ANY };
}

# What strace is told: the fault as in %FAULTS, at call number $when of every process; what a short
# transfer is.
sub injection {
    my ($call, $fault, $when, $short) = @_;
    $fault = "retval=$short" if $fault eq 'short';
    $fault = "error=$fault"  if $fault !~ /=/;
    return ('-e', "trace=$call", '-e', "inject=$call:$fault:when=$when");
}

# The reason why a run may go on after the fault, or undef.
sub harmless {
    my ($call, $what, $fault) = @_;
    my $args = $what =~ s/\A\w+[(]//r;
    for my $row (@HARMLESS) {
        my ($calls, $about, $faults, $reason) = @{$row};
        return $reason if $call =~ /\A(?:$calls)\z/ && $args =~ $about && (!defined $faults || $fault =~ $faults);
    }
    return;
}

# What strace has written down: the first call that was made to fail, as a text, and the seconds from
# then to the end of the last process; nothing when none was.
sub injected {
    my ($log) = @_;
    my (%begun, $call, $at, $end);
    for my $line (split /\n/, slurp("$log")) {
        my ($pid, $time, $what) = $line =~ /\A(\d+) +([\d.]+) +(.*)/ or next;
        $begun{$pid} = $1 if $what =~ /\A(.*) <unfinished [.]{3}>\z/;
        $end = $time if $what =~ /\A[+]{3}/;
        next if defined $call || $what !~ /INJECTED/;
        $at   = $time;
        $call = $what =~ s/\A<[.]{3} \w+ resumed>/$begun{$pid} \/\/ /r;
    }
    return defined $call ? ($call, ($end // $at) - $at) : ();
}

# True when strace, of execve too, has seen this signal come to the program itself and not to a child.
sub interrupted {
    my ($log, $signal) = @_;
    my ($first, $got) = slurp("$log") =~ /\A(\d+) .*?(?:^\1 +--- (\Q$signal\E) |\z)/ms;
    return defined $got;
}

# What a failure may be told as when it is not the system's word for the error: pthread_create knows
# only one; strict seccomp kills whoever does not make the call it asked for; glibc reads a file to
# find a user; and this program says where the limit is.
my $NO_THREAD    = qr/: Resource temporarily unavailable\z/;
my $NO_DROPPER   = qr/the process that drops the caches has died\z/;
my %OTHER_REASON = (
    clone3   => $NO_THREAD,
    mprotect => $NO_THREAD,
    mmap     => $NO_THREAD,
    write    => $NO_DROPPER,
    sendto   => $NO_DROPPER,
    read     => qr/$NO_DROPPER|no user is named 'nobody'\z/,
    io_setup => qr/see the sysctl fs[.]aio-max-nr\z/,
);

# True when a line gives the reason of a fault.
sub says_why {
    my ($line, $call, $fault) = @_;
    my $other = $OTHER_REASON{$call};
    return 1 if defined $other && $line =~ $other;
    my $reason = qr/Input\/output error|No space left on device/; # for a transfer of nothing
    if ($fault =~ /\AE/) {
        local $! = Errno->can($fault)->();
        $reason = qr/\Q$!\E/;
    }
    return $line =~ /\Abonnie: .+: $reason\z/;
}

# census(\%how, ARGUMENT...): the run, and which system calls it makes, how often at most in one of
# its processes and how many of them before main(): {call => [first, last]}.
sub census {
    my ($how, @args) = @_;
    my $log = File::Temp->new;
    chmod oct(666), "$log";
    my $run = bonnie({ %{$how}, wrap => [ qw(strace -f -qq -y -s200 -o), "$log", '--' ] }, @args);
    my (%count, %loader, $main, $begun);
    for my $line (split /\n/, slurp("$log")) {
        my ($pid, $call, $rest) = $line =~ /\A(\d+) +((?!syscall_)[a-z]\w*)\((.*)/ or next;
        $main //= $pid;
        $begun ||= $call eq 'openat' && $rest =~ m{\AAT_FDCWD[^,]*, "/dev/null", O_RDONLY\)}; # what main() does first
        $count{$call}{$pid}++;
        $loader{$call}++ if !$begun;
    }
    my %calls;
    for my $call (keys %count) {
        my ($most) = sort { $b <=> $a } values %{ $count{$call} };
        $calls{$call} = [ ($loader{$call} // 0) + 1, $most ];
    }
    return ($run, \%calls);
}

1;
