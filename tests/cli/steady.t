#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --steady-state: block tests are repeated in rounds until their figure is steady by SNIA's rule, or
# the limit of rounds is reached. Here they run on devices of known speed, which changes meanwhile.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(max min sum);
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(%SIGNAL @BLOCK_TESTS bonnie engines finish is_alive refused_ok scratch start takes_direct tree wait_until);
use IoLimit    qw(io_limit);
use JSON::PP   ();
use JsonReport qw(report_of report_ok);
use RunProgram qw(slurp);
use SweepSize  qw(is_long);
use Trace      qw(can_trace trace);

my $MIB    = 1 << 20;
my $WINDOW = 5;
my $dir    = scratch();
my $tests  = '--tests=' . join q{,}, @BLOCK_TESTS;
my @small  = ('-d', $dir, qw(-r0 -n0 -s2:16k:100:2 --cache=keep)); # dropping the caches of the system is slow
my @rounds = (@small, '--steady-state', '--round-time=0.02', '--max-rounds=7');

# ---- the rule, implemented once more -------------------------------------------------------------

# The rule's verdict on figures: ( steady, range, slope ), the latter two in percent of
# the mean.
sub judged {
    my @figures = @_;
    my $mean  = sum(@figures) / @figures or return (0, 0, 0);
    my $slope = sum(map { ($_ - ($#figures / 2)) * $figures[$_] } 0 .. $#figures) / sum(map { ($_ - $#figures / 2)**2 } 0 .. $#figures);
    my ($range, $rise) = map { 100 * $_ / $mean } max(@figures) - min(@figures), $#figures * $slope;
    return ($range <= 20 && abs $rise <= 10 ? 1 : 0, $range, $rise);
}

sub near { my ($value, $expected) = @_; return abs($value - $expected) <= 1e-6 * abs($expected) + 1e-6 }

# Of each metric, what its figure is, and the key of a round that has it.
my %FIGURE = (
    iops      => [ ops_per_second => sub { $_[0]{ops} / $_[0]{elapsed_seconds} } ],
    bandwidth => [ bytes_per_second => sub { $_[0]{bytes} / $_[0]{elapsed_seconds} } ],
    latency   => [ mean_ns => sub { $_[0]{mean_ns} } ],
    p99       => [ p99_ns => sub { $_[0]{p99_ns} } ],
);

# Checks that the JSON of a test's rounds is consistent, and that the test is steady in the first
# round in which it can be.
sub rounds_ok {
    my ($test, $most, $name) = @_;
    my $steady = $test->{steady_state};
    my @rounds = @{ $steady->{rounds} };
    my @wrong;
    my ($key, $figure_of) = @{ $FIGURE{ $steady->{metric} } };
    my @figures = map { $figure_of->($_) } @rounds;
    push @wrong, 'a figure that is not that of its round' if grep { !near($rounds[$_]{$key}, $figures[$_]) } 0 .. $#rounds;
    my @verdicts = map { (judged(@figures[ $_ - $WINDOW .. $_ - 1 ]))[0] } $WINDOW .. @rounds;
    my $is_steady = pop @verdicts;
    push @wrong, "verdicts @verdicts before the last" if grep {$_} @verdicts;
    push @wrong, "steady: $steady->{steady}, but $is_steady" if !$steady->{steady} != !$is_steady;
    push @wrong, @rounds . " rounds of $most" if @rounds > $most || !$is_steady && @rounds != $most || $steady->{max_rounds} != $most;
    my (undef, $range, $rise) = judged(@figures[ -$WINDOW .. -1 ]);
    push @wrong, "the fit: $range, $rise" if !near($steady->{fit}{range_percent}, $range) || !near($steady->{fit}{slope_percent}, $rise);
    push @wrong, 'the window' if $steady->{fit}{first_round} != @rounds - $WINDOW + 1;

    # The figures of the test must be those of the window.
    for my $key (qw(ops bytes elapsed_seconds)) {
        my $sum = sum(map { $_->{$key} } @rounds[ -$WINDOW .. -1 ]);
        push @wrong, "$key: $test->{$key} instead of $sum" if !near($test->{$key}, $sum);
    }
    my $end = 0;
    for my $round (@rounds) {
        $end += $round->{elapsed_seconds};
        push @wrong, "a round ends at $round->{seconds} instead of $end" if !near($round->{seconds}, $end);
    }
    push @wrong, 'intervals are of all rounds' if sum(map { $_->{ops} } @{ $test->{intervals} }) != sum(map { $_->{ops} } @rounds);
    my $words = $is_steady ? qr/\Asteady after round @{[scalar @rounds]} of $most\z/
        : abs($rise) > 10 ? qr/\Anot steady after $most rounds: still @{[ $rise < 0 ? 'falling' : 'rising' ]} \d+[.]\d % a round\z/
        :                   qr/\Anot steady after $most rounds: the last 5 range over \d+ % of their mean\z/;
    my $said = $steady->{reason} =~ s/; its speed fell in round \d+\z//r; # beside other programs
    push @wrong, "words: $said" if $said !~ $words;
    is(join('; ', @wrong), q{}, "$name: what is said of the rounds fits together");
    return;
}

# ---- output -------------------------------------------------------------------------------------

for my $engine (engines()) {
    subtest "every block test with $engine" => sub {
        my $report = report_of(@rounds, qw(-q --json --verify=full -c2), "--engine=$engine", $tests);
        for my $test (@{ $report->{runs}[0]{tests} }) {
            rounds_ok($test, 7, $test->{name});
            my $metric = $test->{name} =~ /\A(?:seeks|iops)\z/ ? 'iops' : 'bandwidth';
            is($test->{steady_state}{metric}, $metric, 'by its rate');
            next if $metric eq 'bandwidth'; # preparing many laps may take too long
            is((grep { $_->{elapsed_seconds} < 0.02 } @{ $test->{steady_state}{rounds} }), 0, 'no round is shorter than asked for');
        }
    };
}

for my $metric (qw(iops bandwidth latency p99)) {
    my ($test) = @{ report_of(@rounds, qw(-q --json --tests=seeks), "--steady-state=$metric")->{runs}[0]{tests} };
    is($test->{steady_state}{metric}, $metric, "--steady-state=$metric");
    rounds_ok($test, 7, $metric);
}

subtest 'each run on its own' => sub {
    my $report = report_of(@rounds, qw(-q --json -x2 --precondition=1), '--tests=get_block,iops,getc', '-f1');
    is(scalar @{ $report->{runs} }, 2, 'two runs');
    for my $test (map { @{ $_->{tests} } } @{ $report->{runs} }) {
        if ($test->{name} eq 'getc') {
            is($test->{steady_state}, undef, 'getc: no rounds');
            next;
        }
        rounds_ok($test, 7, $test->{name});
        is($test->{steady_state}{precondition}, 1, 'preconditioned');
    }
};

subtest 'for people' => sub {
    my $run = bonnie(@rounds, '--format=text', $tests);
    my %words = $run->{out} =~ /^  (\w+): ((?:not )?steady after (?:.|\n   ?(?! ))*?)[.]$/mg;
    is(join(q{ }, sort keys %words), join(q{ }, sort @BLOCK_TESTS), 'a line for each test') or diag($run->{out});
    like($words{$_}, qr/\A(?:steady after round \d of 7|not steady after 7 rounds: .*)\z/s, $_) for @BLOCK_TESTS;
    unlike($run->{out} . $run->{err}, qr/,|PTS/, 'without a comma, and nothing calls itself compliant');
    my $verbose = bonnie(@rounds, '-v', '--tests=put_block');
    like($verbose->{err}, qr/^bonnie: put_block: round 5: \d+ KiB\/s$/m, '-v: every round when it has ended');
    my @numbers = $verbose->{err} =~ /: round (\d+):/g;
    is_deeply(\@numbers, [ 1 .. @numbers ], 'in their order');
};

subtest 'the exit status' => sub {
    for my $how ([], ['--require-steady']) {
        my $run = bonnie(@rounds, qw(-q --json), @{$how}, $tests);
        my $unsteady = grep { !$_->{steady_state}{steady} } @{ report_ok($run->{out})->{runs}[0]{tests} };
        is($run->{status}, @{$how} && $unsteady ? 3 : 0, "@{$how}: with $unsteady tests that are not steady");
        my $words = $unsteady == 1 ? 'test' : 'tests';
        is($run->{err}, @{$how} && $unsteady ? "bonnie: --require-steady: $unsteady $words did not become steady\n" : q{}, 'and one line');
    }
};

refused_ok(bonnie(@small, $_, '--tests=iops'), qr/\Abonnie: --[a-z-]+: there are no rounds without --steady-state$/, "$_ alone")
    for qw(--round-time=1 --precondition=1 --max-rounds=9 --require-steady);
refused_ok(bonnie(@small, qw(--steady-state --time=1)), qr/--time cannot be combined with --steady-state, .*--round-time/, 'together with --time');
refused_ok(bonnie(@small, '--steady-state', '--tests=putc,getc'), qr/--steady-state: only put_block, .* none of them will run/, 'no test that can become steady');

SKIP: {
    skip 'strace cannot trace here', 1 if !can_trace();
    subtest 'preconditioning' => sub {
        for my $times (0, 1, 3) {
            my ($run, @calls) = trace({}, [ '-e', 'trace=pwrite64' ], qw(-q -r0 -n0 -s1:64k --steady-state --round-time=0.01 --max-rounds=5 --tests=get_block),
                '-d', $dir, "--precondition=$times");
            is($run->{status}, 0, 'exit status 0') or diag($run->{err});
            is((grep { $_->{args} =~ /, 65536, \d+\z/ } @calls), 16 * $times, "$times times: so often every chunk is written");
        }
    };
}

# ---- signals ------------------------------------------------------------------------------------


# Signals to runs with -x, of which one is always at work.
for my $test (@BLOCK_TESTS) {
    for my $case ([ INT => qr/: round 1:/ ], [ TERM => qr/: round 4:/ ], [ HUP => qr/: round 5:.*: round 2:/s ]) {
        my ($signal, $when) = @{$case};
        my $run = start(@small, qw(-v -x100000 --precondition=1 --steady-state --round-time=0.03 -c2), "--tests=$test");
        wait_until("$when of $test", sub { slurp($run->{err_file}) =~ $when });
        kill $signal => $run->{pid};
        finish($run);
        is($run->{status}, "signal $SIGNAL{$signal}", "SIG$signal in a round of $test: ended by it");
        is_deeply([ tree($dir) ], [], 'nothing is left');
    }
}
my $writing = start('-d', $dir, qw(-r0 -n0 -s64:4k --precondition=1000 --steady-state --tests=iops));
wait_until('preconditioning', sub { slurp($writing->{err_file}) =~ /^Preconditioning[.]{3}/m });
kill TERM => $writing->{pid};
is(finish($writing)->{status}, "signal $SIGNAL{TERM}", 'SIGTERM while the storage is preconditioned: ended by it');
is_deeply([ tree($dir) ], [], 'nothing is left');

# ---- devices of known speed ------------------------------------------------------------------------

# A filesystem in memory. A control group limits it to a speed that changes after each round:
# $factor_of->(round) times $SPEED. Returns the test's part of the report, and the run.
my $DEVICE = eval { Root::may_mount() ? Root::filesystem('ext4', 128) : undef };
my $SPEED  = 20 * $MIB;

# A program that had to wait for a CPU may make up for the allowance that it missed, and is then too
# fast.
my @AT_ONCE = system('chrt -f 10 true 2>/dev/null') == 0 ? qw(chrt -f 10) : ();

sub measure_at {
    my ($factor_of, $most, @options) = @_;
    my ($limit, $why) = io_limit("$DEVICE", $SPEED * $factor_of->(1));
    return (undef, $why) if !$limit;
    my $run = start({ wrap => [ $limit->wrap, @AT_ONCE ] }, '-d', "$DEVICE", qw(-r0 -n0 -f -s16:16k -D -q -v --json --cache=keep --tests=get_block --steady-state),
        '--round-time=' . (is_long() ? 2 : 0.4), "--max-rounds=$most", @options);
    my $seen = 0;
    wait_until('the end', sub {
        my $rounds = () = slurp($run->{err_file}) =~ /: round \d+:.*\n/g;
        my ($before, $now) = map { $factor_of->($_ + 1) } $seen, $rounds;
        $limit->change($SPEED * $now) if $now != $before; # a change gives a tenth of a second of credit
        $seen = $rounds;
        return !is_alive($run->{pid});
    });
    finish($run);
    my $report = eval { JSON::PP->new->decode($run->{out}) } // return (undef, "no report: $run->{err}");
    return ($report->{runs}[0]{tests}[0], $run);
}

my @KNOWN = (
    { name => 'constant', factor => sub {1}, steady_in => 5, within => 0.04 },
    { name => 'falling in steps: 80, 60, 50, 50 ...', factor => sub { (1.6, 1.2)[ $_[0] - 1 ] // 1 }, steady_in => 7, within => 0.04 },
    { name => 'falling by 15 % a round', factor => sub { 0.85**($_[0] - 1) }, most => 7, within => 0.2, words => qr/still falling \d+[.]\d % a round/ },
    { name => 'swinging by half', factor => sub { $_[0] % 2 ? 1 : 2 }, most => 7, within => 0.3, words => qr/not steady after 7 rounds/ },
    is_long() ? (
        # The first round differs from the others because no change has given it credit.
        { name => 'falling by 3 % a round', factor => sub { $_[0] == 1 ? 2 : 0.97**($_[0] - 2) }, most => 9, within => 0.08, words => qr/still falling \d[.]\d % a round/ },
        { name => 'swinging by 30 %', factor => sub { $_[0] % 2 ? 1 : 1.3 }, most => 8, within => 0.08, words => qr/not steady after 8 rounds/ },
    ) : (),
);

# Whether the device was as fast as the limit allows. It is not if other programs needed the
# CPUs, because then the kernel is late, too.
sub was_as_told {
    my ($known, @figures) = @_;
    my $allowed  = $known->{within};
    my @expected = map { $SPEED * $known->{factor}->($_) } 1 .. $known->{steady_in} // @figures;
    return @figures >= @expected && !grep { abs($figures[$_] / $expected[$_] - 1) > $allowed } 0 .. $#expected;
}

sub verdict_of { my ($known) = @_; return "steady after round $known->{steady_in} of 12" }

# How far the result is from the speed of the device.
sub error_of { my ($test) = @_; return abs($test->{bytes_per_second} / $SPEED - 1) }

# Measures up to three times, until the device was as fast as it should be and the result is right.
# Returns the result of measure_at(), and whether the device was that fast: of its last time, if any.
sub measure_undisturbed {
    my ($known) = @_;
    my (@measured, @undisturbed);
    for my $try (1 .. 3) {
        @measured = measure_at($known->{factor}, $known->{most} // 12, '--require-steady');
        my ($test) = @measured;
        return @measured if !$test;
        next if !was_as_told($known, map { $_->{bytes_per_second} } @{ $test->{steady_state}{rounds} });
        @undisturbed = (@measured, 1);
        last if $known->{words} || $test->{steady_state}{reason} eq verdict_of($known) && error_of($test) <= 0.02;
    }
    return @undisturbed ? @undisturbed : @measured;
}

SKIP: {
    skip 'there is no filesystem of our own on a loop device here', 1 if !$DEVICE;
    skip 'it refuses O_DIRECT', 1 if !takes_direct("$DEVICE");
    for my $known (@KNOWN) {
        my ($test, $run, $undisturbed) = measure_undisturbed($known);
        skip "a device of known speed: $run", 1 if !defined $test && $run !~ /no report/;
        subtest "a device that is $known->{name}" => sub {
            ok($test, 'measured') or return diag($run);
            rounds_ok($test, $known->{most} // 12, 'the rounds');
            my $steady = $test->{steady_state};
            note('MiB/s in each round: ' . join q{ }, map { sprintf '%.2f', $_->{bytes_per_second} / 1048576 } @{ $steady->{rounds} });
            is($run->{status}, $steady->{steady} ? 0 : 3, 'the exit status');
            return note('other programs kept it from its speed') if !$undisturbed;
            if ($known->{words}) {
                ok(!$steady->{steady}, 'never steady');
                like($steady->{reason}, $known->{words}, 'said so');
                return;
            }
            is($steady->{reason}, verdict_of($known), 'five rounds after the last step');
            cmp_ok(error_of($test), '<=', 0.02, 'as fast as it is, within 2 %') or diag($test->{bytes_per_second});
        };
    }
}

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
