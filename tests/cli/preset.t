#!/usr/bin/perl
# --preset: what Tim Bray's Bonnie and Bonnie++ do without options.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(@TESTS bonnie csv_of scratch tree);

my $dir = scratch();

my $run = bonnie('-d', $dir, qw(--preset bonnie -r0 --cache=keep));
is($run->{status}, 0, 'bonnie: exit status 0');
my $figures = qr/(?: +(?:\d+ +\d+\.\d|\+{5} +\+{3})){5} +(?:\d+\.\d +\d+\.\d|\+{5} +\+{3})/;
like($run->{out}, qr{\A[ ]{14}-------Sequential[ ]Output--------[ ]---Sequential[ ]Input--[ ]--Random--\n
    [ ]{14}-Per[ ]Char-[ ]--Block---[ ]-Rewrite--[ ]-Per[ ]Char-[ ]--Block---[ ]--Seeks---\n
    Machine[ ]{4}MB[ ](?:K/sec[ ]%CPU[ ]){5}[ ]/sec[ ]%CPU\n
    [ ]{8}[ ][ ]100$figures\n\z}x, 'bonnie: its table of 100 MB without a label, and nothing else');

my @tiny = ('-d', $dir, qw(-r0 -s2 --cache=keep));
$run = bonnie(@tiny, '--preset=bonnie', '--format=text,csv,html', '-m', 'machine-name');
my $csv = csv_of($run);
is("@{$csv}{qw(num_seeks seek_proc_count num_files name)}", '4000 4  machine-name', 'bonnie: 4000 seeks by 4 seekers, no files');
like($run->{out}, qr/^machine-    2 /m, 'bonnie: a label is cut to 8 columns');
like($run->{out}, qr{^<TR><TD>machine-name</TD><TD>2</TD>(?:<TD>(?:\d+|\+{5})</TD><TD>(?:\d+\.\d|\+{3})</TD>){5}<TD>(?:\d+\.\d|\+{5})</TD><TD>(?:\d+\.\d|\+{3})</TD></TR>$}m,
    'bonnie: the HTML row');
is((grep { length $csv->{$_} } @TESTS[ 6 .. 11 ]), 0, 'bonnie: six tests');

is(csv_of(bonnie(@tiny, qw(--format=csv -s3:4k:7:2 --preset=bonnie)))->{file_size}, '3M', 'bonnie: -s goes before the preset');

$run = bonnie(@tiny, qw(--preset=bonnie++ -n1 -mlab));
$csv = csv_of($run);
is("@{$csv}{qw(num_seeks seek_proc_count num_files)}", '8192 5 1', 'bonnie++: 8192 seeks by 5 seekers');
is((grep { length $csv->{$_} } @TESTS), 12, 'bonnie++: twelve tests');
like($run->{out}, qr/\AVersion .*\n1\.98,[^\n]*\n\z/s, 'bonnie++: its table, then its CSV line');
is(csv_of(bonnie(@tiny, qw(--tests=seq_create --format=csv)))->{num_files}, '16', 'bonnie++: 16 x 1024 files');

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
