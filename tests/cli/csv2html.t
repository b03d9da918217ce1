#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bon_csv2html as a user runs it. This tests that the page is valid, complete, self-contained,
# small and harmless, but not what it looks like.

use strict;
use warnings;
use Encode qw(decode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use JSON::PP   ();
use Test::More;
use HtmlCheck  qw(unbalanced);
use RunProgram qw(data_file path_of run slurp spew);

my $PROGRAM = 'bon_csv2html';
my $GOLDEN  = "$FindBin::Bin/../golden/report/full.json";
my $dir     = File::Temp->newdir;

sub page {
    my ($status, $out, $err) = run($PROGRAM, @_);
    is("$status$err", '0', 'exit status 0 and silence');
    return decode('UTF-8', $out);
}

# The text of the cells of each body row of the table with this caption.
sub rows_of {
    my ($html, $caption) = @_;
    my ($body) = $html =~ m{<caption[^>]*><span>\Q$caption\E</span></caption>.*?<tbody>(.*?)</tbody>}s;
    my @rows;
    for my $row (split /<\/tr>/, ($body // q{}) =~ s/\s+\z//r) {
        push @rows, [ map { s/<small>/ | /r =~ s/<[^>]*>//gr } $row =~ m{<t[hd][^>]*>(.*?)</t[hd]>}g ];
    }
    return @rows;
}

# The rows of a chart, as [ label, figure ].
sub chart_rows {
    my ($html, $title) = @_;
    my ($list) = $html =~ m{<h3>\Q$title\E</h3><div class="chart">.*?<ul[^>]*>(.*?)</ul>}s;
    return [ map { [ map { s/<[^>]*>//gr } m{<bdi>(.*?)</bdi>(.*)} ] } split /<\/li>/, $list // q{} ];
}

# The headings of the sections.
sub sections {
    my ($html) = @_;
    return join ', ', $html =~ m{<h2[^>]*>(.*?)</h2>}g;
}

my @LABELS = qw(AcharyaX host1 host6 raspberrypi fuss yazgoo-virtualbox ubuntu ceph-admin SERVER ANDREW-PC
    tidbit.kungfoocoder.org raid0);
my $RATES    = 'Rate of each test: median of the runs, and their range';
my $LATENCY  = 'Latency: the longest operation of all runs; from JSON also percentiles';
my $LIMITS   = 'What limited each test';
my $MACHINE  = 'Machine and storage';
my $SETTINGS = 'Settings';
my $RUNS     = 'Every run: rate, and below it the CPU time in percent of the elapsed time';
my $RESULT   = 'Results of lab with 1 GiB of data' =~ s/1 GiB/1\x{A0}GiB/r;
my $ABSENT   = "\x{2013}";

subtest 'every generation in one file' => sub {
    my $html = page([ data_file('realworld.csv') ]);
    is(unbalanced($html), q{}, 'well formed');
    my @numbered = map { $_ + 1 . " $LABELS[$_]" } 0 .. $#LABELS;
    for my $caption ($RATES, $LATENCY, $SETTINGS) {
        is_deeply([ map { $_->[0] } rows_of($html, $caption) ], \@numbered, "$caption: every label, in order");
    }
    is_deeply(chart_rows($html, 'Rewrite')->[5], [ '6 yazgoo-virtualbox', 'not run' ], 'charts have every label too');
    is(scalar(rows_of($html, $RUNS)), 13, 'and every run has a row');
    is(scalar(() = $html =~ /<div class="chart">/g), 24, 'two charts for each test: rates and latencies');
    is_deeply([ $html =~ m{<figcaption>(.*?), more is better<}g ],
        [ 'Sequential', 'Random', 'Metadata: many small files' ], 'rates in three groups');
    is(sections($html), 'Overview, Rates, Latency, Machine and settings, Every run', 'no section without content');
};

subtest 'figures and settings' => sub {
    my $html = page([ data_file('realworld.csv') ]);
    like($html, qr{<h1>raid0, host6, yazgoo-virtualbox, ceph-admin and 8 others</h1>}, 'the title names the labels that are fastest in most tests');
    like($html, qr/class="bar spot"/, 'dots on a logarithmic axis');
    my @rates = rows_of($html, $RATES);
    is_deeply([ @{ $rates[0] }[ 1 .. 3 ] ], [ '1', "496\x{A0}KiB/s", "34.1\x{A0}MiB/s" ], 'runs and rates');
    is($rates[6][1], '2', 'runs of one label are taken together');
    is($rates[6][3], "37.4\x{A0}MiB/s | 11.0\x{2013}63.8", 'median and range');
    is($rates[6][2], "81\x{A0}KiB/s", 'no range of one figure');
    is($rates[2][5], 'too fast to measure', 'too fast to measure');
    is($rates[5][2], 'not run', 'a test that was not run');
    my @runs = rows_of($html, $RUNS);
    is_deeply([ @{ $runs[0] }[ 0 .. 3 ] ], [ '1 AcharyaX', '1', "496\x{A0}KiB/s | 87", "34.1\x{A0}MiB/s | 12" ], 'rate and CPU use');
    is_deeply([ @{ $runs[7] }[ 0, 1 ] ], [ '2', 'not run' ], 'the second run of a label');
    is_deeply([ map { $_->[3] =~ s/.*\x{A0}//r } grep { $_->[3] =~ /^\d/ } map { [ map { s/ \|.*//r } @{$_} ] } @rates ], [ ('MiB/s') x 11 ], 'one unit for a test');
    is((rows_of($html, $LATENCY))[11][2], 'not recorded', '1.03 has no latencies');
    is((rows_of($html, $LATENCY))[1][2], "9.83\x{A0}ms", 'a latency');
    my @settings = @{ (rows_of($html, $SETTINGS))[3] };
    is($settings[9], '16', 'directories of Bonnie++ in their own column');
    is($settings[2], 'not recorded', 'and its chunk size is lost');
    is((rows_of($html, $SETTINGS))[11][2], "8\x{A0}KiB", 'a default is resolved');
    unlike($html, qr/>default<|<th scope="col">(?:Engine|Preset|Direct I\/O)</, 'and columns that are empty for every label are left out');
    like((rows_of($html, $SETTINGS))[6][1], qr/\A2\x{A0}GiB, 8\x{A0}GiB\z/, 'runs that were not measured alike');
    for my $runs (6, 12, 14) {
        my $lab = slurp(data_file('lab.csv'));
        my %row = map { @{$_} } rows_of(page([], join q{}, map { $lab =~ s/,1789000000,/,17890000$_,/r } 10 .. $runs + 9), $SETTINGS);
        my $all = join ', ', map {"17890000$_"} 10 .. $runs + 9;
        is($row{Seed}, $runs > 12 ? $all =~ s/, / and 13 others/r : $all, "every value of $runs");
    }
    my $lab = slurp(data_file('lab.csv'));
    ($html) = page([], join q{}, map { my $run = $_; map { $lab =~ s/,lab,/,m$_,/r =~ s/,1789000000,/,$run$_,/r } 1 .. 7 } 1 .. 3);
    like($html, qr{<details><summary>17 and 2 others</summary>27, 37</details>}, 'where labels are rows, others are there for who asks');
    ($html) = page([ data_file('halves.csv') ]);
    my %of_second = map { $_->[0] => $_->[2] } rows_of($html, $SETTINGS);
    is_deeply([ @of_second{ 'Largest file', 'Smallest file', 'Directories', 'File chunk' } ], [ "1\x{A0}KiB", "512\x{A0}bytes", '4', "4\x{A0}KiB" ], 'our own line as written');
};

# A variant of the golden report with this label and this number of runs. $change->(test, run) may
# change each.
my $JSON = JSON::PP->new->utf8->canonical;

sub report {
    my ($label, $runs, $change) = @_;
    my $report = $JSON->decode(slurp($GOLDEN));
    my $text   = $JSON->encode($report->{runs}[0]);
    $report->{label} = $label;
    $report->{runs}  = [ map { $JSON->decode($text) } 1 .. $runs ];
    for my $run (0 .. $runs - 1) {
        $change->($_, $run) for @{ $report->{runs}[$run]{tests} };
    }
    return $JSON->encode($report) . "\n";
}

subtest 'JSON' => sub {
    my $json = report(qq{k\x{F6}ln "<1>"}, 2, sub { my ($test, $run) = @_; $test->{bytes_per_second} *= 1 + $run; $test->{limited_by} = 'cpu' if $run && $test->{name} eq 'get_block' });
    my $html = page([ '-', data_file('realworld.csv') ], $json);
    is(unbalanced($html), q{}, 'well formed');
    is(sections($html), 'Overview, Rates, Latency, What limited each test, Machine and settings, Every run', 'with what limited the figures');
    my $label = "1 k\x{F6}ln &quot;&lt;1&gt;&quot;";
    is_deeply([ @{ (rows_of($html, $RATES))[0] }[ 0, 1, 6, 7 ] ], [ $label, '2', "768\x{A0}MiB/s | 512\x{2013}1,024", 'not run' ], 'runs of JSON, all in one unit');
    is_deeply([ @{ (rows_of($html, $LATENCY))[0] }[ 6, 7 ] ], [ "5\x{A0}ms | p50\x{A0}9.22\x{A0}\x{B5}s, p99\x{A0}30.5\x{A0}\x{B5}s", 'not run' ], 'percentiles');
    my %machine = map { @{$_} } rows_of($html, $MACHINE);
    is_deeply([ @machine{qw(Host Filesystem Device Directory)} ], [ 'lab', 'ext4', 'dm-0 (nvme0n1, nvme1n1)', '/raid1/caf?' ], 'machine, filesystem, device');
    is($machine{Scheduler}, undef, 'no row for what is not known');
    my $other = $json =~ s/"drives":\[\]/"drives":[{"model":"WD <1>","scheduler":"none"}]/r;
    my %more = map { @{$_} } rows_of(page([], $other), $MACHINE);
    is_deeply([ @more{ 'Disk', 'Scheduler', 'Mounted with' } ], [ 'WD &lt;1&gt;', 'none', 'rw,noatime,stripe=256' ], 'disk model, scheduler, mount options');
    is_deeply([ @{ (rows_of($html, $SETTINGS))[0] }[ 11 .. 15 ] ], [ 'yes', 'no', 'io_uring', '32', 'compress=50' ], 'settings');
    my @limits = rows_of($html, $LIMITS);
    is($limits[0][9], 'page cache', 'what limited a test');
    is($limits[0][5], 'CPU in 1 of 2 runsdevice in 1 of 2 runs', 'where runs do not agree');
    is($limits[1][5], 'not recorded', 'CSV does not tell');
    like($html, qr{<span class="memory">page cache</span>}, 'with an icon');
    is(chart_rows($html, 'Read in chunks')->[0][1], "768\x{A0}MiB/s", 'charts have medians');
    $html = page([], report('x', 2, sub { delete $_[0]{limited_by} if $_[0]{name} eq 'get_block' }));
    is((rows_of($html, $LIMITS))[0][1], 'not recorded', 'a report that does not tell');
    $html = page([], report('x', 2, sub { $_[0]{limited_by} = 'others' }));
    is((rows_of($html, $LIMITS))[0][1], 'others', 'a busy machine, in the word of the terminal');
    is((rows_of(page([], report('x', 2, sub { $_[0]{limited_by} = 'unknown' })), $LIMITS))[0][1], 'not known', 'and a limit that was not seen');
    my $served = page([], report('x', 2, sub { $_[0]{limited_by} = 'server' }));
    is((rows_of($served, $LIMITS))[0][1], 'server', 'a server');
    like($served, qr/server: the data came or went over a network, and no CPU was wanted/, 'is explained where there was one');
    unlike($html, qr{server: the data}, 'and nowhere else');
    unlike($html, qr/limited by the CPU/, 'which is not a limit of the test');
    like($html, qr{<p class="quiet">2 runs[.] Measured on lab, 2023-11-14 22:13:20 UTC[.]</p>}, 'where and when');
};

subtest 'course of a test' => sub {
    my $second = sub { my ($end, $bytes) = @_; return { seconds => $end, ops => 1, bytes => $bytes * 2**20, p50_ns => 1, p99_ns => 1, max_ns => 1 } };
    my $html = page([], report('x', 3, sub {
        my ($test, $run) = @_;
        $test->{rate} += $run;
        $test->{intervals} = [ map { $second->($_, $run == 1 ? $_ * 10 : 999) } 1 .. 4 ];
        push @{ $test->{intervals} }, $second->(4.001, 0.04);
    }));
    my ($figure) = $html =~ m{<figcaption>Rate over time<.*?(<div class="panels">.*?)</figure>}s;
    is_deeply(chart_rows($figure, 'Read in chunks'), [ [ q{}, "10\x{2013}40.0\x{A0}MiB/s" ] ], 'of the run in the middle, without a stray rate at the end');
    like($figure, qr/class="course" d="M0 217v-50h250v-50h250v-50h250v-50h250v200"/, 'as steps, 200 pixels high, to the end of the axis');
    like($figure, qr{y="121">20\x{A0}MiB/s</text>.*>1</text>.*>4</text>.*>seconds</text>}, 'with round values and units on both axes');
    unlike($figure, qr/Rewrite/, 'only of tests that have one');
};

subtest 'comparison' => sub {
    my $csv = slurp(data_file('lab.csv'));
    my $runs = sub {
        my ($label, $factor, $count) = @_;
        return join q{}, map { my $rate = int 1000 * $factor * (1 + $_ / 100); $csv =~ s/,lab,/,$label,/r =~ s/,1723,/,$rate,/r } 1 .. $count;
    };
    my $caption = 'new compared with old: change of each test';
    my $html = page([], $runs->('old', 1, 6) . $runs->('new', 0.5, 6));
    is(unbalanced($html), q{}, 'well formed');
    like(sections($html), qr/\AComparison, Overview/, 'two labels are compared');
    my @rows = rows_of($html, $caption);
    is(scalar @rows, 12, 'test by test');
    is_deeply([ @{ $rows[0] }[ 0, 2 ] ], [ 'Write per character', "\x{25BC} slower" ], 'half the rate is worse');
    like($rows[0][1], qr/\A\x{2212}50.0\x{A0}% \| \x{2212}5\d.\d\x{A0}% to \x{2212}4\d.\d\x{A0}%\z/, 'by half, with an interval');
    like($rows[0][3], qr/\A0[.]00\d+\z/, 'with p');
    is_deeply([ @{ $rows[1] }[ 4, 1, 2 ] ], [ "368\x{A0}MiB/s | 6 runs", "0.0\x{A0}% | 0.0\x{A0}% to 0.0\x{A0}%", 'not known' ], 'equal rates are not');
    unlike($html, qr/>Runs needed</, 'and no column without content');
    like($html, qr{class="worse" d="M250 23h250"}, 'drawn to the left of the middle');
    like($html, qr{<p>Slower in 1 of 12 tests\.</p>}, 'summed up');
    unlike($html, qr/Settings that differ/, 'measured alike');
    like($html, qr/>\x{D7}0[.]25<.*>\x{D7}1<.*>\x{D7}4<.*>times the rate, logarithmic</, 'on an axis of ratios');
    like(page([], $runs->('old', 1, 6) . $runs->('new', 0.9, 6)), qr/>change of the rate in percent</, 'small changes are on one that is');
    my $flat = qr{<bdi>Write per character</bdi><b>[^<]*(?<!cut[)])</b>};
    my $all  = sub { my ($factor) = @_; $runs->('new', $factor, 6) =~ s/,376832,/,395674,/gr };
    my $cut  = page([], $runs->('old', 1, 6) . $all->(40));
    like($cut, qr{<bdi>Write per character</bdi><b>\x{D7}\x{A0}40, \x{25B2} faster \(bar is cut\)</b>}, 'one that is much larger than all others is cut off, and says so');
    like($cut, qr{class="better" d="M500 23h500}, 'at the end of the axis');
    like($cut, qr/>change of the rate in percent</, 'which suits the others');
    like(page([], $runs->('old', 1, 6) . $all->(1.1)), $flat, 'one that is not is drawn whole');
    like($html, qr/The change is from the median of the runs of the baseline to that of the other label/, 'what a change is');
    like(page(['--together'], $runs->('old', 1, 6) . $runs->('new', 0.5, 6)), qr/All tests of a label are judged together.*Slower in 1 of 12 tests/s,
        'judged together');
    like(page(['--together'], $runs->('old', 1, 5) . $runs->('new', 0.5, 5)), qr/not known: 5 runs each, 6 are needed/i,
        'which needs more runs');
    is($html, page(['--baseline=old'], $runs->('old', 1, 6) . $runs->('new', 0.5, 6)), 'the first one is the baseline');

    $html = page([], $runs->('old', 1, 2) . $runs->('new', 0.5, 2) =~ s/,1G,/,2G,/gr);
    @rows = rows_of($html, $caption);
    is($rows[0][2], 'too few runs', 'too few runs');
    is($rows[1][6], $ABSENT, 'none where there is no difference');
    like($rows[0][6], qr/\A\d+\z/, 'says how many would be needed');
    like($html, qr{<p>Not known: 2 runs each, 4 are needed\.</p>}, 'and for all tests');
    like($html, qr{<p>Settings that differ: Size: 1\x{A0}GiB / 2\x{A0}GiB\.</p>}, 'not measured alike');

    my ($odd, $even) = map { my ($label, @rates) = @{$_}; join q{}, map { $runs->($label, $_, 1) } @rates } [ 'old', 1, 4, 5, 8, 10, 12 ], [ 'new', 2, 3, 6, 7, 9, 11 ];
    is((rows_of(page([], $odd . $even), $caption))[0][6], 'not known', 'more runs than the few that were made can tell');

    my ($zero, $some) = map { my $rate = $_; $csv =~ s/,1723,/,$rate,/r } 0, 7;
    $html = page([], $zero =~ s/,lab,/,old,/r x 6 . $some =~ s/,lab,/,new,/r x 6);
    @rows = rows_of($html, $caption);
    is_deeply([ @{ $rows[0] }[ 4, 5, 1, 3, 2 ] ],
        [ "0\x{A0}KiB/s | 6 runs", "7\x{A0}KiB/s | 6 runs", 'from zero | unbounded', '0.0022', "\x{25B2} faster" ], 'from zero up');
    like($html, qr{Faster in 1 of 12 tests[.]</p>}, 'is better in the summary');
    like($html, qr{<bdi>Write per character</bdi><b>from zero, \x{25B2} faster</b>}, 'and in the chart');
    like($html, qr{class="better" d="M500 23h500"}, 'to its end');

    my $three = join q{}, map { $runs->($_, 1, 1) } 'a', '<b>', 'c';
    unlike(page([], $three), qr/Comparison/, 'three labels are not compared');
    $html = page(['--baseline=<b>'], $three);
    is_deeply([ $html =~ m{<h3 id="change-\d">(\S+ compared with \S+)</h3>}g ], [ 'a compared with &lt;b&gt;', 'c compared with &lt;b&gt;' ], 'unless asked to');
    my ($status, $out, $err) = run($PROGRAM, ['--baseline=d'], $three);
    is("$status$out", '1', 'an unknown label: exit status 1, no page');
    is($err, qq{bon_csv2html: no result has the label "d"; the labels are "a", "<b>", "c"\n}, 'and what there is');
};

subtest 'many comparisons' => sub {
    my $csv  = slurp(data_file('lab.csv'));
    my $runs = sub {
        my ($label, $rate, $count) = @_;
        return join q{}, map { my $of_run = $rate + $_; $csv =~ s/,lab,/,$label,/r =~ s/,1723,/,$of_run,/r =~ s/,99,368640,92,/,99,,,/r } 1 .. $count;
    };
    my $input = join q{}, map { $runs->("m$_", 1000 * $_, 6) } 1 .. 7;
    my $html  = page(['--baseline=m2'], $input);
    is(scalar(() = $html =~ /<h3 id="change-/g), 6, 'six labels beside the baseline are shown in full');
    $html = page(['--baseline=m2'], $input . $runs->('<8>', 100, 1) =~ s/,1G,/,2G,/r);
    is(unbalanced($html), q{}, 'well formed');
    unlike($html, qr/<h3 id="change-/, 'seven are not');
    my @rows = rows_of($html, 'Change of each test compared with m2');
    is_deeply([ map { $_->[0] } @rows ], [ '1 m1', map({"$_ m$_"} 3 .. 7), '8 &lt;8&gt;' ], 'but are one table with a row for each');
    is_deeply([ @{ $rows[0] }[ 1 .. 3 ] ], [ '6', "\x{2212}49.9\x{A0}% | \x{25BC} slower", "0.0\x{A0}% | not known" ],
        'runs, worse, unclear');
    like($rows[1][2], qr/\A[+]\d+[.]\d\x{A0}% \| \x{25B2} faster\z/, 'better');
    like($rows[6][2], qr/ \| too few runs\z/, 'too few runs');
    like($html, qr{<li>8 &lt;8&gt;: Size: 1\x{A0}GiB / 2\x{A0}GiB</li>}, 'and what was different');
    is(scalar(() = $html =~ m{<li>\d [^:<]+: }g), 1, 'of those that are');
};

subtest 'a single run' => sub {
    my $html = page([ data_file('lab.csv') ]);
    is(unbalanced($html), q{}, 'well formed');
    is(sections($html), 'Result, Rates, Latency, Machine and settings', 'has a page of its own');
    my @rows = rows_of($html, $RESULT);
    is_deeply($rows[1], [ 'Write in chunks', "368\x{A0}MiB/s", '92', "5.08\x{A0}ms" ], 'with a row for each test: rate, CPU, latency');
    is(scalar @rows, 12, 'all of them');
    is_deeply([ map { $_->[1] =~ s/.*\x{A0}//r } @rows ], [ qw(MiB/s MiB/s GiB/s MiB/s GiB/s), qw(k/s k/s k/s k/s k/s k/s k/s) ], 'in the units of the headline');
    is_deeply([ map { scalar @{ chart_rows($html, $_) } } 'Throughput', 'Operations per second', 'All tests' ], [ 5, 7, 12 ], 'one chart for each unit');
    is(scalar(() = $html =~ /<div class="chart">/g), 3, 'and no more');
    like($html, qr{<h1>lab</h1>\n<p class="headline">Writes 368\x{A0}MiB/s, reads 3.10\x{A0}GiB/s, 8.24\x{A0}k seeks a second and creates 31.2\x{A0}k files a second \(at 99\x{A0}% CPU\)[.]</p>}, 'title and headline');
    unlike($html, qr/not recorded|>default</, 'nothing that is not known');

    # The part of the page that a public site cuts out.
    my ($table) = $html =~ m{(<table.*?</table>)}s;
    like($table =~ s/<[^>]*>/ /gr, qr/Results of lab .*Rate .*CPU.*Write in chunks +368\x{A0}MiB\/s +92 /s, 'the first table makes sense by itself');

    $html = page([], report('x', 1, sub { }));
    is_deeply([ $html =~ m{<thead><tr>(.*?)</tr>}s ? map { s/<[^>]*>//gr } split /<\/th>/, $1 : () ],
        [ 'Test', 'Rate', 'Limited by', 'CPU, %', 'Longest operation', 'Median (p50)', 'p99' ], 'of JSON it has more columns, first what a telephone must show');
    is(unbalanced(page([], join(q{,}, (split /,/, slurp(data_file('lab.csv')) =~ s/^#.*\n//mgr)[ 0 .. 8 ], (q{}) x 41) . "\n")), q{}, 'no test at all');
    is(unbalanced(page([], slurp(data_file('lab.csv')) =~ s/\d+us/0us/gr)), q{}, 'no latency above zero');
    is(unbalanced(page([], slurp(data_file('classic.csv')) =~ s/^(?!raid0).*\n//mgr)), q{}, 'a line of 1.03');
};

subtest 'headlines' => sub {
    my $lab  = slurp(data_file('lab.csv'));
    my $of   = sub { my ($label, $rate, $count) = @_; return $lab =~ s/,lab,/,$label,/r =~ s/,376832,/,$rate,/r x $count };
    my %case = (
        'new slower in 1 of 12 tests; the largest change is ' . "\x{2212}50.0\x{A0}%, in &quot;Write in chunks&quot;." => [ [], $of->('old', 2000, 6) . $of->('new', 1000, 6) ],
        'new not known to differ in any of 12 tests.' => [ [], $of->('old', 2000, 6) . $of->('new', 2000, 6) ],
        'b faster in 1 of 12 tests; c not known to differ in any of 12 tests.' => [ ['--baseline=a'], $of->('a', 1000, 6) . $of->('b', 2000, 6) . $of->('c', 1000, 6) ],
        'None is known to be faster than a; b slower in 1 of 12 tests; c not known to differ in any of 12 tests.' => [ ['--baseline=a'], $of->('a', 2000, 6) . $of->('b', 1000, 6) . $of->('c', 2000, 6) ],
        'b: not known: 6 and 1 runs, 4 are needed; c not known to differ in any of 12 tests.' => [ ['--baseline=a'], $of->('a', 2000, 6) . $of->('b', 1000, 1) . $of->('c', 2000, 6) ],
        'b has the highest rate in 2 of 12 tests, more than any other of the 3 labels.' => [ [], $of->('a', 1000, 1) . $of->('b', 9000, 1) =~ s/,8244,/,9999,/r . $of->('c', 1000, 1) =~ s/,8244,/,9000,/r ],
    );
    for my $sentence (sort keys %case) {
        my ($arguments, $input) = @{ $case{$sentence} };
        like(page($arguments, $input), qr{<p class="headline">\Q$sentence\E}, $sentence =~ s/[^ -~]/?/gr);
    }
    unlike(page([], $lab x 2), qr/the limit/, 'nothing is limited that no report tells of');

    my %of_json = (
        'the disk, and its limit' => [ sub { }, qr{</h1>\n<p class="headline">Reads 1,000\x{A0}MiB/s for 0[.]5 s, then 341\x{A0}MiB/s; the device was the limit[.]</p>} ],
        'two limits' => [ sub { @{ $_[0] }{qw(name limited_by)} = $_[0]{name} eq 'get_block' ? ('put_block', 'cpu') : ('iops', 'unknown'); $_[0]{levels} = [] },
            qr{"headline">Writes 512\x{A0}MiB/s \(limited by the CPU\) and 32[.]8\x{A0}k random operations \(10\x{A0}% writes\) a second[.]</p>} ],
    );
    for my $name (sort keys %of_json) {
        my ($change, $sentence) = @{ $of_json{$name} };
        my $html = page([], report('x', 1, $change));
        like($html, qr{<header>\n<h1>/raid1/caf[?], ext4 on dm-0}, "$name: the title is the directory and its storage");
        like($html, $sentence, $name);
    }
    my @sides = map { my ($label, $by) = @{$_}; report($label, 6, sub { $_[0]{limited_by} = $by; $_[0]{bytes_per_second} /= 2 if $by eq 'device' }) } [ cached => 'page cache' ], [ direct => 'device' ];
    like(page([], join q{}, @sides), qr{<p class="headline">The page cache is compared with what is past it in [1-9] of \d tests; direct }, 'the page cache beside a device');
    unlike(page([], join q{}, $sides[1], $sides[1] =~ s/"direct"/"again"/r), qr/The page cache is compared/, 'two devices');
    my $json = report('x', 1, sub { $_[0]{hosts} = [ map { { name => "h$_", ranks => 4, bytes_per_second => 5, ops_per_second => 5 } } 1 .. 3 ] });
    like(page([], $json), qr{<h1>[^<]+, from 12 ranks on 3 hosts</h1>}, 'how many ranks on how many hosts');
    like(page([ '--title=Mine' ], $json), qr{<h1>Mine</h1>\n<p class="headline">/raid1/caf[?], ext4 on [^:]+: reads }, 'a title of its own hides nothing');
    like(page([], report('x', 1, sub { $_[0]{limited_by} = 'others' })),
        qr{<header>\n<p class="warning">The machine was busy: others disturbed \d of \d tests[.]</p>\n<h1>}, 'a busy machine comes first');
};

subtest 'self-contained' => sub {
    my $html = page([ data_file('realworld.csv'), $GOLDEN ]);
    unlike($html, qr{https?:|//|<script|<img|\bon[a-z]+=|url\(|\@import}, 'nothing is fetched and nothing runs');
    like($html, qr{Content-Security-Policy}, 'and the browser is told so');
};

subtest 'colours need something to compare' => sub {
    my $coloured = qr/<td class="[bw][12]">/;
    my $one = page([ ('-') x 2 ], slurp(data_file('lab.csv')) x 2);
    unlike($one, $coloured, 'one label: no colour');
    unlike($one, qr/class="legend"/, 'no legend');
    my $lab = slurp(data_file('lab.csv'));
    unlike(page([], join q{}, map { $lab =~ s/,lab,/,$_,/r } 'a' .. 'c'), $coloured, 'equal labels: no colour');
    my @runs = map { $lab =~ s/,1723,99,/,$_,99,/r =~ s/,lab,/,$_,/r } 1000, 2000, 5000;
    my $three = page([ '-' ], join q{}, @runs);
    unlike(page([ '-' ], join q{}, @runs[ 0, 1 ]), $coloured, 'no colour where the comparison says what is unclear');
    unlike(page([ '--baseline=1000' ], join q{}, @runs), $coloured, 'nor where it is asked for');
    $three =~ s/.*<h2 id="overview">//s;
    my @cells = $three =~ m{<tr><th class="label".*?(<td.*?)</tr>}sg;
    like($cells[0], qr{<td class="w2">0.977\x{A0}MiB/s}, 'the slow one');
    like($cells[2], qr{<td class="b2">4.88\x{A0}MiB/s}, 'and the fast one');
    like($one, qr/\.$_\::before\{content:"[^"]+";content:"[^"]+" \/ "\w[\w ]+:"\}/, "class $_ has a sign, which is spoken") for qw(b2 b1 w1 w2);
};

subtest 'hostile text' => sub {
    my $lab  = slurp(data_file('lab.csv'));
    my @evil = ('<script>alert(1)</script>"x"&', q{'><img src=x onerror=alert(1)>}, "\e[2J\x07\x00", "\xFF\xFE", 'W' x 9999,
        "\xE2\x80\xAEx", q{}, q{ }, '</title></svg></table><!--');
    my $csv = join q{}, map { my $evil = $_; $lab =~ s/,lab,/,$evil,/r } @evil;
    $csv .= $lab =~ s/1G/<u>/r =~ s/3[.]0[.]0/"><b>/r;
    $csv .= $lab =~ s/,1723,/,<i>1<\/i>,/r =~ s/4964us/<b>us/r;
    my $json = report('<script>alert(2)</script>', 2, sub { $_[0]{$_} = '"><svg onload=alert(3)>' for qw(limited_by reason engine) });
    $json =~ s/"(name|kernel|filesystem|directory)":"(?:lab|Linux[^"]*|ext4|\/raid1[^"]*)"/"$1":"\\"><iframe>\\u202e\\n"/g;
    my ($status, $out, $err) = run($PROGRAM, [ '--title', '</title><script>"\'&' ], $csv . $json);
    my $html = decode('UTF-8', $out, Encode::FB_CROAK | Encode::LEAVE_SRC);
    is($status, 0, 'exit status 0');
    is(unbalanced($html), q{}, 'well formed');
    unlike($html =~ s/<style>.*?<\/style>//sr, qr/<(?:script|img|u|iframe|!--)\b| on[a-z]+="/, 'no foreign element');
    unlike($html, qr/[\x00-\x09\x0B-\x1F\x7F-\x9F\x{202E}]/, 'no control character');
    # The label of blanks is the empty one, and lab.csv and the report have one each.
    is(scalar(rows_of($html, $_)), @evil + 1, "$_: no label is hidden") for $RATES, $LATENCY, $SETTINGS;
    is(scalar(rows_of($html, $RUNS)), @evil + 4, 'no run is hidden');
    like($html, qr/unreadable: &lt;i&gt;1&lt;\/i&gt;/, 'an unreadable figure is shown');
    is(scalar(() = $err =~ /^standard input:11: /mg), 2, 'and named');
    like($html, qr{<h1>&lt;/title&gt;&lt;script&gt;&quot;&\#39;&amp;</h1>}, 'the title is escaped');
SKIP: {
        skip 'there is no tidy', 1 if qx(which tidy 2>/dev/null) eq q{};
        spew("$dir/hostile.html", $out);
        is(qx(tidy -q -e '$dir/hostile.html' 2>&1), q{}, 'tidy finds nothing');
    }
};

# Values that no program has written must not cause failures.
subtest 'impossible figures' => sub {
    my $lab = slurp(data_file('lab.csv'));
    is(scalar(rows_of(page([], $lab =~ s/\d+us/0us/gr x 2), $LATENCY)), 1, 'no latency at all');
    my @fields = split /,/, $lab =~ s/\n.*//sr, -1;
    my $nothing = join(q{,}, @fields[ 0 .. 8 ], (q{}) x (@fields - 9)) . "\n";
    is(scalar(rows_of(page([], $nothing x 2), $RATES)), 1, 'no test at all');
    is(scalar(rows_of(page([], $lab =~ s/,\d+,(?=\d+,)/,0,/gr x 2), $RATES)), 1, 'rates of zero');
    my %seconds = ('backwards' => [ 5, 3, 4, 6, 7 ], 'standing still' => [ 1, 1, 1, 2, 3 ], 'nothing' => [ 0, 0, 0, 0 ]);
    for my $name (sort keys %seconds) {
        my $json = report('x', 1, sub { $_[0]{intervals} = [ map { { seconds => $_, ops => 7, bytes => 7 } } @{ $seconds{$name} } ] });
        is(unbalanced(page([], $json)), q{}, "time: $name");
    }
    for my $value (0, 1e17) {
        my $json = report('x', 2, sub { my ($test) = @_; $test->{rate} = $value; $_ = $value for values %{ $test->{latency_ns} } });
        is(unbalanced(page([], $json . $lab)), q{}, "everything is $value");
    }
};

# Reports of twenty machines with ten runs each, all tests and some intervals. No drive falls to
# another speed in every test, so there are no levels.
subtest 'small and valid' => sub {
    my @names  = qw(putc put_block rewrite getc get_block seeks iops seq_create seq_stat seq_del ran_create ran_stat ran_del);
    my $report = $JSON->decode(report('machine0', 1, sub { push @{ $_[0]{intervals} }, { seconds => 3, ops => 50, bytes => 50e6 }; delete $_[0]{levels} }));
    my $test   = $JSON->encode($report->{runs}[0]{tests}[0]);
    $report->{runs}[0]{tests} = [ map { $JSON->decode($test =~ s/"name":"get_block"/"name":"$_"/r) } @names ];
    my $run = $JSON->encode($report->{runs}[0]);
    $report->{runs} = [ map {$_} 1 .. 10 ];
    my $runs    = join q{,}, ($run) x 10;
    my $machine = $JSON->encode($report) =~ s/"runs":\[[^\]]*\]/"runs":[$runs]/r;
    my $number  = 0;
    srand 1;    # the length of the page depends on the rates
    spew("$dir/machines.json", join "\n", map { $number++; $machine =~ s/machine0/machine$number/r =~ s/"rate":\K[\d.]+/1e4 + rand 1e6/ger } 1 .. 20);
    for my $arguments ([], ['--baseline=machine1']) {
        local $RunProgram::ADDRESS_SPACE = 100 * 1024;
        my $html = page([ @{$arguments}, "$dir/machines.json" ]);
        is(scalar(rows_of($html, $RUNS)), 200, "@{$arguments}: every run is there, in 100 MiB of memory");
        my $bytes = length Encode::encode('UTF-8', $html);
        cmp_ok($bytes, '<', 300_000, "$bytes bytes are less than 300 KB");
    }
SKIP: {
        skip 'there is no tidy', 1 if qx(which tidy 2>/dev/null) eq q{};
        page([ '-o', "$dir/all.html", "$dir/machines.json", data_file('realworld.csv'), data_file('halves.csv'), '--baseline=machine1' ]);
        is(qx(tidy -q -e '$dir/all.html' 2>&1), q{}, 'tidy finds nothing');
    }
};

subtest 'input' => sub {
    my $csv  = slurp(data_file('lab.csv'));
    my $html = page([ data_file('bonnie++-2.00a-output.txt') ]);
    like($html, qr/<span>Results of vm /, q{Bonnie++'s whole output});
    is(scalar(rows_of(page([ data_file('lab.csv'), '-' ], $csv =~ s/\n/\r\n/r), $RUNS)), 2, 'a file and standard input');
    my ($status, $out, $err) = run($PROGRAM, [], "1.98,3.0.0,cut,off\n$csv");
    is($status, 0, 'a line that cannot be read: exit status 0');
    like($err, qr/\Astandard input:1: number of fields is 4; .*\n\z/, 'and a warning');

    my $golden = slurp($GOLDEN);
    $html = page([], "Writing...\n$csv$golden$csv\xEF\xBB\xBF" . $golden =~ s/\n */ /gr . "\n$csv");
    is(scalar(rows_of($html, $RUNS)), 7, 'JSON, written in any way, and CSV lines mixed');
    my ($cut) = $golden =~ /\A(.*?"tests": \[\n)/s;
    my $lines = $cut =~ tr/\n//;
    ($status, $out, $err) = run($PROGRAM, [], "\n$cut$csv\{\"other\": 1}\n{no JSON}\n$csv");
    is(scalar(rows_of(decode('UTF-8', $out), $RUNS)), 2, 'JSON that is cut off hides no other result');
    like($err, qr/\Astandard input:2: a JSON report that cannot be read: a comma or \] is missing in line \d+\nstandard input:(\d+): JSON, but no report of bonnie\n\z/, 'and is named');
};

subtest 'failures' => sub {
    my %case = (
        'no such file'   => [ ["$dir/none"],           qr/cannot read .*none: No such file/ ],
        'no result'      => [ [],                      qr/no result found in standard input/ ],
        'unknown option' => [ ['-x'],                  qr/unknown option -x; --help lists the options/ ],
        'one field'      => [ [], qr/no result found/, "1.98\n" ],
    );
    for my $name (sort keys %case) {
        my ($arguments, $message, $input) = @{ $case{$name} };
        my ($status, $out, $err) = run($PROGRAM, $arguments, $input);
        is("$status$out", '1', "$name: exit status 1 and no page");
        like($err, qr/^bon_csv2html: $message[^\n]*\n\z/m, "$name: says why");
    }
SKIP: {
        my $said = qx(sh -c "ulimit -f 0; exec '$^X' '@{[ path_of($PROGRAM) ]}' -o '$dir/limited' '@{[ data_file('lab.csv') ]}'" 2>&1);
        is($said, "bon_csv2html: cannot write $dir/limited: File too large\n", 'a limit to the size of files is told in one line');
        skip 'no /dev/full', 1 if !-c '/dev/full';
        is((run($PROGRAM, [ '-o/dev/full', data_file('lab.csv') ]))[0], 1, 'full disk: exit status 1');
    }
};

subtest 'options' => sub {
    my $html = page([ '--title', "M\xC3\xBCller's disks", data_file('lab.csv') ]);
    is(scalar(() = $html =~ m{<(?:title|h1)>M\x{FC}ller&\#39;s disks</}g), 2, '--title');
    page([ "-o$dir/page.html", data_file('lab.csv') ]);
    is(unbalanced(slurp("$dir/page.html")), q{}, '--output');
    my ($status, $out, $err) = run($PROGRAM, ['--help']);
    is("$status$err", '0', '--help: exit status 0');
    like($out, qr/^Usage: bon_csv2html .*--baseline.*--title.*--output.*--version.*--help/s, '--help: every option');
    like((run($PROGRAM, ['-V']))[1], qr/\Abon_csv2html \d+[.]\d+[.]\d+\n\z/, '--version');
};

done_testing();
