#!/usr/bin/perl
# Bonnie::Ab::Measured reads the report of every program that bon_ab knows: as the program
# printed it (tests/data/ab; fio 3.33, hyperfine 1.15), with other output around it, and when it
# is incomplete.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib", "$FindBin::Bin/../lib";
use Test::More;
use Bonnie::Ab::Measured qw(measured);
use RunProgram qw(data_file slurp);

my $GOLDEN = "$FindBin::Bin/../golden/report";

sub judged {
    my ($report) = @_;
    return map { "$_->{name}=" . sprintf '%.5g', $_->{value} } grep { $_->{judged} } @{ $report->{metrics} };
}

my %REPORT = (
    bonload    => [ 'ab/bonload.json',    [ 'writes=20', 'reads=200' ] ],
    fio        => [ 'ab/fio.json',        [ 'read=36408', 'write=36448' ] ],
    GoBonnieGo => [ 'ab/gobonniego.json', [ 'write=1.1767e+06', 'read=1.1648e+06', 'iops=2.477e+05' ] ],
    hyperfine  => [ 'ab/hyperfine.json',  ['time=1.1141e+07'] ],
);

for my $kind (sort keys %REPORT) {
    my ($file, $metrics) = @{ $REPORT{$kind} };
    my $bytes = slurp(data_file($file));
    my $report = measured("some words, {\nand more\n$bytes\nthe end\n");
    is($report->{kind}, $kind, "$kind is recognised amid other output");
    is_deeply([ judged($report) ], $metrics, 'what is judged of it');
    cmp_ok(scalar keys %{ $report->{settings} }, '>', 0, 'its settings');
    for my $part (0.3, 0.6, 0.9) {
        ok(!eval { measured(substr $bytes, 0, $part * length $bytes) }, "$part of it is refused");
        like($@, qr/\Aa JSON report that cannot be read: /, 'in words');
    }
    is_deeply([ judged(measured("$bytes$bytes")) ], $metrics, 'two of them: the median');
}

my ($less) = grep { $_->{name} eq 'time' } @{ measured(slurp(data_file('ab/hyperfine.json')))->{metrics} };
is_deeply([ @{$less}{qw(unit more)} ], [ 'ns', 0 ], 'of times less is better');

# bonnie: JSON and CSV of the same run.
{
    my $json = measured(slurp("$GOLDEN/full.json"));
    my $csv  = measured(slurp("$GOLDEN/full.csv"));
    is($json->{kind}, 'bonnie', 'bonnie, JSON');
    ok(scalar(grep { $_->{name} eq 'get_block.p99' && !$_->{judged} && !$_->{more} } @{ $json->{metrics} }), 'latencies are there and not judged');
    my %unit = map { $_->{name} => $_->{unit} } @{ $json->{metrics} };
    is_deeply([ @unit{qw(get_block seq_del get_block.p99)} ], [ 'KiB/s', 'ops/s', 'ns' ], 'with their units');
    is($csv->{kind}, 'bonnie', 'bonnie, its CSV');
    my $old = measured(slurp(data_file('bonnie++-2.00a-output.txt')));
    is_deeply([ judged($old) ], [ 'putc=1235', 'getc=2132' ], 'Bonnie++ 2.00a: what it measured');
    my $line = (grep {/^1[.]98,/} split /\n/, slurp("$GOLDEN/full.csv"))[-1];
    my $half = substr $line, 0, length($line) / 2;
    ok(!eval { measured("$half\n") }, 'half a line is refused');
    like($@, qr/\Aa result that cannot be read: number of fields is \d+/, 'in words');
    my $three = join q{}, map { $line =~ s/^((?:[^,]*,){11})[^,]*/$1$_/r . "\n" } 100, 300, 200;
    my ($middle) = grep {/^put_block=/} judged(measured($three));
    is($middle, 'put_block=200', 'of three runs the median');
}

is(measured("hello\n1,2,3\n"), undef, 'no report');
is(measured(q{}),              undef, 'nothing at all');
is(measured("{\"a\": 1}\n"),   undef, 'JSON of another program');
ok(!eval { measured('{"format": "bonnie", "format_version": 2, "runs": []}') }, 'a report without any run is refused');
is_deeply([ sort keys %{ measured(slurp("$GOLDEN/full.json"))->{settings} } ],
    [ sort grep { !/seed|label|start_time/ } keys %{ measured(slurp("$GOLDEN/full.json"))->{settings} } ], 'what differs from run to run is no setting');

done_testing();
