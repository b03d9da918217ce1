#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What the programs print on a terminal of 80 columns: no line, progress included, is wider; no
# measured figure has more than three digits; the answer is the first line, and the order of the
# rest is that of tests/golden/forms/, which were written by hand. The tables and lines of
# forerunners are theirs, and a terminal gets messages wrapped.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp qw(tempdir);
use Test::More;
use BonnieRun  qw($LIMIT has_terminal have program source sources);
use RunProgram qw(slurp spew);

plan skip_all => 'script(1) makes no terminal here' if !has_terminal();
delete @ENV{qw(NO_COLOR COLUMNS)};
$ENV{TERM} = 'xterm';

my $dir = tempdir('forms.XXXXXX', CLEANUP => 1, TMPDIR => 1);
my ($programs) = program() =~ m{\A(.*)/};
my $bin = "$dir/bin"; # a name that needs no quotes
symlink $programs, $bin or die "$bin: $!\n";
my $bon_ab = "$dir/bon_ab";
symlink $ENV{BON_AB}, $bon_ab or die "$bon_ab: $!\n" if $ENV{BON_AB};
mkdir "$dir/$_" or die "$dir/$_: $!\n" for qw(load data);
spew("$dir/file", pack('L*', 1 .. 1 << 18) x 16);

# What stays on the terminal, and all that was ever on a line.
sub shown {
    my ($command) = @_;
    my $bytes = qx(script -qec "stty cols 80 rows 24; $command" /dev/null </dev/null);
    $bytes =~ s/\e\[\d*m//g;
    my (@all, @left);
    for my $line (split /\r?\n/, $bytes =~ s/\r+\n/\n/gr) {
        my @drawn = map { s/\e\[[JK]//gr } split /\r/, $line;
        push @all, @drawn;
        my ($last) = ($line =~ /(?:\A|\r)(?:\e\[[JK])*([^\r]*)\z/);
        push @left, $last =~ s/\e\[[JK]//gr;
    }
    return (\@all, \@left);
}

# Figures with more than three digits. Counts, and what was asked for, are whole numbers without a unit of measured things.
sub long_figures {
    my ($line) = @_;
    my @long;
    while ($line =~ m{(?<![\w.:/=-])(\d+(?:[.]\d+)?)\s?(%|[nmu]?s|[KMGT]iB|[kMG](?: ?/s)?)(?![\w/]|:)}g) {
        my ($number, $unit) = ($1, $2);
        push @long, "$number $unit" if length($number =~ tr/.//dr =~ s/\A0+//r) > 3;
    }
    return @long;
}

my %PATTERN = (
    time => qr/(?:\d[\d.]*\s(?:ns|us|ms|s))/, bytes => qr/(?:\d[\d.]* (?:B|[KMGT]iB))/, rate => qr/(?:\d[\d.]*(?: [kM])?)/, count => qr/(?:\d+)/,
    labels => qr/(?:(?:[a-zA-Z][a-zA-Z ]{9,11}\S.*\n|[a-zA-Z]+ +[^\d\s].*\n| {12}\S.*\n)*)/, blocks => qr/(?:(?:#?[\d.]+ (?:[\d.]+|[+]{4}) [\d.]+\n)+)/, steps => qr/(?:(?:reads .*\n)*\n)/,
    limit => $LIMIT, data => qr/ +[\d.]+(?: (?:[KMG]i)?B)/, files => qr/ +(?:too quick|[\d.]+(?: [kM])? {23}$LIMIT)/,
    small => qr/ +[\d.]+ ?[kM]?(?: +(?:[\d.]+ [num]?s|-)){2} +(?:device|page cache|cpu|others|limit|link|not known)/, 3 => qr/[ \d.kMG]+\d +(?:[\d.]+ [num]?s|-) +(?:[\d.]+ [num]?s|-)/, calls => qr/(?:(?:\S+ ?\S+ +\d+ +(?:[\d.]+ (?:[KMG]i)?B|-)(?: +(?:[\d.]+ [mun]?s|-)){4}\n)+)/,
    4 => qr/ +\d+ +\d+ +\d+ +\d+(?: +(?:[\d.]+ [num]?s|-)){4}/,
);

# The pattern of a form: each line is one, with {names} for figures.
sub form {
    my ($name) = @_;
    my $text = slurp("$FindBin::Bin/../golden/forms/$name.txt");
    my ($answer, $rest) = $text =~ /\A(.*?)(\n\n.*|\n)\z/s or $name eq 'zcav' or die "$name: no answer\n";
    $text = ($answer =~ s/[.](?=[+*])/[^\0]/gr =~ s/ /\\s/gr) . $rest if $name ne 'zcav'; # it may be wrapped
    $text =~ s/\{(calls|labels|blocks|steps)\}\n/\{$1\}/g;
    $text =~ s/([.*]?)\{(\w+)\}/$1 . ($PATTERN{$2} \/\/ "{$2}")/ge;
    return qr/\A$text\z/;
}

# Continuation lines are part of the line before them.
sub joined { return join(q{}, map {"$_\n"} @_) =~ s/(?<=\S)\n {12}(?=\S)/ /gr }

sub shows_ok {
    my ($name, $command, $form, $theirs) = @_;
    my ($all, $left) = shown($command);
    is_deeply([ grep { length > 80 } @{$all} ], [], "$name: 80 columns");
    is_deeply([ map { long_figures($_) } grep { !$theirs || !/$theirs/ } @{$all} ], [], "$name: three digits") or diag(join "\n", @{$left});
    return if !$form;
    my $is_message = 0; # its further lines are indented
    my @report = grep { $is_message = /\A(?:bonload|boncut|bon_ab|bonnie|bonwhy|zcav): / || ($is_message && /\A {6,9}\S/); !$is_message && !/\A# Finished/ } @{$left};
    shift @report while @report && $report[0] eq q{};
    like(joined(@report), form($form), "$name: its form");
    return;
}

my @load = qw(-body-size=4KiB -mkdirs);
shows_ok('a load',   "$bin/bonload -rps=500 -wps=400 -duration=2s @load $dir/load/XXX",     'load');
shows_ok('-explain-tail', "$bin/bonload -explain-tail -rps=500 -wps=400 -duration=2s @load $dir/load/XXX", 'explain_tail');
shows_ok('a long test', "$bin/bonnie -mlab -r0 -s16 -n1 -f --format=text -d $dir/data", 'long_test', qr/\A(?:Version|Latency|lab +16M| +1 )/);
shows_ok('--explain-tail', "$bin/bonnie --explain-tail -q -r0 -n0 -s16 --tests=iops --iops-duration=1 -d $dir/data", 'explain_tail_long', qr/\A(?:Version|Latency|.* 4k +10%)/);
shows_ok('bonwhy',   "$bin/bonwhy -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo >$dir/file.\$i; rm $dir/file.\$i; done'", 'bonwhy') if system("$bin/bonwhy -q -- true >/dev/null 2>&1") == 0;
shows_ok('a sweep',  "$bin/bonload -sweep=1000,2000 -rps=1 -wps=1 -duration=1s @load $dir/load/XXX", 'sweep');
system("$bin/bonload -wt=1 -max-requests=1000 @load $dir/load/XXX >/dev/null 2>&1") == 0 or die "no names are there to read\n";
shows_ok('a search', "$bin/bonload -max-latency=10s -wt=0 -rt=1 -max-channels=2 -window=100ms $dir/load/XXX", 'search');
shows_ok('a search without a step', "$bin/bonload -requests-engine=null -max-latency=10s -wt=0 -max-requests=500 -window=1s", 'search_unfinished');
shows_ok('a search that fails', "$bin/bonload -max-latency=10s -wt=1 -rt=0 -max-errors=100 -window=100ms $dir/none/XXX", 'search_failed');
shows_ok('a sweep of few', "$bin/bonload -requests-engine=null -sweep=50,90 -wps=1 -duration=1s", 'sweep_few');
shows_ok('a sweep that fails', "$bin/bonload -sweep=50 -wps=1 -duration=1s -max-errors=100 $dir/none/XXX", 'sweep_failed');
shows_ok('an answer about a program', "$bin/bonload -good-for=sqlite -duration=1s $dir/data");

# Answers about a program, on storage that is not memory: -good-for draws one line of progress, with the profile's name.
my $disk = BonnieRun::scratch_on_disk();
for ([ good => 'max 100s' ], [ bad => 'max 1ns' ], [ unknown => 'p99 100s' ]) {
    my ($answer, $limit) = @{$_};
    last if qx(df --output=fstype '$disk') =~ /tmpfs/;
    spew("$dir/log", "name log\nlog wal 1MiB count=2 recycled\nrequest: commit wal 1KiB\nload 90\nlimit sync $limit\n");
    my $command = "$bin/bonload -good-for=$dir/log -wps=100 -duration=1s -warmup=0 $disk";
    shows_ok("an answer: $answer", $command, "good_for_$answer");
    next if $answer ne 'unknown';
    my ($drawn) = shown($command);
    my @progress = grep {m{\Alog: writes \S+/s of 100 p50 (?:-|\S+ [mun]?s) p99 (?:-|\S+ [mun]?s)(?:, \d+ s left)?\z}} @{$drawn};
    cmp_ok(scalar @progress, '>', 1, 'one line of progress is drawn again') or diag(join "\n", @{$drawn});
}
shows_ok('audit',    "$bin/boncut audit $dir/data", 'audit');
shows_ok('zcav',     "$bin/zcav -b4 $dir/file", 'zcav', qr/\A(?:#|[\d.]+ )/);
shows_ok('zcav of two files', "$bin/zcav -c2 -b4 $dir/file $dir/file", undef, qr/\A(?:#|[\d.]+ )/);
shows_ok('a short look', "$bin/bonnie --time=4s -s 64m $dir/data", qx(df --output=fstype '$dir') =~ /tmpfs/ ? undef : 'short_look');
shows_ok('bon_ab', "$bon_ab --seed=3 --pairs=6 --name-a=a --name-b=b --a='sleep .01' --b='sleep .05'", 'ab') if -e $bon_ab;
my ($seen) = shown("$bin/boncut write --time=.5 $dir/data >$dir/promises");
my $check = "sh -c '$bin/boncut check $dir/data <$dir/promises'";
shows_ok('check, nothing is known', $check, 'check_not_known');
unlink glob "$dir/data/boncut.*/create.0/*";
shows_ok('check, something is lost', $check, 'check_lost');
SKIP: {
    skip 'needs root, losetup, mkfs.ext4 and mounts of its own', 6 if $> != 0 || !have(qw(losetup mkfs.ext4 unshare)) || system('unshare -m true 2>/dev/null') != 0;
    spew("$dir/image", q{});
    truncate "$dir/image", 64 << 20;
    mkdir "$dir/mnt" or die "$dir/mnt: $!\n";
    chomp(my $loop = qx(mkfs.ext4 -q -F '$dir/image' && losetup -f --show '$dir/image'));
    skip 'there is no loop device', 6 if $loop !~ m{\A/dev/};
    spew("$dir/campaign", <<~"END");
        mount $loop $dir/mnt
        PATH=$bin:\$PATH exec boncut campaign --victim=env --cut='boncut fs-shutdown --yes $dir/mnt' --same-boot \\
            --before-check='for i in \$(seq 100); do umount $dir/mnt && break; sleep .1; done; mount $loop $dir/mnt' \\
            --write-options=--methods=fsync,create --after=1s..2s --cuts=2 --logs=$dir/logs $dir/mnt
        END
    shows_ok('a campaign', "unshare -m sh $dir/campaign", 'campaign');
    shows_ok('check, all is kept', "unshare -m sh -c 'mount $loop $dir/mnt && $bin/boncut check $dir/mnt <$dir/logs/0002.promises'", 'check_kept');
    system "losetup -d $loop";
}

# A terminal that shows the answer is not told it again; other readers of standard error are.
my ($once, $alone) = map { join "\n", @{ (shown($_))[1] } } $check, "$check >/dev/null";
is(() = $once =~ /not as promised/g, 1, 'one answer on a terminal') or diag($once);
like($alone, qr/^boncut: LOST: /m, 'and one on standard error alone');
if (-e $bon_ab) {
    ($once, $alone) = map { join "\n", @{ (shown("$bon_ab --pairs=1 --a=true --b=true $_"))[1] } } q{}, '>/dev/null';
    is(() = $once =~ /not known whether/g, 1, 'bon_ab, too') or diag($once);
    like($alone, qr/^bon_ab: It is not known whether /m, 'and on standard error alone');
}

# Names are told as they are, however long the line.
my $blanks = "$dir/two  blanks and   three and more words that make the line too long for a terminal";
like(joined(@{ (shown("$bin/zcav '$blanks'"))[1] }) =~ s/\n +/ /gr, qr/\Azcav: .*\Q$blanks\E: No such file/, 'blanks in a name stay');

# bon_ab measures commands, so it does not wait for results from the terminal.
unlike(join("\n", @{ (shown("$bon_ab --pairs=1 --a=true --b=true"))[0] }), qr/from the terminal/, 'bon_ab reads nothing from the terminal') if -e $bon_ab;

# So are the samples of README and docs: what is wider is a command, which may go on in the next line.
my @wide;
for my $path (grep { !m{/architecture[.]md\z} } source('README.md'), sources('docs/*.md')) {
    for my $block (slurp($path) =~ /\n\n((?: {4}.*\n)+)/g) {
        my @lines = split /\n/, $block =~ s/^ {4}//mgr =~ s/[\\]\n.*//gr;
        push @wide, map {"$path: $_"} grep { length > 80 && !m{\A *(?:[#\$] )?(?:[.\w/]+/)?(?:bon\w+|ssh|srun|mpirun|make|autoreconf|make|quickstart|package|-)} } @lines;
    }
}
is_deeply(\@wide, [], 'samples have 80 columns, too');

# The checks can fail.
is_deeply([ long_figures('p99 12.34 ms, 1234 MiB, 100.0 %, 1.58 GiB, 0.0123 s, 500 ms, 1000 reads') ], [ '12.34 ms', '1234 MiB', '100.0 %' ], 'long figures are found');

done_testing();
