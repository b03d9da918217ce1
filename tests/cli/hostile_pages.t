#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bon_csv2html with reports made to do harm: its time grows in proportion to their size, the page
# shows names in any script, and perl prints no warning.

use strict;
use warnings;
use Encode qw(decode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use RunProgram qw(run);

my $MIB   = 2**20;
my $HANGS = 60;      # seconds of CPU time; each page needs about one

sub zcav_json {
    my ($device, %settings) = @_;
    return '{"format":"zcav",' . substr JSON::PP::encode_json({ format_version => 1, settings => \%settings, devices => [$device] }), 1;
}

# The page of a report. perl must print no warning while it is made.
sub page {
    my ($name, $report) = @_;
    my ($status, $out, $err) = run('bon_csv2html', [], $report);
    is("$status$err", '0', "$name: a page, and silence");
    return decode('UTF-8', $out);
}

# The limit on CPU time applies to each program that this test starts.
if (!$ENV{BONNIE_TEST_LIMITED}) {
    exec 'sh', '-c', "ulimit -t $HANGS; BONNIE_TEST_LIMITED=1 exec \"\$@\"", 'sh', $^X, $0;
}

my $slow = join q{}, map { sprintf "%.2f %s 0.010\n", $_ / 1024, $_ % 2 ? '10.00' : '100.00' } 0 .. 7999;
like(page('4,000 slow places', "#block offset (GiB), MiB/s, time\n$slow"), qr/Only the first 200 are shown; 3,\d\d\d more/, 'and the first of them are on it');
my @blocks = map { [ $_ * $MIB, $MIB, $_ % 2 ? .1 : .01 ] } 0 .. 9999;
my @bad    = map { { offset_bytes => $_ * $MIB, bytes => 512, error => 'x' } } 0 .. 9999;
page('10,000 blocks with bad ranges', zcav_json({ name => 'x', passes => [ { blocks => \@blocks } ], bad => \@bad }, block_bytes => $MIB));
page('as many passes as blocks', zcav_json({ name => 'x', passes => [ { blocks => \@blocks }, map { { blocks => [ $blocks[0] ] } } 1 .. 9999 ] }, block_bytes => $MIB));
page('no size of blocks', zcav_json({ name => 'x', passes => [ { blocks => [ @blocks[ 0 .. 9 ] ] } ] }));

# The name in the form that bonload gives it in JSON.
sub load_json {
    my (%change) = @_;
    my %kind = (made => 10, errors => 0, made_per_second => 5, latency_ns => { p50 => 1000, p99 => 2000, max => 3000 });
    my $slices = [ { seconds => 1, writes => { made => 5, heat => [ 1, 5 ] } } ];
    return JSON::PP::encode_json({ format => 'bonload', format_version => 1, settings => { mode => 'threads', url => 'x' }, writes => \%kind,
        timeline => { edges_ns => [ 0, 1000, 2000 ], slices => $slices }, %change });
}
my $name = "\x{17C}\x{F3}\x{142}w/\x{4E2D}";
my $html = page('a name in another script', load_json(settings => { url => $name, requests_engine => 'disk' }, host => { name => $name },
    writes => { made => 10, latency_ns => { p50 => 1, p99 => 2 }, slowest => [ { name => $name, latency_ns => 5, outcome => $name } ] }));
cmp_ok(scalar(() = $html =~ /\Q$name\E/g), '>=', 4, 'stands on the page as it is');
page('slices that are none', load_json(timeline => { edges_ns => [0], slices => [ 'x', 1, undef, { seconds => 1, writes => { heat => [ undef, 5, 1, 5 ] } } ] }));
done_testing();
