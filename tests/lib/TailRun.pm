# SPDX-License-Identifier: GPL-2.0-or-later
# What tests of --explain-tail and -explain-tail share: the trace instances of a run, and what must
# hold for every report.
package TailRun;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(sum);
use Test::More;
use BonnieRun  qw(finish have tree wait_until);
use Root       ();
use RunProgram qw(slurp);
use Turn       qw(wait_for_turn);

our @EXPORT_OK = qw($TRACING blind_causes_ok blind_or_done examined_ok helper_of instances killed killed_ok known_cause remover_of);

our $TRACING = '/sys/kernel/tracing';
my @CAUSES   = qw(reclaim cpu lock writeback journal flush device queue program group unknown);

# All processes of a machine share one tracefs and its tracer, and a run removes what a killed one has
# left there.
wait_for_turn('/proc/version') if ($ENV{BONNIE_TEST_MOUNTS} // q{}) ne 'none'; # as when it is only compiled

# Runs $test where no tracefs is mounted, and mounts one. Needs a mount namespace (Root.pm).
sub without_tracefs {
    my ($test) = @_;
    system "umount $TRACING 2>/dev/null; umount /sys/kernel/debug 2>/dev/null";
    system "mount -t tmpfs none /sys/kernel/debug 2>/dev/null";
    $test->();
    system "mount -t tracefs tracefs $TRACING 2>/dev/null";
    return;
}

# blind_or_done($run, $blind_ok): checks runs that see none of the kernel's events by $blind_ok->($result, $why, $name):
# without tracefs, and as a user. $run->(@wrap) makes one, wrapped like this. Ends the test where nobody can see events.
sub blind_or_done {
    my ($run, $blind_ok) = @_;
    my $lacking = !Root::may_mount() ? 'needs root and mounts of its own' : undef;
    if ($lacking) {
        $blind_ok->($run->(), qr/only root can|tracefs is not mounted|PID namespace/, 'without root') if !Root::is_root();
    }
    else {
        without_tracefs(sub { $blind_ok->($run->(),
            qr/\Atracefs is not mounted \(mount -t tracefs tracefs \Q$TRACING\E\)\z/, 'no tracefs') });
        $lacking = 'there is no tracefs here' if !-d "$TRACING/instances";
    }
    if ($lacking) {
        note("$lacking: the kernel's events");
        done_testing();
        exit;
    }
    my @nobody = (wrap => [qw(setpriv --reuid=65534 --regid=65534 --clear-groups)]);
    $blind_ok->($run->(@nobody), qr/\Aonly root can look at the kernel's events\z/, 'without root') if have('setpriv');
    return;
}

# The most frequent cause, apart from what a busy machine does to a run: a wait for a CPU, and events that come too late.
sub known_cause {
    my ($tail) = @_;
    my $share = $tail->{percent};
    my ($most) = sort { $share->{$b} <=> $share->{$a} } grep { $share->{$_} > 0 && !/^(?:cpu|unknown)\z/ } @CAUSES;
    return $most;
}

# Without events, a wait for a CPU is all that can be known, by what the kernel counts for each thread.
sub blind_causes_ok {
    my ($tail) = @_;
    is_deeply([ grep { $tail->{percent}{$_} && !/^(?:cpu|unknown)\z/ } @CAUSES ], [], 'no cause is guessed');
    return;
}

# The trace instances of a run: other runs on this machine have their own.
sub instances {
    my ($run) = @_;
    my @found = glob "$TRACING/instances/explain-tail-$run->{pid}-*"; # not one by one, as in a scalar context
    return @found;
}

# The helper of a run that has this name and session, or undef.
sub helper_of {
    my ($run, $name, $session) = @_;
    my ($pid) = map { (eval { slurp($_) } // q{}) =~ /\A(\d+) \($run->{name}-$name\) \S $run->{pid} \d+ $session / } glob '/proc/[0-9]*/stat';
    return $pid;
}

# The one that removes the instance; until it has a session, it ends with the run.
sub remover_of { return helper_of($_[0], 'remover', '\\1') }

# The figures of a `tail` belong together.
sub examined_ok {
    my ($tail, $name) = @_;
    is_deeply([ sort keys %{ $tail->{percent} } ], [ sort @CAUSES ], "$name: all causes");
    cmp_ok(abs(sum(values %{ $tail->{percent} }) - 100), '<', 1e-6, 'their shares are all');
    is(scalar @{ $tail->{operations} }, $tail->{examined}, 'each operation is there');
    is((grep { $_->{latency_ns} * 1.002 < $tail->{above_ns} } @{ $tail->{operations} }), 0, 'and is slow');
    my %count;
    $count{ $_->{cause} }++ for @{ $tail->{operations} };
    is((grep { abs($tail->{percent}{$_} - 100 * ($count{$_} // 0) / $tail->{examined}) > 1e-6 } @CAUSES), 0, 'the shares are theirs');
    cmp_ok($tail->{slowest}, '<=', 1000, 'at most 1000');
    cmp_ok($tail->{examined}, '>', 0, 'some were examined');
    return;
}

# Starts a run by $start, kills it while it works in the directory, and returns it and its trace instance.
# With $whole, its helper is killed, too.
sub killed {
    my ($start, $dir, $whole) = @_;
    my $run = $start->();
    my $remover;
    wait_until('the instance and its helper', sub { instances($run) && tree($dir) && ($remover = remover_of($run)) });
    my ($instance) = instances($run);
    kill KILL => $remover if $whole;
    kill KILL => $run->{pid};
    return (finish($run), $instance);
}

# killed_ok($start, $dir, $clean): runs that $start starts, and which work in a directory, are killed:
# alone, and together with their helper; what is left then $clean removes, a run that it returns.
sub killed_ok {
    my ($start, $dir, $clean) = @_;
    my ($run, $instance) = killed($start, $dir, 0);
    wait_until('the end of the instance', sub { !instances($run) });
    $clean->();
    my ($told, $is_told);
    for (1 .. 5) { # a run of somebody else may be first to remove the instance
        ($run, $instance) = killed($start, $dir, 1);
        # Processes of the run may be ending still.
        wait_until('the end of the instance', sub { $told = $clean->()->{err}; !instances($run) });
        my ($name) = $instance =~ m{([^/]+)\z};
        $is_told = $told =~ /^\w+: removed the trace instance \Q$name\E, which a killed run has left$/m;
        last if $is_told;
    }
    ok($is_told, 'together with its helper: the next run removes the instance, and says so') or diag($told);
    is_deeply([ instances($run) ], [], 'nothing is left');
    return;
}

1;
