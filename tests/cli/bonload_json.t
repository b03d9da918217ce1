#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The JSON report matches its schema in every mode, and it is enough to draw the page of
# -timeline-file.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Copy qw(copy);
use JSON::PP   ();
use Test::More;
use BonnieRun  qw(bonnie scratch source);
use HtmlCheck  qw(unbalanced);
use JsonSchema qw(schema_errors);
use LoadRun    qw(bonload succeeds_ok);
use RunProgram qw(path_of run slurp spew);

my $dir    = scratch();
my $schema = JSON::PP::decode_json(slurp(source('share/bonload.schema.json')));

my %loads = (
    'rates'      => [qw(-rps=100 -wps=5.5 -max-requests=30), "-url=$dir/r-XX", '-body-size=1k'],
    'threads'    => [qw(-rt=2 -requests-engine=null -max-requests=20)],
    'follows'    => [qw(-wt=2 -rpw=0.5 -requests-engine=null -max-requests=30)],
    'search'     => [qw(-max-latency=p90:10s -max-channels=2 -window=20ms -requests-engine=null)],
    'rate search' => [qw(-max-latency=1s -search=rate -rps=10 -wps=0 -window=20ms -duration=500ms -requests-engine=null)],
    'nothing keeps it' => [qw(-max-latency=max:1ns -wt=0 -window=10ms -requests-engine=null)],
    'sweep'      => [qw(-sweep=4000,8000 -duration=100ms -requests-engine=null)],
    'meta'       => [ qw(-requests-engine=meta -wt=2 -rt=1 -max-requests=300), "-url=$dir/m-XX" ],
    'errors'     => [ qw(-rt=1 -max-requests=5 -max-errors=100), "-url=$dir/none/XX" ],
    'hostile names' => [ qw(-rt=1 -max-requests=3 -max-errors=100), "-url=$dir/<script>\n&amp;XX" ],
    'no request' => [qw(-rps=0.001 -requests-engine=null -warmup=1ms -duration=50ms)],
);
for my $name (sort keys %loads) {
    my $page = "$dir/page.html";
    my $run  = bonload('--json', "-timeline-file=$page", @{ $loads{$name} });
    succeeds_ok($run, @{ $loads{$name} });
    is($run->{out} =~ tr/\n//, 1, "$name: one line");
    my $report = eval { JSON::PP::decode_json($run->{out}) };
    is_deeply([ schema_errors($schema, $report) ], [], "$name: as the schema says");
    my $html = slurp($page);
    is(unbalanced($html), q{}, "$name: the page is balanced");
    unlike($html, qr/<script/i, "$name: no script");
    cmp_ok(length $html, '<', 400_000, "$name: the page is small");
    like($html, qr{<p class="headline">[A-Z][^<]+[.]</p>}, "$name: the result in a sentence") if $name ne 'no request';
    like($html, qr{<p class="quiet">1 load[.] Measured on \S+, \d{4}-\d\d-\d\d [\d:]{8} UTC[.]}, "$name: where and when");
    unlike($html, qr{<h1>(?:Load|[^<]*XX[^<]*)?</h1>}, "$name: the title is what was measured, and not how its names are made");
    my $machine = $report->{machine}{words} =~ s/'/&#39;/r;
    my ($class) = $report->{machine}{busy} ? 'warning' : 'quiet';
    like($html, qr{<p class="$class">[^<]*The machine was \Q$machine\E[.]</p>}, "$name: and what others did, in the same words, above all if they did much");
    if ($name eq 'search') {
        my ($steps) = $html =~ m{<h2 id="load-steps">(.*?)</section>}s;
        like($steps, qr{<text[^>]*>\d+</text>}, "$name: labels of threads");
        unlike($steps, qr{<text[^>]*>\d*[.]\d+</text>}, "$name: none at half a thread");
    }
    unlike($html, qr/1e-09/, "$name: no rate that was not asked for");
    spew("$dir/report.json", $run->{out});
}

# The headline says where data was read from and written to.
my $cached = JSON::PP::decode_json(bonload('--json', @{ $loads{rates} })->{out});
@{ $cached->{$_} }{qw(limited_by late asked_per_second)} = ('page cache', $_ eq 'reads' ? 3 : 0, undef) for qw(reads writes);
my (undef, $cached_page) = run('bon_csv2html', [], JSON::PP::encode_json($cached));
like($cached_page, qr/ writes per second [^()]*[(]to the page cache, at least in part[)] and /, 'writes went to the page cache');
like($cached_page, qr/ reads per second [^()]*[(]3 of \d+ late; from the page cache, at least in part[)][.]/, 'reads came from there, and some were late');

# Several reports at once, also together with results of bonnie, which the text tables
# cannot show: they say that they leave the loads out.
spew("$dir/$_.json", bonload('--json', @{ $loads{$_} })->{out}) for qw(threads sweep);
my ($status, $html, $err) = run('bon_csv2html', [ "$dir/threads.json", "$dir/sweep.json", RunProgram::data_file('lab.csv') ]);
is($status, 0, 'load reports beside each other, and beside results');
bonload("-label=the $_", '-o', "$dir/$_.json", qw(--json -rt=1 -requests-engine=null -max-requests=5)) for qw(old new);
my $labelled = (run('bon_csv2html', [ "$dir/old.json", "$dir/new.json" ]))[1];
like($labelled, qr/<t[hd][^>]*>the $_\b/, "-label: the $_") for qw(old new);
like($html, qr/2 loads/,                         'both are there');
like($html, qr/Latency at each load/,            'and the steps of the sweep');
is($err, q{},                                    'no complaint');
($status, undef, $err) = run('bon_csv2txt', ["$dir/threads.json"]);
is($status, 1, 'bon_csv2txt has nothing to say of loads');
like($err, qr/only bon_csv2html shows them/, 'and says so');
spew("$dir/later.json", slurp("$dir/threads.json") =~ s/"format_version":1/"format_version":7/r);
($status, undef, $err) = run('bon_csv2html', ["$dir/later.json"]);
is($status, 1, 'a later version');
like($err, qr/format_version 7 of the JSON document is not known/, 'is named');

# A sweep is there for its curve, and a latency over all of its loads means nothing.
my $swept = (run('bon_csv2html', ["$dir/sweep.json"]))[1];
my @ids   = $swept =~ /<h2 id="([^"]*)"/g;
is($ids[0], 'load-steps', 'a sweep: the latency over its loads first');
ok(!grep({ $_ eq 'load' } @ids), 'and no latency of all of them together');
like($swept, qr/<path class="upper"/, 'the curve');
like($swept, qr{<bdi>Reads</bdi></th><td>[24],000 to [48],000 per second</td>}, 'which loads, instead of their ratio');

# Each step is [ load, p99 in ms, made ].
sub headline_of { return ((run('bon_csv2html', [], JSON::PP::encode_json({ format => 'bonload', format_version => 1, @_ })))[1] =~ m{<p class="headline">(.*?)</p>})[0] =~ s/\xC2\xA0/ /gr }
sub sweep_of {
    my @steps = map { { writes => { load_per_second => $_->[0], made_per_second => $_->[2] // $_->[0], errors => 0, latency_ns => { count => 9, p50 => 1, p99 => $_->[1] * 1e6 } } } } @_;
    return headline_of(settings => { mode => 'sweep', url => 'x' }, writes => {}, steps => \@steps);
}
my $FLAT = 'The p99 latency of writes stays at or below';
is(sweep_of([ 100, 5 ], [ 200, 10 ], [ 400, 11 ], [ 800, 2, 500 ]), "$FLAT 10 ms up to 200 per second; at 400 p99 is 11 ms; at 800 p99 is 2 ms, and only 500 are made.", 'until it is more than twice that of the smallest load');
is(sweep_of([ 400, 5, 300 ], [ 100, 5 ], [ 200, 4 ]), "$FLAT 5 ms up to 200 per second; at 400 p99 is 5 ms, and only 300 are made.", 'or until a load is not made');
is(sweep_of([ 100, 5 ], [ 200, 4 ]), "$FLAT 5 ms up to 200 per second, the highest load.", 'or to the end');
is(sweep_of([ 100, 5, 50 ], [ 200, 6, 50 ]), 'Not even the smallest load of writes is made; at 100 p99 is 5 ms, and only 50 are made; at 200 p99 is 6 ms, and only 50 are made.', 'or nowhere');

# Why -good-for does not know.
sub unknown_of {
    my ($made, %judged) = @_;
    my %limit = (what => 'fdatasync', percentile => 99, limit_ns => 1e7, count => 50, verdict => 'not_known', others_busy => JSON::PP::false());
    return headline_of(settings => { url => 'x' }, good_for => { profiles => [ { name => 'etcd', requests => 'writes', verdict => 'not_known',
        loads => [ { load_per_second => 50, made_per_second => $made, judged => [ { %limit, %judged } ] } ] } ] });
}
my $AT = 'at 50 writes/s (limit 10 ms)';
is(unknown_of(50, found_ns => 8e6, low_ns => 5e6, high_ns => undef), "etcd: not known, because the interval includes the limit: fdatasync p99 8 ms (5 ms or more) $AT.", 'the interval');
is(unknown_of(50, found_ns => 8e6, low_ns => 0, high_ns => undef, count => 1), "etcd: not known, because the interval includes the limit: fdatasync p99 8 ms (too few for an interval) $AT.", 'no end');
is(unknown_of(50, found_ns => 8e6, low_ns => 0, high_ns => 2e7), "etcd: not known, because the interval includes the limit: fdatasync p99 8 ms (at most 20 ms) $AT.", 'no lower end');
is(unknown_of(20, found_ns => 3e6, low_ns => 2e6, high_ns => 4e6), "etcd: not known, because the load was not made: fdatasync p99 3 ms (2 ms to 4 ms) $AT.", 'the load');
is(unknown_of(50, found_ns => 3e7, low_ns => 2e7, high_ns => 4e7, others_busy => JSON::PP::true()), "etcd: not known, because the machine was busy: fdatasync p99 30 ms (20 ms to 40 ms) $AT.", 'the machine');
is(unknown_of(50, found_ns => 0, low_ns => 0, high_ns => 0, count => 0), "etcd: not known, because none was seen: fdatasync p99 not seen $AT.", 'nothing');

# A confirmation that others have disturbed confirms nothing.
my $sought = JSON::PP::decode_json(bonload('--json', @{ $loads{search} })->{out});
$sought->{figures_of} = 'last load';
my @none  = map { { confirmation => JSON::PP::false(), reads => $_->{reads} // {}, writes => $_->{writes} // {} } } $sought->{steps}[-1];
my @latency = (latency_ns => { map { $_ => 5e6 } qw(p50 p99 p99_9 max) });
for my $case ([ good => 'The load that was confirmed', 'confirmed: 7' ], [ others => 'The last load of the search, which was not confirmed', 'at least \d+, not confirmed' ]) {
    my ($verdict, $caption, $shown) = @{$case};
    $sought->{steps} = [ @none, { confirmation => JSON::PP::true(), map { $_ => { load_threads => 7, verdict => $verdict, @latency } } qw(reads writes) } ];
    my $page = (run('bon_csv2html', [], JSON::PP::encode_json($sought)))[1];
    like($page, qr{<caption><span>$caption</span>}, "a confirmation: $verdict");
    like($page, qr{<b>$shown</b>}, "and its chart: $shown");
}

# A search that was stopped has its confirmed load in its steps alone.
$sought->{steps} = [ (map { my $case = $_; { confirmation => $case->[0], map { $_ => { load_threads => $case->[1], verdict => $case->[2], made_per_second => $case->[1] * 100, @latency } } qw(reads writes) } }
    [ JSON::PP::true(), 5, 'good' ], [ JSON::PP::true(), 6, 'not_good' ], [ JSON::PP::false(), 5, 'others' ]) ];
for my $of ('whole search', 'last load') {
    $sought->{figures_of} = $of;
    my $page = (run('bon_csv2html', [], JSON::PP::encode_json($sought)))[1];
    like($page, qr{The load that was confirmed</span>.*?<td>500</td>}s, "figures of the $of: the load that was confirmed, and not the last try");
    is(join(q{ }, $page =~ /<path class="spot (\w+)"/g), join(q{ }, ('better worse unclear') x 2), 'each try has a dot of its verdict');
}

# What is the same for all of the slowest requests is not said with each.
my $slow = JSON::PP::decode_json(slurp("$dir/threads.json"));
$slow->{reads}{slowest} = [ map { { latency_ns => 1e6, at_seconds => $_, name => 'one', outcome => 'ok' } } 1 .. 3 ];
for my $case ([ ok => 'Due at, s' ], [ late => 'Outcome' ]) {
    $slow->{reads}{slowest}[0]{outcome} = $case->[0];
    my ($heads) = (run('bon_csv2html', [], JSON::PP::encode_json($slow)))[1] =~ m{<caption><span>The slowest requests</span>.*?<thead>(.*?)</thead>}s;
    is_deeply([ ($heads // q{}) =~ m{<th[^>]*>([^<]*)}g ]->[-1], $case->[1], "the slowest requests, the first one $case->[0]");
}

# Loads of the same target have numbers, which are never cut off; others have the names of their
# targets.
my $other = JSON::PP::decode_json(slurp("$dir/threads.json"));
$other->{settings}{url} = 'elsewhere/XX';
spew("$dir/other.json", JSON::PP::encode_json($other));
spew("$dir/follows.json", bonload('--json', @{ $loads{follows} })->{out});
sub kinds_on_page { return [ (run('bon_csv2html', [ map {"$dir/$_.json"} @_ ]))[1] =~ m{<th class="label" scope="row"><bdi>([^<]*, (?:reads|writes))</bdi></th><td>\d}g ] }
is_deeply([ @{ kinds_on_page(qw(follows follows)) }[ 0 .. 3 ] ], [ map { ("Load $_, writes", "Load $_, reads") } 1, 2 ], 'two loads of one target: numbers');
is_deeply([ grep {/^Load/} @{ kinds_on_page(qw(threads other)) } ], [], 'of two targets: none');

# The seed reproduces the run; it may be negative.
for my $seed (-5, 18_446_744_073_709_551_615, 7) {
    my $first = bonload('--json', qw(-wt=1 -requests-engine=null -max-requests=20), "-seed=$seed", '-url=RRRRRRRR', "-written-urls-dump=$dir/names");
    my $report = JSON::PP::decode_json($first->{out});
    is_deeply([ schema_errors($schema, $report) ], [], "seed $seed: as the schema says");
    my $names = slurp("$dir/names");
    my $told = bonload(qw(-wt=1 -requests-engine=null -max-requests=20), "-seed=$report->{settings}{seed}", '-url=RRRRRRRR', "-written-urls-dump=$dir/names");
    is(slurp("$dir/names"), $names, "seed $seed: what the report says makes the same names");
    like($told->{out}, qr/^seed +$report->{settings}{seed}$/m, "seed $seed: the other report says the same");
}

# The page of a million requests is small.
my $run = bonload(qw(-rt=2 -requests-engine=null -max-requests=1000000 -quiet), "-html=$dir/million.html");
is($run->{status}, '0', 'a million requests');
cmp_ok(-s "$dir/million.html", '<', 400_000, 'a page below 400 KB');

# bonload checks before the load begins whether it will be able to draw the page.
my $none = bonload({ env => { BON_CSV2HTML => "$dir/none" } }, qw(-rt=1 -requests-engine=sleep -duration=100s), "-timeline-file=$dir/x.html");
is($none->{status}, '1', 'no program that draws');
like($none->{err}, qr{\Abonload: -timeline-file: \Q$dir\E/none, or Perl, which it needs, was not found\n\z}, 'is told at once');
ok(!-e "$dir/x.html", 'and leaves nothing');

# As installed: the program that draws is beside bonload, or anywhere in PATH. Bonnie++'s program of that name, which takes what it reads for CSV and succeeds, is passed over.
my $scripts = "$dir/drawers"; # which nobody else can change, as the sources of some users can be
system 'sh', '-c', 'cp -r "${0%/*}" "$1" && chmod -R go-w "$1"', path_of('bon_csv2html'), $scripts;
mkdir "$dir/$_" or die "$_: $!\n" for qw(bin far far/alone other);
for my $place (qw(bin far/alone)) {
    copy(LoadRun::program(), "$dir/$place/bonload") or die "copy: $!\n";
    chmod oct 755, "$dir/$place/bonload";
}
symlink "$scripts/bon_csv2html", "$dir/bin/bon_csv2html" or die "symlink: $!\n";
spew("$dir/other/bon_csv2html", "#!/bin/sh\necho a page\n");
chmod oct(755), "$dir/other/bon_csv2html";
for my $case (
    { name => 'beside it',       place => 'bin',       path => '/none',           status => '0' },
    { name => 'PATH',            place => 'far/alone', path => ":/none:$scripts", status => '0' },
    { name => 'behind another',  place => 'far/alone', path => "$dir/other:$scripts", status => '0' },
    { name => 'only another',    place => 'far/alone', path => "$dir/other", status => '1', said => qr{\Abonload: -timeline-file: \Q$dir\E/other/bon_csv2html is another program of this name\n\z} },
    { name => 'nowhere',         place => 'far/alone', path => '/none',           status => '1', said => qr{: no bon_csv2html, which draws the page, was found } },
) {
    my $found = bonnie({ program => "$dir/$case->{place}/bonload", env => { BON_CSV2HTML => q{}, PATH => $case->{path} } }, qw(-show-progress=false -rt=1 -requests-engine=null -max-requests=10), "-timeline-file=$dir/found.html");
    is($found->{status}, $case->{status}, "bon_csv2html is found: $case->{name}") or diag($found->{err});
    like($found->{err}, $case->{said} // qr{\A\z}, 'and says why not');
    unlink "$dir/found.html";
}

done_testing();
