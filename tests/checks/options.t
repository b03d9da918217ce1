#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Every option is documented and tested: the program, the manual page and the tests have the same
# options, and so has --help, but for a few that hardly anybody needs.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(run_tool source sources);
use RunProgram qw(slurp);

# What only the manuals have.
my %UNLISTED = (bonnie => [qw(null uring)], bonload => [qw(memory-debug random-fair-buckets s3-sign-ver)]);

# The options of a program, as letters and long names in one text each, "s size"; and what --help says,
# whose options must be the same.
sub options_and_help {
    my ($program) = @_;
    my $name = $program eq 'bonnie' ? undef : $program;
    my @options = map { join q{ }, grep {length} (split /\t/)[ 1 .. 3 ] } grep {/\Aoption\t/} split /\n/, run_tool($name, '--all-options')->{out};
    my $help = run_tool($name, '--help')->{out};
    my @listed = map { join q{ }, /(?:\A|, )--?([a-zA-Z][a-z0-9-]*)/g } $help =~ /^  (-.*)$/mg;
    is_deeply([ sort @listed, @{ $UNLISTED{$program} // [] } ], [ sort @options ], "$program --help lists the options");
    unlike($help, qr/^.{81}|[ \t]$|\n\n\n/m, 'in 80 columns');
    return ($help, @options);
}

my ($help, @options) = options_and_help('bonnie');
my %help  = map { $_ => 1 } @options;
my @names = sort map {split} @options;
cmp_ok(scalar @names, '>=', 45, 'there are many');

# Deliberately absent from --help: old scripts use it, and the program ignores it.
my $IGNORED = 'l';

my $page = slurp(source('man/bonnie.1'));
my %page;
for my $line ($page =~ /^\.It (Fl .*)$/mg) {
    my @given = map { s/\A-//r } $line =~ /Fl (\S+)/g;
    $page{"@given"} = 1;
}
for my $option (sort keys %help) {
    ok($page{$option}, "in the manual page: $option");
}
for my $option (sort keys %page) {
    ok($help{$option} || $option eq $IGNORED, "of the manual page, in the program: $option");
}
ok($page{$IGNORED}, 'what is ignored is in the manual page');

# The code of the program tests, without comments and refusals, where options must be used.
my %code;
for my $file (sources('tests/cli/*.t')) {
    $code{$file} = join "\n", grep { !/^\s*#/ } split /\n/, slurp($file) if $file !~ m{/refused[.]t\z|/csv2};
}
cmp_ok(scalar(keys %code), '>', 20, 'there are tests');
for my $name (@names, $IGNORED) {
    my $tried = length $name == 1 ? qr/(?<![\w-])-\Q$name\E/ : qr/(?<![\w-])--\Q$name\E(?![\w-])/;
    ok((grep {/$tried/} values %code), 'tried in tests/cli: ' . (length $name == 1 ? '-' : '--') . $name);
}
ok((grep {/(?<![\w-])-html\b/} values %code), 'tried in tests/cli: -html');

# The same checks for the small programs, each with its own page and test.
for my $program (qw(boncut bonwhy zcav getc_putc generate_randfile bon_ab bon_csv2html bon_csv2txt)) {
    my (undef, @of_it) = options_and_help($program);
    my ($manual) = map { slurp($_) } sources("man/$program.[18]");
    my $test = join "\n", grep { !/^\s*#|refused_ok/ } split /\n/, join q{}, map { slurp($_) } sources('tests/cli/' . $program =~ s/\Abon_//r . '*.t'), source('tests/cli/grammar.t');
    cmp_ok(scalar @of_it, '>=', 4, 'there are some');
    for my $line (@of_it) {
        my @both  = split q{ }, $line;
        my $entry = join ' , ', map { length == 1 ? "Fl $_" : "Fl -$_" } @both;
        $entry =~ s/Fl /Fl -/ if $program eq 'bon_ab' && $line =~ /\A[ab]\z/; # --a and --b are words
        like($manual, qr/^[.]It (?:.* , )?\Q$entry\E(?![\w-])/m, "$program, in the manual page: @both");
        ok($test =~ /(?<![\w-])--?\Q$_\E(?![a-z-])/, "$program, tried: $_") for grep { length > 1 } @both;
        ok($test =~ /(?<![\w-])--?\Q$_\E(?![a-z-]*-)/, "$program, tried: -$_") for grep { length == 1 } @both;
    }
}

# The same for bonload, whose options have only names.
my (undef, @of_load) = options_and_help('bonload');
my @load_names = grep { length > 1 } map {split} @of_load;
cmp_ok(scalar @load_names, '>=', 55, 'there are many');
my %load_page = map { $_ => 1 } map {/Fl ([a-z0-9-]{2,})/g} slurp(source('man/bonload.1')) =~ /^[.]It (Fl .*)$/mg;
for my $name (@load_names) {
    ok($load_page{$name}, "in bonload(1): -$name");
    ok((grep {/(?<![\w-])--?\Q$name\E(?![\w-])/} map { $code{$_} } grep {/bonload/} keys %code), "tried in tests/cli: -$name")
        if $name !~ /\Ah(?:elp)?\z/;
}
for my $name (grep { $_ ne 'rps' } sort keys %load_page) {
    ok((grep { $_ eq $name } @load_names), "of bonload(1), in the program: -$name");
}

# Every option with a path is in a table of SECURITY.md, and so is every file that a variable of the
# environment names.
my $security = join q{}, slurp(source('SECURITY.md')) =~ /^([|].*\n)/mg;
for my $program (qw(bonnie bonload boncut bonwhy zcav getc_putc generate_randfile bon_ab bon_csv2html bon_csv2txt)) {
    my $said = run_tool($program, '--help')->{out};
    my @with = $said =~ /^ +(-\S+(?:, -\S+)*)(?:[ =]|\[=)(?:FILE|DIR|LOGS?|PAGE|PREFIX|PATH)\b/mg;
    cmp_ok(scalar @with, '>=', 1, "$program has options with a path");
    for my $names (@with, $said =~ /\b([A-Z_]+_FILE)\b/g) {
        ok((grep { $security =~ /`(?:[^`\n]*\s)?\Q$_\E\b/ } split /, /, $names), "$program, in SECURITY.md: $names");
    }
}

done_testing();
