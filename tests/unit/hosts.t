#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The hosts of a run and of a load on the page: they are sorted, and of a hundred hosts the
# outliers are named.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP   ();
use Test::More;
use RunProgram qw(data_file run slurp);

my $golden = JSON::PP->new->utf8->decode(slurp(data_file('../golden/report/full.json')));

# The section with this id on the page of a report.
sub section_of {
    my ($id, $report) = @_;
    my ($status, $out, $err) = run('bon_csv2html', [], JSON::PP->new->utf8->encode($report));
    is($status, 0, 'exit status 0') or diag($err);
    my ($section) = $out =~ m{(<section[^>]*"$id".*?</section>)}s;
    return $section // q{};
}

# The page of a run in which these hosts did get_block: name => [ rate, ranks ].
sub page_of {
    my (%hosts) = @_;
    my ($test) = grep { $_->{name} eq 'get_block' } @{ $golden->{runs}[0]{tests} };
    $test->{hosts} = [ map { { name => $_, bytes_per_second => 1024 * $hosts{$_}[0], ranks => $hosts{$_}[1] } } sort keys %hosts ];
    return section_of('hosts', $golden);
}

# The page of a load in which these hosts made the writes: name => mean latency in ns.
sub load_page_of {
    my (%hosts) = @_;
    my %load = (format => 'bonload', format_version => 1, settings => { url => 'XX' }, writes => { made => 1 });
    $load{hosts} = [ map { { name => $_, writes => { latency_mean_ns => $hosts{$_} } } } sort keys %hosts ];
    return section_of('load-hosts', \%load);
}

# The labels of its rows in their order, and the figures beside them.
sub rows_of    { my ($section) = @_; return $section =~ m{<bdi>(.*?)</bdi>}g }
sub figures_of { my ($section) = @_; return map {s/\W+/ /gr} $section =~ m{<b>(.*?)</b>}g }

is(page_of(), q{}, 'without hosts there is no section');
is(page_of(alone => [ 1000, 1 ]), q{}, 'and none with a single one');

my @few = rows_of(page_of(b => [ 3000, 1 ], a => [ 4000, 2 ], '<c>' => [ 1000, 1 ]));
is("@few", '&lt;c&gt; a b', 'a few: each, by the rate of each of its ranks, and nothing of a name is markup');
is(join(q{, }, figures_of(page_of(b => [ 3072, 1 ], a => [ 4096, 2 ]))), '2 MiB s, 3 MiB s', 'which is its figure');

my %many = map { sprintf('node%02d', $_) => [ 10_000 + $_, 1 ] } 1 .. 98;
my @many = rows_of(page_of(%many, slow => [ 5000, 1 ], quick => [ 20_000, 1 ]));
is("@many", 'slow 98 others quick', 'of a hundred: those that are far from the others');
like(page_of(%many), qr/The others share one: /, 'which is explained');
unlike(page_of(b => [ 3000, 1 ], a => [ 4000, 2 ]), qr/others/, 'and where there are few there is nothing to explain');
is(join(q{ }, rows_of(page_of(%many))), 'node01 97 others', 'and the slowest in any case');

is(load_page_of(), q{}, 'a load without hosts has no such section');
my $load = load_page_of(a => 5e3, b => 2e7, c => 9e5, broken => 0);
is(join(q{ }, rows_of($load)), 'b c a', 'a few: from the slowest to the fastest; one all of whose requests failed has no latency');
is(join(q{, }, figures_of($load)), '20 ms, 900 s, 5 s', 'each in the unit that suits it');
my %alike = map { sprintf('node%02d', $_) => 1e6 + 1e3 * $_ } 1 .. 98;
is(join(q{ }, rows_of(load_page_of(%alike, slow => 9e6, quick => 1e5))), 'slow 98 others quick', 'of a hundred: those that are far from the others');

# A host that is clearly slower than the others is in the headline, with how much.
sub headline_of { return ((run('bon_csv2html', [], JSON::PP->new->utf8->encode($_[0])))[1] =~ m{<p class="headline">(.*?)</p>})[0] }
sub run_of {
    my (%hosts) = @_;
    page_of(%hosts);
    return headline_of($golden);
}
like(run_of((map { ("n$_" => [ 3000 + $_, 1 ]) } 1 .. 7), '<s>' => [ 2000, 2 ]), qr/; &lt;s&gt; is slow in 1 of \d tests?: the other hosts have 3 times its rate in &quot;Read in chunks&quot;[.]/, 'a run: which host is slow, and by how much');
unlike(run_of(map { ("n$_" => [ 1000 * $_, 1 ]) } 1 .. 8), qr/ is slow/, 'none is where all differ');
unlike(run_of(a => [ 1000, 1 ], b => [ 1100, 1 ]), qr/ is slow/, 'nor where the difference is small');
like(run_of(a => [ 1000, 1 ], b => [ 2000, 1 ]), qr/; a is slow/, 'of two the slower one');
unlike(run_of(a => [ 0, 1 ], b => [ 2000, 1 ]), qr/ is slow/, 'a rate of zero has no ratio');
my %slow_load = (format => 'bonload', format_version => 1, settings => { url => 'XX' }, reads => { made => 9, made_per_second => 9, latency_ns => { p99 => 5 } },
    hosts => [ map { { name => "n$_", ranks => 2, reads => { latency_mean_ns => $_ == 3 ? 4e6 : 1e6 } } } 1 .. 4 ]);
like(headline_of(\%slow_load), qr/; n3 is slow: its mean latency of reads is 4 times that of the other hosts[.]/, 'a load: which, and by how much');
like((run('bon_csv2html', [], JSON::PP->new->utf8->encode(\%slow_load)))[1], qr{<h1>[^<]*, from 8 ranks on 4 hosts</h1>}, 'and how many ranks on how many hosts');

done_testing();
