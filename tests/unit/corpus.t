#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The converters read every input of their fuzzing corpora and print what they should, and what
# tests/fuzz/pack packs is the same when it is read.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Basename qw(basename);
use File::Glob     qw(bsd_glob);
use File::Temp     ();
use FuzzCorpus     qw(inputs packed);
use RunProgram     qw(spew);
use Test::More;

my $fuzz = "$FindBin::Bin/../fuzz";
my $kept = File::Temp->newdir;
for my $input (map { inputs("$fuzz/corpus/$_") } qw(csv json)) {
    spew("$kept/input", $input->[1]);
    for my $program (qw(bon_csv2html bon_csv2txt)) {
        open my $said, '-|', $^X, "$fuzz/converters", '--found', "$kept/", $program, "$kept/input"
            or die "$fuzz/converters: $!\n";
        my $text = join q{}, readline $said;
        ok(close $said, "$program: $input->[0]") or diag($text);
    }
}

my @odd = ([ bytes => join q{}, map {chr} 0 .. 255 ], [ nothing => q{} ], [ blanks => " \n \n" . q{ } x 200 ], [ escapes => '\\n\\x0a|' ]);
spew("$kept/odd", join q{}, map { packed(@{$_}) } @odd);
is_deeply([ inputs("$kept/odd") ], \@odd, 'what is packed is the same when it is read');

my %targets = map { basename($_) =~ s/\Afuzz_|[.]c\z//gr => 1 } bsd_glob("$fuzz/fuzz_*.c");
is_deeply({ map { basename($_) => 1 } bsd_glob("$fuzz/corpus/*") }, { %targets, csv => 1, json => 1 }, 'a corpus for each target');

for my $broken (q{}, "# none\n", "  |a\n", "a\n  |\\q\n", "a\n |b\n", "a\n  |b \n", "a\n  |\t\n") {
    spew("$kept/broken", $broken);
    ok(!eval { inputs("$kept/broken") }, 'refused: ' . packed($broken, q{}) =~ s/\n/\\n/gr);
}

done_testing();
