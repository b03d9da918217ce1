#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The rounds of a steady state on the page of bon_csv2html: a table with the outcome, and a chart of
# the rounds with the window, its band and the fitted line.

use strict;
use warnings;
use Encode qw(decode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use JSON::PP   ();
use Test::More;
use HtmlCheck  qw(unbalanced);
use RunProgram qw(run slurp spew);

my $dir  = File::Temp->newdir;
my $JSON = JSON::PP->new->utf8->canonical;
my $GOLDEN = slurp("$FindBin::Bin/../golden/report/steady.json");

# The page of variants of the golden report. Each variant is a list of figures for the rounds of
# get_block, with latencies of 1 and 2 ms, and changes to its JSON.
sub page_of {
    my @cases = @_;
    my @files;
    for my $case (@cases) {
        my $report = $JSON->decode($GOLDEN);
        my $test   = $report->{runs}[0]{tests}[0];
        $report->{label} = $case->{label} // 'lab';
        $test->{intervals} = [ map { { %{ $test->{intervals}[0] }, seconds => $_ } } 1 .. 3 ];
        my $steady = $test->{steady_state};
        $steady->{rounds} = [ map { { %{ $steady->{rounds}[0] }, bytes_per_second => ($_ // q{}) =~ /\A-?\d+\z/ ? 1024 * $_ : $_, mean_ns => 1e6, p99_ns => 2e6 } } @{ $case->{figures} } ] if $case->{figures};
        $steady->{fit}{$_} = $case->{fit}{$_} for keys %{ $case->{fit} // {} };
        %{$steady} = (%{$steady}, %{ $case->{steady} // {} });
        $test->{steady_state} = undef if $case->{none};
        push @files, "$dir/" . @files . '.json';
        spew($files[-1], $JSON->encode($report));
    }
    my ($status, $out, $err) = run('bon_csv2html', \@files);
    is("$status$err", '0', 'exit status 0 and silence');
    my $html = decode('UTF-8', $out);
    is(unbalanced($html), q{}, 'balanced');
    return $html;
}

sub section_of { return ($_[0] =~ m{<section aria-labelledby="steady">(.*?)</section>}s)[0] // q{} }

sub cells { return map { [ map { s/<[^>]*>//gr =~ s/\x{A0}/ /gr } m{<t[hd][^>]*>(.*?)</t[hd]>}g ] } $_[0] =~ m{(<tr>.*?</tr>)}gs }

subtest 'a steady test' => sub {
    my $html = page_of({
        figures => [ 1024 * 80, 1024 * 60, (1024 * 50) x 5 ],
        fit     => { first_round => 3, mean => 2**20 * 50, range_percent => 0, slope => 0 },
        steady  => { reason => 'steady after round 7 of 25' },
    });
    my ($head, $row) = cells(section_of($html));
    is_deeply($row, [ 'lab', 'Read in chunks', 'steady after round 7 of 25', '50 MiB/s', '0.0 %', '0.0 %', '0.4 s', '2 times' ], 'the table');
    is(scalar @{$head}, scalar @{$row}, 'a heading for each column');
    my ($course) = section_of($html) =~ /<path class="course" d="(.*?)"/;
    like($course, qr/\AM0 217v-200h143v50h143v25(?:h14[23]){5}v125M/, 'seven steps, of 80, 60 and 50, on an axis that ends with them');
    like($html, qr/<path class="band" d="M286 79[.]5h714v25h-714z"/, 'the band of ten percent around the mean, under the window');
    like($html, qr/<path class="fit" d="M357 92l572 0"/, 'the line, from the middle of its first round to that of its last');
    like($html, qr{y="171">20\x{A0}MiB/s</text>.*y="21">80\x{A0}MiB/s</text>.*>0[.]5\x{A0}ms</text>}, 'an upward axis at round values, with its unit');
    like(section_of($html), qr/>1\x{A0}ms \x{2026} 2\x{A0}ms</, 'the latency of the last round');
    like($html, qr{"headline">[^<]*\(steady\)}, 'which the headline says');
    unlike($html, qr/PTS|compliant/, 'nothing calls itself compliant');
    like($html, qr/href="#steady"/, 'the section can be gone to');
    unlike($html, qr/href="#time"/, 'and there is no other chart of the same course');
};

subtest 'one that falls' => sub {
    my $html = page_of({
        figures => [ map { 1024 * 100 * 0.9**$_ } 0 .. 4 ],
        fit     => { first_round => 1, mean => 2**20 * 81.9, range_percent => 42, slope => -2**20 * 8.58 },
        steady  => { steady => JSON::PP::false(), reason => 'not steady after 5 rounds: still falling 10.5 % a round' },
    });
    my (undef, $row) = cells(section_of($html));
    is_deeply([ @{$row}[ 2 .. 5 ] ], [ 'not steady after 5 rounds: still falling 10.5 % a round', '81.9 MiB/s', '42.0 %', "\x{2212}10.5 %" ], 'the table');
    my ($rise) = $html =~ /class="fit"[^>]*d="M\d+ [\d.]+l\d+ (-?[\d.]+)"/;
    cmp_ok($rise, '>', 15, 'the line falls');
};

subtest 'several labels, not all of them with rounds' => sub {
    my $html = page_of({ label => 'one' }, { label => 'two', none => 1 }, { label => 'three' });
    my (undef, @rows) = cells(section_of($html));
    is(join(q{ }, map { $_->[0] } @rows), '1 one 3 three', 'those that have');
};

subtest 'no rounds' => sub {
    my $html = page_of({ none => 1 });
    unlike($html, qr/"steady"|Steady state/, 'no section');
};

# The page leaves out values that no program writes.
for my $case (
    { steady => { metric => 'x' } }, { steady => { rounds => [] } }, { steady => { rounds => 7 } }, { steady => { fit => undef } },
    { fit => { first_round => 0 } }, { fit => { first_round => 6 } }, { fit => { mean => -1 } }, { fit => { slope => 'x' } }, { fit => { slope => undef } }, { fit => { range_percent => [] } },
) {
    my $html = page_of($case);
    unlike($html, qr/Steady state/, 'left out: ' . $JSON->encode($case));
}
my $odd = page_of({ figures => [ ('x', undef, -3, [], 5) ], steady => { reason => '<b>' . 'x' x 1000, precondition => 'x', round_seconds => undef } });
like($odd, qr/&lt;b&gt;x{50,120}[^x]/, 'a text that is long and no text for HTML');
page_of({ figures => [ (0) x 5 ], fit => { mean => 0, slope => 0, range_percent => 0 } });

done_testing();
