#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bon_ab as a user runs it: its results, refusals and kept files, and commands that fail, hang,
# print nothing or half a report, or change their settings.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use JSON::PP   ();
use Test::More;
use BonnieRun qw(is_alive);
use Root;
BEGIN { Root::private_mounts() }
use JsonSchema qw(schema_errors);
use RunProgram qw(data_file path_of run slurp spew);
use SweepSize  qw(is_all);

my $dir    = File::Temp->newdir;
my $JSON   = JSON::PP->new->utf8;
my $SCHEMA = $JSON->decode(slurp("$FindBin::Bin/../../share/bon_ab.schema.json"));
my ($LINE) = slurp(data_file('lab.csv')) =~ /^(1[.]98,.*\n)/m;

# A command that prints "speed: N" with each of these speeds in turn, and counts its runs in
# a file.
sub speeds {
    my ($name, @speeds) = @_;
    spew("$dir/$name.sh", "n=\$(cat '$dir/$name.n' 2>/dev/null || echo 0)\necho \$((n + 1)) >'$dir/$name.n'\nset -- @speeds\nshift \$((n % \$#))\necho \"speed: \$1\"\n");
    unlink "$dir/$name.n";
    return "sh '$dir/$name.sh'";
}

my @SPEED = ('--metric', 'speed=/speed: (\S+)/', '--more-is-better');

sub ab {
    return run('bon_ab', [ '--seed=1', @_ ]);
}

sub json_of {
    my ($out) = @_;
    my $report = $JSON->decode($out);
    is(join("\n", schema_errors($SCHEMA, $report)), q{}, 'JSON as the schema says');
    return $report;
}

subtest 'the result' => sub {
    my @noise = map { 100 + $_ / 10 } -5 .. 5, 3, -3;
    my $a = speeds('a', @noise);
    for my $case ([ 'better', 1.2, 2, 2, 'better' ], [ 'worse', 0.8, 2, -2, 'worse' ], [ 'no_difference', 1, 0, 0, 'no difference' ]) {
        my ($verdict, $factor, $pairs, $sign, $words) = @{$case};
        my $b = speeds('b', map { $_ * $factor } reverse @noise);
        my ($status, $out, $err) = ab(@SPEED, '--a', $a, '--b', $b);
        is($status, $sign < 0 ? 2 : 0, "$verdict: exit status") or diag "$out$err";
        like($err, $sign < 0 ? qr/\Abon_ab: B is $verdict than A in [^\n]*-\d[^\n]* %[^\n]*\n\z/ : qr/\A\z/, 'what is worse, and by how much, on standard error');
        like($out, qr/^speed +\S+ +\S+ .* \Q$words\E$/m, 'the row says it');
        like($out, $sign ? qr/\AB is $verdict than A in speed \([-+][\d.]+ %\)[.]\n\n/
            : qr/\AA and B have no difference of 3 % or more in speed \(.*\)[.]\n\n/, 'and the first line');
    }
    my $b = speeds('b', 200);
    my ($status, $out) = ab(@SPEED, '--a', $a, '--b', $b, '--less-is-better');
    is($status, 1, 'both directions are refused');
    @SPEED[2] = '--less-is-better';
    ($status, $out) = ab(@SPEED, '--a', $a, '--b', $b, '--json');
    is("$status " . json_of($out)->{verdict}, '2 worse', 'less is better: twice as much is worse');
    @SPEED[2] = '--more-is-better';

    ($status, $out) = ab(@SPEED, '--a', speeds('a', 1, 9, 3, 27), '--b', speeds('b', 5, 2, 8), '--pairs=12', '--json');
    is($status, 3, 'not known: exit status 3');
    my $report = json_of($out);
    is($report->{ended_by}, 'pairs', 'why it ended');
    is(scalar @{ $report->{pairs} }, 12, 'after that number of pairs');
    is($report->{metrics}[0]{verdict}, 'not_known', 'what is known');
    like($report->{reason}, qr/\AIt is not known whether A and B differ in speed \([-+]\S+ %\): 12 pairs that scatter by \d+ % are too few[.]\z/, 'in words, with the reason');
    my %first;
    $first{ $_->{first} }++ for @{ $report->{pairs} };
    is_deeply([ sort keys %first ], [qw(a b)], 'the order of pairs is mixed');
    my @order = map { $_->{first} } @{ $report->{pairs} };
    ($status, $out) = ab(@SPEED, '--a', speeds('a', 1, 9, 3, 27), '--b', speeds('b', 5, 2, 8), '--pairs=12', '--json');
    is_deeply([ map { $_->{first} } @{ json_of($out)->{pairs} } ], \@order, 'and the same for the same seed');
};

subtest 'reports' => sub {
    my ($status, $out, $err) = ab('--a', "cat '" . data_file('ab/fio.json') . q{'}, '--b', "cat '" . data_file('ab/fio.json') . q{'}, '--json');
    my $report = json_of($out);
    is($status, 0, 'fio: the same report is no difference') or diag $err;
    is_deeply([ map { $_->{name} } grep { $_->{judged} } @{ $report->{metrics} } ], [qw(read write)], 'the rates are judged');
    ok((grep { $_->{name} eq 'read.p99' && !exists $_->{verdict} } @{ $report->{metrics} }), 'latencies are shown');

    my $faster = $LINE =~ s/,376832,/,476832,/r;
    spew("$dir/a.csv", $LINE);
    spew("$dir/b.csv", $faster);
    ($status, $out) = ab('--a', "cat $dir/a.csv", '--b', "cat $dir/b.csv", '--json');
    $report = json_of($out);
    is(scalar(grep { $_->{judged} } @{ $report->{metrics} }), 12, 'bonnie: twelve metrics');
    is_deeply([ map { $_->{name} } grep { ($_->{verdict} // q{}) eq 'faster' } @{ $report->{metrics} } ], ['put_block'], 'one is faster');
    is($status, 0, 'nothing is worse');
    like($report->{reason}, qr/\AB is faster than A in put_block \([+]26[.]5 %\); no difference of 3 % or more in 11 metrics[.]\z/, 'in one sentence');

    ($status, $out) = ab('--a', "cat $dir/b.csv", '--b', "cat $dir/a.csv", '--metric=put_block', '--metric=getc', '--json');
    is_deeply([ map { $_->{name} } grep { $_->{judged} } @{ json_of($out)->{metrics} } ], [qw(put_block getc)], 'only those that are named');
    is($status, 2, 'one is worse');

    ($status, $out, $err) = ab('--a', "cat $dir/a.csv", '--b', "cat $dir/b.csv", '--metric=nonsense');
    like("$status$err", qr/\A1bon_ab: no metric nonsense is printed by both; those are putc, [^\n]*\n\z/, 'an unknown name is refused with those that there are');
    ($status, $out, $err) = ab('--a', "cat $dir/a.csv", '--b', "cat '" . data_file('ab/fio.json') . q{'});
    like("$status$err", qr/\A1bon_ab: the reports of both have no rate in common[^\n]*\n\z/, 'reports of different programs are refused');

    ($status, $out) = ab('--a', 'true', '--b', 'sleep 0.3', '--json', '--pairs=8');
    is($report = (json_of($out)->{metrics}[0]{name}), 'wall_time', 'no report: the time that it takes');

    # What looks like a report is never taken for none.
    spew("$dir/fio.out", "x: (g=0): rw=read\nfio-3.33\nStarting 1 process\n");
    ($status, $out, $err) = ab('--a', "cat $dir/fio.out", '--b', "cat $dir/fio.out");
    is($status, 1, q{fio's text: exit status 1});
    like($err, qr/\Abon_ab: pair 1 is left out: [AB] printed fio's text, not its JSON \(--output-format=json\); --metric=wall_time compares the time$/m, 'and why');
    ($status, $out, $err) = ab('--a', "cat $dir/fio.out", '--b', "cat $dir/fio.out", '--metric=wall_time', '--pairs=1', '--json');
    is($status . json_of($out)->{metrics}[0]{name}, '3wall_time', 'unless that is what is wanted');
    like($err, qr/\Abon_ab: It is not known whether A and B differ in wall_time \([^\n]+\): 1 pair was measured, at least 7 are needed[.]\n\z/, 'and status 3 has a line with the reason');

    # A row that is not in every report, because it was too quick: its pair counts for the others.
    my $fio = JSON::PP->new->decode(slurp(data_file('ab/fio.json')));
    %{ $_->{write} } = () for @{ $fio->{jobs} };
    spew("$dir/reads.json", JSON::PP->new->encode($fio));
    my $second = "echo >>$dir/turns; test \$(wc -l <$dir/turns) -eq 2 && cat $dir/reads.json || cat '" . data_file('ab/fio.json') . q{'};
    my @row = ('--a', "cat '" . data_file('ab/fio.json') . q{'}, '--b', $second, '--pairs=3', '--json', '--keep', "$dir/rows");
    ($status, $out, $err) = ab(@row);
    is($status, 3, 'a report without one of two rows is no failure') or diag($err);
    is_deeply({ map { $_->{name} => scalar @{ $_->{course} } } grep { $_->{judged} } @{ json_of($out)->{metrics} } }, { read => 3, write => 2 }, 'and counts for the other');
    is((ab(@row, '--pairs=4'))[0], 3, 'also when the campaign is continued');
    unlink "$dir/turns";
    like((ab(@row, '--metric=write', '--keep', "$dir/again"))[2], qr/^bon_ab: pair 2 is left out: B printed a report without write$/m, 'where it is asked for, it is one');
    my @page = run('bon_csv2html', ["$dir/rows/campaign.json"]);
    like("$page[0]$page[2]$page[1]", qr/\A0<.*<\/html>\s*\z/s, 'and the page has both');

    spew("$dir/failed.json", slurp(data_file('ab/hyperfine.json')) =~ s/"exit_codes": \[\s*\K0/1/r);
    my @failed = ('--a', "cat '" . data_file('ab/hyperfine.json') . q{'}, '--b', "cat $dir/failed.json");
    ($status, $out, $err) = ab(@failed);
    is($status, 1, 'a report of failed work: exit status 1');
    like($err, qr/^bon_ab: pair 1 is left out: B printed a report of hyperfine in which 1 of 3 runs failed, the first with exit status 1$/m, 'and why');
    is((ab(@failed, '--ignore-failure'))[0], 0, '--ignore-failure: it counts');
    is((ab(@SPEED, '--ignore-failure', '--a', 'echo speed: 5', '--b', 'echo speed: 5; exit 3'))[0], 0, 'a command that fails, too');
    is((ab(@SPEED, '--ignore-failure', '--a', 'echo speed: 5', '--b', 'echo speed: 5; kill -9 $$'))[0], 1, 'but not one that is killed');
};

subtest 'numbers' => sub {
    my @took = ('--metric=s=/took (.*) s/', '--less-is-better');
    my ($status, $out) = ab(@took, '--a', 'echo took .98 s', '--b', 'echo took 1.00 s', '--json', '--pairs=20');
    my ($metric) = @{ json_of($out)->{metrics} };
    is("$metric->{median_a} $metric->{median_b} $metric->{verdict} $status", '0.98 1 worse 2', 'a number is read as a whole');
    ($status, $out, my $err) = ab(@took, '--a', 'echo took 0,5 s', '--b', 'echo took 1 s');
    is($status, 1, 'or not at all');
    like($err, qr/: A printed no single positive number for --metric s: "0,5"$/m, 'and it says so');
    ($status, $out, $err) = ab('--metric=t=/took (.*)/', '--less-is-better', '--a', 'echo took 950 ms', '--b', 'echo took 1.2 s');
    is($status, 1, 'another unit is another number');
    like($err, qr/: [AB] printed another unit than before for --metric t: "(?:950 ms"; it was "s"|1[.]2 s"; it was "ms")$/m, 'and it says so');
};

subtest 'what programs print reaches the terminal as plain text' => sub {
    my $odd  = qq{\\u001b[31m\xC2\x9B31m\xE2\x80\xAE};
    my $json = '{"format": "bonload", "format_version": 1, "settings": {"a' . $odd . '": "b%s"}, "writes": {"made": 9, "made_per_second": 77}}';
    spew("$dir/$_.json", sprintf $json =~ s/%s/%s$odd/r, $_) for 1, 2;
    my ($status, $out, $err) = ab('--a', "cat $dir/1.json", '--b', "cat $dir/2.json");
    like($out, qr/^Settings differ \(A, B\): a/m, 'a key and a value are shown');
    unlike("$out$err", qr/\e|\xC2[\x80-\x9F]|\xE2\x80\xAE/, 'without control characters');
    ($status, $out, $err) = ab("--\e[31mwrong\xC2\x9B");
    like("$status$err", qr/\A1bon_ab: [^\e\x9B]+\n\z/, 'an option that is not known, too');
    ($status, $out, $err) = ab('--a', 'true', '--b', qq{printf 'no \\033[31m\\302\\233m' >&2; exit 1});
    unlike("$out$err", qr/\e|\xC2[\x80-\x9F]/, 'and what a command says');
};

subtest 'preparing, restoring, warming up, control' => sub {
    my $log = "$dir/log";
    my @prepared = ('--prepare-a', "echo a >>$log", '--prepare-b', "echo b >>$log");
    my ($status, $out) = ab(@SPEED, @prepared, '--warmup=1', '--control=2', '--pairs=3', '--json', '--', 'sh', '-c', "echo run >>$log; echo speed: 5");
    is($status, 3, 'three pairs are too few');
    my $report = json_of($out);
    is(scalar @{ $report->{control} }, 2, 'two pairs of A against A');
    my @lines = split /\n/, slurp($log);
    is_deeply([ @lines[ 0 .. 11 ] ], [ qw(a run b run), (qw(a run)) x 4 ], 'warming up, then the control');
    my @pairs = map { $_->{first} eq 'a' ? qw(a run b run) : qw(b run a run) } @{ $report->{pairs} };
    is_deeply([ @lines[ 12 .. $#lines ] ], [ @pairs, 'a' ], 'then the pairs, and A is prepared once more at the end');
    $report = json_of((ab(@SPEED, @prepared, '--control=50', '--time=1s', '--json', '--', 'sh', '-c', 'sleep .1; echo speed: 5'))[1]);
    ok(@{ $report->{control} } < 50 && @{ $report->{pairs} }, '--time ends the control, too, and leaves time for a pair');
    unlink $log;
    ab(@SPEED, @prepared, '--pairs=1', '--restore', "echo restored >>$log", '--', 'echo', 'speed: 5');
    is((split /\n/, slurp($log))[-1], 'restored', '--restore instead');
    ($status, undef, my $err) = ab(@SPEED, @prepared, '--pairs=1', '--restore', 'echo cannot >&2; exit 4', '--', 'echo', 'speed: 5');
    is("$status$err", "1bon_ab: the state is not restored: the command ended with exit status 4: cannot\n", 'a state that is not restored is a failure');
};

subtest 'a report that cannot be written is refused before anything is measured' => sub {
    mkdir "$dir/there" or die "$dir/there: $!\n";
    for my $case ([ "$dir/none/report", 'No such file or directory' ], [ "$dir/there", 'Is a directory' ]) {
        my ($status, $out, $err) = ab(@SPEED, '-o', $case->[0], '--pairs=1', '--a', "echo >$dir/begun; echo speed: 5", '--b', 'echo speed: 6');
        is("$status$out$err", "1bon_ab: cannot write $case->[0]: $case->[1]\n", $case->[1]);
        ok(!-e "$dir/begun", 'and nothing has run');
    }
    my ($status) = ab(@SPEED, '-o', "$dir/there/report", '--pairs=1', '--a', "ls -A $dir/there >$dir/seen; echo speed: 5", '--b', 'echo speed: 6');
    is($status, 3, 'one that can be written');
    is(slurp("$dir/seen"), q{}, 'is not there before it is complete');
    like(slurp("$dir/there/report"), qr/\AIt is not known whether/, 'and then it is');
};

subtest 'commands that fail' => sub {
    my $good = speeds('a', 100);
    for my $case (
        [ 'fails',              'echo one; echo the reason >&2; exit 3', 'B ended with exit status 3: the reason' ],
        [ 'is killed',          'kill -9 $$',                            'B was killed by signal 9 and said nothing' ],
        [ 'hangs',              'sleep 1000 & sleep 1000',               'B timed out after \d+ s', qw(2s 20s 120s) ],
        [ 'prints nothing',     ':',                                     'B printed nothing that matches --metric speed' ],
        [ 'prints no number',   'echo speed: fast',                      'B printed no single positive number for --metric speed: "fast"' ],
        [ 'prints half a report', "head -c 3000 '" . data_file('ab/fio.json') . q{'}, 'B printed a JSON report that cannot be read: .*' ],
        [ 'is not there',       '/nowhere/program',                      'B ended with exit status 127: .*not found' ],
    ) {
        my ($name, $bad, $words, @timeouts) = @{$case};
        my ($status, $out, $err);
        for my $timeout (@timeouts ? @timeouts : '1h') { # on a busy machine A may need longer, too
            ($status, $out, $err) = ab(@SPEED, '--a', $good, '--b', $bad, "--timeout=$timeout");
            last if $err !~ /: A timed out/;
        }
        is($status, 1, "a command that $name: exit status 1");
        my @told = split /\n/, $err;
        is(scalar @told, 4, 'three pairs in a row are left out, then it ends') or diag $err;
        like($told[0], qr/\Abon_ab: pair 1 is left out: $words\z/, 'why');
        is($told[3], 'bon_ab: 3 pairs in a row failed', 'and why it ends');
        like($out, qr/^Nothing is known of A and B: no pair was measured[.]$/m, 'what is known');
    }

    # Every third run of B fails.
    my $some = speeds('b', 120) =~ s/\z/ && test \$((\$(cat '$dir\/b.n') % 3)) -ne 0/r;
    my ($status, $out, $err) = ab(@SPEED, '--a', $good, '--b', $some, '--json');
    my $report = json_of($out);
    is($status, 0, 'some failures do not end it') or diag $err;
    my @failed = grep { defined $_->{failed} } @{ $report->{pairs} };
    cmp_ok(scalar @failed, '>=', 2, 'their pairs are left out');
    is(scalar @failed, scalar(() = $err =~ /^bon_ab: pair \d+ is left out: B ended with exit status 1/mg), 'and each is told');

    ($status, $out, $err) = ab(@SPEED, '--warmup=1', '--a', $good, '--b', 'exit 3');
    is("$status$err", "1bon_ab: warm-up: B ended with exit status 3 and said nothing\n", 'a failure while warming up');
    ($status, $out, $err) = ab(@SPEED, '--prepare-b', 'exit 3', '--', 'echo', 'speed: 3');
    like("$status$err", qr/\A1bon_ab: pair 1 is left out: B could not be prepared: the command ended with exit status 3/, 'a failure while preparing');
};

subtest 'settings' => sub {
    my ($a, $b) = map { my $chunk = $_; slurp(data_file('ab/bonload.json')) =~ s/"channels":\s*\d+/"channels": $chunk/gr } 4, 8;
    spew("$dir/$_->[0].json", $_->[1]) for [ a => $a ], [ b => $b ];
    my ($status, $out, $err) = ab('--a', "cat $dir/a.json", '--b', "cat $dir/b.json");
    like($out, qr/^Settings differ \(A, B\): reads[.]channels \(4, 8\); writes[.]channels \(4, 8\)[.]$/m, 'that differ are told');
    my ($one, $other) = map { my $side = $_; slurp(data_file('ab/bonload.json')) =~ s{"url":\s*(?:null|"[^"]*")}{"url": "/srv/$side/XX"}r } qw(one other);
    spew("$dir/url$_->[0].json", $_->[1]) for [ 1 => $one ], [ 2 => $other ];
    ($status, $out, $err) = ab('--a', "cat $dir/url1.json", '--b', "cat $dir/url2.json");
    like($out, qr{^Settings differ \(A, B\): url \(/srv/one/XX, /srv/other/XX\)[.]$}m, 'a path, too');
    ($status, $out, $err) = ab('--a', ": /srv/one/XX; cat $dir/url1.json", '--b', ": /srv/other/XX; cat $dir/url2.json");
    unlike($out, qr/Settings differ/, 'unless it is what the commands compare');
    my $change = "n=\$(cat $dir/n 2>/dev/null || echo 0); echo \$((n + 1)) >$dir/n; if test \$n -lt 4; then cat $dir/a.json; else cat $dir/b.json; fi";
    my @change = ('--a', "cat $dir/a.json", '--b', $change);
    ($status, $out, $err) = ab(@change, '--json');
    my $words = qr/settings of B changed in pair 5: settings[.]reads[.]channels was 4, is 8; [^\n]*/;
    like($err, qr/\Abon_ab: $words; with --settings-may-change it goes on\n\z/, 'that change are told');
    is($status, 1, 'and end the campaign');
    is(scalar @{ json_of($out)->{pairs} }, 4, 'with what was known');
    unlink "$dir/n";
    ($status, $out, $err) = ab(@change, '--settings-may-change');
    like("$status$err", qr/\A0bon_ab: $words\n\z/, '--settings-may-change: it goes on');
    # A short look writes what it can in its time.
    spew("$dir/look$_.json", slurp(data_file('look.json')) =~ s/"size_bytes":\s*\d+/"size_bytes": $_/gr) for 1 << 27, 1 << 28;
    ($status, $out, $err) = ab('--pairs=3', '--a', "cat $dir/look134217728.json", '--b', "if test -e $dir/looked; then cat $dir/look268435456.json; else : >$dir/looked; cat $dir/look134217728.json; fi");
    unlike($err, qr{settings of B changed}, 'the size of a short look may change');
    my @keep = ('--a', "cat $dir/a.json", '--b', "cat $dir/set.json", '--keep', "$dir/set", '--metric=writes');
    spew("$dir/set.json", $a);
    ab(@keep, '--pairs=2');
    spew("$dir/set.json", $b);
    ($status, $out, $err) = ab(@keep);
    like("$status$err", qr/\A1bon_ab: settings of B changed in pair 3: settings[.]reads[.]channels was 4, is 8;/, 'also when a campaign is continued');
};

subtest '--keep' => sub {
    my $kept = "$dir/kept";
    my @how  = (@SPEED, '--keep', $kept);
    my $a = speeds('a', 100, 103, 99, 104, 101);
    my $b = speeds('b', 107, 109, 111, 105, 110);
    my ($status, $out, $err) = ab(@how, '--a', $a, '--b', $b, '--pairs=4');
    is($status, 3, 'four pairs: not known');
    is_deeply([ map { s{.*/}{}r } sort glob "$kept/*" ], [ 'campaign.json', map { my $n = $_; map {"pair-00$n-$_.out"} qw(a b) } 1 .. 4 ], 'everything is kept');
    is(slurp("$kept/pair-001-a.out"), "speed: 100\n", 'what a run printed');
    my $four = json_of(slurp("$kept/campaign.json"));

    ($status, $out, $err) = run('bon_ab', [ @how, '--a', $a, '--b', $b, '--json' ]);
    my $all = json_of($out);
    is("$status$err", '0', 'continued to the end, without the seed being named');
    is_deeply([ map { $_->{b} } @{ $all->{pairs} }[ 0 .. 3 ] ], [ map { $_->{b} } @{ $four->{pairs} } ], 'the first pairs are those that were kept');
    cmp_ok(scalar @{ $all->{pairs} }, '>', 4, 'and others follow');
    is($all->{settings}{seed}, 1, 'in the order of its seed');
    my $fresh = json_of((ab(@SPEED, '--a', speeds('a', 100, 103, 99, 104, 101), '--b', speeds('b', 107, 109, 111, 105, 110), '--json'))[1]);
    is_deeply([ map { $_->{first} } @{ $all->{pairs} } ], [ map { $_->{first} } @{ $fresh->{pairs} } ], 'as if it had not been interrupted');
    is_deeply($all->{metrics}[0]{interval}, $fresh->{metrics}[0]{interval}, 'with the same result');

    for my $case ([ 'another command', '--a', 'echo speed: 3', '--b', $b ], [ 'another probability', '--a', $a, '--b', $b, '--alpha=0.01' ],
        [ 'another seed', '--a', $a, '--b', $b, '--seed=9' ], [ 'another margin', '--a', $a, '--b', $b, '--margin=1' ]) {
        my ($name, @other) = @{$case};
        ($status, $out, $err) = run('bon_ab', [ @how, @other ]);
        like("$status$err", qr/\A1bon_ab: cannot continue from \S+: it holds another campaign: the setting [a-z ]+ differs\n\z/, "$name is refused");
    }

    # Settings of several lines, with characters that are not ASCII, and with bytes that are none.
    my @odd = ('--keep', "$dir/odd", "--name-a=zuk\xC3\xBCnftig", '--prepare-a', ": \xC3\xA9", '--prepare-b', ": \xFF", '--less-is-better',
        '--metric', "n=/n\xC3\xBC (\\d+)/", '--metric=wall_time', '--', 'sh', '-c', "echo n\xC3\xBC 1\n:");
    is((ab("--pairs=$_", @odd))[0], 3, "$_ pairs of a campaign with odd settings") for 2, 3;
    my $odd = json_of(slurp("$dir/odd/campaign.json"));
    is(scalar @{ $odd->{pairs} }, 3, 'continued');
    is_deeply([ @{ $odd->{settings} }{qw(name_a prepare_a prepare_b command_a)} ], [ "zuk\x{FC}nftig", ": \x{E9}", ": \x{FFFD}", "sh -c 'echo n\x{FC} 1\x{FFFD}:'" ],
        'and its settings are plain text');
    is_deeply($odd->{settings}{metrics}, [ "n=/n\x{FC} (\\d+)/", 'wall_time' ], 'both metrics, too');
    spew("$kept/campaign.json", substr slurp("$kept/campaign.json"), 0, 500);
    ($status, $out, $err) = run('bon_ab', [ @how, '--a', $a, '--b', $b ]);
    like("$status$err", qr/\A1bon_ab: cannot continue from \S+: [^\n]+\n\z/, 'half a file is refused');
    truncate "$kept/campaign.json", 3 << 30 or die "$kept/campaign.json: $!\n";
    {
        local $RunProgram::ADDRESS_SPACE = 1 << 20;
        ($status, $out, $err) = run('bon_ab', [ @how, '--a', $a, '--b', $b ]);
        is("$status$err", "1bon_ab: cannot read $kept/campaign.json: it is larger than 256 MiB\n", 'a file without an end is not read into memory');
    }
    unlink "$kept/campaign.json";
    ($status, $out, $err) = ab(@SPEED, '--keep', '/proc/nowhere', '--a', $a, '--b', $b);
    like("$status$err", qr/\A1bon_ab: cannot keep results in \/proc\/nowhere: /, 'a directory that cannot be made');
};

subtest 'the page' => sub {
    my ($status, $out) = ab('--a', "cat $dir/a.csv", '--b', "cat $dir/b.csv", '--control=2', '--name-b=<new> & "b"', '--json');
    spew("$dir/campaign.json", $out);
    ($status, my $page, my $err) = run('bon_csv2html', ["$dir/campaign.json"]);
    is("$status$err", '0', 'drawn');
    like($page, qr{<p class="headline">&lt;new&gt; &amp; &quot;b&quot; is faster than A in put_block}, 'the sentence on top');
    is(scalar(() = $page =~ /class="panel"/g), 12, 'a chart for each metric');
    like($page, qr/class="known"/, 'with its interval');
    like($page, qr/A again/, 'and the control');
    ($status, undef, $err) = run('bon_csv2html', [ "$dir/campaign.json", data_file('lab.csv') ]);
    is("$status$err", "1bon_csv2html: campaigns of bon_ab are on a page of their own\n", 'not together with others');
    ($status, undef, $err) = run('bon_csv2txt', ["$dir/campaign.json"]);
    is($status, 1, 'bon_csv2txt has no table for it');
    my $report = $JSON->decode($out);
    for my $key (sort keys %{$report}) {
        for my $odd (is_all() ? (undef, 'x', -1, [], {}) : (), [ {} ], { a => [ 1e300 ] }) {
            spew("$dir/odd.json", $JSON->encode({ %{$report}, $key => $odd }));
            my ($ended, $html, $said) = run('bon_csv2html', ["$dir/odd.json"]);
            next if $ended == 0 && $said eq q{} || $ended == 1 && $said =~ /\A(?:[^\n]+\n){1,2}\z/ && $said !~ /uninitialized|isn't numeric| line \d+[.]$/;
            fail("$key may be anything");
            diag $said;
        }
    }
};

subtest 'beside' => sub {
    my @how  = (@SPEED, '--settle=50ms');
    my $busy = "trap 'rm -f $dir/beside' EXIT; trap 'exit 0' TERM; sleep 0.01; touch $dir/beside; while :; do dd if=/dev/zero of=$dir/written bs=64k count=1 conv=fsync 2>/dev/null; done";
    my ($status, $out, $err) = ab(@how, '--beside-b', $busy, '--pairs=2', '--json', '--a', "test -e $dir/beside && echo speed: 50 || echo speed: 100",
        '--b', "until test -e $dir/beside; do sleep .02; done; echo speed: 50");
    my $report = json_of($out);
    my ($pair) = @{ $report->{pairs} };
    is($pair->{b}{speed}, 50, 'it runs beside B') or diag $err;
    is($pair->{a}{speed}, 100, 'and has ended before A');
    ok(!exists $pair->{beside}{a} && $pair->{beside}{b}{starts} == 1, 'only beside B');

    spew("$dir/neighbour.json", slurp(data_file('ab/fio.json')));
    for (1 .. 5) { # where caches are dropped meanwhile, it reads sleep itself
        ($status, $out, $err) = ab(@how, '--beside-a', 'sleep 1000', '--beside-b', "cat $dir/neighbour.json; touch $dir/printed; sleep 1000", '--pairs=1',
            '--a', 'sleep .1; echo speed: 100', '--b', "until test -e $dir/printed; do sleep .02; done; echo speed: 100");
        $out =~ s/(?<=\S)\n(?=\S)(?!Beside )/ /g; # it may be wrapped
        last if $out =~ /next to nothing/;
    }
    like($out, qr/^Beside A: in the median run the command there read \S+ \S+ from storage and wrote \S+ \S+, which is next to nothing[.]$/m, 'one that does nothing is told');
    like($out, qr/^Beside B: .*; it reports read 3[.]728e[+]07, write 3[.]732e[+]07[.]$/m, 'and what its own report says');

    ($status, $out, $err) = ab(@how, '--beside-b', "echo . >>$dir/started", '--pairs=1', '--json', '--a', 'echo speed: 5',
        '--b', "until test \"\$(wc -l 2>/dev/null <$dir/started)0\" -gt 20; do sleep 0.02; done; echo speed: 5");
    is($status, 3, 'one that ends with exit status 0 is started again');
    cmp_ok(json_of($out)->{pairs}[0]{beside}{b}{starts}, '>', 2, 'and again');
    ab(@how, '--beside-b', "sleep 1000 & echo \$! >>$dir/behind", '--pairs=1', '--a', 'echo speed: 5', '--b', "until test -s $dir/behind; do sleep .02; done; echo speed: 5");
    my @behind = split /\n/, slurp("$dir/behind");
    cmp_ok(@behind, '>', 0, 'one that leaves a process behind');
    is(scalar(grep { is_alive($_) } @behind), 0, 'which is ended with it');
    kill KILL => grep { is_alive($_) } @behind;
    ab(@how, '--beside-b', "trap '' TERM; echo \$\$ >$dir/stubborn; sleep 1000", '--pairs=1', '--a', 'echo speed: 5', '--b', "until test -s $dir/stubborn; do sleep .02; done; echo speed: 5");
    my ($stubborn) = slurp("$dir/stubborn") =~ /(\d+)/;
    ok($stubborn && !is_alive($stubborn), 'one that ignores SIGTERM is ended, too');
    ($status, $out, $err) = ab(@how, '--settle=100s', '--beside-b', 'echo broken >&2; exit 3', '--', 'sh', '-c',
        'sleep 1000 & echo $! >>"$0"; test -n "$BON_AB_SESSION" && echo speed: 5', "$dir/left");
    kill KILL => map { split /\n/, slurp($_) } grep {-e} "$dir/left";
    like("$status$err", qr/\A1bon_ab: pair \d is left out: B the command beside it ended with exit status 3: broken\n/, 'one that fails fails the pair');
    ($status, $out, $err) = ab(@how, '--beside-a', 'head -c 67108865 /dev/zero; sleep 1000', '--warmup=1', '--', 'sleep', 1000);
    is("$status$err", "1bon_ab: warm-up: A the command beside it printed more than 64 MiB\n", 'one that prints without end fails');
    ($status, $out, $err) = ab(@how, '--beside-b', "sleep 0.3; exit 4", '--beside-a', ':', '--', 'sh', '-c', 'sleep 5; echo speed: 5', '--pairs=1');
    like($err, qr/^bon_ab: 3 pairs in a row failed$/m, 'also while the measured command runs');
};

subtest 'temporary files' => sub {
    is((ab(@SPEED, '--a', 'echo speed: 5', '--b', 'echo speed: 5', '--pairs=1'))[0], 3, 'a command that says something');
    my @command = ($^X, path_of('bon_ab'), @SPEED, '--pairs=1', '--prepare-a=:', "--restore=touch $dir/restored", '--', 'sh', '-c', "test -d $dir/full && cat /dev/zero >$dir/full/file 2>&1; echo lost >&2; exit 3");
    my $told = sub { my $tmpdir = shift; open my $said, '-|', 'sh', '-c', 'export TMPDIR="$0"; exec "$@" 2>&1', $tmpdir, @command or die; local $/ = undef; return readline($said) };
    like($told->("$dir/nowhere"), qr/ended with exit status 3: lost$/m, 'a TMPDIR that is not there: another directory');
    plan skip_all => 'the rest needs root and its mounts' if !Root::may_mount();
    my $full = Root::tmpfs('size=64k');
    symlink "$full", "$dir/full";
    like($told->("$full"), qr/^bon_ab: pair 1 is left out: [AB] ended with exit status 3; cannot write a temporary file in \Q$full\E: No space left on device; TMPDIR names another directory$/m, 'full at the end: it does not say that nothing was said');
    unlink "$dir/restored";
    my $said = $told->("$full");
    like($said, qr/^bon_ab: cannot write a temporary file in \Q$full\E: No space left on device; TMPDIR names another directory$/m, 'full before: one line');
    is(scalar(() = $said =~ /^bon_ab:/mg), 1, 'and no other');
    ok(-e "$dir/restored", 'the state is restored all the same');
};

subtest 'what is refused' => sub {
    my @two = ('--a', 'true', '--b', 'true');
    for my $case (
        [ [ '--a', 'true' ],                    '--a needs the other of --a and --b' ],
        [ [ @two, '--', 'true' ],               'cannot be given together' ],
        [ [ '--', 'true' ],                     'nothing differs between A and B' ],
        [ [ '--a', q{ }, '--b', 'true' ],       '--a is empty' ],
        [ [ @two, '--pairs=0' ],                "--pairs: '0' is not accepted; expected a whole number from 1 to 1000000" ],
        [ [ @two, '--pairs=many' ],             "--pairs: 'many' is not accepted" ],
        [ [ @two, '--alpha=1' ],                "--alpha: '1' is not accepted; expected a probability" ],
        [ [ @two, '--alpha=0' ],                "--alpha: '0' is not accepted; expected a probability" ],
        [ [ @two, '--margin=-3' ],              "--margin: '-3' is not accepted; expected a number from 0.01 to 100" ],
        [ [ @two, '--time=soon' ],              "--time: 'soon' is not accepted; expected a time" ],
        [ [ @two, '--timeout=0' ],              "--timeout: '0' is not accepted; expected a time" ],
        [ [ @two, '--warmup=1.5' ],             "--warmup: '1.5' is not accepted; expected a whole number" ],
        [ [ @two, '--control=x' ],              "--control: 'x' is not accepted; expected a whole number" ],
        [ [ @two, '--seed=x' ],                 "--seed: 'x' is not accepted; expected a whole number" ],
        [ [ @two, '--settle=1s' ],              '--settle needs --beside-a or --beside-b' ],
        [ [ @two, '--beside-b= ' ],             '--beside-b is empty' ],
        [ [ @two, '--name-a=B' ],               'must differ' ],
        [ [ @two, '--name-a= ' ],               '--name-a is empty' ],
        [ [ @two, '--keep', q{} ],              "--keep: '' is not accepted; expected the path of a directory" ],
        [ [ @two, '--metric=x=/(/', '--more-is-better' ], 'is no regular expression' ],
        [ [ @two, '--metric=x=/(?{exit})/', '--more-is-better' ], 'is no regular expression' ],
        [ [ @two, '--metric=x=/y/' ],           '--metric x needs --more-is-better or --less-is-better' ],
        [ [ @two, '--metric=x', '--metric=x' ], '--metric x is given twice' ],
        [ [ @two, '--metric=/x' ],              '--metric needs a name' ],
        [ [ @two, '--less-is-better' ],         'are for a --metric name=/REGEX/' ],
        [ [ '--prepare-a=true', 'bonnie', '-q' ], "unexpected argument 'bonnie'; the command comes after --: -- bonnie -q" ],
        [ [ @two, '--nonsense' ],               'unknown option --nonsense; --help lists the options' ],
        [ [ @two, '-o', '/nowhere/x' ],         'cannot write /nowhere/x' ],
    ) {
        my ($arguments, $words) = @{$case};
        my ($status, $out, $err) = run('bon_ab', [ ($words =~ /cannot write/ ? '--pairs=1' : ()), @{$arguments} ]);
        is("$status$out", '1', "@{$arguments}: refused");
        like($err, qr/\Abon_ab: [^\n]*\Q$words\E[^\n]*\n\z/, 'in one line');
    }
    my ($status, $out) = run('bon_ab', ['--help']);
    like($out, qr/^Usage: bon_ab /, '--help');
    like((run('bon_ab', ['-V']))[1], qr/\Abon_ab \d+[.]\d+[.]\d+\n\z/, '--version');
};

done_testing();
