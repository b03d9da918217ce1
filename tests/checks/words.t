#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# One thing has one word. What users read (strings of C and Perl, manuals, documents, keys and
# descriptions of schemas) has none of the words that tests/data/words.txt lists. That file also
# lists where such a word means something else: a line there names a part of the path, and words
# around it; one that excuses nothing has to go.

use strict;
use warnings;
use File::Find qw(find);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use RunProgram qw(slurp);

my $TOP = $ENV{BONNIE_TEST_SRCDIR} // "$FindBin::Bin/../..";

# Lines of the list: "not WORDS: INSTEAD" begins a word (a Perl pattern); "in PATH: WORDS AROUND" is an exception.
sub words_of {
    my ($text) = @_;
    my @words;
    for my $line (grep { !/\A(?:#|\s*\z)/ } split /\n/, $text) {
        if ($line =~ /\Anot (.+): (.+)\z/) { push @words, { pattern => qr/$1/, text => $1, instead => $2, exceptions => [] } }
        elsif ($line =~ /\Ain (\S+): (.+)\z/) { push @{ $words[-1]{exceptions} }, { path => $1, around => qr/$2/, text => $line, used => 0 } }
        else                                  { die "words.txt: $line\n" }
    }
    return @words;
}

# What users read of a file: [ line, text ] of each. Left out: the evidence, which is
# a record, and the style sheet.
sub texts_of {
    my ($path, $text) = @_;
    if ($path =~ /[.][ch]\z/) { # literals, comments left out; adjoining ones are one text
        my @found;
        my $number = 1;
        my ($last_end, $last) = (-1);
        while ($text =~ m{\G(?:(/[*].*?[*]/|//[^\n]*|\#\h*include[^\n]*)|"((?:[^"\\\n]|\\.)*)"|('(?:[^'\\]|\\.)+')|(\n)|(\s+)|(.))}gcs) {
            my ($comment, $literal, $newline, $other) = ($1, $2, $4, $6);
            if (defined $literal) {
                if ($last) { $last->[1] .= $literal }
                else       { push @found, $last = [ $number, $literal ] }
            }
            $last = undef if defined $other || defined $3;
            $number += ($& =~ tr/\n//);
        }
        return @found;
    }
    my @lines = split /\n/, $text;
    if ($path =~ m{\Ascripts/}) { # quoted texts of several words, and here-documents; names are words alone
        my $is_here = q{};
        my @found;
        for my $i (0 .. $#lines) {
            if (length $is_here) { $lines[$i] =~ /\A\s*$is_here\z/ ? ($is_here = q{}) : push @found, [ $i + 1, $lines[$i] ] }
            elsif ($lines[$i] !~ /\A\s*#/) {
                push @found, map { [ $i + 1, $_ ] } grep { defined && / / } $lines[$i] =~ /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g;
                $is_here = $1 if $lines[$i] =~ /<<~?['"]?([A-Z]+)\b/;
            }
        }
        return @found;
    }
    return map { [ $_ + 1, $lines[$_] ] } grep { $path !~ m{\Aman/} || $lines[$_] !~ /\A[.]\\"/ } 0 .. $#lines;
}

my @words = words_of(slurp("$TOP/tests/data/words.txt"));
my (@files, @wrong);
find({ no_chdir => 1, wanted => sub { push @files, $File::Find::name =~ s{\A\Q$TOP\E/}{}r if -f && m{[.](?:c|h|pm|md|json|[18])\z|/bon_\w+\z} && !m{/docs/evidence/|/Style[.]pm\z} } }, map {"$TOP/$_"} qw(src scripts man docs share README.md));
cmp_ok(scalar @files, '>', 100, 'there are files');
for my $path (sort @files) {
    for my $found (texts_of($path, slurp("$TOP/$path"))) {
        my ($line, $text) = @{$found};
        for my $word (grep { $text =~ $_->{pattern} } @words) {
            my ($excuse) = grep { index($path, $_->{path}) == 0 && $text =~ $_->{around} } @{ $word->{exceptions} };
            $excuse ? $excuse->{used}++ : push @wrong, "$path:$line: not /$word->{text}/ but $word->{instead}: $text";
        }
    }
}
is(join("\n", @wrong), q{}, 'everything has its one word');
is(join("\n", map { $_->{text} } grep { !$_->{used} } map { @{ $_->{exceptions} } } @words), q{}, 'every exception is needed');

# The check can fail.
my ($damage) = grep { 'is corrupted' =~ $_->{pattern} } @words;
ok($damage, 'corrupted is on the list');
is_deeply([ map { $_->[1] } texts_of('x.c', qq{/* corrupted */ f("is " /* a */\n  "corrupted"); g('"');}) ], ['is corrupted'], 'strings are read, comments are not');

done_testing();
