#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The converters read every file of the fuzzing corpus and print what they should.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Basename qw(basename);
use File::Glob     qw(bsd_glob);
use File::Temp     ();
use Test::More;

my $fuzz = "$FindBin::Bin/../fuzz";
my $kept = File::Temp->newdir;
for my $program (qw(bon_csv2html bon_csv2txt)) {
    for my $file (bsd_glob("$fuzz/corpus/{csv,json}/*")) {
        open my $said, '-|', $^X, "$fuzz/converters", '--found', "$kept/", $program, $file or die "$fuzz/converters: $!\n";
        my $text = join q{}, readline $said;
        ok(close $said, "$program: " . basename($file)) or diag($text);
    }
}

done_testing();
