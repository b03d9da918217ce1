#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What docs/promises.md promises is there: options, the words of lists, exit statuses, the keys of JSON and the
# words that they may have. Nothing of tests/data/promises.txt is gone. What is new is told, and belongs into that
# file before a release: BONNIE_PROMISES=write prove tests/cli/promises.t writes it.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use BonnieRun  qw(run_tool source sources);
use RunProgram qw(data_file slurp spew);

my %there;
for my $program (qw(bonnie bonload boncut bonwhy zcav getc_putc generate_randfile bon_ab bon_csv2html bon_csv2txt)) {
    for my $line (grep {/\Aoption\t/} split /\n/, run_tool($program, '--all-options')->{out}) {
        my (undef, $letter, $long, $alias, undef, undef, $words) = split /\t/, $line;
        my @names = ((map {"-$_"} grep {length} $letter), (map {"--$_"} grep {length} $long, $alias));
        $there{"$program $_"} = 1 for @names;
        $there{"$program $names[-1]=$_"} = 1 for split q{ }, $words // q{};
    }
}

# The table of README: "status 2 no; worse; lost; above the limit".
my ($heads, $texts) = slurp(source('README.md')) =~ /^## Exit status\n\n[|] (.*) [|]\n[|-]+\n[|] (.*) [|]$/m;
my (undef, @said) = split / [|] /, $texts // q{};
my @numbers = ($heads // q{}) =~ /\d/g;
$there{"status $numbers[$_] $said[$_]"} = 1 for 0 .. $#numbers;

# "bonload.schema.json settings.url", and "bonload.schema.json verdict=good" for each word of a key.
sub add_keys {
    my ($at, $node) = @_;
    return map { add_keys($at, $_) } @{$node} if ref $node eq 'ARRAY';
    return if ref $node ne 'HASH';
    my $defs = ref $node->{'$defs'} eq 'HASH' ? $node->{'$defs'} : {};
    add_keys($at =~ s/ .*/ $_/r, $defs->{$_}) for keys %{$defs};
    my $keys = ref $node->{properties} eq 'HASH' ? $node->{properties} : {};
    for my $key (keys %{$keys}) {
        my $path = $at =~ / \z/ ? "$at$key" : "$at.$key";
        $there{$path} = 1;
        add_keys($path, $keys->{$key});
    }
    $there{"$at=$_"} = 1 for ref $node->{enum} eq 'ARRAY' ? grep {defined} @{ $node->{enum} } : ();
    add_keys($at, $node->{$_}) for grep { !/\A(?:properties|enum|\$defs|required)\z/ } keys %{$node};
    return;
}
add_keys($_ =~ s{.*/}{}r . q{ }, JSON::PP::decode_json(slurp($_))) for sources('share/*.schema.json');

spew(data_file('promises.txt'), join q{}, map {"$_\n"} sort keys %there) if ($ENV{BONNIE_PROMISES} // q{}) eq 'write';
my %promised = map { $_ => 1 } grep {length} split /\n/, slurp(data_file('promises.txt'));
cmp_ok(scalar(grep {/$_/} keys %promised), '>=', 3, "there are some of $_") for qr/ --/, qr/ --[\w-]+=/, qr/\Astatus /, qr/schema[.]json/, qr/verdict=/, qr/limited_by=/;
is_deeply([ grep { !$there{$_} } sort keys %promised ], [], 'nothing is gone');
diag("new, and not in tests/data/promises.txt: $_") for grep { !$promised{$_} } sort keys %there;

done_testing();
