#!/usr/bin/perl
# For every option that accepts one of several words (tests, formats, presets, contents, engines,
# modes), each word is tried. And every report format has a golden file.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(@ALL_TESTS @TESTS bonnie source);
use RunProgram qw(slurp);
use Trace      qw(%TITLE);

# The words that the program accepts, by its own account.
sub accepted {
    my ($option) = @_;
    my ($list) = bonnie("$option=?")->{err} =~ /expected (?:a comma-separated list of )?([^;\n]*)/;
    return $list =~ s/, each once//r =~ /([a-z_]+(?:\+\+)?)(?:, | or |\z)/g;
}

my $code = join "\n", grep { !/^\s*#/ } map { split /\n/, slurp($_) } grep { !/refused[.]t\z/ } glob source('tests/cli/*.t');

is("@{[ accepted('--tests') ]}", "@ALL_TESTS", 'the tests of the program are those that are tested');
is_deeply([ sort keys %TITLE ], [ sort @ALL_TESTS ], 'each with what it says when it begins');
my $halves = slurp(source('tests/cli/halves.t'));
like($halves, qr/for my \$test \(\@ALL_TESTS\) \{\n.*measured\("--tests=\$test"\)/, 'and each is run alone');

for my $option (qw(--format --preset --data --cache --engine --uring --verify)) {
    my @words = accepted($option);
    cmp_ok(scalar @words, '>=', 2, "$option: what it takes is known");
    for my $word (@words) {
        like($code, qr/\Q$option\E(?:=|',? '?|[ ])(?:[a-z]+,)*\Q$word\E(?![\w+])/, "$option $word is tried");
    }
}

for my $file (glob source('src/bonnie/report/*.c')) {
    my ($name) = slurp($file) =~ /const struct report_ops \w+ = \{\s*\.name = "(\w+)"/ or next;
    my %ending = (text => '{full,short}.txt', csv => '{full,header}.csv', json => 'full.json', classic => 'classic.txt', html => 'classic.html', gobonniego => 'gobonniego.txt', gobonniego_json => 'gobonniego.json', diskmark => 'diskmark.txt');
    my @golden = map { glob } source("tests/golden/report/$ending{$name}");
    ok(@golden && !grep({ !-s } @golden), "report $name has golden files");
}

my %workload = map { $_ => 1 } slurp(source('src/bonnie/workloads/workload.c')) =~ /&workload_(\w+)/g;
is_deeply([ sort keys %workload ], [ sort @ALL_TESTS ], 'every test has a workload, and every workload a test');

done_testing();
