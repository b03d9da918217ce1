#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The slowest operations on the page of bon_csv2html: a table of sentences, and a chart with a row
# for each cause.

use strict;
use warnings;
use Encode qw(decode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use JSON::PP   ();
use List::Util qw(sum0);
use Test::More;
use HtmlCheck  qw(unbalanced);
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(bonnie scratch_on_disk source);
use JsonReport qw(report_ok);
use JsonSchema qw(schema_errors);
use RunProgram qw(run slurp spew);
use TailRun    (); # one of these tests at a time

my $dir    = File::Temp->newdir;
my $JSON   = JSON::PP->new->utf8->canonical;
my $GOLDEN = slurp("$FindBin::Bin/../golden/report/full.json");
my $SCHEMA = $JSON->decode(slurp(source('share/bonnie.schema.json')));
my $WORDS  = 'waited for the device itself';
my @CAUSES = qw(reclaim cpu lock writeback journal flush device queue program group unknown);

# Makes the `tail` of a test from operations, [ seconds, milliseconds, cause ],
# and changes.
sub tail_of {
    my ($operations, %change) = @_;
    my %count;
    $count{ $_->[2] }++ for @{$operations};
    return {
        reason => 'of the slowest 4 (above 8.1 ms): 3 waited for the device itself; 1 waited for a CPU.',
        traced => JSON::PP::true(), note => q{}, slowest => 1000, examined => scalar @{$operations}, above_ns => 8_100_000, lost_events => 1234, lost_ops => 0,
        percent    => { map { $_ => @{$operations} ? 100 * ($count{$_} // 0) / @{$operations} : 0 } @CAUSES },
        operations => [ map { { seconds => $_->[0], latency_ns => int(1e6 * $_->[1]), offset_bytes => 0, kind => 'read', cause => $_->[2] } } @{$operations} ],
        %change,
    };
}

# A report with one run, whose test has this `tail`.
sub report {
    my ($label, $tail, $rate) = @_;
    my $report = $JSON->decode($GOLDEN);
    $report->{label} = $label;
    $report->{runs} = [ $report->{runs}[0] ];
    my $test = $report->{runs}[0]{tests}[0];
    $test->{tail} = $tail if defined $tail;
    $test->{rate} = $rate if defined $rate;
    return $JSON->encode($report);
}

my $pages = 0;

sub page {
    my @reports = @_;
    my @files = map { $pages++; spew("$dir/$pages.json", $_); "$dir/$pages.json" } @reports;
    my ($status, $out, $err) = run('bon_csv2html', \@files);
    is("$status$err", '0', 'exit status 0 and silence');
    my $html = decode('UTF-8', $out);
    is(unbalanced($html), q{}, 'balanced');
    return $html;
}

sub section_of { return ($_[0] =~ m{<section aria-labelledby="slowest">(.*?)</section>}s)[0] // q{} }

sub cells { return map { [ map { s/<[^>]*>//gr =~ s/\x{A0}/ /gr } m{<t[hd][^>]*>(.*?)</t[hd]>}g ] } $_[0] =~ m{(<tr>.*?</tr>)}gs }

sub chart_rows { return map { [ map { s/<[^>]*>//gr =~ s/\x{A0}/ /gr } m{<bdi>(.*?)</bdi>(.*)} ] } $_[0] =~ m{<li>(.*?)</li>}gs }

# The shape and the colour of each cause's marks.
my %LOOK = (
    device => 'dot bar', queue => 'box bar', flush => 'tick bar', journal => 'dot worse', writeback => 'box worse', lock => 'tick worse',
    group => 'box tail', cpu => 'dot range', reclaim => 'box range', program => 'tick range', unknown => 'dot unclear',
);

sub path_of { return ($_[0] =~ /<path class="$LOOK{$_[1]}" d="(.*?)"/)[0] // q{} }

# The number of a cause's marks on the page.
sub marks { return scalar(() = path_of(@_) =~ /h0|v[47]/g) }

subtest 'a test with slow operations' => sub {
    my $report = report('lab', tail_of([ [ 0, 10, 'device' ], [ 1, 20, 'device' ], [ 2, 40, 'device' ], [ 4, 30, 'cpu' ] ]));
    is(join("\n", schema_errors($SCHEMA, $JSON->decode($report))), q{}, 'as the schema says');
    my $html = page($report);
    ok($html =~ /href="#slowest">The slowest operations</, 'the section can be gone to');
    like($html, qr{<p class="headline">Read in chunks: of the slowest 4 [(]above 8.1 ms[)]: 3 $WORDS; 1 waited for a CPU[.] Reads }, 'and its sentence comes first');
    my ($head, $row) = cells(section_of($html));
    is_deeply($row, [ 'Read in chunks', "Of the slowest 4 (above 8.1 ms): 3 $WORDS; 1 waited for a CPU.", '4 of 1,000', '1,234' ], 'the table');
    is(scalar @{$head}, scalar @{$row}, 'a heading for each column');
    is_deeply([ chart_rows(section_of($html)) ], [ [ $WORDS, "75 %, 10\x{2013}40 ms" ], [ 'waited for a CPU', '25 %, 30 ms' ] ], 'a row for each cause, the most frequent first');
    is(path_of($html, 'device'), 'M0 167h0m250-50h0m250-100h0', 'the marks: from zero, when and how long');
    is(path_of($html, 'cpu'), 'M1000 293h0', 'those of the next cause in the next row');
    like(section_of($html), qr{y="121">20\x{A0}ms</text>.*y="347">20\x{A0}ms</text>}, 'on one scale');
};

subtest 'a wide range' => sub {
    my $html = page(report('lab', tail_of([ [ 0, 1, 'device' ], [ 1, 100, 'lock' ] ])));
    like(section_of($html), qr{y="221">1\x{A0}ms</text>.*y="121">10\x{A0}ms</text>.*y="21">100\x{A0}ms</text>}, 'is logarithmic');
    is(path_of($html, 'device'), 'M0 217h0', 'from the shortest');
    is(path_of($html, 'lock'), 'M1000 239.5v7', 'to the longest, with an upright mark');
};

subtest 'every cause' => sub {
    my $html = page(report('lab', tail_of([ map { [ $_, 10 + $_, $CAUSES[$_] ] } 0 .. $#CAUSES ])));
    is_deeply([ grep { !marks($html, $_) } @CAUSES ], [], 'has a mark');
    my %said = map { $_->[0] => 1 } chart_rows(section_of($html));
    my %words = slurp(source('src/tail/causes.c')) =~ /\[CAUSE_\w+\] = \{"(\w+)", "([^"]+)"/g;
    is_deeply([ sort keys %words ], [ sort @CAUSES ], 'the causes are those of the program');
    is_deeply([ sort keys %said ], [ sort values %words ], 'and so are their words');
    my ($style) = $html =~ m{<style>(.*?)</style>}s;
    my %part = map { $_ => 1 } map { split / / } values %LOOK;
    is_deeply([ grep { $style !~ /[.]chart (?::is[(][^)]*)?(?:path)?[.]$_\b[^{}]*\{[^}]*stroke/ } sort keys %part ], [], 'the style sheet has a look for each');
};

my $NOTE = 'tracefs is not mounted (mount -t tracefs tracefs /sys/kernel/tracing)';

subtest 'nothing is known' => sub {
    my $blind = tail_of([ map { [ $_, 10, 'unknown' ] } 1 .. 9 ], reason => "of the slowest 9: 9 for reasons not known.", note => $NOTE);
    my $page = page(report('lab', $blind));
    like($page, qr{<p class="headline">Reads [^<]*[.] Read in chunks: [^<]*not known[.] Not everything can be seen[.]<}, 'the first sentence has the figures, the second says so');
    my $html = section_of($page);
    my (undef, $row) = cells($html);
    like($row->[1], qr/Not everything can be seen: \Q$NOTE\E\z/, 'it says why, once');
    unlike($html, qr/<figure/, 'and there is no chart');

    $html = section_of(page(report('one', $blind), report('two', tail_of([ [ 0, 10, 'device' ], [ 1, 10, 'unknown' ] ]))));
    is_deeply([ map { $_->[0] } chart_rows($html) ], [ 'device: 2 two', 'not known: 2 two' ], 'of two labels, only the other is drawn');
    like(section_of(page(report('lab', tail_of([ [ 0, 10, 'device' ] ], note => 'a note')))), qr{<small>Not everything can be seen: a note</small>}, 'a note that no sentence has');
};

subtest 'several runs and labels' => sub {
    my @runs = map { report('one', tail_of([ [ 0, $_, 'device' ] ]), 1000 * $_) } 20, 30, 70;
    my $html = section_of(page(@runs, report('two', undef)));
    is_deeply([ chart_rows($html) ], [ [ 'device: 1 one', '100 %, 30 ms' ] ], 'the run with the median rate');
    my ($head, $row) = cells($html);
    is_deeply([ $head->[0], @{$row}[ 0, 1 ] ], [ 'Label', '1 one', 'Read in chunks' ], 'labels have a column');
};

subtest 'without slow operations' => sub {
    unlike(page($GOLDEN), qr/"slowest"|The slowest operations/, 'no section');
};

subtest 'many operations' => sub {
    my @many = map { [ $_ * 0.06, 8 + ($_ * 7919) % 101, qw(device flush cpu)[ $_ % 3 ] ] } 0 .. 999;
    my $one  = report('lab', tail_of(\@many));
    my $html = page($one);
    my $marks = sum0(map { marks($html, $_) } @CAUSES);
    cmp_ok($marks, '>', 900, 'nearly every one is drawn');
    my $without = page(report('lab', undef));
    cmp_ok(length($html) - length $without, '<', 15_000, 'in less than 15 KB');
    $html = page(map { report("machine$_", tail_of(\@many)) } 1 .. 40);
    $without = page(map { report("machine$_", undef) } 1 .. 40);
    cmp_ok(length($html) - length $without, '<', 110_000, 'of forty labels in less than 110 KB');
    cmp_ok(sum0(map { marks($html, $_) } @CAUSES), '<=', 4200, 'because there are fewer marks');
    is(scalar(chart_rows(section_of($html))), 120, 'but every row');

    my $huge = tail_of([ map { [ $_, 10 + $_, 'device' ] } 1 .. 100_000 ]);
    cmp_ok(marks(page(report('lab', $huge)), 'device'), '<=', 1000, 'more than bonnie writes are cut');
};

# Values that no program writes do no harm.
my @ODD = (undef, 'x', -1, 1e300, [], {}, JSON::PP::true(), "<b>\x{202E}");
for my $key (qw(note slowest examined lost_events percent operations traced)) {
    page(report('lab', tail_of([ [ 0, 10, 'device' ], [ 1, 20, 'unknown' ] ], $key => $_))) for @ODD;
}
for my $key (qw(seconds latency_ns cause)) {
    my $tail = tail_of([ [ 0, 10, 'device' ], map { [ 1, 20, 'cpu' ] } @ODD ]);
    $tail->{operations}[ $_ + 1 ]{$key} = $ODD[$_] for 0 .. $#ODD;
    my $html = page(report('lab', $tail));
    is(marks($html, 'device'), 1, "$key: the operation that is one is drawn");
}
page(report('lab', tail_of([ [ 0, 10, 'device' ] ], percent => { %{ tail_of([])->{percent} }, cpu => 1e17, device => 'x' })));
page(report('lab', tail_of([ map { [ $_, 10, 'device' ] } 0, 1e17 ])), report('lab', tail_of([ [ 0, 1e-6, 'device' ], [ 0, 9e10, 'device' ] ])));
page(report('lab', tail_of([], operations => [ 'x', undef, [], 5 ])));
for my $tail ('x', 5, [], { reason => [] }, { reason => undef }) {
    unlike(page(report('lab', $tail)), qr/"slowest"/, 'without a sentence it is left out: ' . $JSON->allow_nonref->encode($tail));
}
my $odd = page(report('lab', tail_of([], reason => '<b>&' . 'x' x 5000, note => '<i>"')));
like($odd, qr/&lt;[Bb]&gt;&amp;x{500,800}[^x]/, 'a long text, and none for HTML');
like($odd, qr/be seen: &lt;i&gt;&quot;</, 'nor is the note');

# ---- what bonnie writes --------------------------------------------------------------------------

my $disk = scratch_on_disk(oct 777);
system 'mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null' if Root::may_mount();
my $run = bonnie('-d', $disk, qw(-r0 -n0 -s4 -f --cache=keep --iops-duration=1 --explain-tail --json), '--tests=put_block,iops');
is($run->{status}, 0, 'a run') or diag $run->{err};
my %test = map { ($_->{name} => $_->{tail}) } @{ report_ok($run->{out})->{runs}[0]{tests} };
my $html = page($run->{out});
my (undef, @rows) = cells(section_of($html));
is(scalar @rows, 2, 'the page of a run has both tests');
my ($reason, $note) = @{ $test{iops} }{qw(reason note)};
is(lcfirst $rows[1][1] =~ s/&#39;/'/gr, $reason . (length $note ? "Not everything can be seen: $note" : q{}), 'with their sentences');
my %seen = map { $_->{cause} => 1 } map { @{ $_->{operations} } } values %test;
if (grep { $_ ne 'unknown' } keys %seen) {
    cmp_ok(sum0(map { marks($html, $_) } @CAUSES), '>', 0, 'and marks');
}
else {
    unlike(section_of($html), qr/<figure/, 'and no chart, as nothing is known');
}

done_testing();
