#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonload-mpi: several ranks make one load, find one result, and end together.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP   ();
use List::Util qw(max sum sum0);
use POSIX      ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(finish have program run_tool scratch source tree wait_until);
use JsonSchema qw(schema_errors);
use LoadRun    qw(bonload ended_in said succeeds_ok);
use Ranks      qw(faked_clock gives_time is_open_mpi lines_of mpi_missing pid_of ranks ranks_together start_ranks);
use RunProgram qw(quoted slurp spew);
use SweepSize  qw(is_long);
use WarmUp     qw(warmups_agree);

my $ROOT = Root::is_root();
my $WHY  = mpi_missing();

unlike(qx(ldd ${\ quoted(program('bonload'))}), qr/libmpi/, 'plain bonload links no MPI');
if (defined $WHY) {
    note "skipped: $WHY";
    done_testing();
    exit;
}

my $dir    = scratch(oct 777);
my $schema = JSON::PP::decode_json(slurp(source('share/bonload.schema.json')));
my @NULL   = qw(-requests-engine=null);

# Like ranks(), but for bonload-mpi, and without progress unless the caller asks for it.
sub with_quiet {
    my ($how, @args) = @_;
    return ({ %{$how}, program => 'bonload-mpi' }, ((grep {/show-progress/} @args) ? () : '-show-progress=false', @args));
}
sub load_ranks { return ranks(with_quiet(@_)) }

# Runs several loads at the same time, each [ \%how, ARGUMENT... ].
sub loads_together { return ranks_together(map { [ with_quiet(@{$_}) ] } @_) }

# The report of a load, which must succeed and match the schema; and the reports of several
# loads that run at the same time.
sub loaded { my ($report) = all_loaded([@_]); return $report }

sub all_loaded {
    my @all  = @_;
    my @runs = loads_together(map { [ @{$_}, '--json' ] } @all);
    return map { report_of($runs[$_], "@{ $all[$_] }[ 1 .. $#{ $all[$_] } ]") } 0 .. $#all;
}

sub report_of {
    my ($run, $args) = @_;
    succeeds_ok($run, $args);
    is($run->{out} =~ tr/\n//, 1, 'one line, of rank 0 alone');
    my $report = eval { JSON::PP::decode_json($run->{out}) } // {};
    is_deeply([ schema_errors($schema, $report) ], [], 'as the schema says');
    return $report;
}

# Checks that the figures of all ranks together add up.
sub sums_ok {
    my ($report, $ranks, $hosts) = @_;
    my @hosts = @{ $report->{hosts} };
    is($report->{ranks}, $ranks, 'ranks');
    is(scalar @hosts, $hosts, 'hosts');
    is(sum(map { $_->{ranks} } @hosts), $ranks, 'whose ranks are all');
    ok((grep { $_->{name} eq $report->{slowest_host} } @hosts), 'the slowest host is one of them');
    cmp_ok($report->{elapsed_seconds}, '>=', .999999 * max(map { $_->{elapsed_seconds} } @hosts), 'the time is that of all');
    for my $kind (grep { $report->{$_} } qw(writes reads)) {
        my $all = $report->{$kind};
        is(sum(map { $_->{$kind}{made} } @hosts), $all->{made}, "$kind: requests are the sum of the hosts'");
        is(sum(map { $_->{$kind}{bytes} } @hosts), $all->{bytes}, "$kind: and bytes");
        is(max(map { $_->{$kind}{latency_max_ns} } @hosts), $all->{latency_ns}{max}, "$kind: the longest request is one of theirs");
        is($all->{latency_ns}{count}, $all->{made}, "$kind: each is in the histogram");
        is(sum0(map { $_->{$kind}{made} } @{ $report->{intervals} }), $all->{made}, "$kind: and in an interval");
        is(sum0(map { $_->{$kind}{made} } @{ $report->{timeline}{slices} }), $all->{made}, "$kind: and in the timeline");
        cmp_ok($all->{made} / $report->{elapsed_seconds}, '<=', 1.000001 * sum(map { $_->{$kind}{made_per_second} } @hosts), "$kind: the rate is no more than theirs");
    }
    return;
}

subtest 'without a launcher it is as bonload' => sub {
    my ($usage, $plain_usage) = map { run_tool($_, '-help')->{out} } qw(bonload-mpi bonload);
    is($usage, $plain_usage, 'the same options');
    my @same = (@NULL, qw(-wt=2 -max-requests=100 -seed=3 --json -show-progress=false));
    my ($alone, $plain) = map { JSON::PP::decode_json(run_tool($_, @same)->{out}) } qw(bonload-mpi bonload);
    is_deeply([ sort keys %{ $alone } ], [ sort keys %{ $plain } ], 'the same keys');
    is_deeply($alone->{settings}, $plain->{settings}, 'and settings');
    is($alone->{writes}{made}, 100, 'and requests');
};

subtest 'null: amounts are totals' => sub {
    my @numbers = (1, 2, 4);
    my @reports = all_loaded(map { [ { ranks => $_, hosts => $ROOT && $_ > 1 ? 2 : q{} }, @NULL, qw(-wt=4 -max-requests=1000) ] } @numbers);
    for my $number (@numbers) {
        my $report = shift @reports;
        is($report->{writes}{made}, 1000, "$number ranks: -max-requests is the total");
        is($report->{writes}{load_threads}, 4, "$number ranks: and so are threads");
        sums_ok($report, $number, $ROOT ? 2 : 1) if $number > 1;
    }
    my $report = loaded({ ranks => 3 }, @NULL, qw(-wt=3 -rt=4 -max-requests=1000 -timeline-file), "$dir/page.html");
    is($report->{writes}{made} + $report->{reads}{made}, 1000, 'of reads and writes together, by three ranks');
    sums_ok($report, 3, 1);
    like(slurp("$dir/page.html"), qr/<svg/, 'the page is drawn');
    unlink "$dir/page.html";
};

subtest 'rates' => sub {
    my $failing  = start_ranks(with_quiet({ ranks => 2 }, qw(-requests-engine=sleep -wps=1000 -max-channels=20 -duration=100s -stop-on-bad-rate)));
    my @arrivals = qw(constant poisson);
    my @reports  = all_loaded((map { [ { ranks => 3 }, @NULL, qw(-wps=100.5 -duration=1s), "-arrival=$_" ] } @arrivals),
        [ { ranks => 2 }, @NULL, qw(-rps=100 -wps=50 -duration=1s) ]);
    for my $arrival (@arrivals) {
        my $report = shift @reports;
        my $writes = $report->{writes};
        sums_ok($report, 3, 1);
        is($writes->{load_per_second}, 100.5, "$arrival: the rate is the total");
        cmp_ok($writes->{made}, '>', 0,              "$arrival: what came due was made, but for what a busy machine could not begin in time");
        cmp_ok($writes->{made}, '<=', $writes->{asked}, "$arrival: and nothing else");
        next if $arrival eq 'poisson';
        is($writes->{asked}, 101, 'as many as on one machine');
        cmp_ok(abs($writes->{asked_per_second} - 100.5), '<', 1e-6, 'at the rate that was asked for');
    }
    my ($both) = @reports;
    is($both->{writes}{asked}, 50, 'with reads that wait for the first write: writes');
    cmp_ok($both->{reads}{asked}, '<=', 100, 'and reads');
    my $bad = finish($failing);
    is($bad->{status}, '2', '-stop-on-bad-rate: exit status 2') or diag($bad->{err});
    like($bad->{out}, qr/[(]ended\s+early:\s+two\s+seconds'\s+worth\s/, 'and the figures');
};

SKIP: {
    my @apart = qw(unshare --time --monotonic 5000 --fork --kill-child);
    skip 'no clock of its own can be had here', 1 if !$ROOT || system("@apart true 2>/dev/null") != 0;
    subtest 'a rank with another clock' => sub {
        my $report = loaded({ ranks => 3, before => { 1 => "before='@apart'" } }, @NULL, qw(-sweep=100,200 -rps=0 -duration=300ms));
        cmp_ok($report->{start_spread_seconds}, '<', 1000, 'it began with the others');
        cmp_ok($report->{elapsed_seconds},      '<', 1000, 'and ended with them');
        cmp_ok($report->{clock_uncertainty_seconds}, '>', 0, 'by a clock that is known so well');
        cmp_ok(max(map { $_->{seconds} } @{ $report->{steps} }), '<', 1000, 'so did each step');
        cmp_ok(max(map { $_->{at_seconds} } @{ $report->{writes}{slowest} }), '<', 1000, 'and each request was due then');
    };
}

# Virtual machines that were restored from one snapshot have the same boot id, and clocks of their own.
subtest 'the clock of one rank differs, and the kernel seems to be the same' => sub {
    plan skip_all => 'there is no faketime' if !have('faketime');
    my ($report) = loaded({ ranks => 3, before => { 1 => faked_clock('+3600s') } }, qw(-requests-engine=sleep -wt=3 -duration=300ms));
    cmp_ok($report->{start_spread_seconds}, '<', 1000, 'it began with the others');
    cmp_ok($report->{elapsed_seconds},      '<', 1000, 'and ended with them');
    my $run = load_ranks({ ranks => 2, before => { 1 => faked_clock('+3600s x3') } }, qw(-requests-engine=sleep -wt=2 -duration=2s));
    is($run->{status}, '1', 'a clock that runs three times as fast: refused');
    is(scalar(grep {/^rank 0 on \S+ the clock of rank 1 on \S+ moved by [\d.]+ s against that of rank 0 within [\d.]+ s, so the times of the ranks cannot be compared$/} lines_of($run)), 1, 'in one line') or diag($run->{err});
    is($run->{out}, q{}, 'and without a figure');
};

subtest 'what is made is what was due, also where a rate cannot be divided' => sub {
    my ($report) = loaded({ ranks => 3 }, @NULL, qw(-wps=500 -rps=700 -duration=3s));
    is($report->{writes}{asked}, 1500, 'three seconds of 500/s');
    cmp_ok($report->{$_}{made}, '<=', $report->{$_}{asked}, "no more $_ than were due") for qw(writes reads);
};

subtest 'disk: no two ranks have a name in common' => sub {
    my $report = loaded({ ranks => 3 }, qw(-wt=3 -max-requests=500 -min-body-size=100 -max-body-size=9000 -mkdirs -seed=7), "-url=$dir/f/XXXX", "-written-urls-dump=$dir/names");
    sums_ok($report, 3, 1);
    my @names = map { [ split /\n/, slurp("$dir/names.$_") ] } 0 .. 2;
    is_deeply([ map { scalar @{$_} } @names ], [ 167, 167, 166 ], 'each has its share');
    is_deeply([ sort map { @{$_} } @names ], [ map { sprintf "$dir/f/%04d", $_ } 1 .. 500 ], 'together they are those of one machine');
    my $bytes = sum(map { -s } glob "$dir/f/*");
    is($report->{writes}{bytes}, $bytes, 'bytes are those of the files');
    my $read = bonload(qw(-rt=2 -max-requests=500 -seed=7 -verify=full --json), "-url=$dir/f/XXXX");
    my $again = JSON::PP::decode_json($read->{out});
    is($again->{verified_bytes}, $bytes, 'one machine with the same seed knows all that they hold');
    is($again->{damaged} + $again->{reads}{errors}, 0, 'and finds nothing wrong');
    unlink glob("$dir/names.*"), glob "$dir/f/*";
};

subtest 'reads of what was written, few names, -remove' => sub {
    my ($report, $follows) = all_loaded(
        [ { ranks => 3 }, qw(-wt=3 -rt=3 -rpw=1 -max-requests=900 -body-size=5k -mkdirs -remove -verify=full), "-url=$dir/g/XX" ],
        [ { ranks => 3 }, @NULL, qw(-wt=3 -rpw=2.5 -max-requests=1000) ],
    );
    is($report->{reads}{errors} + $report->{writes}{errors} + $report->{damaged}, 0, 'each rank reads what it wrote, again and again');
    cmp_ok($report->{verified_bytes}, '>', 0, 'and verifies it');
    is(join(q{ }, grep { -f } glob "$dir/g/*"), q{}, 'nothing is left');
    my ($writes, $reads) = map { $follows->{$_}{made} } qw(writes reads);
    is($writes, 285, '-rpw: as many writes as on one machine');
    cmp_ok($reads, '<=', 2.5 * $writes, 'reads never exceed the ratio');
    cmp_ok($reads, '>',  2.5 * $writes - 3, 'and trail by less than one for each rank');
};

subtest 'directories that vary, in one where others can move them' => sub {
    my $run = load_ranks({ ranks => 3 }, qw(-wt=3 -max-requests=600 -body-size=1k -mkdirs -remove), "-url=$dir/v/NN/XXXX");
    is($run->{status}, 0, 'a rank removes what it wrote in a directory that another one made') or diag($run->{err});
    is(join(q{ }, grep { -f } glob "$dir/v/*/*"), q{}, 'nothing is left');
};

subtest 'operations of meta' => sub {
    my $report = loaded({ ranks => 2 }, qw(-requests-engine=meta -meta-ops=mknod,stat,unlink -wt=2 -rt=2 -max-requests=600 -mkdirs -remove), "-url=$dir/m/XX");
    sums_ok($report, 2, 1);
    is(sum(map { $_->{made} } @{ $report->{operations} }), 600, 'all are counted');
    is(sum(map { $_->{count} } map { @{ $report->{$_}{missed} } } qw(reads writes)), sum(map { $report->{$_}{misses} } qw(reads writes)), 'and every miss');
};

subtest 'sweep' => sub {
    my ($report, $short) = all_loaded(
        [ { ranks => 2 }, @NULL, qw(-sweep=100,300 -rps=1 -wps=2 -duration=500ms -warmup=100ms) ],
        [ { ranks => 2 }, @NULL, qw(-sweep=100,1000,2000 -rps=0 -duration=2s -max-requests=240) ],
    );
    my @steps = @{ $report->{steps} };
    is(scalar @steps, 2, 'two steps');
    is("@{[ map { sprintf '%.3f', $_->{writes}{load_per_second} } @steps ]}", '66.667 200.000', 'each shared out between writes');
    is("@{[ map { sprintf '%.3f', $_->{reads}{load_per_second} } @steps ]}",  '33.333 100.000', 'and reads');
    cmp_ok(abs($_->{writes}{asked_per_second} - $_->{writes}{load_per_second}), '<', 1e-6, 'and offered by all together') for @steps;
    is(sum(map { $_->{writes}{latency_ns}{count} } @steps), $report->{writes}{made}, 'what all have made is counted');
    is($short->{writes}{made}, 240, 'it ends with -max-requests');
    cmp_ok(scalar @{ $short->{steps} }, '<', 3, 'in the step that it has come to');
};

# Checks that the run failed with one line, which matches.
sub fails_ok {
    my ($run, $reason, $name) = @_;
    my @lines = lines_of($run);
    isnt($run->{status}, '0', "$name: exit status not 0");
    is(scalar @lines, 1, "$name: one line") or diag($run->{err});
    like($lines[0] // q{}, $reason, "$name: which says why");
    return;
}

subtest 'refused once' => sub {
    my @refused = (
        [ 'an unknown option',          qr/-frob/, { ranks => 3 }, '-frob' ],
        [ 'fewer threads than ranks',   qr/-wt: 2 cannot be divided among 3 ranks/, { ranks => 3 }, @NULL, '-wt=2' ],
        [ 'fewer channels than ranks',  qr/-max-channels: 2 cannot be divided among 3 ranks/, { ranks => 3 }, @NULL, qw(-rps=10 -max-channels=2) ],
        [ '-max-latency',               qr/-max-latency: a search cannot be combined with several ranks/, { ranks => 2 }, @NULL, '-max-latency=10ms' ],
        [ '-explain-tail',              qr/-explain-tail cannot be combined with several ranks/, { ranks => 2 }, '-wt=2', '-explain-tail', "-url=$dir/XX" ],
        [ 'one name',                   qr/there are fewer names than the 3 ranks/, { ranks => 3 }, '-wt=3', "-url=$dir/one" ],
        [ 'other options',              qr/\Arank 1 on \S+ was given other options/, { ranks => 2, before => { 1 => 'set -- "$@" -warmup=7ms' } }, @NULL, '-wt=2' ],
        [ 'no such target',             qr/-requests-engine/, { ranks => 3 }, qw(-requests-engine=frob -wt=3) ],
    );
    my @runs = loads_together(map { [ @{$_}[ 2 .. $#{$_} ] ] } @refused);
    fails_ok($runs[$_], @{ $refused[$_] }[ 1, 0 ]) for 0 .. $#refused;
};

subtest 'one rank fails' => sub {
    spew("$dir/list", "$dir/x\n");
    my %there = (0 => "cd $dir", 1 => "cd $dir", 2 => 'cd /');
    mkdir "$dir/here";
    my ($without, $verbose, $gone) = loads_together(
        [ { ranks => 3, before => \%there }, qw(-rt=3 -url-source=list) ],
        [ { ranks => 2 }, qw(-rt=2 -max-requests=10 -max-errors=100 -verbose), "-url=$dir/none/XX" ],
        [ { ranks => 3, before => { %there, 2 => 'mkdir -p gone && cd gone && rmdir ../gone' } }, qw(-wt=3 -max-requests=300 -body-size=1k -remove), '-url=here/XXXX' ],
    );
    unlink "$dir/list";
    fails_ok($without, qr/\Arank 2 on \S+: open list: No such file/, 'at its start');
    my @told = map {s/;.*//sr} sort(lines_of($verbose)); # without the advice
    is("@told", join(q{ }, map { "rank $_: read: $dir/none/0" . ($_ + 1) . ': open: No such file or directory' } 0, 1), '-verbose: each rank tells its own errors');
    fails_ok($gone, qr/\Arank 2 on \S+: 100 % of the requests failed, more than -max-errors=50/, 'without its directory');
    is(ended_in($gone->{out}, 'writes'), 300, 'the figures of all are printed');
    is(join(q{ }, tree("$dir/here")), q{}, 'and the others have removed what they wrote');
};

SKIP: {
    skip 'mounts take root', 1 if !Root::may_mount();
    subtest 'a rank without room' => sub {
        my $room = Root::tmpfs('size=1m');
        my $run  = load_ranks({ ranks => 3, hosts => 3, before => { 0 => "cd $dir", 1 => "cd $dir", 2 => "cd $room" } }, qw(-wt=3 -max-requests=600 -body-size=64KiB -remove -url=XXXX));
        fails_ok($run, qr/\Arank 2 on node2: [\d.]+ % of the requests failed/, 'it is named');
        like(said($run->{out}), qr/^error +\d+ x .*No space left on device$/m, 'with the reason among the figures');
        like($run->{out}, qr/^ranks +3 on 3 hosts/m, 'of all hosts');
        is(join(q{ }, tree($room)), q{}, 'nothing is left');
    };
}

# Starts an endless run, and waits until all ranks have written.
sub started {
    my (@args) = @_;
    mkdir "$dir/run";
    my $run = start_ranks(with_quiet({ ranks => 3, before => { map { $_ => "cd $dir/run" } 0 .. 2 } }, qw(-wps=300 -max-channels=6 -duration=1000s -body-size=100 -remove -url=XXXXXX), @args));
    wait_until('all ranks at work', sub { 3 == grep { -f "$dir/run/00000$_" } 1 .. 3 });
    return $run;
}

sub nobody_is_left {
    my ($run) = @_;
    wait_until('nobody is there any more', sub { !grep { kill 0 => pid_of($run, $_) } 0 .. 2 });
    return;
}

# This run's progress, which takes five seconds to appear, is checked below.
my $telling = start_ranks(with_quiet({ ranks => 2 }, @NULL, qw(-wps=100 -duration=1000s -show-progress)));

# Launchers pass on either as TERM or INT. Those that leave no time after it are not asked for figures.
my @GETS = ('the ranks get INT', gives_time() ? map {"the launcher gets $_"} is_long() ? qw(INT TERM) : 'INT' : ());
for my $gets (@GETS) {
    subtest $gets => sub {
        # Open MPI 4 kills the ranks after a second, which is too soon on a busy machine.
        local $ENV{OMPI_MCA_odls_base_sigkill_timeout} = 6;
        my ($who, $signal) = $gets =~ /\Athe (\w+) gets? (\w+)/;
        my $run;
        for my $try (1 .. 5) { # a rank of a busy machine may come too late to hand over its figures
            $run = started();
            kill $signal => $who eq 'launcher' ? $run->{pid} : map { pid_of($run, $_) } 0 .. 2;
            finish($run);
            isnt($run->{status}, '0', 'exit status not 0') if is_open_mpi(); # MPICH's may be 0
            nobody_is_left($run);
            last if $run->{err} !~ /^bonload: Handing over the figures: rank \d on \S+ has not arrived/m;
        }
        like($run->{out}, qr/[(]stopped\s+by\s+a\s+signal[)]/, 'the figures so far') or diag($run->{err});
        like($run->{out}, qr/^ranks +3 on /m, 'of all ranks');
        is(join(q{ }, grep { -f } glob "$dir/run/*"), q{}, 'what was written is removed');
    };
}

subtest 'a rank is killed' => sub {
    local $ENV{OMPI_MCA_odls_base_sigkill_timeout} = 4; # as above, but it always waits so long
    for my $rank (is_long() ? (0 .. 2) : (0, 1)) {
        my $run = started();
        kill KILL => pid_of($run, $rank);
        finish($run);
        isnt($run->{status}, '0', "rank $rank: exit status not 0");
        unlike($run->{out}, qr/^(?:reads|writes) /m, 'no figures of some alone');
        nobody_is_left($run);
        like($run->{err}, qr/^bonload: Handing over the figures: rank $rank on \S+ has not arrived; if it was killed, what it wrote as XXXXXX is left$/m, 'it is named, with what it leaves') if is_open_mpi() && gives_time();
        is(join(q{ }, grep { ($_ - 1) % 3 != $rank } map {m{/(\d+)\z}} glob "$dir/run/*"), q{}, 'the others remove what they wrote') if is_open_mpi() && gives_time();
        unlink glob "$dir/run/*";
    }
};

# The threads of a process, without the main one, that do not block SIGUSR1.
sub takers_of_usr1 {
    my ($pid) = @_;
    my @takers;
    for my $status (grep { !m{/task/$pid/} } glob "/proc/$pid/task/*/status") {
        my ($blocked) = slurp($status) =~ /^SigBlk:\s+\w{8}(\w{8})$/m;
        push @takers, $status if !(hex($blocked) & 1 << POSIX::SIGUSR1() - 1);
    }
    return @takers;
}

subtest 'the figures so far' => sub {
    my $run = $telling;
    wait_until('progress', sub { slurp($run->{err_file}) =~ m{^rank 0 of 2: writes \S+/s of 50 p50 .* s left$}m }); # before that, USR1 may still kill the ranks
    wait_until('figures', sub { kill USR1 => pid_of($run, $_) for 0, 1; slurp($run->{err_file}) =~ /[(]the\s+run\s+goes\s+on[)]/ });
    like(slurp($run->{err_file}), qr/^Rank 0 alone, one of 2:$/m, 'USR1: those of rank 0, which it says');
    unlike(slurp($run->{err_file}), qr/rank 1 of 2|Rank 1 alone/, 'and so does the progress');
    is(join(q{ }, map { takers_of_usr1(pid_of($run, $_)) } 0, 1), q{}, 'no thread that the library for MPI has started takes the signal, which would end the run');
    kill INT => $run->{pid};
    finish($run);
};

if (is_long()) {
    subtest 'a rank is stopped until it is named' => sub {
        my @loads = ([qw(-wt=3 -duration=20s)], [qw(-sweep=20,30 -rps=1 -wps=0 -max-channels=30 -duration=10s)]);
        my @runs  = map { start_ranks(with_quiet({ ranks => 3 }, qw(-requests-engine=sleep), @{$loads[$_]}, "-live-file=$dir/live$_")) } 0 .. $#loads;
        my @pids = map { pid_of($_, 1) } @runs;
        wait_until('the loads', sub { 2 == grep { (eval { slurp("$dir/live$_") } // q{}) =~ /^\d/m } 0 .. $#loads });
        kill STOP => @pids;
        my $late = qr/rank 1 on \S+ has not arrived after 30 seconds/;
        wait_until('that all say so', sub { 2 == grep { slurp($_->{err_file}) =~ $late } @runs });
        kill CONT => @pids;
        for my $args (@loads) {
            my $run = finish(shift @runs);
            is($run->{status}, '0', "@{$args}: the run goes on");
            is(scalar(grep {$_ =~ $late} lines_of($run)), 1, 'it is named, once');
        }
    };
}

# ---- with and without warming up ------------------------------------------------------------------
warmups_agree(sub { loaded({ ranks => 3 }, @_) }, qr/search/);

done_testing();
