# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for zsh, from the table of options of a program (scripts/completions has its form).
package Bonnie::Completion::Zsh;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Completion qw(single_quoted spellings);

our @EXPORT_OK = qw(zsh_completion);

my %ACTION = (files => '_files', directories => '_directories', users => '_users', groups => '_groups');

# The action of _arguments for a value; a blank shows what is expected.
sub action ($option) {
    my @words = map {s/([:\\()])/\\$1/gr} @{ $option->{words} };
    return '(true false)'               if $option->{value} eq 'boolean';
    return "_sequence compadd - @words" if $option->{offer} eq 'list';
    return $ACTION{ $option->{offer} }  if $ACTION{ $option->{offer} };
    return @words ? "(@words)" : q{ };
}

# How an option takes its value: -s VALUE or -sVALUE, --size VALUE or --size=VALUE, or only
# attached.
my %LETTER = (none => q{}, required => q{+}, optional => q{-}, boolean => q{-});
my %NAME   = (none => q{}, required => q{=}, optional => '=-', boolean => '=-');

# A spec of _arguments for each spelling, which excludes the other spellings. With one dash, as
# in Go's flags, there is only that spelling.
sub specs ($table, $option) {
    my @spelled = grep { $table->{dashes} eq '--' || !/\A--/ } spellings($table, $option);
    my $help    = $option->{help} =~ s/([\[\]\\])/\\$1/gr;
    my $title   = ($option->{value_name} || 'value') =~ s/([:\\])/\\$1/gr;
    my $value   = {
        none     => q{},
        required => ":$title:" . action($option),
        optional => "::$title:" . action($option),
        boolean  => '::value:' . action($option),
    }->{ $option->{value} };
    my @specs;
    for my $word (@spelled) {
        my @others = grep { $_ ne $word } @spelled;
        my $before = @others ? "(@others)" : q{};
        my $mark   = ($word =~ /\A-\w\z/ ? \%LETTER : \%NAME)->{ $option->{value} };
        push @specs, single_quoted("$before$word$mark" . "[$help]$value");
    }
    return @specs;
}

sub zsh_completion ($table) {
    my @specs = map { specs($table, $_) } @{ $table->{options} };
    push @specs, single_quoted('*:file:_files') if $table->{offer} eq 'files';
    my $bundles = $table->{dashes} eq '--' ? ' -s' : q{};
    return "#compdef @{[ $table->{name}, @{ $table->{names} } ]}\n"
        . "# Completion of $table->{name} for zsh, made from its table of options.\n"
        . "_arguments$bundles -S \\\n    " . join(" \\\n    ", @specs) . "\n";
}

1;
