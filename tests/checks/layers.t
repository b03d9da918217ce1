#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The sources are as docs/architecture.md describes them: a file includes only what the table
# there allows, whether directly or through others; general folders do not know
# any program; and nothing refers to a particular machine.

use strict;
use warnings;
use File::Find qw(find);
use File::Glob qw(bsd_glob);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use RunProgram qw(slurp);

my $TOP = $ENV{BONNIE_TEST_SRCDIR} // "$FindBin::Bin/../..";
my $SRC = "$TOP/src";

# Reads the table of folders in the document: the name, and what it may include, which brings
# what that folder may include.
my $PAGE = slurp("$TOP/docs/architecture.md");
my %NAMED;
my @folders;
while ($PAGE =~ /^[|] `(\w+)\/` [|][^|]*[|]([^|]*)[|]$/mg) {
    push @folders, $1;
    $NAMED{ $folders[-1] } = [ $2 =~ /(\w+)/g ];
}

# Everything that a folder may include. Dies when the table has a cycle.
sub allowed {
    my ($folder, @above) = @_;
    die "the table goes round: @above $folder\n" if grep { $_ eq $folder } @above;
    return ($folder, map { allowed($_, @above, $folder) } @{ $NAMED{$folder} // [] });
}

my %text;
find({ no_chdir => 1, wanted => sub { $text{ s{\A\Q$SRC\E/}{}r } = slurp($_) if /[.][ch]\z/ } }, $SRC);

sub folder { my ($file) = @_; return $file =~ s{/.*}{}r }

# For each file of ours, every file that it includes, directly or through others, with
# the chain of includes.
sub closure {
    my ($file) = @_;
    my %way = ($file => $file);
    my @left = ($file);
    while (defined(my $next = shift @left)) {
        for my $included ($text{$next} =~ /^\s*#\s*include\s+["<]([^">]+)[">]/mg) {
            next if $way{$included} || !exists $text{$included};
            $way{$included} = "$way{$next} -> $included";
            push @left, $included;
        }
    }
    return \%way;
}

cmp_ok(scalar(keys %text), '>', 50, 'the sources are there');
is_deeply([ sort @folders ], [ sort keys %{ { map { folder($_) => 1 } keys %text } } ], 'the document has the folders of src');
for my $folder (@folders) {
    my %known = map { $_ => 1 } @folders;
    is_deeply([ grep { !$known{$_} } @{ $NAMED{$folder} } ], [], "$folder/: the folders named behind it are there");
    ok(eval { my @all = allowed($folder); 1 }, "$folder/: the table does not go round") or BAIL_OUT($@);
}
for my $file (sort keys %text) {
    my %may = map { $_ => 1 } allowed(folder($file));
    my $way = closure($file);
    my @wrong = map { $way->{$_} } grep { !$may{ folder($_) } } sort keys %{$way};
    is("@wrong", q{}, "$file: includes nothing that it must not know, at any depth");
}
my @mains = grep {m{/main[.]c\z}} keys %text;
cmp_ok($text{$_} =~ tr/\n//, '<', 100, "$_ is small") for sort @mains;

# General folders must not mention programs, or tests of one program. Comments may mention them
# as examples; some functions of the standard library have such names.
my @GENERAL = grep { !m/\A(?:bonnie|bonload|boncut|bonwhy|suite|tools)\z/ } @folders;
cmp_ok(scalar @GENERAL, '>=', 10, 'there are general folders');
for my $file (sort keys %text) {
    next if !grep { $_ eq folder($file) } @GENERAL;
    my $code = $text{$file} =~ s{/[*].*?[*]/|//[^\n]*}{}gsr;
    unlike($code, qr/bonnie|bonload|boncut|\bseeks\b|\b(?:putc|getc)\b/i, "$file: knows no program");
}

# Only main.c ends the process, except for forked children.
for my $file (sort keys %text) {
    next if $file =~ m{/main[.]c\z};
    unlike($text{$file}, qr/(?<![_\w])(?:exit|abort)\s*\(/, "$file: does not end the program");
}

# A C test is named after the module it tests; of several, each has a word behind that name.
for my $file (map { m{/tests/unit/(.*test_\w+)[.]c\z} } bsd_glob("$TOP/tests/unit/{*,*/*}/test_*.c")) {
    my ($folder, $name) = $file =~ m{\A(\w+)(?:/\w+)*/test_(.*)\z};
    my @modules = map { m{\A\Q$folder\E/(?:.*/)?(\w+)[.][ch]\z} } keys %text;
    ok((grep { $name =~ /\A\Q$_\E(?:_|\z)/ } @modules), "$file: is named after a module");
}

# No distributed file contains a path of one particular machine.
my @files;
find({
        no_chdir => 1,
        wanted   => sub {
            $File::Find::prune = 1 if $_ ne $TOP && m{/(?:[.]git|[.]deps|autom4te[.]cache|build|build-aux|_build|_inst|bonnie-\d[^/]*)\z} && -d;
            push @files, $_ if -f && -T && !m{/(?:[.]git|configure~?|aclocal[.]m4|Makefile(?:[.]in)?|config[.]\w+)\z|(?<!/scripts)/bon_csv2\w+\z};
        },
}, $TOP);
cmp_ok(scalar @files, '>', 100, 'the files are there');
is_deeply([ grep { slurp($_) =~ m{/wor[k]/|/hom[e]/\w|/roo[t]/\w} } @files ], [], 'no path of one machine');

my @sources = grep { m{[.](?:[ch]|t|p[lm]|py|sh|mk|m4|am|ac)\z} || slurp($_) =~ /\A#!/ } @files;
is_deeply([ grep { slurp($_) !~ m{\A(?:#!.*\n)?(?://|\#) SPDX-License-Identifier: GPL-2[.]0-or-later\n} } @sources ], [], 'each source begins with its licence');

done_testing();
