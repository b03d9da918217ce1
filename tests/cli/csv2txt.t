#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bon_csv2txt as a user runs it.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use Test::More;
use RunProgram qw(data_file quoted run slurp spew);

my $PROGRAM = 'bon_csv2txt';
my $GOLDEN  = "$FindBin::Bin/../golden/csv2txt";
my $dir     = File::Temp->newdir;
my $lab     = slurp("$GOLDEN/lab.txt");

for my $file (qw(lab.csv dirs-one-late.csv classic.csv halves.csv look.json)) {
    my ($status, $out, $err) = run($PROGRAM, [ data_file($file) ]);
    my $name = $file =~ s{[.].*}{}r;
    is($out, slurp("$GOLDEN/$name.txt"), "$name: the table");
    is("$status$err", '0', "$name: exit status 0 and silence");
}

subtest 'reports of other programs are named' => sub {
    for my $file (map { data_file($_) } qw(boncut-check.json boncut-campaign.json)) {
        my ($status, $out, $err) = run($PROGRAM, [$file]);
        is("$status$out", '1', 'no table');
        is($err, "bon_csv2txt: reports of bonload, bon_ab, boncut and bonwhy are left out: only bon_csv2html shows them\nbon_csv2txt: no result of bonnie found\n", 'two lines');
    }
};

subtest 'every generation in one file' => sub {
    my ($status, $out, $err) = run($PROGRAM, [ data_file('realworld.csv') ]);
    is("$status$err", '0', 'exit status 0 and silence');
    for my $label (qw(AcharyaX host1 host6 raspberrypi fuss yazgoo-virtual ubuntu ceph-admin SERVER ANDREW-PC tidbit raid0)) {
        like($out, qr/^\Q$label\E/m, $label);
    }
    my ($io, $files) = $out =~ /\A(.*Sequential Output.*)^(.*Sequential Create.*)\z/ms;
    is(scalar(() = $io    =~ /^(?!Latency|Version|Name| )\S/mg), 12, 'twelve results with I/O below one heading');
    is(scalar(() = $files =~ /^(?!Latency|Version|Name| )\S/mg), 13, 'then thirteen with files below one');
    is(scalar(() = $out =~ /^Version various +-/mg), 2, 'which does not name one version for all');
    unlike($out, qr/^.{81}/m, 'no line is wider than 80 columns');
};

subtest 'standard input' => sub {
    my $csv = slurp(data_file('lab.csv'));
    is((run($PROGRAM, [], $csv))[1], $lab, 'without arguments');
    is((run($PROGRAM, ['-'], $csv))[1], $lab, 'as -');
    like((run($PROGRAM, [ data_file('lab.csv'), '-' ], $csv))[1], qr/^lab .*1G 1723k.*\nLatency.*\nlab .*1G 1723k/m, 'after a file');
    is((run($PROGRAM, [], $csv =~ s/\n/\r\n/r))[1], $lab, 'with CRLF');
    is((run($PROGRAM, [], $csv =~ s/\n//r))[1], $lab, 'without a newline at the end');
    is((run($PROGRAM, [], "\xEF\xBB\xBF$csv"))[1], $lab, 'with a byte order mark');
};

# A public script cuts off the output at the second heading.
subtest 'several lines' => sub {
    my $csv = slurp(data_file('lab.csv')) =~ s/^#.*\n//mgr;
    my ($status, $out) = run($PROGRAM, [], $csv . $csv =~ s/,lab,/,second,/r . $csv =~ s/,lab,/,third,/r);
    my $io = $out =~ s/^[^\n]*Sequential Create.*\z//msr;
    is_deeply([ $io =~ /^(?!Name)([a-z]\S*) +1G /mg ], [qw(lab second third)], 'all I/O rows come first');
    is_deeply([ substr($out, length $io) =~ /^([a-z]\S*) +16 31209 /mg ], [qw(lab second third)], 'then all rows of files, with their labels');
    is($io =~ tr/\n//, 9, 'below one heading of three lines each');
};

subtest 'output of a program around the line' => sub {
    my ($status, $out, $err) = run($PROGRAM, [ data_file('bonnie++-2.00a-output.txt') ]);
    is("$status$err", '0', 'exit status 0 and silence');
    is(scalar(() = $out =~ /^Version 2\.00a /mg), 2, 'one result');
    my $csv = slurp(data_file('lab.csv'));
    is((run($PROGRAM, [], "Using uid:0, gid:0.\nWriting...done\n\n$lab  A sentence, with commas, in it.\n$csv"))[1], $lab,
        'progress and table');
};

subtest 'what was done to a result' => sub {
    my ($line) = slurp(data_file('lab.csv')) =~ /^(1[.]98.*)/m;
    my ($raid) = slurp(data_file('realworld.csv')) =~ /^(raid0,.*)/m;
    my ($classic) = slurp(data_file('realworld.csv')) =~ /^(tidbit.*)/m;
    my $utf16 = join q{}, map {"$_\0"} split //, slurp("$FindBin::Bin/../golden/report/full.json");
    my %case = (
        'wrapped by a mailer'      => [ "$1\n$2\n",                         qr/^raid0 +2G /m, qr/:1: 2 lines are read as one that was wrapped$/m ],
        'a label that begins with #' => [ $raid =~ s/raid0/#2 raid5/r . "\n",  qr/^#2 raid5 +2G 81.8m /m, qr/\A\z/ ],
        'wrapped in its last figure' => [ "$classic\n0\n", qr/ [?]{3}$/m, qr/:1: the last field may end with "0", on the line below$/m ],
        'the same, quoted'         => [ qq("$classic\n\n> 0"\n), qr/ [?]{3}$/m, qr/:1: the last field may end with "0", on the line below$/m ],
        'each figure quoted, and the last one wrapped' => [ join(q{,}, map {qq("$_")} split /,/, $classic) =~ s/(?=.{2}\z)/\n/r . "\n", qr/ [?]{3}$/m, qr/:1: 2 lines are read as one that was wrapped$/m ],
        'a label with a comma'     => [ $line =~ s/,lab,/,a,b,/r . "\n",     qr/^a,b +1G 1723k /m, qr/\A\z/ ],
        'semicolons'               => [ $line =~ tr/,/;/r . "\n",            qr/^lab +1G 1723k /m, qr/\A\z/ ],
        'a table of Markdown'      => [ '| ' . $line =~ s/,/ | /gr . " |\n", qr/^lab +1G 1723k /m, qr/\A\z/ ],
        'UTF-16'                   => [ "\xFF\xFE$utf16",                    qr/ 1G::4 /, qr/\A\z/ ],
        'lines that end in CR'     => [ "words\r$line\rmore\r",              qr/^lab +1G 1723k /m, qr/\A\z/ ],
        'a fragment'               => [ "$line\n" . join(q{,}, (split /,/, $raid)[ 0 .. 20 ]) . "\n", qr/^lab +1G/m, qr/:2: number of fields is 21; / ],
        'behind #'                 => [ "$line\n# $line\n", qr/^lab +1G/m, qr/:2: a result behind # is skipped$/m ],
        'two on one line'          => [ "$line $line\n", qr/^lab +1G/m, qr/:1: what stands before a result on its line is skipped$/m ],
    ) if $raid =~ /\A(.{76})(.*)/;
    for my $name (sort keys %case) {
        my ($input, $table, $said) = @{ $case{$name} };
        my ($status, $out, $err) = run($PROGRAM, [], $input);
        is($status, 0, "$name: exit status 0");
        like($out, $table, 'the figures');
        like($err, $said, 'and what is said');
    }

    # The second piece of a published line of 48 fields that was broken after the 21st has 27.
    my ($old) = slurp(data_file('realworld.csv')) =~ /^(1[.]96,1[.]96,host1,.*)/m;
    my $piece = join q{,}, (split /,/, $old)[ 21 .. 47 ];
    my ($status, $out, $err) = run($PROGRAM, [], "$piece\n$line\n");
    unlike($out, qr/9181|31290/, '27 fields are not 1.03 for their number alone');
    like($err, qr/\Astandard input:1: not a result of 27 fields: /, 'and are named');

    # So has a piece of a line of files alone that begins with its seed.
    my ($files) = slurp(data_file('realworld.csv')) =~ /^(1[.]97,1[.]97,yazgoo-virtualbox,.*)/m;
    ($status, $out, $err) = run($PROGRAM, [], join(q{,}, (split /,/, $files)[ 4 .. 31 ]) . "\n$line\n");
    unlike($out, qr/18483|1414692064/, '28 fields from a seed on are not 1.03 with a comma in its label');
    like($err, qr/\Astandard input:1: number of fields is 28; /, 'and are named');

    # A comma that was lost where a line was broken makes one figure of two, whatever stands before the line.
    my ($oldest) = slurp(data_file('realworld.csv')) =~ /^(1[.]93c,.*)/m;
    for my $before (q{}, "\t", '2026-11-25 10:00:00,123 INFO ', '| ') {
        ($status, $out, $err) = run($PROGRAM, [], $before . $oldest =~ s/(3144,39),(16,)/$1\n$2/r . "\n");
        unlike($out, qr/3916/, "a lost comma behind \"$before\" makes no CPU time of 3916 %");
        isnt($err, q{}, 'it is named');
    }
};

subtest 'a file without a result is named for what it is' => sub {
    my $lab = slurp(data_file('lab.csv'));
    my %form = (
        "\x1F\x8B\x08\x00abc"    => 'compressed data of gzip \(zcat prints what is in it\)',
        "\xFD7zXZ\x00abc"        => 'compressed data of xz \(xzcat prints what is in it\)',
        "PK\x03\x04abc"          => 'a ZIP archive, or a spreadsheet \(save it as CSV\)',
        $lab =~ tr/,/ /r         => 'something like CSV, with blanks instead of commas',
        slurp("$GOLDEN/lab.txt") => q{bonnie's table, not its JSON \(--json\)},
        slurp("$GOLDEN/../report/quick.txt") => q{the text of a short look, not its JSON \(bonnie --json\)},
        "format_version,bonnie_version,name,file_size,a,b,put_block\n" => 'the header of CSV, and no line below it',
    );
    for my $bytes (sort keys %form) {
        spew("$dir/other", $bytes);
        my ($status, $out, $err) = run($PROGRAM, ["$dir/other"]);
        is($status, 1, "$form{$bytes}: exit status 1");
        like($err, qr/\Abon_csv2txt: no result found in \S+other \($form{$bytes}\)\n\z/, 'alone');
        ($status, $out, $err) = run($PROGRAM, [ "$dir/other", data_file('lab.csv') ]);
        is($status, 0, 'beside another file: exit status 0');
        like($err, qr/\Ano result found in \S+other \($form{$bytes}\)\n\z/, 'and named all the same');
    }
};

subtest 'what cannot be read is named' => sub {
    my $csv = slurp(data_file('lab.csv'));
    spew("$dir/bad.csv", "1.98,3.0.0,short,1\n$csv" . 'x,' x 30 . "7\n" . "1.98\n");
    my ($status, $out, $err) = run($PROGRAM, ["$dir/bad.csv"]);
    is($status, 0, 'exit status 0');
    is($out, $lab, 'the readable line is printed');
    is_deeply([ $err =~ /^(.*?:\d+): number of fields/mg ], [ map {"$dir/bad.csv:$_"} 1, 3, 4 ], 'file and line');
    ($status, $out, $err) = run($PROGRAM, [], $csv =~ s/,1723,/,oops,/r);
    is($status, 0, 'one bad figure is no reason to hide a row');
    like($out, qr/1G [?]{5}  99  368m/, 'the figure is shown as unreadable');
    like($err, qr/\Astandard input:1: rate of putc is not a number: "oops"\n\z/, 'and named');
};

subtest 'hostile text' => sub {
    my $csv = slurp(data_file('lab.csv')) =~ s/,lab,/,\e[2J\r\x07\xE2\x80\xAE\xFFx,/r;
    my ($status, $out, $err) = run($PROGRAM, [], $csv);
    is($status, 0, 'exit status 0');
    like($out, qr/^[?]\[2J[?]{4}x +1G/m, 'control characters become question marks');
    unlike("$out$err", qr/[\x00-\x09\x0B-\x1F\x7F-\xFF]/, 'nothing else gets through');
    ($status, $out, $err) = run($PROGRAM, [], $csv =~ s/1723/\e[2J/r);
    unlike($err, qr/\e/, 'nor to standard error');
};

subtest 'failures' => sub {
    my $good = data_file('lab.csv');
    my %case = (
        'no such file'      => [ [ $good, "$dir/none" ], qr/cannot read .*none: No such file/ ],
        'a directory'       => [ ["$dir"],               qr/cannot read .*directory/ ],
        'no result'         => [ ['-'],                  qr/no result found in standard input/ ],
        'unknown option'    => [ ['--nonsense', $good],  qr/unknown option --nonsense; --help lists the options/ ],
        'missing value'     => [ ['--output'],           qr/--output needs a value: FILE/ ],
        'empty file name'   => [ [ q{-o}, q{}, $good ],     qr/--output: '' is not accepted; expected the path of a file/ ],
        'no such directory' => [ ["-o$dir/a/b", $good],  qr{cannot write .*/a/b: No such file} ],
    );
    for my $name (sort keys %case) {
        my ($arguments, $message) = @{ $case{$name} };
        my ($status, $out, $err) = run($PROGRAM, $arguments, "nothing here\n");
        is($status, 1, "$name: exit status 1");
        is($out, q{}, "$name: nothing is printed");
        like($err, qr/\Abon_csv2txt: $message[^\n]*\n\z/, "$name: one line says why");
    }
};

subtest 'output that cannot be written' => sub {
    my $command = quoted($^X, $ENV{BON_CSV2TXT} // "$FindBin::Bin/../../scripts/bon_csv2txt", data_file('lab.csv'));
    is(system("$command 2>'$dir/err' >&-") >> 8, 1, 'closed standard output');
    is(`{ $command 2>'$dir/err'; echo \$? >'$dir/status'; } | sleep 0`, q{}, 'closed pipe');
SKIP: {
        skip 'no /dev/full', 4 if !-c '/dev/full';
        is(system("$command 2>'$dir/err' >/dev/full") >> 8, 1, 'full disk');
        like(slurp("$dir/err"), qr/\Abon_csv2txt: cannot write standard output: No space left/, 'says why');
        is((run($PROGRAM, [ '-o', '/dev/full', data_file('lab.csv') ]))[0], 1, 'full disk with -o');
        ok(-c '/dev/full', 'the device is still there');
    }
};

subtest 'a file, complete or not at all' => sub {
    my $file = "$dir/table.txt";
    spew($file, "old\n");
    is((run($PROGRAM, [ '-o', $file, "$dir/none" ]))[0], 1, 'fails');
    is(slurp($file), "old\n", 'the old file is untouched');
    chmod 0640, $file;
    my ($status, $out, $err) = run($PROGRAM, [ "--output=$file", data_file('lab.csv') ]);
    is("$status$out$err", '0', 'succeeds in silence');
    is(slurp($file), $lab, 'the file is replaced');
    is((stat $file)[2] & oct 777, oct 640, 'and keeps its mode');
    symlink 'table.txt', "$dir/link";
    run($PROGRAM, [ '-o', "$dir/link", data_file('classic.csv') ]);
    ok(-l "$dir/link", 'a symbolic link stays one');
    is(slurp($file), slurp("$GOLDEN/classic.txt"), 'and is written through');
    is_deeply([ glob "$dir/.bon*" ], [], 'no temporary file is left');
};

subtest 'nothing comes from a terminal' => sub {
    plan skip_all => 'there is no script, or no terminal to be had' if system('script -qec true /dev/null </dev/null >/dev/null 2>&1') != 0;
    my $program = "$FindBin::Bin/../../scripts/$PROGRAM";
    like(qx(script -qec "'$program'" /dev/null </dev/null), qr/^bon_csv2txt: reading results from the terminal until Ctrl-D; --help says\s+more/m, 'what is waited for is said');
};

subtest 'help and version' => sub {
    my ($status, $out, $err) = run($PROGRAM, ['--help']);
    is("$status$err", '0', 'exit status 0');
    like($out, qr/^Usage: bon_csv2txt .*--output.*--version.*--help/s, 'every option');
    is((run($PROGRAM, ['-V']))[1], (run($PROGRAM, ['--version']))[1], '-V');
    like((run($PROGRAM, ['-V']))[1], qr/\Abon_csv2txt \d+[.]\d+[.]\d+\n\z/, 'name and version');
};

done_testing();
