#!/usr/bin/perl
# Every option is complete: --help, the manual page and the tests have the same ones.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie source);
use RunProgram qw(slurp);

# Option letters and long names, each in one text: "s size".
my $help = bonnie('--help')->{out};
my %help;
for my $line ($help =~ /^  (-.*)$/mg) {
    my @names = $line =~ /(?:\A|, )--?([a-zA-Z][a-z-]*)/g;
    $help{"@names"} = 1;
}
my @names = sort map {split} keys %help;
cmp_ok(scalar @names, '>=', 45, '--help lists the options');

# Not in --help: what old scripts give and this program ignores.
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

# Where options are tried: in the code of the program tests, comments and refusals left out.
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

done_testing();
