#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Every C file has the layout that .clang-format describes. Checked only with the version of
# clang-format for which the file was made, because each version formats differently.

use strict;
use warnings;
use File::Basename qw(dirname);
use File::Find     qw(find);
use Test::More;

my $MAJOR = 14;
my $TOP = $ENV{BONNIE_TEST_SRCDIR} // dirname(__FILE__) . '/../..';

my ($formatter) = grep { qx($_ --version 2>/dev/null) =~ /version $MAJOR\./ }
    "clang-format-$MAJOR", 'clang-format';
plan skip_all => "there is no clang-format $MAJOR" if !$formatter;

my @files;
find({ no_chdir => 1, wanted => sub { push @files, $_ if /\.[ch]\z/ } }, "$TOP/src", "$TOP/tests");
plan tests => @files + 2;

# Checks all files in one process, because starting it takes longer than reading a file. Its
# messages begin with the name of the file.
open my $said, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', $formatter, qw(--style=file --dry-run), @files or die "$formatter: $!\n";
my ($file, %complaint) = (q{});
while (my $line = readline $said) {
    $file = $1 if $line =~ /\A(\S.*?\.[ch]):\d+:\d+: /;
    $complaint{$file} .= $line;
}
ok(close $said, 'exit status 0');
is($complaint{$_}, undef, $_) for sort @files;
is($complaint{q{}}, undef, 'and no other complaint');
