#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Public programs run bonnie++ and read its output; here is what they rely on.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use File::Temp ();
use BonnieRun  qw(bonnie scratch tree);
use RunProgram qw(spew);

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
    # That program reads both streams as one.
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

subtest 'a hardware certification suite' => sub {
    my $run = bonnie('-d', $dir, '-r', '7951.52', '-s', '2.5', qw(-n0 -f --cache=keep));
    is($run->{status}, 0, 'a fraction of a MiB');
    is((split /,/, (split /\n/, $run->{out})[-1])[5], '2M', 'is rounded down');
};

# The arguments of each of these programs, and the converter that it uses.
my %converters = (ours => { map { $_ => [ $^X, RunProgram::path_of($_) ] } qw(bon_csv2html bon_csv2txt) },
    "Debian's" => { map { $_ => ["/usr/bin/$_"] } qw(bon_csv2html bon_csv2txt) });
delete $converters{"Debian's"} if !-x '/usr/bin/bon_csv2txt';

sub converted {
    my ($whose, $program, $lines) = @_;
    my $file = File::Temp->new;
    spew("$file", $lines);
    my $command = join q{ }, map {"'$_'"} @{ $converters{$whose}{$program} };
    return qx($command <'$file');
}

for my $whose (sort keys %converters) {
    subtest "a page about disks, with $whose bon_csv2html" => sub {
        my $last = (split /^/, bonnie(@small, qw(-n1))->{out})[-1];
        my ($table) = converted($whose, 'bon_csv2html', $last) =~ m{(<table.*?</table>)}is;
        my $rows = () = ($table // q{}) =~ /<tr/gi;
        cmp_ok($rows, '>=', 2, 'the first table, cut out, has a heading and figures');
    };
    subtest "a script that keeps the upper half, with $whose bon_csv2txt" => sub {
        my $lines = join q{}, map { bonnie(@small, qw(-n1 -q -m), $_)->{out} } qw(one two three);
        my $upper = converted($whose, 'bon_csv2txt', $lines) =~ s/^[^\n]*Sequential Create.*\z//msr;
        is(join(q{ }, $upper =~ /^(one|two|three) +2M/mg), 'one two three', 'a line of each run stands before "Sequential Create"');
    };
}

subtest 'a tool that reads -x by the names of its header' => sub {
    my ($header, @lines) = map { [ split /,/, $_, -1 ] } split /\n/, bonnie(@small, qw(-q -n1 -x2 -mlab))->{out};
    my %seen;
    $seen{$_}++ for @{$header};
    is_deeply([ grep { $seen{$_} > 1 } sort keys %seen ], [], 'no name twice');
    for my $line (@lines) {
        my %field;
        @field{ @{$header} } = @{$line};
        is("$field{name} $field{num_seeks} $field{file_size} $field{num_files}", 'lab 8192 2M 1', 'what it looks up is what was asked for');
        like($field{$_}, qr/\A(?:[\d.]+|\+{5})\z/, "$_ is a figure") for qw(put_block seeks ran_del);
    }
    is(scalar @lines, 2, 'two runs');
};

is(bonnie(@small, qw(-n0 -f))->{status}, 0, 'Ceph, Lustre and avocado suites: exit status 0 when all went well');
isnt(bonnie(qw(-d /nonexistent -s1 -n0))->{status}, 0, 'and not 0 when it did not');
is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
