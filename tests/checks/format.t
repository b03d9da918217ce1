#!/usr/bin/perl
# Every C file looks as .clang-format says. Only for the version that the file was made with: each
# version of clang-format has its own ideas.

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
plan tests => scalar @files;

for my $file (sort @files) {
    is(qx($formatter --style=file --dry-run '$file' 2>&1), q{}, $file);
}
