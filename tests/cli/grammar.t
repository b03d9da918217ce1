#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# One grammar in all programs: dashes, the words of lists, durations, sizes, and the form of a
# refusal; options that several have, with one text.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(run_tool scratch source sources);
use RunProgram qw(slurp spew);

my $dir = scratch();
mkdir "$dir/d" or die "$dir/d: $!\n";
my @PERL     = qw(bon_ab bon_csv2html bon_csv2txt);
my @PROGRAMS = (qw(bonnie bonload boncut bonwhy zcav getc_putc generate_randfile), @PERL);

sub called { return run_tool(@_) }

# What --all-options says of each option: { name => { letter, value, words, value_name, help } }.
my %table;
for my $program (@PROGRAMS) {
    for my $line (grep {/\Aoption\t/} split /\n/, called($program, '--all-options')->{out}) {
        my (undef, $letter, $name, $alias, $value, $offer, $words, $value_name, $help) = split /\t/, $line, -1;
        $table{$program}{ $name || $letter } = { letter => $letter, value => $value, words => [ split q{ }, $words ], value_name => $value_name, help => $help };
    }
}

subtest 'options that several programs have' => sub {
    my %text = (
        h       => [ 'h', qr/print a short help and exit/ ],
        help    => [ q{}, qr/print this help and exit/ ],
        version => [ 'V', qr/print the version and exit/ ],
        quiet   => [ 'q', qr/print no progress and no advice/ ],
        verbose => [ 'v', qr/print more details on standard error/ ],
        json    => [ q{}, qr/print the report as JSON/ ],
        output  => [ 'o', qr/write the report to FILE, complete or not at all/ ],
        o       => [ 'o', qr/write the report to FILE, complete or not at all/ ], # in bonload, -output is goader's
        html    => [ q{}, qr/also write the report as a page to PAGE/ ],
        label   => [ 'm', qr/label of the results/ ],
        seed    => [ undef, qr/seed for everything random \(default: the time\)/ ],
        cleanup => [ q{}, qr/remove the leftovers of killed runs, and exit/ ],
    );
    my %who = (
        bonnie            => [qw(h help version quiet verbose json output html label seed cleanup)],
        bonload           => [qw(h help version quiet verbose json o html label seed cleanup)],
        boncut            => [qw(h help version json output html seed cleanup)],
        bonwhy            => [qw(h help version quiet output cleanup)],
        zcav              => [qw(h help version quiet json output html)],
        getc_putc         => [qw(h help version quiet output label cleanup)],
        generate_randfile => [qw(h help version quiet seed)],
        bon_ab            => [qw(h help version quiet json output seed)],
        (map { $_ => [qw(h help version quiet output)] } qw(bon_csv2html bon_csv2txt)),
    );
    for my $program (@PROGRAMS) {
        for my $name (@{ $who{$program} }) {
            my ($letter, $text) = @{ $text{$name} };
            my $option = $table{$program}{$name};
            ok($option && $option->{help} =~ /\A$text/, "$program: $name") or diag($option->{help} // 'not there');
            is($option->{letter}, $letter, "$program: the letter of $name") if defined $letter;
        }
        my $brief = called($program, '-h')->{out};
        cmp_ok($brief =~ tr/\n//, '<=', 25, "$program -h: at most 25 lines");
        like($brief, qr/^\Q$program\E --?help lists all options; the manual is \Q$program\E\(\d\)[.]$/m, 'and where the rest is');
    }
};

# How options take a duration or a size, without any work: [ PROGRAM, WORDS before the value ].
my @TIMES = ([ 'boncut', '--after=' ], map { my $program = $_; map { [ $program, "--$_=" ] } grep { $table{$program}{$_}{value_name} eq 'TIME' } sort keys %{ $table{$program} } } @PROGRAMS);
cmp_ok(scalar @TIMES, '>=', 15, 'many options have a time');
my @SIZES = ([ 'bonnie', '-s' ], [ 'bonnie', '--ram=' ], [ 'bonnie', '-f' ], [ 'bonload', '-body-size=' ], [ 'bonload', '-max-body-size=' ], [ 'bonload', '-chunk-size=' ],
    [ 'bonload', '-meta-offset-limit=' ], [ 'getc_putc', '-s' ]);
sub alike_ok {
    my ($what, $options, $good, $bad) = @_;
    for my $option (@{$options}) {
        my ($program, $name) = @{$option};
        my $runs = sub { return called($program, "$name$_[0]", '-V') };
        for my $given (grep { $name ne '-f' || /\A\d/ } @{$good}) {
            my $run = $runs->($given);
            is("$run->{status} $run->{err}", '0 ', "$program $name$given: a $what");
        }
        for my $given (grep { $name ne '-f' || /\A\d/ } @{$bad}) { # only a number can be attached to -f
            my $run = $runs->($given);
            like("$run->{status} $run->{err}", qr/\A1 \Q$program\E: --?[a-z0-9-]+: '\Q$given\E' is not accepted; expected [^\n]+\n\z/, "$program $name$given: no $what");
        }
    }
    return;
}
alike_ok('duration', \@TIMES, [qw(90 90s 1.5s .5s 2. 300ms 5m 1m30s 2h 1d 7us)], [ qw(s 1x -1s 1m30 1e3 0x10 1000001 1s1 .), '1 s' ]);
alike_ok('size',     \@SIZES, [qw(64k 64K 64kB 64KiB 1m 1.5m 8M 3MiB 2048 1g .5g)], [ qw(x 1q -1 1kk 0x10 1e3 1k1 99999999999999999999 .), '4 ' ]);
like(called('bonload', '-max-latency=20', '-V')->{err}, qr/-max-latency: '20' is not accepted; expected a duration/, 'a limit of latency has a unit');

subtest 'the words of a list' => sub {
    for my $program (@PROGRAMS) {
        for my $name (sort keys %{ $table{$program} }) {
            my ($words, $letter) = @{ $table{$program}{$name} }{qw(words letter)};
            next if !@{$words} || grep {/[:=]\z/} @{$words};
            my $option = length $name == 1 ? "-$name" : $program eq 'bonload' ? "-$name=" : "--$name=";
            my ($help, $list) = map { called($program, "$option$_") } 'help', grep { my $asked = $_; !grep { $_ eq $asked } @{$words} } 'list';
            $list //= $help;
            is("$help->{status}$help->{err}", '0', "$program $option: help answers");
            is($list->{out}, $help->{out}, 'and list the same');
            is_deeply([ grep { my $word = $_; $help->{out} !~ /^\Q$word\E(?: |$)/m } grep { $_ ne 'all' } @{$words} ], [], 'with all words');
            my $manual = join q{}, map { slurp($_) } sources("man/$program.[18]");
            is_deeply([ grep { $manual !~ /(?<![\w-])\Q$_\E(?![\w-])/ } @{$words} ], [], 'so has the manual');
            my $schema = -e source("share/$program.schema.json") ? slurp(source("share/$program.schema.json")) : q{};
            my ($enum) = $schema =~ /"@{[$name =~ tr{-}{_}r]}": \{[^{}]*"enum": \[([^]]*)\]/;
            is_deeply([ grep { $enum !~ /"\Q$_\E"/ } @{$words} ], [], 'and the schema') if defined $enum;
            my $refused = called($program, "$option?", '-V');
            next if $refused->{status} == 0 || $name =~ /ops|good-for|concurrency/; # these are judged later, or have other values, too
            is_deeply([ grep { my $word = $_; $refused->{err} !~ /(?:expected |list of |, | or )\Q$word\E(?:[,;]|\n| or )/ } @{$words} ], [], 'a refusal has them, too');
        }
    }
};

# What people type.
for my $case (
    [ 'bonnie -direct',                         qr/unknown option -direct; did you mean --direct\?/ ],
    [ 'bonnie -help',                           qr/unknown option -help; did you mean --help\?/ ],
    [ 'bonnie -seed=1',                         qr/unknown option -seed; did you mean --seed\?/ ],
    [ 'bonnie -json',                           qr/did you mean --json\?/ ],
    [ 'bonnie -o_direct',                       qr/--direct is direct I\/O/ ],
    [ 'bonnie --html',                          qr/--html needs a value: PAGE, the path of a page; Bonnie's row is -html or --format=html/ ],
    [ 'bonnie --html -q',                       qr/--html: '-q' is not accepted; .*-html or --format=html/ ],
    [ 'bonnie -o json',                         qr/'json' is not accepted; expected the path of a file; .\/json/ ],
    [ 'bonnie --good-for=etcd /tmp',            qr/unknown option --good-for; it is one of bonload/ ],
    [ 'bonnie -rps=100',                        qr/unknown option -rps; it is one of bonload/ ],
    [ 'bonnie --filename=x --bs=4k',            qr/unknown option --filename; did you mean --directory\?/ ],
    [ 'bonnie if=/dev/zero of=x bs=1M',         qr/unexpected argument 'if=\/dev\/zero'; did you mean --directory\?/ ],
    [ 'bonload --bs=4k',                        qr/unknown option --bs; did you mean -body-size\?/ ],
    [ 'bonload --size=4k',                      qr/unknown option --size; did you mean -body-size\?/ ],
    [ "bonload -good-for=PostgreSQL $dir/d", qr/no profile 'PostgreSQL', .*; did you mean postgres\?/ ],
    [ "bonload -good-for=ETCD $dir/d", qr/did you mean etcd\?/ ],
    [ "bonload -good-for=mysql $dir/d", qr/did you mean mariadb\?/ ],
    [ "bonload -good-for=ectd $dir/d", qr/did you mean etcd\?/ ],
    [ "bonload -good-for=Sqlite3 $dir/d", qr/did you mean sqlite\?/ ],
    [ "bonload -good-for=oracle $dir/d", qr/-good-for=list prints the profiles/ ],
    [ 'bonload -mkdir',                         qr/unknown option -mkdir; did you mean -mkdirs\?/ ],
    [ 'zcav -direct x',                         qr/did you mean --direct\?/ ],
    [ 'zcav --filename=x',                      qr/did you mean --file\?/ ],
    [ 'zcav --bs=1 x',                          qr/did you mean --block\?/ ],
    [ 'getc_putc --filename=x',                 qr/did you mean --directory\?/ ],
    [ 'getc_putc of=x',                         qr/did you mean --directory\?/ ],
    [ 'getc_putc -cleanup',                     qr/did you mean --cleanup\?/ ],
    [ 'boncut adit',                            qr/unknown command 'adit'; did you mean audit\?/ ],
    [ "boncut check $dir promises",             qr/promises are read from standard input: < FILE/ ],
    [ "boncut check --units=3 $dir",            qr/--units is an option of write, not of check/ ],
    [ 'bonload -requests-engine=null -mkdirs -rt=1', qr/-mkdirs is an option of disk, meta, not of null/ ],
    [ 'bon_ab --prepare-a=true bonnie -q',      qr/unexpected argument 'bonnie'; the command comes after --: -- bonnie -q/ ],
    [ 'bon_ab --pears=3',                       qr/unknown option --pears; did you mean --pairs\?/ ],
    [ 'bon_ab --name=x',                        qr/ambiguous option --name: it may be --name-a, --name-b/ ],
    [ 'bon_ab -seed=1',                         qr/unknown option -seed; did you mean --seed\?/ ],
    [ 'bon_ab --pairs',                         qr/--pairs needs a value: N/ ],
    [ 'bon_ab --json=1',                        qr/--json takes no value/ ],
    [ 'bon_csv2txt -baseline x',                qr/unknown option -baseline; did you mean --baseline\?/ ],
    [ 'bon_csv2txt -qx',                        qr/unknown option -x; --help lists the options/ ],
    [ 'bon_csv2txt -o csv',                     qr/'csv' is not accepted; expected the path of a file; .\/csv/ ],
    [ 'bon_csv2html --titel=x',                 qr/unknown option --titel; did you mean --title\?/ ],
) {
    my ($line, $said) = @{$case};
    my ($program, @words) = split q{ }, $line;
    my $run = called($program, @words);
    like("$run->{status} $run->{err}", qr/\A1 \Q$program\E: [^\n]*$said[^\n]*\n\z/, $line);
}
# A report in a file is the one of standard output, with the same status, or the old file stays.
subtest 'a report in a file' => sub {
    my $log = "$dir/promises";
    spew($log, called('boncut', qw(write --time=0.2 -c1 --methods=fsync), "$dir/d")->{out});
    spew("$dir/data", 'x' x (2 << 20));
    for my $case (
        [ qr/^reads +9 +9 /m, 'bonload', qw(-requests-engine=null -rt=1 -max-requests=9 -quiet) ],
        [ qr/\A\{.*"label":"mine"/, 'bonload', qw(-requests-engine=null -rt=1 -max-requests=9 -quiet --json -label=mine) ],
        [ qr/"Reads"/, 'bonload', qw(-requests-engine=null -rt=1 -max-requests=9 -quiet -output=json) ],
        [ qr/\Aetcd: /, 'bonload', qw(-good-for=etcd -duration=100ms -warmup=0 -quiet), "$dir/d" ],
        [ qr/^filesystem  /m, 'boncut', 'audit', "$dir/d" ],
        [ qr/^NOT KNOWN/m, 'boncut', 'check', "$dir/d" ],
        [ qr/^#block/, 'zcav', qw(-q -b1), "$dir/data" ],
        [ qr/\A\{.*"zcav"/, 'zcav', qw(-q -b1 --json), "$dir/data" ],
        [ qr/^mine,/m, 'getc_putc', qw(-q -s1m -m mine), "$dir/d" ],
    ) {
        my ($said, $program, @args) = @{$case};
        my %how = $args[0] eq 'check' ? (in => $log) : ();
        my $plain = called($program, {%how}, @args);
        my $run = called($program, {%how}, '-o', "$dir/report", @args);
        is("$run->{status}$run->{out}", $plain->{status}, "$program @args[0, 1] -o: the same status, nothing on standard output") or diag($run->{err});
        like(slurp("$dir/report"), $said, 'and the report is in the file');
        my $full = called($program, {%how}, '-o', '/dev/full', @args);
        like("$full->{status}\n$full->{err}", qr{\A1\n.*^\Q$program\E: write [^\n]*/dev/full: No space left on device\n\z}ms, 'a full disk is a failure');
        my $json = called($program, {%how}, $program eq q{bonload} ? q{-o} : q{--output}, q{json}, @args);
        like("$json->{status}$json->{out}$json->{err}", qr/\A1\Q$program\E: -[a-z-]+: 'json' is not accepted; expected the path of a file; .\/json is a file of that name\n\z/, 'json is no file');
        unlink "$dir/report";
    }
    like(called('bonload', "-output=$dir/x", '-rt=1')->{err}, qr/expected human or json; -o FILE writes the report to a file$/, 'bonload: -output is of goader');
};

is(called('bonload', '--mkd', '--body-si=4k', '--versio')->{status}, 0, 'words with two dashes may be cut short in bonload, too');
is(called('bonload', '-cleanup', "$dir/d")->{status}, 0, 'bonload -cleanup');
is(called('bonload', qw(-requests-engine=null -rt=1 -max-requests=9 -quiet -output=json))->{err}, q{}, 'bonload -quiet');
for my $program (qw(bon_csv2html bon_csv2txt)) {
    for my $word (qw(--trust-directory --trust --quiet)) {
        my $run = called($program, '-qo', "$dir/report", $word, '--', RunProgram::data_file('lab.csv'));
        is("$run->{status}$run->{out}$run->{err}", '0', "$program $word: whole, or cut short");
        cmp_ok(-s "$dir/report", '>', 200, 'and the report is in the file');
        unlink "$dir/report";
    }
}
is(called('bon_ab', qw(--quiet --trust-dir --pairs=1 --a=true --b=true --output), "$dir/ab")->{status}, 3, 'bon_ab, too');
is(called('getc_putc', '--cleanup', "$dir/d")->{status}, 0, 'getc_putc --cleanup DIR');
unlike(called('bonload', qw(-good-for=redis -duration=100ms), "$dir/d")->{err}, qr{cannot be combined}, 'a target that is not given is no option of a profile');

done_testing();
