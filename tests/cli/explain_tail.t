#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --explain-tail: what the slowest operations waited for, as the kernel's own events show it. The
# delays injected here are far longer than any others on a busy machine.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root  qw(tmpfs);
BEGIN { Root::private_mounts() }
use BonnieRun  qw(bonnie finish have refused_ok scratch_on_disk start tree wait_until wait_until_stopped);
use Calls      qw(is_sanitized);
use IoLimit    qw(io_limit);
use JsonReport qw(report_ok);
use RunProgram qw(slurp);
use TailRun    qw($TRACING blind_causes_ok blind_or_done examined_ok helper_of instances killed_ok known_cause remover_of);

my $dir     = scratch_on_disk(oct 777);
my @small   = ('-d', $dir, qw(-r0 -n0 -s4 -f --cache=keep));
my @explain = (@small, '--tests=put_block,iops', qw(--iops-duration=1 --explain-tail));

# The tests of a run's report, by name.
sub tests_of {
    my ($run) = @_;
    is($run->{status}, 0, 'the run is complete') or diag $run->{err};
    return map { ($_->{name} => $_) } @{ report_ok($run->{out})->{runs}[0]{tests} };
}

# ---- the option ----------------------------------------------------------------------------------------

refused_ok(bonnie(@small, qw(--tests=seeks --explain-tail)),
    qr/--explain-tail: only put_block, rewrite, get_block and iops can be explained, and none of them will run/, 'nothing to explain');
refused_ok(bonnie(@explain, '--steady-state'), qr/--explain-tail cannot be combined with --steady-state/, 'no rounds');

my $without = bonnie(@small, qw(--tests=iops --iops-duration=1 --json));
ok(!exists { tests_of($without) }->{iops}{tail}, 'without the option nothing is said');

# ---- where nothing can be seen -------------------------------------------------------------------------

# The sentence says why, and no cause is guessed.
sub blind_ok {
    my ($run, $why, $name) = @_;
    subtest $name => sub {
        my %test = tests_of($run);
        for my $test (@test{qw(put_block iops)}) {
            my $tail = $test->{tail};
            ok(!$tail->{traced}, "$test->{name}: not traced");
            like($tail->{note}, $why, 'it says why');
            unlike($tail->{reason}, qr/\Q$tail->{note}\E/, 'which the sentence leaves to it');
            blind_causes_ok($tail);
            cmp_ok($tail->{examined}, '>', 0, 'but the slowest operations are known');
        }
    };
    return;
}

blind_or_done(sub { bonnie({@_}, @explain, '--json') }, \&blind_ok);
if (system("unshare --pid --fork true 2>/dev/null") == 0) {
    blind_ok(bonnie({ wrap => [qw(unshare --pid --mount-proc --fork)] }, @explain, '--json'), qr/\Ain a PID namespace/, 'in a PID namespace');
}

# ---- what is seen --------------------------------------------------------------------------------------

my $plain = bonnie(@explain, '--json');
SKIP: {
    my %test = tests_of($plain);
    my $tail = $test{iops}{tail};
    unlike($tail->{note} // q{}, qr/cannot be confined/, 'the helper can be confined') if !is_sanitized();
    skip "cannot trace here: $tail->{note}", 1 if !$tail->{traced};

    subtest 'a report' => sub {
        is(tree($dir), 0, 'nothing is left in the directory');
        is_deeply([ instances($plain) ], [], 'nor in tracefs');
        for my $t (@test{qw(put_block iops)}) {
            examined_ok($t->{tail}, $t->{name});
        }
    };

    my $text = bonnie(@explain);
    my ($said) = "$text->{out}$text->{err}" =~ /^What limited each test\b[^\n]*\n(.*?)(?=^\S|\z)/ms;
    like($said // q{}, qr/^\s+iops:\sof\sthe\sslowest\s\d+\s[(]above\s[\d.]+\s[mun]?s[)]:\s\d+\s/mx, 'in the table\'s notes') or diag $text->{out};

    my $as_user = bonnie(@explain, '--json', qw(-u nobody));
    ok({ tests_of($as_user) }->{iops}{tail}{traced}, 'with -u nobody, too');
    is_deeply([ instances($as_user) ], [], '-u nobody leaves no instance');

    subtest 'a limit of a control group' => sub {
        my ($group, $why) = io_limit($dir, 512 << 10);
        plan skip_all => $why if !$group;
        my $x;
        for (1 .. 4) { # on a busy machine events may be lost
            my $run = bonnie({ wrap => [ $group->wrap ] }, '-d', $dir, qw(-r0 -n0 -s4 -f -D --tests=iops --iops-writes=0 --iops-block=64k --iops-duration=4 --explain-tail --json));
            $x = { tests_of($run) }->{iops}{tail};
            last if known_cause($x);
        }
        is(known_cause($x), 'group', 'is named') or diag $x->{reason};
    };

    subtest 'a killed run' => sub {
        killed_ok(sub { start(@explain, '--iops-duration=60') }, $dir, sub { bonnie('-d', $dir, '--cleanup') });
    };

    # Without root it cannot be continued by the run, which must end all the same.
    subtest 'a stopped helper' => sub {
        for my $user (q{}, 'nobody') {
            my $run = start(@explain, '--iops-duration=60', $user ? ('-u', $user) : ());
            my $remover;
            wait_until('the instance and its helper', sub { instances($run) && tree($dir) && ($remover = remover_of($run)) });
            kill STOP => $remover;
            wait_until_stopped($remover);
            kill TERM => $run->{pid};
            is(finish($run)->{status}, 'signal 15', ($user || 'root') . ': the run ends');
            like($run->{err}, qr/^bonnie: the process that removes the trace instance is stopped; it will do so when it is continued$/m, 'and says what is left') if $user;
            kill CONT => $remover;
            wait_until('the end of the instance', sub { !instances($run) });
        }
    };

    subtest 'a run is not disturbed by --cleanup' => sub {
        my $run = start(@explain, '--iops-duration=8', '--json');
        my $remover;
        wait_until('the helper', sub { $remover = remover_of($run) });
        my $status;
        wait_until('its sleep', sub { $status = slurp("/proc/$remover/status"); $status =~ /^State:\sS.*^Seccomp:\s2$/ms });
        like($status, qr/^Cap\Q$_\E:\s0+$/m, "the helper has no capability: $_") for qw(Inh Prm Eff Amb);
        like($status, qr/^Seccomp:\s2$/m, 'is under a filter');
        is(scalar(my @open = glob "/proc/$remover/fd/*"), 2, 'and has two open descriptors');
        my ($before, $after) = map { sleep 1; slurp("/proc/$remover/status") =~ /^(voluntary_ctxt_switches:\s\d+)$/m } 1, 2;
        is($after, $before, 'it sleeps, and does not try to remove what is used');
        bonnie('-d', $dir, '--cleanup');
        is(scalar(my @left = instances($run)), 1, 'its instance stays');
        my $done = finish($run);
        ok({ tests_of($done) }->{iops}{tail}{traced}, 'and it has seen everything');
    };

    # The tail of a run whose examiner is stopped until the kernel has overwritten events that it had not read, and the
    # operations that were under way in their midst: these last long, because the run is stopped, too, for a while.
    my $overflowed = sub {
        my $run = start(@small, qw(-D -c4 --tests=iops --iops-block=4k --iops-duration=12 --explain-tail --json));
        my $examiner;
        my $stats = sub { join q{}, map { slurp($_) } glob "$TRACING/instances/explain-tail-$run->{pid}-*/per_cpu/cpu*/stats" };
        my $counts = sub { my ($name) = @_; return $stats->() =~ /^$name: (\d+)/mg };
        wait_until('operations', sub { $stats->() =~ /^read events: \d{5}/m });
        wait_until('the examiner', sub { $examiner = helper_of($run, 'examine', '\\d+') });
        kill STOP => $examiner;
        wait_until('events', sub { !grep { $_ < 1000 } $counts->('entries') }); # the page that is read next is never overwritten
        kill STOP => $run->{pid};
        select undef, undef, undef, .5;
        my @before = $counts->('entries');
        kill CONT => $run->{pid};
        wait_until('an overflow', sub { my @lost = $counts->('overrun'); grep { $lost[$_] > $before[$_] } 0 .. $#lost });
        kill CONT => $examiner;
        return { tests_of(finish($run)) }->{iops}{tail};
    };
    subtest 'the ring overflows' => sub {
        my $x;
        for (1 .. 8) { # where all workers were between two operations, no operation is long
            $x = $overflowed->();
            last if $x->{lost_ops} > 0;
        }
        cmp_ok($x->{lost_events}, '>', 0, 'lost events are counted');
        cmp_ok($x->{lost_ops},    '>', 0, 'and operations of which some are lost');
        my $unknown = grep { $_->{cause} eq 'unknown' } @{ $x->{operations} };
        cmp_ok($unknown, '>=', $x->{lost_ops}, 'these are not known');
        like($x->{reason}, qr/[.] Events were lost: the causes of \Q$x->{lost_ops}\E of these operations are not known[.]/, 'it is told');
    };

    # What is only concluded from the absence of other events is not named where some are missing.
    subtest 'a kernel without some events' => sub {
        my %hidden = (lock => 'locks', block => 'requests to devices', jbd2 => 'commits of the journal');
        my $filesystem = `stat -f -c %T $dir` =~ s{ext2/ext3}{ext4}r =~ s/\n//r;
        my $empty = tmpfs('mode=755');
        for my $events (sort keys %hidden) {
            next if !-d "$TRACING/events/$events";
            is(system("mount --bind $empty $TRACING/events/$events"), 0, "no events of $events");
            my $run = bonnie(@explain, '--json');
            system "umount $TRACING/events/$events";
            my %test = tests_of($run);
            my $is_others = $events eq 'jbd2' && $filesystem ne 'ext4';
            for my $x (map { $test{$_}{tail} } qw(put_block iops)) {
                ok($x->{traced}, 'the others are seen');
                if ($is_others) {
                    is($x->{note}, q{}, "which $filesystem does not have");
                    next;
                }
                is($x->{note}, "this kernel has no events for: $hidden{$events}", 'it is told');
                is_deeply([ grep { $x->{percent}{$_} } qw(program journal group) ], [], 'nothing is concluded') or diag $x->{reason};
            }
        }
    };

    my @tracers = grep { $_ ne 'nop' && system("echo $_ 2>/dev/null > $TRACING/current_tracer") == 0 } split q{ }, slurp("$TRACING/available_tracers");
    system "echo nop > $TRACING/current_tracer";
    for my $other (@tracers) {
        subtest "another tracer: $other" => sub {
            my $instance = "$TRACING/instances/bonnie-test-$$";
            my @others = map {"$instance/events/$_/enable"} qw(block/block_rq_issue sched/sched_switch);
            mkdir $instance or die "$instance: $!\n";
            is(system("for i in @others; do echo 1 > \$i; done; echo $other > $TRACING/current_tracer"), 0, 'is active, and an instance with events of ours');
            my ($run, $x);
            for (1 .. 3) { # on a busy machine the ring may overflow before the examiner has a CPU
                $run = bonnie(@explain, '--json');
                $x   = { tests_of($run) }->{iops}{tail};
                last if !$x->{lost_ops};
            }
            system "echo nop > $TRACING/current_tracer";
            # By other processes: Perl keeps the last file open from which it has read a line.
            is(`cat @others`, "1\n" x @others, 'the events of the other instance stay as they are');
            is(system("grep -q sched_switch: $instance/trace"), 0, 'and it has recorded');
            wait_until("the end of $instance", sub { rmdir $instance });
            ok($x->{traced}, 'events are seen all the same');
            is($x->{lost_ops}, 0, 'all of them');
            is_deeply([ instances($run) ], [], 'nothing is left');
            like($x->{note}, qr/another tracer is active \(\Q$other\E\): the figures include its cost/, 'and it is told');
        };
    }
}

done_testing();
