#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A label from anywhere does no harm in any report, and the CSV line keeps its 50 fields.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie csv_of scratch table_of);
use RunProgram qw(run);

my $dir  = scratch();
my @tiny = ('-d', $dir, qw(-r0 -s1 -n1 --cache=keep), '--tests=put_block,seq_create');

my %label = (
    script    => '<script>alert(1)</script>,"x"&',
    controls  => "a\e[2J\r\nb\tc\x07",
    bytes     => "\xFF\xFE",
    direction => "a\xE2\x80\xAEb",
    formula   => '=1+1',
    long      => 'W' x 3000,
    commas    => ',' x 50,
    empty     => q{},
    format    => '%s%n%d',
    option    => '-m',
);
for my $name (sort keys %label) {
    my $run = bonnie(@tiny, '--format=text,csv,html', '-m', $label{$name});
    is($run->{status}, 0, "$name: exit status 0");
    my ($line) = $run->{out} =~ /^(1\.98,.*)$/m;
    is(scalar(my @fields = split /,/, $line, -1), 50, "$name: 50 fields for a reader that splits at commas");
    unlike($run->{out}, qr/[\x00-\x09\x0B-\x1F\x7F]|\xE2\x80\xAE|\xFF/, "$name: nothing that a terminal obeys");
    unlike($run->{out}, qr/<(?!\/?T[RD]>)/, "$name: no foreign tag");
    unlike($line, qr/["<>]/, "$name: no quotation mark or tag in the CSV line");
    unlike((split /,/, $line)[2], qr/\A[=+@-]/, "$name: no formula");
    is(table_of($run->{out}) =~ tr/\n//, 12, "$name: no line more") if $name !~ /long/;
    my ($status, $html, $err) = run('bon_csv2html', [], $line . "\n");
    is("$status$err", '0', "$name: our bon_csv2html takes it");
    unlike($html, qr/<script|alert\(1\)<\//, "$name: and its page is harmless");
}

unlike(bonnie(@tiny, qw(-q --format=diskmark --percentiles -m), $label{$_})->{out}, qr/[\x00-\x09\x0B-\x1F\x7F]|\xE2\x80\xAE|\xFF/, "$_: above the table of percentiles, too") for qw(controls bytes direction);
is(csv_of(bonnie(@tiny, '-q', '-m', $label{script}))->{name}, q{(script)alert(1)(/script);'x'&}, 'the label stays readable');
like(bonnie(@tiny, '-html', '-m', $label{script})->{out}, qr{<TD>&lt;script&gt;alert\(1\)&lt;/script&gt;,&quot;x&quot;&amp;</TD>},
    'and is whole in the HTML row');

done_testing();
