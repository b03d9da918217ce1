#!/usr/bin/perl
# Every Perl file compiles without a warning, says strict and warnings, and needs core modules only.

use strict;
use warnings;
use File::Basename qw(dirname);
use File::Find     qw(find);
use Module::CoreList ();
use Test::More;

my $TOP = $ENV{BONNIE_TEST_SRCDIR} // dirname(__FILE__) . '/../..';

# A test that is only compiled is not to start itself anew.
local $ENV{BONNIE_TEST_MOUNTS} = 'none';

my @files = (map({"$TOP/tests/$_"} qw(run fuzz/run fuzz/converters)),
    map {"$TOP/scripts/$_"} qw(bon_csv2html bon_csv2txt completions coverage));
find({ no_chdir => 1, wanted => sub { push @files, $_ if /[.](?:pm|t)\z/ } }, "$TOP/tests", "$TOP/scripts/lib");

my %ours;
for my $file (@files) {
    my ($name) = $file =~ m{/lib/(.*)[.]pm\z} or next;
    $ours{ $name =~ s{/}{::}gr } = 1;
}

for my $file (sort @files) {
    my $said = qx($^X -I'$TOP/tests/lib' -I'$TOP/scripts/lib' -wc '$file' 2>&1);
    is($said =~ s/^.* syntax OK\n//mr, q{}, "$file: compiles without a warning");
    open my $in, '<', $file or die "$file: $!\n";
    my $text = join q{}, readline $in;
    like($text, qr/^use strict;\nuse warnings;$/m, 'strict, with warnings');
    my @foreign = grep { !$ours{$_} && !Module::CoreList->first_release($_) } $text =~ /^(?:use|require)\s+([A-Z][\w:]*)/mg;
    is("@foreign", q{}, 'core modules only');
}

done_testing();
