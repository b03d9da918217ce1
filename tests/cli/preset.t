#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --preset: the defaults of Tim Bray's Bonnie and of Bonnie++.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun qw($LIMIT @TESTS bonnie csv_of engines refused_ok scratch scratch_on_disk takes_direct tree);
use JsonReport qw(report_ok);

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
like($run->{out}, qr{^<TR><TD>machine-name</TD><TD>1 [*] 2</TD>(?:<TD>(?:\d+|\+{5})</TD><TD>(?:\d+\.\d|\+{3})</TD>){5}<TD>(?:\d+\.\d|\+{5})</TD><TD>(?:\d+\.\d|\+{3})</TD></TR>$}m,
    'bonnie: the HTML row');
is((grep { length $csv->{$_} } @TESTS[ 6 .. 11 ]), 0, 'bonnie: six tests');

is(csv_of(bonnie(@tiny, qw(--format=csv -s3:4k:7:2 --preset=bonnie)))->{file_size}, '3M', 'bonnie: -s goes before the preset');

$run = bonnie(@tiny, qw(--preset=bonnie++ -n1 -mlab));
$csv = csv_of($run);
is("@{$csv}{qw(num_seeks seek_proc_count num_files)}", '8192 5 1', 'bonnie++: 8192 seeks by 5 seekers');
is((grep { length $csv->{$_} } @TESTS), 12, 'bonnie++: twelve tests');
like($run->{out}, qr/\AVersion .*\n1\.98,[^\n]*\n\z/s, 'bonnie++: its table, then its CSV line');
is(csv_of(bonnie(@tiny, qw(--tests=seq_create --format=csv)))->{num_files}, '16', 'bonnie++: 16 x 1024 files');

# The rows of KDiskMark, each with its reading tests above its writing ones.
my @fixed = ('-d', $dir, '--preset=diskmark');
refused_ok(bonnie(@fixed, $_), qr/^bonnie: --preset=diskmark fixes -c, .*; these cannot be given$/m) for qw(-c2 --iodepth=2 --tests=iops --iops-writes=50);
my $disk = scratch_on_disk();
SKIP: {
    skip 'the engine libaio cannot be used here', 1 if !grep { $_ eq 'libaio' } engines();
    skip 'this filesystem refuses O_DIRECT',      1 if !takes_direct($disk);
    my @rows = ('-d', $disk, qw(--preset=diskmark -s64 --time=0.4 --iops-duration=1));
    $run = bonnie(@rows);
    my $line = qr/ +[\d.+]+ +[\d+]+ +[\d+]+(?: +(?:\d+[mu]?s|-)){3} +$LIMIT\n/;
    is($run->{status}, 0, 'diskmark: exit status 0') or diag($run->{err});
    like($run->{out}, qr{\AVersion[ ]\S+[ ]+MB/s[ ]+/sec[ ]%CP[ ]+mean[ ]+p99[ ]+max[ ]+limited[ ]by\n
        (?:(?:SEQ1M[ ]Q8|SEQ1M[ ]Q1|RND4K[ ]Q32|RND4K[ ]Q1)T1\s+read$line[ ]+write$line){4}(?:.*O_DIRECT.*\n(?:.*O_DIRECT[.]\n)?)?\z}x, 'diskmark: four rows, and nothing else');
    like($run->{err}, qr/^Write 4 KiB, one by one\.\.\.done\n/m, 'diskmark: progress names the row');

    $run = bonnie(@rows, qw(-q --json -m lab));
    my $report = report_ok($run->{out});
    my @tests  = @{ $report->{runs}[0]{tests} };
    is($report->{label}, 'lab', 'diskmark: one object of JSON, with the label');
    is(join(q{ }, map { $_->{row} } @tests), 'write-1m-q8 read-1m-q8 write-1m-q1 read-1m-q1 read-4k-q32 write-4k-q32 read-4k-q1 write-4k-q1', 'which has the tests of all rows');
    is($tests[5]{title}, 'Write 4 KiB, 32 in flight', 'with titles');
    is_deeply([ map {"$_->{name} $_->{row}"} @{ $report->{summary} } ], [ map {"$_->{name} $_->{row}"} @tests ], 'and summarises each');
    is_deeply([ map { $_->{iodepth} } @tests ], [ 8, 8, 1, 1, 32, 32, 1, 1 ], 'in flight as it says');
    is_deeply([ map { $_->{damaged} } @tests ], [ (0) x 8 ], 'all on the same data, which is as it should be');

    $report = report_ok(bonnie(@rows, qw(-q --json -x2))->{out});
    is_deeply([ map { scalar @{ $_->{tests} } } @{ $report->{runs} } ], [ 8, 8 ], 'two runs have the tests of all rows');
    is_deeply([ map { $_->{runs} } @{ $report->{summary} } ], [ (2) x 8 ], 'and are summarised by rows');
    is_deeply([ tree($disk) ], [], 'nothing is left on the disk');
}

# Where there is no O_DIRECT, the rows are measured without, and say so; -D is still refused.
SKIP: {
    skip 'the engine libaio cannot be used here', 1 if !grep { $_ eq 'libaio' } engines();
    my $ramfs = Root::may_mount() ? Root::ramfs() : undef;
    skip 'a filesystem without O_DIRECT needs root and its mounts', 1 if !defined $ramfs;
    my @rows = ('-d', "$ramfs", qw(--preset=diskmark -s64 --time=0.4 --iops-duration=1));
    $run = bonnie(@rows);
    is($run->{status}, 0, 'diskmark without O_DIRECT: exit status 0') or diag($run->{err});
    is((() = $run->{out} =~ /, without O_DIRECT$/mg), 8, 'each row says so');
    like($run->{err}, qr/^bonnie: .*libaio without --direct is synchronous/m, 'and what the engine then does');
    my $first = report_ok(bonnie(@rows, qw(-q --json))->{out});
    ok(!$first->{runs}[0]{tests}[0]{direct_asked}, 'so does JSON');
    refused_ok(bonnie(@rows, '-D'), qr/refuses O_DIRECT/, 'who asks for it is refused');
    is_deeply([ tree("$ramfs") ], [], 'nothing is left');
}

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
