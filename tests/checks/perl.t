#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Every Perl file compiles without a warning, uses strict and warnings, needs only core modules, and
# uses what it imports.

use strict;
use warnings;
use File::Basename qw(dirname);
use File::Find     qw(find);
use Module::CoreList ();
use POSIX          ();
use Test::More;

# Each file is compiled in a process of its own. Modules that many files use are
# loaded once, before these processes are forked.
use Cwd              ();
use Encode           ();
use Fcntl            ();
use File::Spec       ();
use File::Temp       ();
use FindBin          ();
use Getopt::Long     ();
use IPC::Open3       ();
use JSON::PP         ();
use List::Util       ();
use Scalar::Util     ();
use Time::HiRes      ();
use lib;

my $TOP = $ENV{BONNIE_TEST_SRCDIR} // dirname(__FILE__) . '/../..';

# Some tests start themselves again, which this prevents while they are only compiled.
local $ENV{BONNIE_TEST_MOUNTS} = 'none';

my @files = (map({"$TOP/tests/$_"} qw(run fuzz/run fuzz/converters fuzz/pack)),
    map {"$TOP/scripts/$_"} qw(bon_ab bon_csv2html bon_csv2txt completions coverage));
find({ no_chdir => 1, wanted => sub { push @files, $_ if /[.](?:pm|t)\z/ } }, "$TOP/tests", "$TOP/scripts/lib");

my %ours;
for my $file (@files) {
    my ($name) = $file =~ m{/lib/(.*)[.]pm\z} or next;
    $ours{ $name =~ s{/}{::}gr } = 1;
}

# The messages of perl -wc about a file. A process of its own compiles the file after a
# statement that exits before the file's first statement runs.
my $compile = sub {
    my ($file, $text) = @_;
    my $pid = open(my $said, '-|') // die "fork: $!\n";
    if ($pid == 0) {
        open STDERR, '>&', \*STDOUT or POSIX::_exit(1);
        local $SIG{__WARN__} = sub { syswrite STDOUT, $_[0] };
        local $^W = 1;
        unshift @INC, "$TOP/tests/lib", "$TOP/scripts/lib";
        eval qq{package main; no strict; die "compiled\\n";\n#line 1 "$file"\n$text};
        syswrite STDOUT, $@ if $@ ne "compiled\n";
        POSIX::_exit(0);
    }
    my $all = join q{}, readline $said;
    close $said;
    return $all;
};

for my $file (sort @files) {
    open my $in, '<', $file or die "$file: $!\n";
    my $text = join q{}, readline $in;
    is($compile->($file, $text), q{}, "$file: compiles without a warning");
    like($text, qr/^use strict;\nuse warnings;$/m, 'strict, with warnings');
    my @foreign = grep { !$ours{$_} && !Module::CoreList->first_release($_) } $text =~ /^(?:use|require)\s+([A-Z][\w:]*)/mg;
    is("@foreign", q{}, 'core modules only');
    my @unused = grep { 1 == (() = $text =~ /\b$_\b/g) } map { /(\w+\z)/ } grep { !/\A:/ } map {split} $text =~ /^use [A-Z][\w:]* +qw\(([^)]*)\);/mg;
    is("@unused", q{}, 'what is imported is used');
}

# Whatever the programs say goes through Bonnie::Output, which makes text from outside safe to show.
for my $file (grep { m{/scripts/(?:bon_|lib/)} && !m{/Output[.]pm\z} } @files) {
    open my $in, '<', $file or die "$file: $!\n";
    my $code = join q{}, readline $in;
    $code =~ s/<<'(\w+)'.*?^\1$//gms;
    $code =~ s/^\s*#.*$//gm;
    $code =~ s/'[^'\n]*'|"(?:[^"\\\n]|\\.)*"//g;
    my @round = $code =~ /\b((?:print|printf|say|warn|carp|cluck)\b|syswrite\W+STD\w+)/g;
    is("@round", q{}, "$file: says nothing by itself");
}

done_testing();
