#!/usr/bin/perl
# Public programs that drive bonnie++ and read what it prints find here what they rely on.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(bonnie scratch tree);

my $dir   = scratch();
my @small = ('-d', $dir, qw(-r0 -s2 --cache=keep));

subtest 'a cloud benchmark suite' => sub {
    my $run = bonnie(@small, qw(-q -n1 -f));
    my @lines = split /\n/, $run->{out};
    is(scalar @lines, 1, 'one line on stdout');
    my @fields = split /,/, $lines[0], -1;
    is(scalar @fields, 50, 'of exactly 50 fields');
    is($fields[0], '1.98', 'the first of them is the format');
    for my $latency (grep {length} @fields[ 38 .. 49 ]) {
        like($latency, qr/\A[0-9.]+[a-z]+\z/, "latency $latency: a number and letters");
    }
    is((grep { !/\A\z|\+/ && !/\A[0-9.]+\z/ } @fields[ 9 .. 20, 26 .. 37 ]), 0, 'all other figures are numbers, with + or empty');
};

subtest 'a kernel test grid' => sub {
    # It reads both streams as one.
    my $run = bonnie(@small, qw(-n1 -mgrid-node1 -x2));
    my @found;
    for my $line (split /\n/, "$run->{err}$run->{out}") {
        push @found, [ split /,/, $line, -1 ] if $line =~ /^[a-z0-9.-]+,/;
    }
    is(scalar @found, 2, 'a line of each run, and nothing taken for one');
    for my $fields (@found) {
        my @figures = @{$fields}[ 9, 11, 13, 15, 17, 19, 26 .. 36 ];
        is((grep { !/\A(?:[0-9.]+|\+{3,5})\z/ } @figures), 0, 'figures in the columns that it takes');
    }
};

subtest 'a charting page' => sub {
    my $run = bonnie(@small, qw(-n1 -m), 'a,b');
    my @with_comma = grep {/,/} split /\n/, $run->{out};
    is(scalar @with_comma, 1, 'no line but the CSV line has a comma');
    my @fields = split /,/, $with_comma[0], -1;
    ok((grep { @fields == $_ } 27, 48, 50), 'which has a number of fields that it knows');
    like($_, qr/^\d+[mun]s$/, "latency $_") for grep { length && !/\A\d+s\z/ } @fields[ 38 .. 49 ];
};

subtest 'an HPC harness' => sub {
    my $run = bonnie(@small, qw(-n1));
    like($run->{out}, qr/Version\s+(\S+)\s+-+Sequential Output-+\s+-+Sequential Input-/, 'the version before the headings');
    my ($line) = $run->{out} =~ /^Name:Size etc.*\n(.*)$/m;
    my @figures = split q{ }, $line;
    is(scalar @figures, 14, 'label, size and six pairs in the line below them');
};

subtest 'an NFV suite' => sub {
    my $run = bonnie(@small, qw(-n1));
    my $last = (split /\n/, $run->{out})[-1];
    is(scalar(my @fields = split /,/, $last, -1), 50, 'the last line of stdout is the result');
};

is(bonnie(@small, qw(-n0 -f))->{status}, 0, 'Ceph, Lustre and avocado suites: exit status 0 when all went well');
isnt(bonnie(qw(-d /nonexistent -s1 -n0))->{status}, 0, 'and not 0 when it did not');
is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
