#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# -p and -y: several processes begin every test together, or at a prompt.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use IPC::SysV  qw(GETZCNT IPC_CREAT IPC_EXCL IPC_RMID IPC_SET IPC_STAT);
use List::Util qw(max min sum0);
use POSIX      ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(bonnie finish refused_ok scratch start tree wait_until wait_until_working);
use RunProgram qw(slurp);
use Trace      qw(also_older can_trace);
use Turn       qw(wait_for_turn);

my $KEY   = 0x626f6e00; # the key of root's semaphores, which any user can guess
my $dir   = scratch(oct 777);
my @small = ('-d', $dir, qw(-r0 -n0 -f -m lab --cache=keep));

wait_for_turn('/proc/sys/kernel/sem');

# -p says on standard output what Bonnie++ says, and nothing else.
sub silent_ok {
    my ($name, @args) = @_;
    my ($processes) = "@args" =~ /-p ?(-?\d+)/;
    my $said = !defined $processes ? q{} : $processes < 0 ? "Semaphore removed.\n" : "Creating semaphore for $processes procs.\n";
    my $run = bonnie(@args);
    return is("$run->{status}$run->{out}$run->{err}", "0$said", "$name: exit status 0, and what Bonnie++ says");
}

# Waits until this number of runs waits at a meeting: the kernel counts the processes that wait for
# one of the first three semaphores to become zero.
sub await_runs {
    my ($number) = @_;
    my $id = semget $KEY ^ $> << 8, 0, 0;
    return wait_until("$number runs at a meeting", sub { $number == sum0(map { semctl($id, $_, GETZCNT, 0) // 0 } 0 .. 2) });
}

# Three runs of different sizes, two of which wait for the third.
sub three {
    my (@y) = @_;
    my @runs = map { start(@small, $_, @y) } qw(-s1 -s4);
    await_runs(2);
    is((grep { slurp($_->{err_file}) =~ /done/ } @runs), 0, "@y: two of three wait for the third");
    push @runs, start(@small, '-s32', @y);
    is(finish($_)->{status}, 0, "@y: exit status 0") for @runs;
    is((grep { 4 == (() = $_->{err} =~ /done$/mg) } @runs), 3, "@y: each did its four tests");
    return;
}

# The same under a single strace, which shows when each process finished each test.
sub in_step {
    my $log = File::Temp->new;
    my $three = '"$@" -s1 & a=$!; "$@" -s4 & b=$!; "$@" -s32 & wait $! && wait $a && wait $b';
    my $run   = bonnie({ wrap => [ qw(strace --seccomp-bpf -f -qq -a1 -s48 -e), also_older('trace=write'), '-o', "$log", qw(-- sh -c), $three, 'sh' ] }, @small, qw(-y -x3));
    is($run->{status}, 0, 'under strace: exit status 0') or diag($run->{err});
    my %done;
    for my $call (Trace::calls("$log")) {
        push @{ $done{ $call->{pid} } }, $call->{order} if $call->{args} =~ /\A2, "done/;
    }
    is(scalar(keys %done), 3, 'three are at work');
    is((grep { @{$_} == 12 } values %done), 3, 'in twelve tests each');
    for my $test (1 .. 11) {
        my $all_before = max(map { $_->[ $test - 1 ] } values %done);
        my $first      = min(map { $_->[$test] } values %done);
        cmp_ok($first, '>', $all_before, "test $test: nobody is through with it before all have come to it");
    }
    return;
}

subtest 'semaphores' => sub {
    silent_ok('-p 3', qw(-p 3));
    three('-y');
    three(qw(-y s));
    three('-ys');
    three('-y', '-n0');
SKIP: {
        skip 'strace cannot trace here', 1 if !can_trace();
        subtest 'in step' => \&in_step;
    }
    silent_ok('-p -1', qw(-p -1));
    my $alone = bonnie(@small, qw(-s1 -y));
    is($alone->{status}, 0, 'without semaphores: exit status 0');
    like($alone->{err}, qr/^bonnie: -y: no semaphores were made with -p, so there is nobody to wait for$/m, 'and a line that says so');
    silent_ok('-p -1 without any', qw(-p-1));
};

subtest 'one process' => sub {
    silent_ok('-p1', '-p1');
    is(bonnie(@small, qw(-s1 -y -x3))->{status}, 0, 'meets itself') for 1 .. 2;
    silent_ok('-p1 once more', '-p1');
    silent_ok('-p -1', '-p-1');
};

# What happens to a process when its partner fails, is ended, or is killed.
for my $end (qw(failure TERM KILL)) {
    subtest "a partner: $end" => sub {
        local $BonnieRun::HANGS = 120;
        silent_ok('-p 2', qw(-p 2));
        my $other = start(@small, qw(-s1 -y));
        await_runs(1);
        if ($end eq 'failure') {
            is(bonnie(@small, qw(-s1:4k:1:1 -q -y -d), "$dir/none")->{status}, 1, 'one fails');
        }
        else {
            my $run = start(@small, qw(-s64:256 -y -x 1000));
            wait_until('its first test', sub { slurp($run->{err_file}) =~ /Writing in chunks/ });
            wait_until_working($run->{pid});
            kill $end => $run->{pid};
            finish($run);
        }
        finish($other);
        # The partner's own processes end a moment later, and hold its directory
        # until then.
        wait_until('what was killed is removed', sub { bonnie('-d', $dir, '--cleanup'); !tree($dir) }) if $end eq 'KILL';
        is($other->{status}, 1, 'the other fails, and does not hang');
        is($other->{out}, q{}, 'it prints nothing');
        like($other->{err}, qr/^bonnie: -y: [^\n]*another process has[^\n]*\n\z/m, 'but why');
        silent_ok('-p -1', qw(-p -1));
        is_deeply([ tree($dir) ], [], 'nothing is left') or bonnie('-d', $dir, '--cleanup');
    };
}

subtest 'a signal at the meeting' => sub {
    silent_ok('-p 2', qw(-p 2));
    my $run = start(@small, qw(-s1 -y));
    await_runs(1);
    kill TERM => $run->{pid};
    is(finish($run)->{status}, 'signal 15', 'ended by it');
    is_deeply([ tree($dir) ], [], 'nothing is left');
    bonnie(qw(-p -1));
};

subtest 'the prompt' => sub {
    for my $y (['-yp'], [qw(-y p)]) {
        my $run = bonnie({ input => "\n\nwhat was typed before\n\n" }, @small, qw(-s1), @{$y});
        is($run->{status}, 0, "@{$y}: exit status 0");
        is_deeply([ $run->{err} =~ /Press Enter to start ([^:]*): /g ],
            [ 'Writing in chunks', 'Rewriting', 'Reading in chunks', 'Seeking' ], 'asks before every test');
    }
    my $run = bonnie({ input => "\n\n" }, @small, qw(-s1 -yp));
    is($run->{status}, 1, 'input that ends: exit status 1');
    like($run->{err}, qr/^bonnie: -yp: standard input ended at the prompt for Reading in chunks$/m, 'and says at which prompt');
    is($run->{out}, q{}, 'nothing is printed');
    is_deeply([ tree($dir) ], [], 'nothing is left');
    is(bonnie({ in => 'closed' }, @small, qw(-s1 -yp))->{status}, 1, 'no input at all: exit status 1');
};

SKIP: {
    skip 'needs root: semaphores of another user', 1 if !Root::is_root();
    subtest 'of another user' => sub {
        silent_ok('-p 2 -u nobody', qw(-p 2 -u nobody));
        my @runs = (start({ as => 'nobody' }, @small, '-s1', '-y'), start(@small, '-s1', '-y', '-u', 'nobody'));
        is(finish($_)->{status}, 0, 'two meet') for @runs;
        unlike($_->{err}, qr/nobody to wait for/, 'and they had met') for @runs;
        is(bonnie(@small, qw(-s1 -y))->{err} =~ /nobody to wait for/ ? 1 : 0, 1, q{root's own are others});
        silent_ok('-p -1 -u nobody', qw(-p -1 -u nobody));
    };
}

# User nobody makes a set of semaphores with root's key.
sub squat {
    my ($maker) = @_;
    my $child = fork // die "fork: $!\n";
    if ($child == 0) {
        BonnieRun::become('nobody');
        POSIX::_exit(defined $maker->() ? 0 : 1);
    }
    waitpid $child, 0;
    return $? == 0;
}

# The ids, owners and makers of the sets in this namespace.
sub sets { return join q{; }, map { join q{ }, (split)[ 1, 4, 6 ] } grep {/\A\s*\d/} split /^/, slurp('/proc/sysvipc/sem') }

SKIP: {
    skip 'needs root and semaphores of its own: a live other user', 1 if !Root::may_mount();
    my $nobody = getpwnam 'nobody';
    my $set = sub { return semget $KEY, 5, IPC_CREAT | IPC_EXCL | oct 666 };
    # Ways in which nobody can try to make a set look like root's, as far as the
    # kernel allows.
    my %made = (
        'as it is' => $set,
        'given to root' => sub {
            my $id   = $set->() // return;
            my $stat = "\0" x 1024;
            semctl $id, 0, IPC_STAT, $stat or return;
            substr $stat, 4, 4, pack 'L', 0; # struct ipc_perm: key, uid, gid, cuid, cgid
            return semctl $id, 0, IPC_SET, $stat;
        },
        'closed to others' => sub { return semget $KEY, 5, IPC_CREAT | IPC_EXCL | oct 600 },
        'of another size'  => sub { return semget $KEY, 9, IPC_CREAT | IPC_EXCL | oct 666 },
    );
    for my $how (sort keys %made) {
        subtest qq{another user's set under root's key, $how} => sub {
            is(sets(), q{}, 'there is none before');
            ok(squat($made{$how}), 'nobody makes it') or return;
            my $before = sets();
            like($before, $how =~ /given/ ? qr/\A\d+ 0 $nobody\z/ : qr/\A\d+ $nobody $nobody\z/, 'one set, which he made');
            for my $args ([ @small, qw(-s1 -q -y) ], [qw(-p 2)], [qw(-p -1)]) {
                local $BonnieRun::HANGS = 120;
                refused_ok(bonnie(@{$args}), qr/\Abonnie: semaphore set \d+ belongs to another user but has this user's key 0x626f6e00: it is left alone\n\z/, "@{$args}[-2 .. -1]");
                is(sets(), $before, 'the set is as it was');
            }
            is_deeply([ tree($dir) ], [], 'nothing is made');
            my ($id) = $before =~ /\A(\d+)/;
            ok(semctl($id, 0, IPC_RMID, 0), 'and removed by root');
        };
    }
    subtest q{root's own set given to another} => sub {
        my $id = semget $KEY, 5, IPC_CREAT | IPC_EXCL | oct 600;
        my $stat = "\0" x 1024;
        ok(semctl($id, 0, IPC_STAT, $stat), 'its owner is known');
        substr $stat, 4, 4, pack 'L', $nobody;
        ok(semctl($id, 0, IPC_SET, $stat), 'and changed');
        refused_ok(bonnie(@small, qw(-s1 -q -y)), qr/belongs to another user/, '-y');
        ok(semctl($id, 0, IPC_RMID, 0), 'removed');
    };
}

done_testing();
