#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bon_ab is interrupted in every phase: the running command is ended with its children, also those
# that have left its process group or session; the state is restored; and the results so far are
# printed.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp  ();
use Test::More;
use Time::HiRes qw(sleep);
use RunProgram  qw(path_of slurp);
use SweepSize   qw(is_all);

my $dir = File::Temp->newdir;

# A command that waits in three processes: itself, a child, and a grandchild in a session of its
# own. It makes a file when all three wait. Its processes are found by a sleeping time that no
# other process uses.
my $NAP  = 100_000 + $$;
my $HANG = "(sleep $NAP & setsid sleep $NAP & sleep $NAP & touch $dir/hangs; wait)";

# The waiting processes, found by their sleeping time.
sub sleepers {
    return grep { command_line($_) eq "sleep\0$NAP\0" } glob '/proc/[0-9]*/cmdline';
}

# The command line of a process; empty if the process has ended.
sub command_line {
    my ($file) = @_;
    open my $in, '<', $file or return q{};
    return readline($in) // q{};
}

# Returns 1 as soon as $is->() is true, and 0 when that takes more than a minute.
sub wait_until {
    my ($is) = @_;
    for (1 .. 1200) {
        return 1 if $is->();
        sleep 0.05;
    }
    return 0;
}

# The command that starts it, which then is its parent.
our @WRAP;

# Starts a campaign and sends it each of $signals when a command hangs. Returns
# (exit status, stdout, stderr).
sub interrupted {
    my ($signals, @arguments) = @_;
    unlink map {"$dir/$_"} qw(hangs state err); # a watcher of before may still write to its own
    my $child = fork // die "fork: $!\n";
    if (!$child) {
        open STDOUT, '>', "$dir/out" or die;
        open STDERR, '>', "$dir/err" or die;
        local @SIG{qw(HUP INT QUIT)} = ('DEFAULT') x 3;
        exec @WRAP, $^X, path_of('bon_ab'), '--seed=1', @arguments or die;
    }
    for my $signal (@{$signals}) {
        ok(wait_until(sub { -e "$dir/hangs" }), 'it is where it is to be interrupted');
        unlink "$dir/hangs";
        kill $signal => @WRAP ? slurp("/proc/$child/task/$child/children") : $child;
    }
    my $ended = wait_until(sub { waitpid($child, 1) == $child });
    kill KILL => $child if !$ended;
    ok($ended, 'it ends');
    return ($? & 127 ? 'signal ' . ($? & 127) : $? >> 8, slurp("$dir/out"), slurp("$dir/err"));
}

# A command whose run number $run hangs.
sub hangs_in_run {
    my ($name, $run) = @_;
    return "n=\$(cat $dir/$name 2>/dev/null || echo 0); echo \$((n + 1)) >$dir/$name; if test \$n -eq $run; then $HANG; fi; echo speed: \$((100 + n % 2))";
}

my @METRIC = ('--metric', 'speed=/speed: (\S+)/', '--more-is-better');
my %PHASE  = (
    'warming up'      => [ '--warmup=1', '--', 'sh', '-c', hangs_in_run('warm', 1) ],
    'in the control'  => [ '--control=2', '--', 'sh', '-c', hangs_in_run('control', 3) ],
    'in a pair'       => [ '--', 'sh', '-c', hangs_in_run('pair', 6) ],
    'preparing A'     => [ '--', 'echo', 'speed: 3' ],
    'beside B'        => [ '--beside-b', $HANG, '--beside-a', $HANG, '--', 'sleep', '100' ],
    'preparing B'     => [ '--prepare-b', "$HANG", '--', 'echo', 'speed: 3' ],
);

my $NO_PAIR = "bon_ab: Nothing is known of A and B: no pair was measured.\n";

subtest 'a control that goes on' => sub {
    my @again = (@METRIC, '--prepare-a', ':', '--prepare-b', ':', '--control=2', '--pairs=1', "--keep=$dir/kept", '--', 'sh', '-c', hangs_in_run('again', 3));
    is((interrupted(['INT'], @again))[0], 3, 'it is interrupted after its first pair');
    my ($status, $out, $err) = interrupted([], @again);
    is($status, '3', 'the same command goes on') or diag $err;
    like($out, qr/^1 pair in .*^Control, 2 pairs of A against itself/ms, 'with the second');
};

my $turn = 0;
for my $phase (sort keys %PHASE) {
    for my $signal (is_all() ? qw(INT TERM HUP QUIT) : (qw(INT TERM))[ $turn++ % 2 ]) {
        subtest "$signal $phase" => sub {
            unlink map {"$dir/$_"} qw(warm control pair);
            my $prepare = $phase eq 'preparing A' ? $HANG : ':';
            my ($status, $out, $err) = interrupted([$signal], @METRIC, '--prepare-a', $prepare, '--prepare-b', ':', '--restore', "echo A >$dir/state", @{ $PHASE{$phase} });
            is($status, 3, 'exit status 3: not known');
            my $known = $phase eq 'in a pair' ? qr/It is not known whether A and B differ in speed/ : qr/Nothing is known of A and B: no pair was measured[.]/;
            like($err, qr/\Abon_ab: $known[^\n]*\n\z/, 'no failure: a line says what is known');
            like($out, qr/\A$known.*^\d+ pairs? in /ms, 'what is known is printed') or diag $err;
            ok(-e "$dir/state", 'the state is restored');
            is(scalar sleepers(), 0, 'nothing is left running');
        };
    }
}

# Every signal that ends a process: one of them is enough by default.
my @OTHERS = (qw(USR1 USR2 ALRM VTALRM PROF IO PWR XCPU XFSZ STKFLT), grep { exists $SIG{$_} } qw(RTMIN NUM40 RTMAX));
for my $signal (is_all() ? @OTHERS : @OTHERS[ map { ($$ + $_ * 3) % @OTHERS } 0 .. 2 ]) {
    my ($status, $out, $err) = interrupted([$signal], @METRIC, '--prepare-a', ':', '--prepare-b', ':', '--restore', "echo A >$dir/state", '--', 'sh', '-c', $HANG);
    is("$status$err" . (-e "$dir/state" ? ', restored' : q{}), "3$NO_PAIR, restored", "$signal ends it, and the state is restored");
    is(scalar sleepers(), 0, 'nothing is left running');
}

# As process 1 of a container no signal ends it by itself.
SKIP: {
    skip 'no PID namespaces', 1 if system('unshare --pid --fork --mount-proc true 2>/dev/null') != 0;
    local @WRAP = qw(unshare --pid --fork --kill-child --mount-proc);
    my ($status, $out, $err) = interrupted(['TERM'], @METRIC, '--prepare-a', ':', '--prepare-b', ':', '--restore', "echo A >$dir/state", '--', 'sh', '-c', $HANG);
    is("$status$err" . (-e "$dir/state" ? ', restored' : q{}), "3$NO_PAIR, restored", 'the same as process 1');
}

subtest 'a second signal ends the restoring command' => sub {
    my ($status, $out, $err) = interrupted([qw(INT INT)], @METRIC, '--prepare-a', ':', '--restore', $HANG, '--', 'sh', '-c', $HANG);
    is("$status$err", "1bon_ab: the state is not restored: the command was interrupted\n", 'bon_ab reports it, and fails');
    is(scalar sleepers(), 0, 'nothing is left running');
};

subtest 'a signal while the state is restored' => sub {
    my ($status, $out, $err) = interrupted(['TERM'], @METRIC, '--pairs=1', '--prepare-a', ':', '--restore', $HANG, '--', 'echo', 'speed: 3');
    is("$status$err", "1bon_ab: the state is not restored: the command was interrupted\n", 'bon_ab reports it, and fails');
    is(scalar sleepers(), 0, 'nothing is left running');
};

subtest 'a command that ignores TERM' => sub {
    plan skip_all => 'takes ten seconds; BONNIE_TEST_ALL=1' if !is_all();
    my ($status) = interrupted(['INT'], @METRIC, '--a', "trap '' TERM; $HANG", '--b', 'true');
    is($status, 3, 'is killed');
    wait_until(sub { !sleepers() }); # what was killed ends a moment later
    is(scalar sleepers(), 0, 'nothing is left running');
};

subtest 'bon_ab itself is killed' => sub {
    my ($status) = interrupted(['KILL'], @METRIC, '--prepare-a', ':', '--', 'sh', '-c', $HANG);
    is($status, 'signal 9', 'without a chance to do anything');
    ok(wait_until(sub { !sleepers() }), 'nothing is left running');
    ok(wait_until(sub { slurp("$dir/err") ne q{} }), 'and this is told');
    is(slurp("$dir/err"), "bon_ab: killed; the command that was running is ended, the state is not restored\n", 'in one line');
    interrupted(['KILL'], @METRIC, '--beside-a', $HANG, '--beside-b', $HANG, '--', 'sh', '-c', "sleep $NAP");
    ok(wait_until(sub { !sleepers() }), 'nor beside');
    for my $signal (qw(KILL TERM)) {
        interrupted([$signal], @METRIC, '--a', "rm -f $dir/left; (setsid sh -c ': >$dir/left; exec sleep $NAP' &); until [ -e $dir/left ]; do sleep .01; done; $HANG", '--b', 'true');
        ok(wait_until(sub { slurp("$dir/err") =~ /still running\n/ }), "$signal: a daemon that has left the session is told");
        my ($number) = slurp("$dir/err") =~ /process (\d+) \(\w+\) has left its session and is still running\n(?:$NO_PAIR)?\z/;
        my @left = sleepers();
        is_deeply([ map { m{(\d+)/cmdline} } @left ], [ $number // 'not told' ], 'and left alone') or diag slurp("$dir/err");
        kill KILL => grep { m{(\d+)/cmdline} && ($_ = $1) } @left;
        wait_until(sub { !sleepers() });
    }
};

subtest 'after a time' => sub {
    my $status;
    for my $timeout (qw(300ms 3s 30s)) { # a busy machine may need longer until all wait
        ($status) = interrupted([], @METRIC, "--timeout=$timeout", '--pairs=1', '--a', $HANG, '--b', 'echo speed: 3');
        last if -e "$dir/hangs";
    }
    ok(-e "$dir/hangs", 'a command and its children wait');
    is($status, 1, 'a command that takes too long has failed');
    is(scalar sleepers(), 0, 'and nothing of it is left running');
};

done_testing();
