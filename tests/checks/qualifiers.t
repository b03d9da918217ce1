#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# C23's strchr() and its like return a pointer to const where they were given one, and its compilers warn of what
# discards that. Their declarations are made here, for compilers before them.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(scratch source);
use RunProgram qw(quoted slurp spew);

my %ARGUMENTS = (strchr => q{s, 'x'}, strrchr => q{s, 'x'}, strstr => q{s, "x"}, strpbrk => q{s, "x"}, memchr => q{s, 'x', 1});
my $NAMES     = join q{|}, sort keys %ARGUMENTS;
my $dir       = scratch();
my $header    = "#include <string.h>\n";
for my $name (sort keys %ARGUMENTS) {
    my $type = $name eq 'memchr' ? 'void' : 'char';
    $header .= "#undef $name\n#define $name(s, ...) _Generic(1 ? (s) : (void *)1, const void *: (const $type *)($name)(s, __VA_ARGS__), default: ($name)(s, __VA_ARGS__))\n";
}
spew("$dir/c23.h", $header);

# The places where a compiler says that a qualifier is discarded. What else it cannot know is of no matter.
sub discarded {
    my ($where, @files) = @_;
    local $ENV{LC_ALL} = q{C};
    my $cc  = $ENV{BONNIE_CC} // 'cc';
    my $out = join q{ }, map { quoted($_) } "-I$where/src", '-include', "$dir/c23.h", @files;
    my $all = qx($cc -std=gnu11 -fsyntax-only -D_GNU_SOURCE -DPACKAGE_VERSION='""' $out 2>&1);
    return grep {/discards .*qualifier/} split /\n/, $all;
}

for my $name (sort keys %ARGUMENTS) {
    for my $given ('const void', 'void') {
        spew("$dir/given.c", "void *found_in($given *s);\nvoid *found_in($given *s) { return $name($ARGUMENTS{$name}); }\n");
        is(scalar discarded($dir, "$dir/given.c"), $given eq 'void' ? 0 : 1, "$name of $given");
    }
}
my $top = source(q{.});
my @files = grep { slurp($_) =~ /\b(?:$NAMES)\(/ } glob "\Q$top\E/src/*.c \Q$top\E/src/*/*.c \Q$top\E/src/*/*/*.c \Q$top\E/src/*/*/*/*.c";
cmp_ok(scalar @files, '>', 20, 'files that call one');
is_deeply([ discarded($top, @files) ], [], 'keep what is const');
done_testing();
