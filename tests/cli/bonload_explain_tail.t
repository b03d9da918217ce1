#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonload -explain-tail: what the slowest requests to files waited for, in the words and keys of
# bonnie. What is injected here is far longer than anything else that happens on a busy machine.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(have refused_ok scratch_on_disk source takes_direct wait_until);
use IoLimit    qw(io_limit);
use JsonSchema qw(schema_errors);
use LoadRun    qw(bonload load_started loaded);
use RunProgram qw(slurp);
use TailRun    qw(blind_causes_ok blind_or_done examined_ok instances killed killed_ok known_cause);
use Trace      qw(can_trace);

my $dir     = scratch_on_disk(oct 777);
my $schema  = JSON::PP::decode_json(slurp(source('share/bonload.schema.json')));
my @load    = ("-url=$dir/a-XX", '-body-size=4KiB', '-fsync', '-remove');
my @explain = (@load, qw(-wps=20 -rps=180 -max-requests=200 -explain-tail));

# What a complete run says of its writes and reads: { writes => ..., reads => ... }.
sub tails_of {
    my ($run) = @_;
    is($run->{status}, '0', 'the run is complete') or diag $run->{err};
    my $report = JSON::PP::decode_json($run->{out} || '{}');
    is_deeply([ schema_errors($schema, $report) ], [], 'as the schema says');
    return { map { $_ => $report->{$_}{tail} } qw(writes reads) };
}

# ---- the option ----------------------------------------------------------------------------------------

for my $target (qw(null sleep meta http s3)) {
    refused_ok(bonload("-requests-engine=$target", "-url=$dir/XX", qw(-rt=1 -explain-tail)),
        qr/-explain-tail is an option of disk, not of $target/, "not of $target");
}
for my $mode (['-max-latency=1s'], [ '-sweep=10,20', '-rps=1' ]) {
    refused_ok(bonload(@load, @{$mode}, '-explain-tail'), qr/-explain-tail explains a single load, and cannot be combined with -max-latency or -sweep/, "not with $mode->[0]");
}
refused_ok(bonload(qw(-good-for=etcd -explain-tail), $dir), qr/-good-for cannot be combined with .* or -explain-tail/, 'not of a profile');
ok(!exists loaded(@load, '-wt=1', '-max-requests=20')->{writes}{tail}, 'without the option nothing is said');

my ($ours, $theirs) = map { JSON::PP::decode_json(slurp(source("share/$_.schema.json")))->{'$defs'} } qw(bonload bonnie);
is_deeply($ours->{$_}, $theirs->{$_}, "both schemas have the same $_") for qw(tail slow_operation);

# ---- where nothing can be seen -------------------------------------------------------------------------

# A sentence says why, and no cause is guessed.
sub blind_ok {
    my ($run, $why, $name) = @_;
    subtest $name => sub {
        my $tails = tails_of($run);
        for my $kind (qw(writes reads)) {
            my $tail = $tails->{$kind};
            ok(!$tail->{traced}, "$kind: not traced");
            like($tail->{note}, $why, 'it says why');
            blind_causes_ok($tail);
            examined_ok($tail, $kind);
        }
    };
    return;
}

blind_or_done(sub { bonload({@_}, @explain, '--json') }, \&blind_ok);

# ---- what is seen --------------------------------------------------------------------------------------

my $plain = bonload(@explain, '--json');
SKIP: {
    my $tails = tails_of($plain);
    skip "cannot trace here: $tails->{writes}{note}", 1 if !$tails->{writes}{traced};

    subtest 'a report' => sub {
        is_deeply([ instances($plain) ], [], 'nothing is left in tracefs');
        for my $kind (qw(writes reads)) {
            examined_ok($tails->{$kind}, $kind);
            my %of = map { $_->{kind} => 1 } @{ $tails->{$kind}{operations} };
            is_deeply([ keys %of ], [ $kind =~ s/s\z//r ], 'requests of the other kind are apart');
        }
    };

    my $text = bonload(@explain);
    is(() = $text->{said} =~ /^Of the slowest \d+ (?:reads|writes) [(]above [\d.]+ [mun]?s[)]: \d+ [^.]+[.]$/mg, 2, 'a sentence for writes and one for reads') or diag $text->{out};

    my $as_user = bonload(@explain, qw(--json -user=nobody));
    ok(tails_of($as_user)->{writes}{traced}, 'with -user=nobody, too');
    is_deeply([ instances($as_user) ], [], '-user=nobody leaves no instance');

    subtest 'a warm-up' => sub {
        my $report;
        for my $seconds (1, 5, 20) { # on a busy machine nothing may end in a second
            $report = loaded(@load, qw(-wt=2 -warmup=1s -explain-tail), "-duration=${seconds}s");
            last if $report->{writes}{asked};
        }
        my $tail   = $report->{writes}{tail};
        examined_ok($tail, 'writes');
        cmp_ok($tail->{slowest}, '<=', $report->{writes}{asked}, 'is not explained');
        is((grep { $_->{seconds} > $report->{elapsed_seconds} } @{ $tail->{operations} }), 0, 'the time begins after it');
    };

    subtest 'a limit of a control group' => sub {
        my ($group, $why) = io_limit($dir, 512 << 10);
        plan skip_all => $why              if !$group;
        plan skip_all => 'no direct I/O'   if !takes_direct($dir);
        my @files = ("-url=$dir/limit-XX", '-body-size=64KiB', '-direct');
        loaded(@files, qw(-wt=2 -max-requests=100));
        my $tails;
        for (1 .. 4) { # on a busy machine events may be lost
            $tails = tails_of(bonload({ wrap => [ $group->wrap ] }, @files, qw(-rt=2 -duration=4s -explain-tail --json)));
            last if known_cause($tails->{reads});
        }
        is(known_cause($tails->{reads}), 'group', 'is named') or diag $tails->{reads}{reason};
        is($tails->{writes}, undef, 'where nothing was written, nothing is said of writes');
    };

    subtest 'the page' => sub {
        my $page = "$dir/page.html";
        my $run  = bonload(@explain, '--json', "-timeline-file=$page");
        my $tail = tails_of($run)->{writes};
        my ($section) = slurp($page) =~ m{<section aria-labelledby="load-tail">(.*?)</section>}s;
        like($section // q{}, qr/\Q${\ucfirst $tail->{reason}}\E/, 'has the sentence');
        like($section // q{}, qr/>The slowest operations over time</, 'and the chart');
    };

    subtest 'a killed run' => sub {
        my @short = ("-url=$dir/k-XX", '-body-size=4KiB', '-fsync', '-wt=1', '-explain-tail');
        killed_ok(sub { load_started(@short, '-duration=60s') }, $dir, sub { bonload(@short, qw(-max-requests=1 -remove)) });
        SKIP: {
            skip 'strace cannot trace here', 1 if !can_trace();
            my @late = (wrap => [qw(strace -D -f -qq -o /dev/null -e trace=capset -e inject=capset:delay_enter=2000000 --)]);
            my ($run) = killed(sub { load_started({@late}, @short, '-duration=60s') }, $dir, 0);
            ok(wait_until('the end of the instance', sub { !instances($run) }), 'before its helper was confined: that removes it all the same');
        }
    };
}

done_testing();
