# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for fish, from the table of options of a program (scripts/completions has its form).
package Bonnie::Completion::Fish;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';

our @EXPORT_OK = qw(fish_completion fish_link);

# In fish's single quotes a backslash quotes itself and the quote.
sub quoted ($text) { return q{'} . $text =~ s/([\\'])/\\$1/gr . q{'} }

my %COMMAND = (
    directories => '(__fish_complete_directories)',
    users       => '(__fish_complete_users)',
    groups      => '(__fish_complete_groups)',
);

# The arguments of `complete` for a required value.
sub value ($option) {
    return q{} if $option->{value} ne 'required';
    return ' -r -F' if $option->{offer} eq 'files';
    my $words = join q{ }, @{ $option->{words} };
    my $offer = $COMMAND{ $option->{offer} } // ($option->{offer} eq 'list' ? "(__fish_append , $words)" : $words);
    return length $offer ? ' -x -a ' . quoted($offer) : ' -x';
}

sub line ($table, $option) {
    my $long  = $table->{dashes} eq '-' ? '-o' : '-l';
    my @names = map {" $long $_"} grep { length } @{$option}{qw(name alias)};
    my $name  = join q{}, ($option->{letter} ? " -s $option->{letter}" : ()), @names;
    return "complete -c $table->{name}$name" . value($option) . ' -d ' . quoted($option->{help}) . "\n";
}

sub fish_completion ($table) {
    my $files = $table->{offer} eq 'files' ? q{} : "complete -c $table->{name} -f\n";
    return "# Completion of $table->{name} for fish, made from its table of options.\n$files"
        . join q{}, map { line($table, $_) } @{ $table->{options} };
}

# The file for another name of the program: it refers to the first.
sub fish_link ($name, $other) { return "complete -c $other -w $name\n" }

1;
