#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Any call to the system may fail: bonnie then exits with status 1, prints one line that names
# the error, leaves nothing behind, and prints no figure that was not measured. strace makes the
# first call fail, then the second, and so on.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(@ALL_TESTS @BLOCK_TESTS bonnie engines refused_ok scratch scratch_on_disk tree);
use RunProgram qw(slurp);
use Trace      qw(can_trace trace);

plan skip_all => 'strace cannot trace here' if !can_trace();
my $dir = scratch();

# Everything happens in one thread, with much less data than a user would choose.
my @io    = qw(-r0 -q -s1:256k:20:1 -n0 -f1);
my @files = qw(-r0 -q -s0 -n1:700:600:2);

# Makes call number $when fail, and the later ones if the caller wants that. Returns the run and its calls.
sub faulty {
    my ($call, $fault, $when, @args) = @_;
    return trace({}, [ '-y', '-e', "trace=$call", '-e', "inject=$call:$fault:when=$when" ], '-d', $dir, @args);
}

# The same. Returns the run alone, or undef when no call failed.
sub injected {
    my ($run, @calls) = faulty(@_);
    return (grep { $_->{result} =~ /INJECTED/ } @calls) ? $run : undef;
}

# [call, fault, what the message says, arguments]
my $eio = qr/: Input\/output error$/m;
my @faults = (
    [ 'pread64',   'error=EIO',    qr/read data file 0 in \S+ at \d+$eio/,               @io ],
    [ 'pwrite64',  'error=EIO',    qr/write data file 0 in \S+ at \d+$eio/,              @io ],
    [ 'fsync',     'error=EIO',    qr/fsync data file 0 in \S+$eio/,                     @io ],
    [ 'fsync',     'error=EIO',    qr/fsync \S+$eio/,                    qw(-r0 -q -s0 -n1:0:0:2 -b --tests=seq_create) ],
    [ 'fadvise64', 'error=EINVAL', qr/evict data file 0 in \S+ from the cache: Invalid/, @io ],
    [ 'ftruncate', 'error=EIO',    qr/empty data file 0 in \S+$eio/,                     @io ],
    [ 'pwrite64',  'error=ENOSPC', qr{write \S+ at \d+: No space left on device}, @files, '--tests=seq_create' ],
    [ 'pread64',   'error=EIO',    qr{read \S+ at \d+$eio},                       @files, '--tests=seq_stat' ],
    [ 'pwrite64',  'retval=0',     qr/write data file 0 in \S+ at \d+: nothing moved: Input/, @io ],
    [ 'pread64',   'retval=0',     qr/read data file 0 in \S+ at \d+: nothing moved: Input/,  @io ],
    [ 'mkdirat',   'error=EACCES', qr{make directory \S+: Permission denied},     @files, '--tests=seq_create' ],
    [ 'getdents64', 'error=EIO',   qr{list directory \d in \S+$eio},                     @files, '--tests=seq_stat' ],
    [ 'flock',     'error=EIO',    qr{lock \S+/owner$eio},                          @io ],
    [ '?clone,?clone3,?fork', 'error=EAGAIN', qr/: Resource temporarily unavailable/, @io ],
    [ '?clone,?clone3,?fork', 'error=EAGAIN', qr/fork seeker 1 of 3: Resource/, qw(-r0 -q -s1:256k:20:3 -n0 -f --tests=seeks) ],
    [ 'pipe2',     'error=EMFILE', qr{pipes to the seekers: Too many open files},  @io ],
    [ 'pread64',   'error=EIO',    qr/read data file 0 in \S+ at \d+$eio/,               @io, qw(--iops-duration=0.02 --tests=iops) ],
    [ 'pwrite64',  'error=EIO',    qr/write data file 0 in \S+ at \d+$eio/,              @io, qw(--iops-duration=0.02 --tests=iops) ],
    [ 'syncfs',    'error=EIO',    qr{syncfs \S+$eio},                            @files, '--tests=seq_create' ],
);
for my $fault (@faults) {
    my ($call, $what, $says, @args) = @{$fault};
    subtest "$call $what @args" => sub {
        my ($seen, $when) = (0, 1);
        # The dynamic linker reads with pread64, too: its failure says nothing about this
        # program.
        $when = 3 if $call eq 'pread64';
        while (my $run = injected($call, $what, "$when+", @args)) {
            is($run->{status}, 1, "from the $when. on: exit status 1");
            is($run->{out}, q{}, 'nothing is printed') if "@args" !~ /-x/;
            like($run->{err}, qr/\Abonnie: [^\n]*\n\z/, 'one line');
            $seen++ if $run->{err} =~ $says;
            if ($call ne 'mkdirat' || $when > 1) {
                is_deeply([ tree($dir) ], [], 'nothing is left') or system 'rm', '-rf', glob "$dir/*";
            }
            last if $seen && $call eq 'getdents64'; # few, and what is listed later may fail
            $when = $when < 4 || $call eq 'getdents64' ? $when + 1 : 4 * $when + 1;
        }
        cmp_ok($seen, '>=', 1, "the line says $says");
    };
}

subtest 'a fault that passes is no failure' => sub {
    for my $fault ([ 'pread64', 'error=EINTR', '5+7' ], [ 'pwrite64', 'error=EINTR', '3+5' ], [ 'fsync', 'error=EINTR', '1+2' ],
        [ 'pwrite64', 'retval=4096', '2+3', '--verify=off' ], [ 'close', 'error=EINTR', '25+4' ]) {
        my ($call, $what, $when, @options) = @{$fault};
        # strace replaces a call that it cancels by one that the dropper's filter
        # does not allow.
        my $run = injected($call, $what, $when, @io, '--cache=keep', @options);
        is($run ? "$run->{status}$run->{err}" =~ s/Version.*//sr : 'none', '0', "@{$fault}");
    }
};

# The 1024 files are made, opened to be evicted, and opened to be read; the program opens a few others before.
subtest 'a file that was written cannot be opened to evict it' => sub {
    my $run = injected('openat', 'error=EIO', 1700, qw(-r0 -q -s0 -n1:100:100), '--tests=seq_create,seq_stat');
    is($run->{status}, 1, 'exit status 1');
    like($run->{err}, qr{\Abonnie: open \S+/d00000/\w+$eio\Z}, 'one line');
    is_deeply([ tree($dir) ], [], 'nothing is left');
};

# strace makes one close fail at a time: the one that was the file's in the run before, or one near it, because an ordinary user's
# run opens a file of each process that there is.
subtest 'a file that was written cannot be closed' => sub {
    for my $file ([ qr/data file 0 in \S+/, qr{\Q$dir\E/.*deleted}, @io, '--tests=put_block' ], [ qr{\S+/d00000/\w+}, qr{/d00000/}, qw(-r0 -q -s0 -n1:100:100 --tests=seq_create) ]) {
        my ($name, $its, @args) = @{$file};
        my $place = sub {
            my @closes = grep { $_->{pid} == $_[0]{pid} } @_;
            return (grep { $closes[$_]{args} =~ $its } 0 .. $#closes)[0];
        };
        my ($run, @closes) = trace({}, [qw(-y -e trace=close)], '-d', $dir, @args);
        my $at = $place->(@closes);
        ok(defined $at, "is closed: $name") or next;
        for my $try (0 .. 200) {
            my $away = int(($try % 80 + 1) / 2);
            ($run, @closes) = faulty('close', 'error=EIO', 1 + $at + ($try % 2 ? $away : -$away), @args);
            last if $run->{status} ne '0' && $run->{err} =~ /\Abonnie: close $name$eio/;
            $at = $place->(@closes) // $at;
        }
        is($run->{status}, 1, "is told: $name");
        like($run->{err}, qr/\Abonnie: close $name$eio/, 'in its line');
        is_deeply([ tree($dir) ], [], 'nothing is left');
    }
};

subtest 'a write that never was' => sub {
    my $run = injected('pwrite64', 'retval=4096', '2+3', @io);
    is($run ? $run->{status} : 'none', 1, 'is found: exit status 1');
    like($run->{err}, qr/^bonnie: rewrite: data file 0 in \Q$dir\E at \d+: zeroed: generation 1\.0 expected, zeros found$/m, 'and told');
    is_deeply([ tree($dir) ], [], 'nothing is left');
};

# The calls with which queueing engines submit and wait.
my %usable = map { $_ => 1 } engines();
my @blocks = (qw(-r0 -q -s1:16k:50:2 -n0 --iops-duration=0.02 --iodepth=8), '--tests=' . join q{,}, @BLOCK_TESTS);
my %passes = (
    libaio   => [ [qw(io_submit error=EINTR 4+7)], [qw(io_getevents error=EINTR 4+5)] ],
    io_uring => [ map { [ 'io_uring_enter', "error=$_", '4+7' ] } qw(EINTR EAGAIN EBUSY) ],
);
my %fails = (
    libaio   => [ [ 'io_submit', qr/(?:read|write) data file 0 in \S+ at \d+$eio/ ], [ 'io_getevents', qr/libaio: wait for transfers on data file 0 in \S+$eio/ ] ],
    io_uring => [ [ 'io_uring_enter', qr/io_uring: wait for transfers on data file 0 in \S+$eio/ ] ],
);
for my $engine (grep { $usable{$_} } sort keys %passes) {
    subtest "$engine: faults that pass" => sub {
        for my $fault (@{ $passes{$engine} }) {
            my $run = injected(@{$fault}, @blocks, "--engine=$engine", '--verify=full');
            is($run ? "$run->{status}$run->{err}" =~ s/Version.*//sr : 'none', '0', "@{$fault}");
        }
    };
    subtest "$engine: faults that stay" => sub {
        for my $fault (@{ $fails{$engine} }) {
            my ($call, $says) = @{$fault};
            for my $test (@BLOCK_TESTS) {
                my $run = injected($call, 'error=EIO', '4+', @blocks, '--iops-duration=10', "--engine=$engine", "--tests=$test") // { status => 'none' };
                refused_ok($run, qr/\Abonnie: $says/, "$call, $test");
                is_deeply([ tree($dir) ], [], 'nothing is left');
            }
        }
    };
}

subtest 'a failed sync at the end of a test counts' => sub {
    for my $test (qw(putc put_block rewrite seeks iops)) {
        my $run = injected('fsync', 'error=EIO', '1+', @io, qw(--cache=keep --iops-duration=0.02), "--tests=$test");
        is($run ? $run->{status} : 'none', 1, "$test: exit status 1");
        like($run->{err}, $eio, 'with the reason');
    }
};

subtest 'not every resource that a run wants' => sub {
    my $run = bonnie({ wrap => [ 'sh', '-c', 'ulimit -n 12; exec "$@"', 'sh' ] }, '-d', $dir, qw(-q -r0 -s8 -n0 -c8));
    refused_ok($run, qr/8 workers need \d+ open files at a time; the limit is 12/, 'few descriptors');
    is_deeply([ tree($dir) ], [], 'nothing is left');
    # a shell's limit counts blocks of 512 or of 1024 bytes
    my $disk = scratch_on_disk();
    my $few = qr/files are limited to (?:50[.]0|100) KiB, but one of \S+ [KMG]iB is needed \(ulimit -f\)/;
    for my $command (
        [ 'bonnie', '-d', $dir, qw(-q -r0 -s8 -n0 -c2) ], [ 'bonnie', '-d', $dir, qw(-q -r0 -s0 -n1:999999) ], [ 'bonnie', $dir ],
        [ 'bonload', qw(-wt=1 -max-requests=1 -body-size=1MiB), "$dir/XX" ], [ 'bonload', qw(-requests-engine=meta -wt=1 -max-requests=1), "$dir/XX" ],
        [ 'bonload', '-good-for=etcd', $disk ], [ 'boncut', 'audit', $disk ], [ 'boncut', 'write', $dir ], [ 'getc_putc', '-s1m', $dir ], [ 'generate_randfile', "--file=$dir/numbers", 999999 ],
    ) {
        my ($program, @args) = @{$command};
        $run = bonnie({ program => $program, wrap => [ 'sh', '-c', 'ulimit -f 100; exec "$@"', 'sh' ] }, @args);
        refused_ok($run, qr/\A$program: $few\n\z/, "@{$command}[0, 1]: a limit to the size of files");
        is_deeply([ tree($dir) ], [], 'nothing is written');
    }
    # kernel.pid_max, or whatever is lower
    my $most = slurp('/proc/sys/kernel/pid_max');
    SKIP: {
        skip 'there is room for as many seekers as can be asked for', 2 if $most > 65000;
        $run = bonnie('-d', $dir, qw(-q -r0 -n0 -f --tests=seeks), "-s16m:8k:1000:$most" =~ s/\n//r);
        refused_ok($run, qr/\d+ processes and threads are needed, \d+ can be started \(/, 'more seekers than processes');
        is_deeply([ tree($dir) ], [], 'nothing is written');
    }
    SKIP: {
        skip 'needs prlimit and a user whom limits on processes restrict', 4 if $> == 0 && system('setpriv --version >/dev/null 2>&1') != 0;
        my @as = $> == 0 ? qw(setpriv --reuid=65534 --regid=65534 --clear-groups) : ();
        my $his = scratch(oct 777);
        for my $command ([ 'bonnie', '-d', $his, qw(-q -r0 -n0 -f --tests=seeks -s16m:8k:1000:3000) ], [ 'bonload', qw(-rt=3000 -wt=1 -requests-engine=meta -max-requests=1), "$his/XX" ]) {
            my ($program, @args) = @{$command};
            $run = bonnie({ program => $program, wrap => [ @as, 'prlimit', '--nproc=2000', '--nofile=20000' ] }, @args);
            refused_ok($run, qr/300\d processes and threads are needed, \d+ can be started \(ulimit -u\)/, "$program: more than a user may have");
            is_deeply([ tree($his) ], [], 'nothing is written');
        }
    }
    $run = bonnie({ wrap => [ 'sh', '-c', 'ulimit -v 65536; exec "$@"', 'sh' ] }, '-d', $dir, qw(-q -r0 -s800:64m -n0 -c8));
    cmp_ok($run->{status}, $run->{err} =~ /Sanitizer/ ? 'ne' : 'eq', $run->{err} =~ /Sanitizer/ ? '0' : '1', 'little memory: exit status 1');
    is($run->{out}, q{}, 'nothing is printed');
    is_deeply([ tree($dir) ], [], 'nothing is left');
};

# Limits from a little above what the kernel needs to start a program, to plenty.
subtest 'little stack' => sub {
    plan skip_all => 'sanitizers need more of it' if slurp(BonnieRun::program()) =~ /__asan_init|__tsan_init/;
    my %outcomes;
    for my $kib (40, 50, 60, 80, 90, 100, 110, 120, 130, 140, 150, 200, 300) {
        my $run = bonnie({ wrap => [ 'sh', '-c', "ulimit -s $kib; exec \"\$@\"", 'sh' ] }, '-d', $dir,
            qw(-q -r0 -s1 -n1:100 -c2 --verify=full --json --iops-duration=0.01), '--tests=' . join q{,}, @ALL_TESTS);
        $outcomes{ $run->{status} }++;
        my $refused = qr/\Abonnie: the stack is limited to $kib KiB, but (?:9\d|1\d\d) KiB are needed \(ulimit -s\)\n\z/;
        $run->{status} eq '1' ? like($run->{err}, $refused, "$kib KiB: refused") : is("$run->{status}$run->{err}", '0', "$kib KiB: it works");
        is_deeply([ tree($dir) ], [], 'nothing is left');
    }
    is_deeply([ sort keys %outcomes ], [ 0, 1 ], 'less is refused, more is enough');
    for my $kib (180, 250, 300, 400, 550, 700, 1000) {
        my $run = bonnie({ program => 'bonload', wrap => [ 'sh', '-c', "ulimit -s $kib; exec \"\$@\"", 'sh' ] }, '-good-for=etcd', '-duration=0.2s', $dir);
        my $refused = qr/\Abonload: the stack is limited to $kib KiB, but 8\d\d KiB are needed \(ulimit -s\)\n\z/;
        $kib < 800 ? refused_ok($run, $refused, "bonload, $kib KiB") : unlike($run->{status}, qr/signal/, "bonload, $kib KiB: it works") || diag $run->{err};
        is_deeply([ tree($dir) ], [], 'nothing is left');
    }
};

done_testing();
