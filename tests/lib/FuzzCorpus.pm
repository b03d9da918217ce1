# SPDX-License-Identifier: GPL-2.0-or-later
# Inputs packed in a file of tests/fuzz/corpus: each is a line with its name, and lines of "  |" and
# its text, in which \n, \t, \r, \\ and \xNN stand for bytes and the end of a line for nothing.
package FuzzCorpus;

use strict;
use warnings;
use Exporter 'import';
use RunProgram qw(slurp);

our @EXPORT_OK = qw(inputs packed);

my %BYTE   = (n => "\n", t => "\t", r => "\r", q{\\} => q{\\});
my %ESCAPE = reverse %BYTE;

# The inputs of a file: a list of [name, bytes].
sub inputs {
    my ($file) = @_;
    my @inputs;
    for (grep { !/\A#/ } split /\n/, slurp($file)) {
        my ($text) = /\A  [|]((?:[ -\[\]-~]|\\(?:[ntr\\]|x[0-9a-f]{2}))+)(?<![ ])\z/;
        if    (/\A\w+\z/)                { push @inputs, [ $_, q{} ] }
        elsif (defined $text && @inputs) { $inputs[-1][1] .= unescaped($text) }
        else                             { die "$file: not a line of an input: $_\n" }
    }
    @inputs or die "$file: no inputs\n";
    return @inputs;
}

sub unescaped { return $_[0] =~ s/\\(?:x(..)|(.))/defined $1 ? chr hex $1 : $BYTE{$2}/ger }

# An input as it stands in a file, whose lines are not longer than a screen's.
sub packed {
    my ($name, $bytes) = @_;
    my @lines;
    for my $line ($bytes =~ /[^\n]*\n|[^\n]+/g) {
        push @lines, q{  |};
        for (split //, $line) {
            my $text = $ESCAPE{$_} ? "\\$ESCAPE{$_}" : /[ -~]/ ? $_ : sprintf '\\x%02x', ord;
            push @lines, q{  |} if length($lines[-1]) + length $text > 80;
            $lines[-1] .= $text;
        }
    }
    return join q{}, map { s/[ ]\z/\\x20/r . "\n" } $name, @lines;
}

1;
