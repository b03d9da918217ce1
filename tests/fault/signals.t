#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A signal at any system call, in any phase, ends the run by that signal, and the run leaves
# nothing behind. A second request to end kills it at once; other signals do not. A signal that
# nohup ignores has no effect. A child that is killed is a failure.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use List::Util qw(shuffle);
use Test::More;
use Time::HiRes qw(time);
use BonnieRun  qw(%SIGNAL is_alive start wait_until wait_until_stopped wait_until_taken wait_until_working);
use Calls      qw(census interrupted);
use Fault      qw(every left_in playground run_cases sampled);
use Root       ();
use RunProgram qw(slurp);
use SweepSize  qw(sized);
use Trace      qw(can_trace);

plan skip_all => 'strace cannot trace here' if !can_trace();

my @REQUESTS = qw(INT TERM HUP QUIT);
my @SIGNALS  = (@REQUESTS, qw(PIPE XCPU XFSZ ALRM USR2 VTALRM PROF IO PWR STKFLT));

my $common = '-r0 -q --format=csv --min-time=0 --cache=keep'; # dropping the caches of the system is slow
my %runs   = (
    'data'        => '-s256k:16k:40:2 -n0 --cache=evict',
    'files'       => '-s0 -n1:100:0:2 -b',
    'workers'     => '-s256k:16k:40:2 -n1:-1:0:3 -f -c3 --iops-duration=0.01 --tests=put_block,get_block,iops,seq_create',
    'seekers, JSON' => '-s128k:16k:200:3 -n0 --json --tests=put_block,seeks',
);

# ---- at every system call -----------------------------------------------------------------------

srand 1;
for my $name (sort keys %runs) {
    my @args   = split q{ }, "$common $runs{$name}";
    my $ground = playground();
    my (undef, $calls) = census({}, '-d', $ground->{dir}, @args);
    my @cases;
    for my $call (sort grep { !/\A(?:exit|execve)/ } keys %{$calls}) {
        my ($first, $last) = @{ $calls->{$call} };
        push @cases, map { { call => $call, when => $_, signal => $SIGNALS[ (@cases + $_) % @SIGNALS ] } } sampled(sized(2, 4, 12), $first .. $last);
    }
    $_->{name} = "SIG$_->{signal} at $_->{call} $_->{when}" for @cases;
    run_cases("signals: $name", [ every(8, shuffle(@cases)) ],
        hits  => .25, # signals that arrive at a child do not count
        start => sub {
            my ($case, $in) = @_;
            return start({ wrap => [ sends($case) ] }, '-d', $in->{dir}, @args);
        },
        judge => sub {
            my ($case, $run) = @_;
            # A child that gets the signal leaves it to its parent.
            return 'missed', $run->{status} eq '0' ? () : "$run->{status}: $run->{err}" if !came($case, $run);
            my $well = $run->{status} eq "signal $SIGNAL{ $case->{signal} }" && "$run->{err}" eq q{} && $run->{out} =~ /\A(?:|.*\n)\z/s;
            return 'ended', $well ? () : "$run->{status}: $run->{err}$run->{out}";
        },
        may_leave => sub { return $_[0]{twice} ? [] : undef }, # every thread gets the signal at its own call
    );
}

# The strace command that sends a signal at a call. And whether the signal came,
# whose moment is then stored in the run.
sub sends {
    my ($case) = @_;
    chmod oct(666), $case->{log} = File::Temp->new;
    return (qw(strace -f -q -ttt -o), "$case->{log}", '-e', "trace=execve,$case->{call}",
        '-e', "inject=$case->{call}:signal=$case->{signal}:when=$case->{when}", '--');
}

sub came {
    my ($case, $run) = @_;
    my ($seconds, $times) = interrupted($case->{log}, "SIG$case->{signal}");
    $case->{log}   = undef;
    $case->{twice} = ($times // 0) > 1;
    $run->{after_fault} = $seconds // 0;
    return defined $seconds;
}

# ---- ignored at the start -----------------------------------------------------------------------

my @nohup = map { { name => "SIGHUP at pwrite64 $_ under nohup", signal => 'HUP', call => 'pwrite64', when => $_ } } 5, 12, 20;
run_cases('SIGHUP under nohup', \@nohup,
    hits  => 1,
    start => sub {
        my ($case, $in) = @_;
        return start({ wrap => [ 'sh', '-c', 'trap "" HUP; exec "$@"', 'sh', sends($case) ] }, '-d', $in->{dir}, split q{ }, "$common $runs{data}");
    },
    judge => sub {
        my ($case, $run) = @_;
        my $well = $run->{status} eq '0' && $run->{out} =~ /\A1[.]98,.*\n\z/;
        return came($case, $run) ? 'recovered' : 'missed', $well ? () : "$run->{status}: $run->{err}";
    },
);

# ---- a second one -------------------------------------------------------------------------------

# Begins a run whose clean-up takes $slowness microseconds for each of a thousand files. Sends the
# first signal when there are files. When the first has been received, sends the second one, again and
# again if $repeats, until the run has ended.
sub start_and_send {
    my ($in, $slowness, $repeats, $first, $second) = @_;
    my $log = File::Temp->new;
    my @slow_to_clean = (qw(strace --seccomp-bpf -f -qq -o), "$log", '-e', 'trace=unlinkat,rt_sigreturn', '-e', "inject=unlinkat:delay_enter=$slowness", '--');
    my $run = start({ wrap => \@slow_to_clean }, '-d', $in->{dir}, split q{ }, "$common -s0 -n1 -x1000000 --tests=seq_create");
    wait_until('files', sub { grep {m{/d00000/}} left_in($in) });
    my ($pid) = split q{ }, slurp("/proc/$run->{pid}/task/$run->{pid}/children");
    kill $SIGNAL{$first} => $pid;
    # On a busy machine everything may have been cleaned up by then, and the process is gone.
    wait_until_taken($pid);
    # The second must not arrive while strace still holds the process up at the first: its handler would then run first.
    wait_until('the handler to return', sub { slurp("$log") =~ /rt_sigreturn[(]/ || !is_alive($pid) });
    select undef, undef, undef, .05; # requests less than 20 ms apart count as one
    $run->{fault_at} = time;
    kill $SIGNAL{$second} => $pid;
    # A busy machine may run the handler of the first so late that the second counts as the same.
    wait_until('the end', sub { kill $SIGNAL{$second} => $pid; !is_alive($pid) }) if $repeats;
    return $run;
}

sub ended_by_first {
    my ($case, $run) = @_;
    return 'ended', $run->{status} eq "signal $SIGNAL{ $case->{signals}[0] }" ? () : "$run->{status}: $run->{err}";
}

# Without a second request the clean-up would take 100 seconds.
run_cases('a second request', [ map { { name => "SIG$_ twice", signals => [ $_, $_ ] } } @REQUESTS ],
    start     => sub { my ($case, $in) = @_; return start_and_send($in, 100_000, 1, @{ $case->{signals} }) },
    judge     => \&ended_by_first,
    may_leave => sub { return [] },
);

# With this delay the clean-up takes a second or two, and is completed.
my @pairs = ([qw(INT PIPE)], [qw(PIPE TERM)], [qw(XCPU TERM)], [qw(XFSZ XFSZ)], [qw(ALRM ALRM)], [qw(USR2 INT)], [qw(TERM USR1)], [qw(RTMAX RTMAX)]);
run_cases('two signals, not two requests', [ map { { name => "SIG$_->[0], SIG$_->[1]", signals => $_ } } @pairs ],
    start => sub { my ($case, $in) = @_; return start_and_send($in, 1000, 0, @{ $case->{signals} }) },
    judge => \&ended_by_first,
);

# A program like timeout(1) sends its signal to the process, and then to its group. Here the
# second signal arrives when the handler of the first returns. On a busy machine that may be as
# late as the second signal of an impatient user, but not every time.
my ($cleaned, $MOST) = (0, 10);
for my $more (1 .. $MOST) {
    run_cases('one request that comes twice', [ map { { name => "SIGTERM and its echo, $_", signals => ['TERM'] } } 1 .. 10 ],
        start => sub {
            my ($case, $in) = @_;
            my @twice = (qw(strace -f -qq -o /dev/null -e inject=linkat:signal=TERM:when=100 -e inject=rt_sigreturn:signal=TERM:when=1 --));
            return start({ wrap => \@twice }, '-d', $in->{dir}, split q{ }, "$common -s0 -n1:-1 -x1000000 --tests=seq_create");
        },
        judge => sub {
            my ($case, $run, $in) = @_;
            $cleaned += !left_in($in);
            return ended_by_first($case, $run);
        },
        may_leave => sub { return [] },
    );
    last if $cleaned > 0;
}
cmp_ok($cleaned, '>', 0, 'one request that comes twice: nothing is left');

# ---- a child is killed --------------------------------------------------------------------------

my @children = (
    { name => 'a seeker',    args => '-s1:16k:1000000000:3 -n0 -f --tests=seeks', many => 4, which => 1, # the first one is the monitor
        line => qr/seeker [123] was killed by signal 9 \(Killed\)/ },
    { name => 'the monitor', args => '-s1:64k -n0 -f --tests=iops --iops-duration=3 --json', many => 1 },
    { name => 'the dropper', args => '-s1:64k -n0 -f -x1000000 --cache=evict --tests=put_block,rewrite', many => 1,
        line => qr/the process that drops the caches has died/ },
);
pop @children if !Root::is_root() || !-w '/proc/sys/vm/drop_caches';
# Starts the run of a case and sends a signal to its child.
sub with_child {
    my ($signal, $case, $in) = @_;
    my $run = start('-d', $in->{dir}, split q{ }, "$common $case->{args}");
    my @pids;
    wait_until('its directory', sub { grep {m{/owner\z}} left_in($in) }); # by then the dropper is ready
    wait_until('its children', sub { @pids = split q{ }, slurp("/proc/$run->{pid}/task/$run->{pid}/children"); @pids >= $case->{many} });
    wait_until_working($run->{pid});
    $run->{fault_at} = time;
    $run->{child}    = $pids[ $case->{which} // 0 ];
    kill $signal => $run->{child};
    return $run;
}

run_cases('a child is killed', \@children,
    start => sub { return with_child('KILL', @_) },
    judge => sub {
        my ($case, $run) = @_;
        return 'recovered', $run->{status} eq '0' ? () : "$run->{status}: $run->{err}" if !$case->{line};
        return 'told', $run->{status} eq '1' && $run->{err} =~ /\Abonnie: $case->{line}\n\z/ ? () : "$run->{status}: $run->{err}";
    },
);

# ---- a child is stopped, and the run is to end --------------------------------------------------

my @stopped = (@children, map { { %{$_}, args => "$_->{args} -u nobody", name => "$_->{name}, as nobody" } } grep { $_->{name} eq 'the dropper' } @children);
run_cases('a child is stopped', \@stopped,
    start => sub {
        my $run = with_child('STOP', @_);
        wait_until_stopped($run->{child});
        kill TERM => $run->{pid};
        return $run;
    },
    judge => sub {
        my ($case, $run) = @_;
        return 'ended', $run->{status} eq 'signal 15' ? () : "$run->{status}: $run->{err}";
    },
);

done_testing();
