#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Text from outside (names, what other programs wrote or said) reaches a terminal only through
# util/printable.h. Every %s of printf() and fprintf(), and what puts() and fputs() print, is one
# of: literals; what a function returns whose text is ours, or printable(); and what the tables below
# name, with the reason. What is new, and none of these, is wrapped in printable() or added here.

use strict;
use warnings;
use File::Find ();
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(source);
use RunProgram qw(slurp);

my $LITERAL = qr/"(?:[^"\\]|\\.)*"/;

# Functions whose texts are numbers with units, or words of the program.
my $OURS = qr/\A(?:printable|units_\w+|percentile|\w+_words)\(.*\)[.]text\z|\A(?:limit_text|limit_of|offer_text|option_dashes|or_empty|portable_reason|test_rate_unit|value_\w+)\(.*\)\z|\A\w+_(?:headings|names|titles)\[.*\]\z/s;

# Expressions that are harmless: in this file, or in all.
my %HARMLESS = (
    'words of the program, in all files' => [ q{}, qw(program_name units version) ],
    'tables of options'      => [ 'cli/', qw(*word dashes entry->alias entry->name option_help(entry).text entry->value_name table->closing entry->group table->brief table->usage table->version) ],
    'form of is_private_name_of_any()' => [ 'storage/scratch.c', 'name' ],
    'tables of methods'      => [ 'boncut/', qw(methods[i].name methods[i].promise) ],
    'engines'                => [ 'io/', qw((*engine)->name (*engine)->summary reason.text) ],
    'kinds of calls, roles of files, and numbers' => [ 'bonwhy/', qw(call_kinds[i].name name) ],
    'ways of getc_putc'      => [ 'tools/getc_putc.c', qw(byte_ways[i].name s->figures[i].text) ],
    'tables of the program'  => [ 'bonnie/report/', qw(heading headings note name text) ],
    'fields of figures.c, made printable there' => [ 'bonnie/report/', map {"f.$_"} qw(label cpu rate) ],
    'names and texts of fields, made printable in figures.c' => [ 'bonnie/report/csv.c', qw(before l->separator suffix) ],
    'words of the program and numbers' => [ 'bonnie/report/quick.c', qw(what quote title amount) ],
    'made printable above'   => [ 'bonnie/report/', 'label' ],
    'the same fields, and made of them' => [ 'bonnie/report/text.c', qw(cpu f->label f->tests[test].latency files iops->cpu iops->latency iops->rate line size) ],
    'made printable above '  => [ 'tools/getc_putc.c', 'label' ],
    'names of phases'        => [ 'live/', qw(title word) ],
    'names of phases '       => [ 'sync/', 'phase' ],
    'JSON, of texts that json_object.c made printable' => [ q{}, qw(goaders json) ],
    'JSON, of texts that json_object.c made printable ' => [ 'boncut/', 'text' ],
    'made printable itself'  => [ 'util/err.c', qw(lines text) ],
    'names of a profile, refused by profile.c unless printable' => [ 'bonload/', qw(a->profile.name f->name p->limits[i].name p->name p->program p->request name.text) ],
    'written to a file of names, exactly'  => [ 'bonload/session.c', 'name' ],
    'numbers and our words'  => [ 'bonload/report/text.c', qw(load_plurals[kind] late limited verdict_words[k->verdict].name r->plan->target->ops[i]) ],
    'numbers and our words ' => [ 'bonload/control/progress.c', qw(before left text) ],
    'our words and numbers'  => [ 'boncut/', qw(heading name headings[i]) ],
    'printed by print_wrapped()' => [ 'boncut/campaign/', 'told' ],
    'words of durability.c'  => [ 'bo', qw(a->durability.why) ],
    'labels of lines, our words' => [ 'util/printable.c', qw(label lines) ],
    'numbers, and our words' => [ 'tools/zcav', qw(l->text text) ],
);

# The text from an opening bracket to its closing one, without both.
sub inside {
    my ($text, $at) = @_;
    my $depth = 0;
    pos($text) = $at;
    while ($text =~ /\G(?:$LITERAL|'(?:[^'\\]|\\.)*'|([()])|.)/gcs) {
        $depth += !defined $1 ? 0 : $1 eq '(' ? 1 : -1;
        return substr $text, $at + 1, pos($text) - $at - 2 if $depth == 0;
    }
    die "a bracket is open\n";
}

# Arguments, split at commas outside brackets and literals.
sub arguments {
    my ($text) = @_;
    my @list  = (q{});
    my $depth = 0;
    while ($text =~ /\G($LITERAL|'(?:[^'\\]|\\.)*'|.)/gs) {
        my $piece = $1;
        $depth += $piece =~ /\A[(\[{]\z/ ? 1 : $piece =~ /\A[)\]}]\z/ ? -1 : 0;
        $piece eq q{,} && $depth == 0 ? push @list, q{} : ($list[-1] .= $piece);
    }
    return map { s/\A\s+|\s+\z//gr =~ s/\s+/ /gr } @list;
}

# What a call prints as text.
sub texts_of {
    my ($function, @arguments) = @_;
    return $arguments[0] if $function =~ /puts/;
    shift @arguments if $function ne 'printf';
    my $format = (shift @arguments) =~ s/" (PRI\w+) ?"?/<$1>/gr;
    my @texts;
    while ($format =~ /%[-+ #0]*([*]|\d+)?(?:[.]([*]|\d+)?)?(?:<PRI\w+>|(?:hh|h|ll|l|z|j|t)?([a-zA-Z%]))/g) {
        my ($width, $precision, $kind) = map { $_ // q{} } $1, $2, $3;
        next if $kind eq '%';
        shift @arguments for grep { $_ eq '*' } $width, $precision;
        my $argument = shift @arguments;
        push @texts, $argument if $kind eq 's';
    }
    return @texts;
}

my %used;

sub is_harmless {
    my ($file, $text) = @_;
    return 1 if $text =~ /\A(?:$LITERAL|[A-Z_]+| )+\z/;
    return 1 if $text =~ $OURS || $text =~ /\A(?<choice>[^?":]*[?] (?:$LITERAL|(?&choice)) : (?:$LITERAL|(?&choice)))\z/;
    return is_harmless($file, $1) && is_harmless($file, $2) if $text =~ /\A[^?"]*[?] (.*?) : (.*)\z/;
    for my $reason (keys %HARMLESS) {
        my ($where, @texts) = @{ $HARMLESS{$reason} };
        next if index($file, $where) != 0 || !grep { $_ eq $text } @texts;
        $used{"$reason: $text"} = 1;
        return 1;
    }
    return 0;
}

my @files;
File::Find::find({ no_chdir => 1, wanted => sub { push @files, $_ if /[.]c\z/ } }, source('src'));
my (@wild, $calls);
for my $path (sort @files) {
    my ($file) = $path =~ m{.*/src/(.*)}s;
    my $code = slurp($path) =~ s{/[*].*?[*]/}{ }gsr;
    while ($code =~ /\b(f?printf|f?puts|print_line)(?=[(])/g) {
        $calls++;
        push @wild, map {"$file: $_"} grep { !is_harmless($file, $_) } texts_of($1, arguments(inside($code, pos $code)));
    }
    push @wild, "$file: json_string()" if $file ne 'report/json_object.c' && $code =~ /\bjson_string(?:n|_nocheck)?\((?!"|printable\()/;
}
cmp_ok($calls, '>', 200, "$calls calls that print");
is(join("\n", @wild), q{}, 'what they print is ours, or went through util/printable.h');
my @unused = grep { !$used{$_} } map { my $reason = $_; my (undef, @texts) = @{ $HARMLESS{$reason} }; map {"$reason: $_"} @texts } sort keys %HARMLESS;
is(join("\n", @unused), q{}, 'and the tables have nothing that is not there');

done_testing();
