#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Bonnie::Ab::Measured reads the report of every program that bon_ab knows: as the program
# printed it (tests/data/ab; fio 3.33, hyperfine 1.15), with other output around it, and when it
# is incomplete.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib", "$FindBin::Bin/../lib";
use Test::More;
use Bonnie::Ab::Measured qw(measured number_in unread_report);
use RunProgram qw(data_file slurp);

my $GOLDEN = "$FindBin::Bin/../golden/report";

# Throughput in KiB/s, as most of these reports have it.
sub judged {
    my ($report) = @_;
    return map { "$_->{name}=" . sprintf '%.5g', $_->{value} / (($_->{unit} // q{}) eq 'bytes/s' ? 1024 : 1) } grep { $_->{judged} } @{ $report->{metrics} };
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
    is_deeply([ @unit{qw(get_block seq_del get_block.p99)} ], [ 'bytes/s', 'ops/s', 'ns' ], 'with their units');
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

# fio of several machines: each job once, and not their sum; and the form of its version 2.
is_deeply([ judged(measured(slurp(data_file('ab/fio-clients.json')))) ], [ 'one.read=3.4133e+05', 'two.read=17185', 'two.write=20741' ], 'fio --client');
{
    my $old = measured(slurp(data_file('ab/fio2.json')));
    my %value = map { $_->{name} => $_->{value} } @{ $old->{metrics} };
    is_deeply([ @value{qw(read read.p99 read.mean)} ], [ 4090 * 1024, 2_500_000, 961_200 ], 'fio 2: KiB/s and microseconds');
    ok(!eval { measured('{"fio version": "fio-9", "work": []}') }, 'a form that is not known');
    is($@, "a report of fio without any figure: it has no jobs or client_stats with bw_bytes or bw\n", 'names what is missing');
}

# A search is judged by the load that it has found.
{
    my $search = sub {
        my ($found, $load, $by) = @_;
        return qq[{"format": "bonload", "settings": {"mode": "search", "search": "$by"}, "writes": {"made": 9, "made_per_second": 77, "found": "$found", "found_threads": $load}}];
    };
    is_deeply([ judged(measured($search->('found', 4000, 'rate'))) ], ['writes=4000'], 'a search: the load found, not the last step');
    is(measured($search->('found', 12, 'threads'))->{metrics}[0]{unit}, undef, 'threads are no rate');
    ok(!eval { measured($search->('none', 'null', 'rate')) }, 'found nothing');
    is($@, "a report of bonload whose search of writes has found no load\n", 'is no figure');
}

# Reports that say that their own work has failed.
my %FAILED = (
    'hyperfine, a status' => [ slurp(data_file('ab/hyperfine.json')) =~ s/"exit_codes": \[\s*\K0/3/r, 'a report of hyperfine in which 1 of 3 runs failed, the first with exit status 3' ],
    'hyperfine, a signal' => [ slurp(data_file('ab/hyperfine.json')) =~ s/"exit_codes": \[\s*0,\s*\K0/null/r, 'a report of hyperfine in which 1 of 3 runs failed, the first with a signal' ],
    'fio'                 => [ slurp(data_file('ab/fio.json')) =~ s/"error" : \K0/28/r, 'a report of fio with error 28 (No space left on device) in job x' ],
    'bonload, damage'     => [ slurp(data_file('ab/bonload.json')) =~ s/"damaged":\K0/2/r, 'a report of bonload with 2 damaged reads' ],
    'bonload, stopped'    => [ slurp(data_file('ab/bonload.json')) =~ s/"stopped":\Kfalse/true/r, 'a report of bonload that was stopped' ],
    'bonload, errors'     => [ slurp(data_file('ab/bonload.json')) =~ s/"timeout_seconds"/"max_errors_percent":5,$&/r =~ s/"made":198,"errors":\K0/218/r, 'a report of bonload in which 50 % of the requests failed, more than -max-errors=5' ],
);
is(measured($FAILED{$_}[0])->{failed}, $FAILED{$_}[1], $_) for sort keys %FAILED;
is(measured(slurp(data_file("ab/$_.json")))->{failed}, undef, "$_ has not failed") for qw(bonload fio fio2 gobonniego hyperfine);

# What others do to reports.
for my $kind (sort keys %REPORT) {
    my ($file, $metrics) = @{ $REPORT{$kind} };
    my $bytes = slurp(data_file($file));
    my $number = 10;
    my %changed = (
        'in an array'                   => "[\n$bytes]\n",
        'in an array, after a line'     => "[info] begin\n[$bytes,\n$bytes]\n",
        'in another object'             => "{\"host\": \"x\", \"output\": [$bytes]}\n",
        'indented'                      => $bytes =~ s/^/    /mgr,
        'behind a word on its line'     => "starting {1}\nresult: $bytes",
        'behind a prefix on each line'  => $bytes =~ s/^/job_1  | /mgr,
        'behind a time on each line'    => "10:59:59 INFO: starting\n" . $bytes =~ s/^/'10:59:' . $number++ . ' INFO: '/mger,
    );
    is_deeply([ eval { judged(measured($changed{$_}) // {}) } ], $metrics, "$kind $_") or diag $@ for sort keys %changed;
}
ok(!eval { measured("one\nnode7: " . slurp(data_file('ab/fio.json')) =~ s/^(?=.*"(?:read|clat_ns)")/node8 -> /mgr) }, 'behind prefixes that are not the same');
like($@, qr/\Aa report that begins on line 2, behind "node7: ", and cannot be read: a key and a colon are missing$/, 'is told');
{
    my ($line) = slurp("$GOLDEN/full.csv") =~ /^(1[.]98,.*)$/m;
    my @expected = judged(measured($line));
    my %changed = (
        'quoted'             => q{"} . $line =~ s/,/","/gr . q{"},
        'quoted, semicolons' => q{"} . $line =~ s/,/";"/gr . q{"},
        'semicolons'         => $line =~ tr/,/;/r,
        'decimal commas'     => $line =~ tr/,./;,/r =~ s/\A1,98;(\d+),/1.98;$1./r,
        'behind a prefix'    => "2026-11-25 10:00:00,123 INFO $line",
    );
    is_deeply([ eval { judged(measured("$changed{$_}\n") // {}) } ], \@expected, "CSV, $_") or diag $@ for sort keys %changed;
    my $half = substr $changed{quoted}, 0, 200;
    ok(!eval { measured("$half\n") }, 'half a line, quoted, is refused');
}

# Other forms of the reports are not taken for text without any.
my %UNREAD = (
    "job: (g=0): rw=read\nfio-3.33\nStarting 1 process\n"                => q{fio's text, not its JSON (--output-format=json)},
    "3;fio-3.33;x;0;0;1024;512000;128000\n"                              => q{fio's terse form, not its JSON (--output-format=json)},
    "  Time (mean \xC2\xB1 \xCF\x83):      15.6 ms \xC2\xB1   2.2 ms\n"  => q{hyperfine's text, not its JSON (--export-json=/dev/stdout)},
    "Version 3.0.0       ------Sequential Output------ --Sequential Inp\n" => q{bonnie's table, not its JSON (--json)},
    "x = {'bonload': 1, \"fio version\" : \"3\"}"                          => 'something like a report that cannot be read',
);
is(unread_report($_, q{}), $UNREAD{$_}, $UNREAD{$_}) for sort keys %UNREAD;
is(unread_report(q{}, (keys %UNREAD)[0]), (values %UNREAD)[0] . ', on standard error', 'on standard error');
is(unread_report("12 MB copied\n", "done\n"), undef, 'other text');

# Numbers are read as a whole, or not at all.
my %NUMBER = (
    '.99' => 0.99, '0.5 s' => 0.5, '5.' => 5, '5.,' => 5, 'took 12ms' => 12, '1,234,567.5' => 1234567.5, '1,234,567' => 1234567, '1,234.5' => 1234.5, '(7)' => 7, '=1e3' => 1000, '2.5E-3x' => 0.0025, '-4' => -4, '~ 8 %' => 8,
    map { $_ => undef } '0,5', '0,500', ',99', '1,23', '1.2.3', '12:34', '1 min 20 s', '1h30m', '5 of 7', 'p99', 'x86', '1 234', "1'234", '0x1F', 'none', '', '1,2345', '1,021', '12,345 s', '-1,021e3', '1,234.', '1.021,5',
);
is((number_in($_))[0], $NUMBER{$_}, "\"$_\" is " . ($NUMBER{$_} // 'no single number')) for sort keys %NUMBER;
is((number_in('took 12 ms.'))[1], 'ms.', 'with its unit');

is(measured("hello\n1,2,3\n"), undef, 'no report');
is(measured(q{}),              undef, 'nothing at all');
is(measured("{\"a\": 1}\n"),   undef, 'JSON of another program');
ok(!eval { measured('{"format": "bonnie", "format_version": 1, "runs": []}') }, 'a report without any run is refused');
is_deeply([ sort keys %{ measured(slurp("$GOLDEN/full.json"))->{settings} } ],
    [ sort grep { !/seed|label|start_time/ } keys %{ measured(slurp("$GOLDEN/full.json"))->{settings} } ], 'what differs from run to run is no setting');

done_testing();
