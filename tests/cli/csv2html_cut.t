#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# boncut's reports on the page of bon_csv2html: methods and their losses, control groups, the last
# three seconds, and the cuts of a campaign with their bound.

use strict;
use warnings;
use Encode qw(decode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use JSON::PP   ();
use Test::More;
use HtmlCheck  qw(unbalanced);
use RunProgram qw(data_file run slurp spew);

my $dir  = File::Temp->newdir;
my $JSON = JSON::PP->new->utf8->canonical;

sub page_of {
    my @files = @_;
    my ($status, $out, $err) = run('bon_csv2html', \@files);
    is("$status$err", '0', 'exit status 0 and silence');
    my $html = decode('UTF-8', $out);
    is(unbalanced($html), q{}, 'balanced');
    return $html;
}

# A variant of the report in this file.
sub changed {
    my ($file, $change) = @_;
    my $report = $JSON->decode(slurp(data_file($file)));
    $change->($report);
    my $path = File::Temp->new(DIR => "$dir", UNLINK => 0);
    spew("$path", $JSON->encode($report));
    return "$path";
}

# The cells of the row with this first cell.
sub row_of {
    my ($html, $name) = @_;
    my ($row) = $html =~ m{<tr><th class="label" scope="row"><bdi>\Q$name\E</bdi></th>(.*?)</tr>}s or return;
    return [ $row =~ m{<td[^>]*>(.*?)</td>}g ];
}

my $check = page_of(data_file('boncut-check.json'));
like($check, qr{<h1>Durability of ext4 on loop3</h1>}, 'a check: what was cut');
like($check, qr{<p class="headline">LOST: 28 of 242 units}, 'its sentence');
is_deeply(row_of($check, 'fdatasync'), [ 2, '1 missing, 1 of a wrong size', 20, 15, 13, 0, '2 of 8', '2 of 13', '2 of 13' ], 'a method that lost something');
is_deeply(row_of($check, 'msync'), [ 0, "\x{2013}", 19, 15, 15, 0, '0 of 7', '0 of 14', '0 of 15' ], 'and one that did not');
is_deeply(row_of($check, 'drive'), [ 0, 'nothing is shown about the drive', '1,346', 256 ], 'a control group');
my $in_place = page_of(changed('boncut-check.json', sub {
    my ($report) = @_;
    my ($drive) = grep { $_->{name} eq 'drive' } @{ $report->{canaries} };
    @{$drive}{qw(lost counts)} = (256, JSON::PP::false);
    @{ $report->{methods}[1] }{qw(kept unreadable)} = (10, 3);
}));
is_deeply(row_of($in_place, 'drive'), [ 256, 'nothing: writes are not known to be in place', '1,346', 256 ], 'a control group that does not count');
is_deeply([ @{ row_of($in_place, 'fdatasync') }[ 4, 5, 0 ] ], [ 10, 3, 2 ], 'what is unreadable is not lost');
like($check, qr{<b>28 lost</b>}, 'the last three seconds');
like($check, qr{create[.]0/4[.]1</td><td>0</td><td>version 1</td><td>none</td><td>missing</td><td>0[.]332 s</td>}, 'a loss');

my $campaign = page_of(data_file('boncut-campaign.json'));
like($campaign, qr{<p class="headline">LOST: lost in 1 of 9 cuts [(]95 % interval: 0[.]3 to 48[.]2 %[)][^<]*cache; not known: 1 of all 10 cuts[.]</p>}, 'a campaign: its sentence with the bound');
is(() = $campaign =~ /LOST: lost/g, 1, 'which is said once');
like($campaign, qr{<b>8 kept, 1 lost, 1 not known</b>}, 'its cuts');
is_deeply(row_of($campaign, 5), [ 'lost', 4, 'the kernel&#39;s memory and the drive&#39;s cache', 140, 100 ], 'each of them');
unlike($campaign, qr{What was lost}, 'and no method');

my $many = page_of(data_file('boncut-campaign.json'), (data_file('boncut-check.json')) x 6);
ok($many =~ /6 checks, added up/, 'a campaign with its checks');
for my $case ([ 2, 'LOST: 28 of 242 units [^<]* 2 ext4 on loop3: LOST: 28 of' ], [ 6, '6 checks: 6 lost[.]<' ]) {
    my ($checks, $sentence) = @{$case};
    like(page_of((data_file('boncut-check.json')) x $checks), qr{<p class="headline">[^<]*$sentence}, "$checks checks: what became of them");
}
my $host = page_of(changed('boncut-campaign.json', sub { $_->{layer_cut} = 'host' for @{ $_[0]{cuts} } }));
is(row_of($host, 1)->[2], 'the kernel&#39;s memory', 'a cut that only a filesystem has felt is not one of the host');
is_deeply(row_of($many, 'fdatasync'), [ 12, '6 missing, 6 of a wrong size', 120, 90, 78, 0, '12 of 48', '12 of 78', '12 of 78' ], 'which are added up');

my $beside = page_of(data_file('boncut-check.json'), "$FindBin::Bin/../golden/report/full.json");
like($beside, qr{<h1>/raid1/caf[?], ext4 on dm-0 .*Promises and what became of them}s, 'beside results of bonnie');

my $hostile = page_of(changed('boncut-check.json', sub {
    my ($report) = @_;
    $report->{reason}    = '<script>x</script>';
    $report->{methods}[0]{name} = '<b>';
    $report->{methods}[1]       = 'none';
    $report->{methods}[2]{kept} = { a => 1 };
    $report->{last_tenths}      = [ 7, { units => -1 }, { units => 'x', lost => 1e300 } ];
    $report->{losses}[0]        = { file => [] };
    $report->{canaries}         = { };
}));
unlike($hostile, qr{<script>|<b><}, 'a hostile report: no tag of its own');
my ($status, $out, $err) = run('bon_csv2html', [ changed('boncut-check.json', sub { $_[0]{format_version} = 9 }) ]);
isnt($status, 0, 'another version is refused');
like($err, qr/format_version 9 of the JSON document is not known/, 'and says so');

done_testing();
