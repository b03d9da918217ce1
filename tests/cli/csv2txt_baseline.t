#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bon_csv2txt --baseline and --fail-below as a user runs them.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use JSON::PP   ();
use Test::More;
use JsonSchema qw(schema_errors);
use RunProgram qw(data_file run slurp);

my $PROGRAM = 'bon_csv2txt';
my $dir     = File::Temp->newdir;
my $golden  = slurp("$FindBin::Bin/../golden/csv2txt/compared.txt");
my $csv     = slurp(data_file('compared.csv'));
my ($lab)   = slurp(data_file('lab.csv')) =~ /^(1[.]98,.*\n)/m;

# runs(LABEL, RATES): copies of the laboratory's line with these rates of
# put_block.
sub runs {
    my ($label, @rates) = @_;
    return join q{}, map { my $rate = $_; $lab =~ s/,lab,/,$label,/r =~ s/,376832,(92),/,$rate,@{[ $rate eq q{} ? q{} : $1 ]},/r =~ s/,5079us,/@{[ $rate eq q{} ? ',,' : $& ]}/r } @rates;
}

subtest 'the comparison' => sub {
    my ($status, $out, $err) = run($PROGRAM, [ '--baseline', 'buffered', data_file('compared.csv') ]);
    is($out, $golden, 'the table');
    is("$status$err", '0', 'exit status 0 and silence');
    is((run($PROGRAM, [ '--baseline=buffered', '-o', "$dir/out", data_file('compared.csv') ]))[1], q{}, 'into a file');
    is(slurp("$dir/out"), $golden, 'it is there');

    ($status, $out) = run($PROGRAM, [ '--baseline=buffered', '--together', data_file('compared.csv') ]);
    is_deeply([ $out =~ /^(\w+) .* 0[.]0260  slower$/mg ], [qw(put_block rewrite get_block)], 'judged together: twelve times 0.0022 is still significant');

    my $three = $csv . $csv =~ s/,direct,/,third,/gr =~ s/^.*,buffered,.*\n//gmr;
    ($status, $out) = run($PROGRAM, ['--baseline=direct'], $three);
    is_deeply([ $out =~ /^(Baseline|Other) +(.*)/mg ],
        [ Baseline => 'direct (6 runs)', Other => 'buffered (6 runs)', Baseline => 'direct (6 runs)', Other => 'third (6 runs)' ],
        'every other label is compared');
};

# 1,500 runs against 1,500 have 2,250,000 ratios.
subtest 'many runs in little memory' => sub {
    my ($old, $new) = map { my $offset = $_; [ map { $offset + $_ * 7919 % 1500 } 1 .. 1500 ] } 50_000, 50_300;
    local $RunProgram::ADDRESS_SPACE = 100 * 1024;
    my ($status, $out, $err) = run($PROGRAM, [ '--baseline', 'old' ], runs('old', @{$old}) . runs('new', @{$new}));
    is("$status$err", '0', 'exit status 0 and silence');
    like($out, qr/^put_block +49[.]\d MiB +49[.]\d MiB +[+]0[.]6 % +[+]0[.]5 % +[+]0[.]7 % +<0[.]0001  faster$/m, 'compared') or diag $out;
};

subtest 'fail below' => sub {
    my @worse = ([ put_block => 89.1 ], [ rewrite => 85.2 ], [ get_block => 94.7 ]);
    my ($status, $out, $err) = run($PROGRAM, [ qw(--baseline buffered --fail-below 5), data_file('compared.csv') ]);
    is($status, 2, 'exit status 2');
    is($out, $golden, 'the table is the same');
    is($err, join(q{}, map {"bon_csv2txt: direct: $_->[0] is $_->[1] % slower\n"} @worse), 'what was significant is named');

    my %status = (0 => 2, 89 => 2, '94.6' => 2, 95 => 0, 100 => 0);
    for my $limit (sort keys %status) {
        is((run($PROGRAM, [ '--baseline=buffered', "--fail-below=$limit" ], $csv))[0], $status{$limit}, "a limit of $limit %");
    }
    is((run($PROGRAM, [ '--baseline=direct', '--fail-below=0' ], $csv))[0], 0, 'what is worse by chance only does not count');
    is((run($PROGRAM, [ qw(--baseline b --fail-below 0) ], runs('b', 1 .. 6) . runs('c', 7 .. 12)))[0], 0, 'better');
    is((run($PROGRAM, [ qw(--baseline c --fail-below 0) ], runs('b', 1 .. 6) . runs('c', 7 .. 12)))[0], 2, 'worse');
    is((run($PROGRAM, [ qw(--baseline b --fail-below 0 -o /none/such) ], runs('b', 7 .. 12) . runs('c', 1 .. 6)))[0], 1,
        'output that cannot be written is a failure all the same');
};

subtest 'what fail below cannot judge' => sub {
    my $all   = 'putc, put_block, rewrite, getc, get_block, seeks, seq_create, seq_stat, seq_del, ran_create, ran_stat, ran_del';
    my $fewer = $all =~ s/put_block, //r;
    my @old   = (94 .. 99);
    my %case = (
        'three runs of each can show nothing' => [ runs('b', 97 .. 99) . runs('c', 1 .. 3), 3, "$all (too few runs)" ],
        'nor can five of each in twelve tests' => [ runs('b', 95 .. 99) . runs('c', 1 .. 5), 3, "$all (too few runs)" ],
        'a test that vanished'    => [ runs('b', @old) . runs('c', (q{}) x 6),     0, 'put_block (no figure)' ],
        'one that is too fast'    => [ runs('b', @old) . runs('c', ('+++++') x 6), 0, 'put_block (no figure)' ],
        'one that is new'         => [ runs('b', ('+++++') x 6) . runs('c', @old), 0, 'put_block (no figure)' ],
        'one with too few runs'   => [ runs('b', @old) . runs('c', 1 .. 3, ('+++++') x 3), 0, 'put_block (too few runs)' ],
        'two reasons'             => [ runs('b', @old[ 0 .. 2 ]) . runs('c', (q{}) x 3), 3, "put_block (no figure); $fewer (too few runs)" ],
        'six can'                 => [ runs('b', @old) . runs('c', 1 .. 6), 2, undef ],
    );
    for my $name (sort keys %case) {
        my ($input, $expected, $unjudged) = @{ $case{$name} };
        my ($status, undef, $err) = run($PROGRAM, [ qw(--baseline b --fail-below 0) ], $input);
        is($status, $expected, "$name: exit status $expected");
        is($err, defined $unjudged ? "bon_csv2txt: c: --fail-below cannot judge $unjudged\n" : "bon_csv2txt: c: put_block is 96.4 % slower\n",
            'and what is said');
    }
};

subtest 'wrong use' => sub {
    my %case = (
        'no such label'        => [ ['--baseline=no'],                        qr/no result has the label "no"; the labels are "lab"/ ],
        'no other label'       => [ ['--baseline=lab'],                       qr/nothing to compare with: every result has the label "lab"/ ],
        'no value'             => [ ['--baseline'],                           qr/--baseline needs a value: LABEL/ ],
        'fail-below alone'     => [ [qw(--fail-below 5)],                     qr/--fail-below needs --baseline/ ],
        'together alone'       => [ ['--together'],                           qr/--together needs --baseline/ ],
        'below zero'           => [ [qw(--baseline=lab --fail-below=-1)],     qr/--fail-below: '-1' is not accepted; expected a number from 0 to 100/ ],
        'above 100'            => [ [qw(--baseline=lab --fail-below 100.1)],  qr/'100.1' is not accepted; expected a number from 0 to 100/ ],
        'no number'            => [ [qw(--baseline=lab --fail-below 5%)],     qr/'5%' is not accepted; expected a number from 0 to 100/ ],
        'an exponent'          => [ [qw(--baseline=lab --fail-below 1e1)],    qr/'1e1' is not accepted; expected a number from 0 to 100/ ],
        'empty'                => [ [ '--baseline=lab', '--fail-below', q{} ], qr/'' is not accepted; expected a number from 0 to 100/ ],
        'a control character'  => [ [ '--baseline=lab', "--fail-below=\e[2J" ], qr/'\xEF\xBF\xBD\[2J' is not accepted/ ],
        'a label of control characters' => [ ["--baseline=\e[2J\n"],          qr/the label "\xEF\xBF\xBD\[2J\xEF\xBF\xBD"/ ],
    );
    for my $name (sort keys %case) {
        my ($arguments, $message) = @{ $case{$name} };
        my ($status, $out, $err) = run($PROGRAM, $arguments, $lab);
        is("$status$out", '1', "$name: exit status 1, nothing is printed");
        like($err, qr/\Abon_csv2txt: [^\n]*$message[^\n]*\n\z/, "$name: one line says why");
    }
};

# Labels as the program writes them in CSV, and as other programs may write them.
subtest 'labels' => sub {
    for my $label (q{}, '0', 'a;b', '"a', 'K%C3%B6ln', "K\xC3\xB6ln", "\e[2J\x07", 'x' x 500, '--help', '$(id)', '%s%n') {
        my ($status, $out, $err) = run($PROGRAM, [ '--baseline', $label ], runs($label, 1 .. 4) . runs('other', 5 .. 8));
        is("$status$err", '0', "\"$label\": exit status 0") or diag $err;
        like($out, qr/^put_block +2[.]50 KiB +6[.]50 KiB .* 0[.]0286  faster$/m, 'compared');
        unlike($out, qr/[\x00-\x09\x0B-\x1F\x7F]/, 'nothing hostile gets through');
        unlike($out, qr/^(?:[^\x80-\xBF\n][\x80-\xBF]*){81}/m, 'no line is wider than 80 columns');
    }
};

subtest 'JSON and CSV together' => sub {
    my $report = JSON::PP->new->utf8->decode(slurp("$FindBin::Bin/../golden/report/full.json"));
    $report->{label} = 'a, with "comma"';
    my $bytes = JSON::PP->new->utf8->encode($report);
    my ($status, $out, $err) = run($PROGRAM, [ '--baseline', 'a, with "comma"' ], "$bytes\n" . runs('csv', 1 .. 8));
    is("$status$err", '0', 'exit status 0 and silence') or diag $err;
    like($out, qr/^Baseline   a, with "comma" \(\d+ runs\)$/m, 'a label with a comma');
    like($out, qr/^Other      csv \(8 runs\)$/m, 'the other');
    like($out, qr/^get_block +\S+ \S+ +\S+ \S+ +[-+]/m, 'are compared');
};

subtest 'Markdown and JSON' => sub {
    my $text = runs('old', 1 .. 6) . runs('n|ew', 7 .. 12);
    my ($status, $out, $err) = run($PROGRAM, [ '--markdown' ], $text);
    is("$status$err", '0', 'a table of the medians');
    like($out, qr/\A[|] Test [|] old \(6 runs\) [|] n\\[|]ew \(6 runs\) [|]\n[|] --- [|] ---: [|] ---: [|]\n/, 'with a column for each label, which is no markup');
    like($out, qr/^[|] Write in chunks [|] 3[.]50 KiB\/s [|] 9[.]50 KiB\/s [|]$/m, 'and a row for each test');
    ($status, $out, $err) = run($PROGRAM, [ '--markdown', '--baseline=old', '--fail-below=5' ], $text);
    is("$status$err", '0', 'what changed');
    like($out, qr/\A\*\*n\\[|]ew\*\* beside \*\*old\*\*: faster in 1 of 12 tests[.]\n\n[|] Test /, 'begins with the answer');
    like($out, qr/^[|] Write in chunks [|] 3[.]50 KiB\/s [|] 9[.]50 KiB\/s [|] [+]171 % [|] [+]\S+ % to [+]\S+ % [|] \S+ faster [|]$/m, 'the row of what did');
    is((run($PROGRAM, [ '--markdown', '--baseline=n|ew', '--fail-below=5' ], $text))[0], 2, 'with the same exit status');
    ($status, $out, $err) = run($PROGRAM, [ '--json', '--baseline=old', '--fail-below=5' ], $text);
    is("$status$err", '0', 'JSON');
    my $report = JSON::PP->new->utf8->decode($out);
    is(join("\n", schema_errors(JSON::PP->new->decode(slurp("$FindBin::Bin/../../share/bon_csv2txt.schema.json")), $report)), q{}, 'is as the schema says');
    my ($of) = grep { $_->{name} eq 'put_block' } @{ $report->{results}[0]{tests} };
    is_deeply($of->{bytes_per_second}, { median => 3584, min => 1024, max => 6144 }, 'in base units');
    ($of) = grep { $_->{name} eq 'put_block' } @{ $report->{comparisons}[0]{tests} };
    is_deeply([ @{$of}{qw(baseline_bytes_per_second other_bytes_per_second verdict)} ], [ 3584, 9728, 'faster' ], 'with what is known');
    like((run($PROGRAM, [ '--json', '--markdown' ], $text))[2], qr/\Abon_csv2txt: --json and --markdown exclude each other\n\z/, 'not both');
};

done_testing();
