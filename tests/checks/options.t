#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Every option is documented and tested: --help, the manual page and the tests have
# the same options.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie run_tool source);
use LoadRun    qw(bonload);
use RunProgram qw(run slurp);

# Option letters and long names, each in one text: "s size".
my $help = bonnie('--help')->{out};
my %help;
for my $line ($help =~ /^  (-.*)$/mg) {
    my @names = $line =~ /(?:\A|, )--?([a-zA-Z][a-z-]*)/g;
    $help{"@names"} = 1;
}
my @names = sort map {split} keys %help;
cmp_ok(scalar @names, '>=', 45, '--help lists the options');

# Deliberately absent from --help: old scripts use it, and the program ignores it.
my $IGNORED = 'l';

my $page = slurp(source('man/bonnie.8'));
my %page;
for my $line ($page =~ /^\.It (Fl .*)$/mg) {
    my @given = map { s/\A-//r } $line =~ /Fl (\S+)/g;
    $page{"@given"} = 1;
}
for my $option (sort keys %help) {
    ok($page{$option}, "in the manual page: $option");
}
for my $option (sort keys %page) {
    ok($help{$option} || $option eq $IGNORED, "of the manual page, in --help: $option");
}
ok($page{$IGNORED}, 'what is ignored is in the manual page');

# The code of the program tests, without comments and refusals, where options must be used.
my %code;
for my $file (glob source('tests/cli/*.t')) {
    $code{$file} = join "\n", grep { !/^\s*#/ } split /\n/, slurp($file) if $file !~ m{/refused[.]t\z|/csv2};
}
cmp_ok(scalar(keys %code), '>', 20, 'there are tests');
for my $name (@names, $IGNORED) {
    my $tried = length $name == 1 ? qr/(?<![\w-])-\Q$name\E/ : qr/(?<![\w-])--\Q$name\E(?![\w-])/;
    ok((grep {/$tried/} values %code), 'tried in tests/cli: ' . (length $name == 1 ? '-' : '--') . $name);
}
ok((grep {/(?<![\w-])-html\b/} values %code), 'tried in tests/cli: -html');

# The same checks for the small programs, each with its own page and test.
for my $program (qw(boncut zcav getc_putc generate_randfile)) {
    my @options = run_tool($program, '--help')->{out} =~ /^  (-.*)$/mg;
    my ($manual) = map { slurp($_) } glob source("man/$program.[18]");
    my $test = join "\n", grep { !/^\s*#|refused_ok/ } split /\n/, join q{}, map { slurp($_) } glob source("tests/cli/$program*.t");
    cmp_ok(scalar @options, '>=', 4, "$program --help lists the options");
    unlike(run_tool($program, '--help')->{out}, qr/^.{81}|[ \t]$/m, 'in 80 columns');
    for my $line (@options) {
        my @both  = $line =~ /(?:\A|, )--?([a-zA-Z][a-z-]*)/g;
        my $entry = join ' , ', map { length == 1 ? "Fl $_" : "Fl -$_" } @both;
        like($manual, qr/^[.]It \Q$entry\E(?![\w-])/m, "$program, in the manual page: @both");
        ok($test =~ /(?<![\w-])--?\Q$_\E(?![a-z-])/, "$program, tried: $_") for grep { length > 1 } @both;
        ok($test =~ /(?<![\w-])-\Q$_\E(?![a-z-]*-)/, "$program, tried: -$_") for grep { length == 1 } @both;
    }
}

# The same for bonload, whose options have only names.
my @load_names = bonload('-help')->{out} =~ /^  -(?:\w, -)?([a-z0-9-]+)/mg;
cmp_ok(scalar @load_names, '>=', 55, 'bonload -help lists the options');
my %load_page = map { $_ => 1 } slurp(source('man/bonload.1')) =~ /^[.]It Fl (?:\w , Fl )?([a-z0-9-]+)/mg;
for my $name (@load_names) {
    ok($load_page{$name}, "in bonload(1): -$name");
    ok((grep {/(?<![\w-])--?\Q$name\E(?![\w-])/} map { $code{$_} } grep {/bonload/} keys %code), "tried in tests/cli: -$name")
        if $name ne 'help';
}
for my $name (grep { $_ ne 'rps' } sort keys %load_page) {
    ok((grep { $_ eq $name } @load_names), "of bonload(1), in -help: -$name");
}

# Every option with a path is in a table of SECURITY.md, and so is every file that a variable of the
# environment names.
my $security = join q{}, slurp(source('SECURITY.md')) =~ /^([|].*\n)/mg;
for my $program (qw(bonnie bonload boncut zcav getc_putc generate_randfile bon_ab bon_csv2html bon_csv2txt)) {
    my $said = $program =~ /\Abon_/ ? (run($program, ['--help']))[1] : run_tool($program, '--help')->{out};
    my @with = $said =~ /^ +(-\S+(?:, -\S+)*)(?:[ =]|\[=)(?:FILE|DIR|LOGS?|PAGE|PREFIX|PATH)\b/mg;
    cmp_ok(scalar @with, '>=', 1, "$program has options with a path");
    for my $names (@with, $said =~ /\b([A-Z_]+_FILE)\b/g) {
        ok((grep { $security =~ /`(?:[^`\n]*\s)?\Q$_\E\b/ } split /, /, $names), "$program, in SECURITY.md: $names");
    }
}

done_testing();
