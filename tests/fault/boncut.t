#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# One system call of boncut fails, for every kind of call and every kind of failure. `write` ends
# with one line that gives the reason, or continues; everything that it promised before that is
# there, so `check` finds no loss. If it promised nothing, nothing is left. `check` reports the
# failure, or what it found without the call.

use strict;
use warnings;
use File::Temp ();
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(shuffle uniq);
use Test::More;
use BonnieRun  qw(run_tool scratch_on_disk tree);
use Calls      qw(census faults_of injected injection is_sanitized says_why);
use Fault      qw(every sampled);
use RunProgram qw(slurp);
use SweepSize  qw(is_long);
use Trace      qw(can_trace);

plan skip_all => 'strace cannot trace here' if !can_trace();

my $none_of = is_sanitized() ? qr/\Am(?:map|unmap|protect|advise|remap)\z/ : qr/\A\z/;
my $dir     = scratch_on_disk();

# Cases for the calls that a run makes: every kind of failure, in some places.
sub cases {
    my ($calls, $places) = @_;
    my @cases;
    for my $call (grep { $_ !~ $none_of } sort keys %{$calls}) {
        my ($first, $last) = @{ $calls->{$call} };
        for my $fault (grep { !/=|short/ } faults_of($call)) { # a false report that data was written would be a loss
            push @cases, map { { call => $call, fault => $fault, when => $_ } } sampled($places, $first .. $last);
        }
    }
    srand 1;
    @cases = shuffle(@cases);
    return is_long() ? @cases : @cases[ 0 .. ($#cases < 70 ? $#cases : 70) ];
}

sub with_fault {
    my ($case, $how, @args) = @_;
    my $log = File::Temp->new;
    my @strace = (qw(strace -f -q -y -ttt -s48 -o), "$log", '--seccomp-bpf', injection(@{$case}{qw(call fault when)}, 512));
    my $run = run_tool('boncut', { %{$how}, wrap => [ @strace, '--' ] }, @args);
    my ($what, undef, @others) = injected($log);
    return ($run, $what, @others);
}

# Whether a failure is reported in a single line with the reason; notes about methods that
# are left out do not count.
sub is_told {
    my ($run, $case) = @_;
    my @lines = grep { !/ is left out: |: what was promised is in | stayed in the page cache/ } split /\n/, $run->{err};
    return @lines == 1 && says_why($lines[0], $case->{call}, $case->{fault});
}

# ---- write ---------------------------------------------------------------------------------------

my @write = ('write', '--time=0.2', '-c1', '--units=2', "$dir");
my ($usual, $calls) = census({ program => 'boncut' }, @write);
is($usual->{status}, 0, 'write works') or diag($usual->{err});
run_tool('boncut', '--cleanup', "$dir");

my ($hit, @wrong) = 0;
for my $case (cases($calls, is_long() ? 4 : 2)) {
    my ($run, $what, @others) = with_fault($case, {}, @write);
    my $name = "$case->{call} $case->{fault} at $case->{when}" . (defined $what ? ": $what" : q{});
    my $is_mute = grep {/\Awrite[(]2\b/} @others; # the error line was made to fail, too
    $hit += defined $what;
    push @wrong, "$name: status $run->{status}" if $run->{status} !~ /\A[01]\z/;
    push @wrong, "$name: $run->{err}"           if $run->{status} eq '1' && !$is_mute && !is_told($run, $case);
    if ($run->{out} =~ /\n/) {
        my $check = run_tool('boncut', { input => $run->{out} }, 'check', "$dir");
        push @wrong, "$name: $check->{out}$check->{err}" if $check->{status} ne '3';
    }
    elsif ($case->{call} ne 'unlinkat' && !@others && tree("$dir")) { # the removal may fail, too
        push @wrong, "$name: left " . join q{ }, tree("$dir");
    }
    my $cleaned = run_tool('boncut', '--cleanup', "$dir");
    push @wrong, "$name: $cleaned->{err}" if $cleaned->{status} ne '0' || tree("$dir");
    system 'rm', '-rf', map {"$dir/$_"} tree("$dir");
}
is("@wrong", q{}, 'write: each failure is told, and no promise is broken');
cmp_ok($hit, '>=', 25, 'calls of write that failed') or diag($hit);

# ---- check ---------------------------------------------------------------------------------------

my $log = run_tool('boncut', @write)->{out};
my @check = ('check', "$dir");
($usual, $calls) = census({ program => 'boncut', input => $log }, @check);
is($usual->{status}, 3, 'check works');
($hit, @wrong) = 0;
for my $case (cases($calls, 2)) {
    my ($run, $what) = with_fault($case, { input => $log }, @check);
    my $name = "$case->{call} $case->{fault} at $case->{when}" . (defined $what ? ": $what" : q{});
    $hit += defined $what;
    push @wrong, "$name: status $run->{status}" if $run->{status} !~ /\A[123]\z/;
    push @wrong, "$name: $run->{err}"           if $run->{status} eq '1' && ($run->{err} =~ tr/\n//) < 1;
    push @wrong, "$name: no verdict"            if $run->{status} =~ /[23]/ && $run->{out} !~ /\A(?:LOST|UNREADABLE|NOT KNOWN): .*\n/ && ($what // q{}) !~ /\Awrite/;
}
is("@wrong", q{}, 'check: a failure is told, or what was found');
cmp_ok($hit, '>=', 10, 'calls of check that failed') or diag($hit);

# ---- memory --------------------------------------------------------------------------------------

# Each allocation fails in turn: boncut reports that, or goes on as usual.
SKIP: {
    my $shim = File::Temp->new;
    my $cc   = $ENV{BONNIE_CC} // 'cc';
    skip 'there is no library that makes malloc fail', 6
        if is_sanitized() || system("$cc -O1 -shared -fPIC -o '$shim' '$FindBin::Bin/fail_malloc.c' 2>/dev/null") != 0;
    my $JSON    = qr/\A\{.*\}\n\z/s;
    my %commands = (
        write => { args => \@write, usual => 0, out => qr/\Aboncut-log / },
        check => { args => [ 'check', '--json', "$dir" ], usual => 3, out => $JSON, how => { input => $log } },
        audit => { args => [ 'audit', "$dir" ], usual => 0, out => qr/^filesystem  /m },
    );
    for my $name (sort keys %commands) { # `write` comes last, because it replaces the directory that the log is about
        my ($args, $usual, $out, $how) = @{ $commands{$name} }{qw(args usual out how)};
        my $count = File::Temp->new;
        run_tool('boncut', { %{ $how // {} }, env => { LD_PRELOAD => "$shim", FAIL_MALLOC_COUNT => "$count" } }, @{$args});
        my @at = uniq($name eq 'check' ? 1 .. 100 : (), every(60, 1 .. slurp("$count"))); # the first ones of check are those that judge
        my @bad;
        for my $at (@at) {
            run_tool('boncut', '--cleanup', "$dir") if $name eq 'write';
            my $run     = run_tool('boncut', { %{ $how // {} }, env => { LD_PRELOAD => "$shim", FAIL_MALLOC_AT => $at } }, @{$args});
            my $is_told = $run->{status} eq '1' && $run->{err} =~ /^boncut: [^\n]*(?:Cannot allocate memory|Resource temporarily unavailable)\n\z/m;
            my $is_done = $run->{status} eq $usual && $run->{out} =~ $out;
            push @bad, "allocation $at: $run->{status} $run->{err}" if !$is_told && !$is_done;
            next if $name ne 'write';
            if ($run->{out} =~ /\n/) {
                my $check = run_tool('boncut', { input => $run->{out} }, 'check', "$dir");
                push @bad, "allocation $at: $check->{out}$check->{err}" if $check->{status} ne '3';
            }
            elsif (tree("$dir")) {
                push @bad, "allocation $at: something is left";
            }
        }
        is("@bad", q{}, "$name: one of " . @at . ' allocations fails');
        cmp_ok(scalar @at, '>', 0, "$name: it makes some");
    }
}
run_tool('boncut', '--cleanup', "$dir");
is_deeply([ tree("$dir") ], [], 'nothing is left');

done_testing();
