#!/usr/bin/perl
# The hosts of a run on the page: sorted, and of a hundred those are named that are far from the others.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP   ();
use Test::More;
use RunProgram qw(data_file run slurp);

my $golden = JSON::PP->new->utf8->decode(slurp(data_file('../golden/report/full.json')));

# The page of one run whose test get_block these hosts did: name => [rate, ranks].
sub page_of {
    my (%hosts) = @_;
    my ($test) = grep { $_->{name} eq 'get_block' } @{ $golden->{runs}[0]{tests} };
    $test->{hosts} = [ map { { name => $_, rate => $hosts{$_}[0], ranks => $hosts{$_}[1] } } sort keys %hosts ];
    my ($status, $out, $err) = run('bon_csv2html', [], JSON::PP->new->utf8->encode($golden));
    is($status, 0, 'exit status 0') or diag($err);
    my ($section) = $out =~ m{(<section[^>]*"hosts".*?</section>)}s;
    return $section // q{};
}

# The labels of its rows, in order, and the figures beside them.
sub rows_of { my ($section) = @_; return $section =~ m{<bdi>(.*?)</bdi>}g }

is(page_of(), q{}, 'without hosts there is no section');
is(page_of(alone => [ 1000, 1 ]), q{}, 'and none with a single one');

my @few = rows_of(page_of(b => [ 3000, 1 ], a => [ 4000, 2 ], '<c>' => [ 1000, 1 ]));
is("@few", '&lt;c&gt; a b', 'a few: each, by the rate of each of its ranks, and nothing of a name is markup');

my %many = map { sprintf('node%02d', $_) => [ 10_000 + $_, 1 ] } 1 .. 98;
my @many = rows_of(page_of(%many, slow => [ 5000, 1 ], quick => [ 20_000, 1 ]));
is("@many", 'slow 98 others quick', 'of a hundred: those that are far from the others');
is(join(q{ }, rows_of(page_of(%many))), 'node01 97 others', 'and the slowest in any case');

done_testing();
