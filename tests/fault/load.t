#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Each system call of bonload fails in turn. bonload counts a request that fails, and the load
# continues; it reports any other failure in one line with the reason, and prints no figure.
# Nothing hangs, nothing crashes, and the sums are consistent.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use JSON::PP   ();
use Test::More;
use BonnieRun  qw(finish scratch);
use Calls      ();
use Fault      qw(sampled);
use LoadRun    qw(load_started program);
use RunProgram qw(slurp spew);
use SweepSize  qw(is_long);
use Trace      qw(can_trace);

plan skip_all => 'strace cannot trace here' if !can_trace();
plan skip_all => 'a sanitizer ends the program when it gets no memory' if slurp(program()) =~ /__[at]san_init/;

my %loads = (
    'disk'  => [qw(-wt=1 -rt=1 -max-requests=40 -body-size=3000 -fsync -mkdirs -remove -url=DIR/d/XX)],
    'rate'  => [qw(-rps=500 -wps=100 -max-channels=3 -max-requests=40 -body-size=100 -url=DIR/XXXX -written-urls-dump=DIR/dump)],
    'meta'  => [qw(-requests-engine=meta -wt=2 -max-requests=60 -body-size=100 -url=DIR/XX)],
    'web'   => [qw(-requests-engine=http -rt=2 -max-requests=20 -timeout=1s -max-errors=100 -url=http://127.0.0.1:1/XX)],
    'sleep' => [qw(-requests-engine=sleep -rt=4 -max-requests=8)],
    'profile' => [qw(-good-for=PROFILE -wt=2 -max-requests=20 -warmup=0s -duration=10s DIR)],
);

# A profile with all kinds of files and steps.
my $PROFILES = scratch();
spew("$PROFILES/all", <<'END');
name all
log wal 64KiB unit=4KiB count=2 recycled
log next 64KiB count=2 preallocated
pages db 64KiB direct
mailbox box 1KiB count=5
request: read db 1; append next 100; commit wal 100; deliver box
beside flush 10ms: write db 2; write-run db 2; write-out db 1; sync-all db; sync next; expire box
END

delete $loads{web} if slurp(program()) =~ /this build lacks libcurl/;

# For calls of each kind, the number of places in which one fails.
my $PLACES = is_long() ? 12 : 1;
my %cases;

for my $name (sort keys %loads) {
    my $calls = census(@{ $loads{$name} });
    cmp_ok(scalar keys %{$calls}, '>', 10, "$name: calls that may fail");
    my $number = 0;
    my %before = %cases;
    for my $call (sort keys %{$calls}) {
        my @faults = Calls::faults_of($call);
        my ($first, $last) = @{ $calls->{$call} };
        for my $when (sampled($PLACES, $first .. $last)) {
            fail_once($name, $call, $faults[ $number++ % @faults ], $when) if @faults;
        }
    }
    # Some do not: threads do not always take their turns in the same order.
    my ($hit, $all) = map { ($cases{$_} // 0) - ($before{$_} // 0) } qw(hit all);
    cmp_ok($hit, '>=', $all / 2, "$name: $hit of $all cases met their fault");
}
fail_once('sleep', 'write', $_, 1) for Calls::faults_of('write'); # the report itself
cmp_ok($cases{hit} // 0, '>=', 100, 'at least 100 cases met their fault') if is_long();

sub arguments {
    my ($dir, @args) = @_;
    return ('--json', map {s/\bDIR\b/$dir/r =~ s{\bPROFILE\b}{$PROFILES/all}r} @args);
}

# The calls made since main() began, by their numbers in one thread.
sub census {
    my @args = @_;
    my ($run, $calls) = Calls::census({ program => 'bonload' }, '-show-progress=false', arguments(scratch(), @args));
    is($run->{status}, '0', "@args: it works") or diag($run->{err});
    return $calls;
}

sub fail_once {
    my ($name, $call, $fault, $when) = @_;
    my $dir = scratch();
    my $log = File::Temp->new;
    my $run = finish(load_started({ wrap => [ qw(strace --seccomp-bpf -f -qq -o), "$log", Calls::injection($call, $fault, $when, 10), '--' ] },
            arguments($dir, @{ $loads{$name} })));
    my $hit = slurp("$log") =~ /INJECTED/;
    $cases{all}++;
    $cases{hit}++ if $hit;
    my @wrong = $run->{status} eq '0' ? () : $run->{status} eq '1' ? one_line($run) : "it ended by $run->{status}";
    push @wrong, books($run->{out}) if $run->{out} ne q{} && $run->{err} !~ /: write (?:the report )?to standard output: /;
    push @wrong, 'neither figures nor a reason' if $run->{out} eq q{} && $run->{err} eq q{};
    # The report names what could not be removed, unless the failure ended everything.
    my @left = glob "$dir/bonload.*";
    push @wrong, "it left @left" if @left && $run->{err} !~ /(?:remove|unlink|rmdir) [^\n]*bonload[.]/;
    is("@wrong", q{}, "$name: $call $fault at $when") or diag($run->{err}, substr $run->{out}, 0, 300);
    return;
}

sub one_line {
    my ($run) = @_;
    return $run->{err} =~ /\Abonload: [^\n]+\n\z/ ? () : 'not one line';
}

# Checks the sums: for each kind, the number of requests is that of its
# latencies and errors.
sub books {
    my ($out) = @_;
    my $report = eval { JSON::PP::decode_json($out) } or return 'no JSON';
    my @wrong;
    for my $kind (grep {defined} @{$report}{qw(reads writes)}) {
        push @wrong, 'the books do not add up' if $kind->{made} != $kind->{latency_ns}{count};
        my $told = 0;
        $told += $_->{count} for @{ $kind->{failures} };
        push @wrong, 'errors without a kind' if $told != $kind->{errors};
    }
    return @wrong;
}

done_testing();
