#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Files made to keep a converter busy: time and memory grow in proportion to the size of the input,
# and errors are reported in a few lines.
#
# No duration is judged. A program that exceeds the limit on CPU time hangs: quadratic growth would
# need an hour where linear growth needs a minute.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use Test::More;
use RunProgram qw(data_file path_of quoted run slurp spew);
use SweepSize  qw(sized);

my $HANGS = 300; # seconds of CPU time
my $UNIT  = sized(2**16, 2**18, 2**20);
my ($LAB) = slurp(data_file('lab.csv')) =~ /^(1[.]98,.*\n)/m;
my $dir   = File::Temp->newdir;

sub filled { my ($piece, $size) = @_; return $piece x ($size / length $piece) }

# One result for each label.
sub labels {
    my ($size) = @_;
    my $number = 0;
    return filled($LAB, $size) =~ s/,lab,/',l' . $number++ . q{,}/ger;
}

# Inputs without a result, and inputs with results, as (name, sub (size)). The former consist of
# pieces on which a regular expression or a list could waste time or memory.
my %WORTHLESS = (
    'keys that are cut off'       => sub { filled(qq({"\n), @_) },
    'objects in objects'          => sub { filled(qq({"a":\n), @_) },
    'lists in objects'            => sub { filled(qq({"a":[\n), @_) },
    'long lists in objects'       => sub { filled(qq({"a":[) . '1,' x 8000 . "\n", @_) },
    'objects in a list'           => sub { qq({"a":[\n) . filled(qq({"b":1},\n), @_) },
    'beginnings of reports'       => sub { filled(qq({"format": "bonnie",\n), @_) },
    'reports that are cut off'    => sub { filled(qq({"format": "bonnie", "runs": [\n{"tests": [\n), @_) },
    'brackets in a report'        => sub { '{"a":' . filled('[', @_) },
    'brackets'                    => sub { filled('[', @_) },
    'empty objects'               => sub { '{"a":[' . filled('{},', @_) . '1]}' },
    'numbers in a report'         => sub { '{"a":[' . filled('1,', @_) . '1]}' },
    'a long string'               => sub { '{"a":"' . filled('x', @_) },
    'strings without an end'      => sub { filled('{"a":"' . 'x' x 100 . "\n", @_) },
    'escapes'                     => sub { '{"a":"' . filled('\\u00e4', @_) . '"}' },
    'space in a report'           => sub { '{' . filled(" \n", @_) . '"' },
    'a long number'               => sub { '{"a":' . filled('9', @_) . '}' },
    'a long exponent'             => sub { '{"a":1e' . filled('9', @_) . '}' },
    'a long number in CSV'        => sub { "1.98,3.0.0,lab," . filled('9', @_) },
    'quotes'                      => sub { filled('"', @_) },
    'commas'                      => sub { filled(',', @_) },
    'one line'                    => sub { filled('x', @_) },
    'zero bytes'                  => sub { filled("\0", @_) },
    'lines of zero bytes'         => sub { filled("\0\n", @_) },
    'carriage returns'            => sub { filled("\r", @_) . 'x' },
    'lines of carriage returns'   => sub { filled(q{x} . "\r" x 60_000 . "x\n", @_) },
    'empty lines'                 => sub { filled("\n", @_) },
    'short lines'                 => sub { filled("x\n", @_) },
    'short lines of CSV'          => sub { filled("1.98\n", @_) },
    'beginnings of lines of CSV'  => sub { filled("1.98,3.0.0,lab,1,2,1G,,8192,5,1,2\n", @_) },
    'lines without good figures'  => sub { filled('1.98,3.0.0,lab,1,2,1G,,8192,5,1' . ',x' x 40 . "\n", @_) },
    'formats behind commas'       => sub { filled('1.98, ', @_) },
    'lines without a figure'      => sub { filled(q{,} x 26 . "\n", @_) },
    'headers'                     => sub { filled('format,' x 49 . "x\n", @_) },
    'spaces'                      => sub { 'a' . filled(q{ }, @_) . 'b' },
    'lines of spaces'             => sub { filled('a' . q{ } x 60_000 . "b\n", @_) },
    'byte order marks'            => sub { filled("\xEF\xBB\xBF", @_) },
    'lines of byte order marks'   => sub { filled("\xEF\xBB\xBF\n", @_) },
);
my %RESULTS = (
    'results'                     => \&labels,
    'results of one label'        => sub { filled($LAB, @_) },
    'runs of one report'          => sub {
        '{"format":"bonnie","format_version":1,"runs":[' . filled('{"tests":[{"name":"putc","bytes_per_second":1024}]},', @_) . '{}]}';
    },
);

# Returns (exit status, standard error, peak memory in KiB).
sub measured {
    my ($program, $input) = @_;
    spew("$dir/in", $input);
    local $ENV{PEAK} = "$dir/peak";
    my @command = ($^X, "-I$FindBin::Bin/../lib", '-MPeak', path_of($program), '-o', "$dir/out", "$dir/in");
    my $status = system 'sh', '-c', "ulimit -t $HANGS; exec \"\$@\" 2>\"\$0\"", "$dir/err", @command;
    return ($status & 127 ? 'signal ' . ($status & 127) : $status >> 8, slurp("$dir/err"), slurp("$dir/peak"));
}

# Doubling the input from 2 to 4 units may add about twice the memory that doubling it from 1 to 2
# adds; the interpreter enlarges its data in steps. %is: status; most, the limit in bytes of
# memory per byte of input; sizes in units, each twice the one before.
sub grows_with_its_size {
    my ($program, $name, $make, %is) = @_;
    my ($expected, $most, @sizes) = (@is{qw(status most)}, @{ $is{sizes} });
    my @peaks;
    for my $size (@sizes) {
        my ($status, $err, $peak) = measured($program, $make->($size * $UNIT));
        is($status, $expected, "$program, $name, ${\ int($size * $UNIT)} bytes: exit status $expected") or diag substr $err, 0, 1000;
        cmp_ok($err =~ tr/\n//, '<=', 22, 'few lines say why');
        push @peaks, $peak;
        return if $status ne $expected;
    }
    cmp_ok($peaks[2] - $peaks[1], '<=', 2.5 * ($peaks[1] - $peaks[0]) + 16 * 1024, "memory: @peaks KiB") or return;
    cmp_ok($peaks[2], '<', 40 * 1024 + $sizes[-1] * $UNIT / 1024 * $most, "no more than $most times the input");
    return;
}

# Valid input makes a table or a page, which takes time of its own.
my %worthless = (status => 1, most => 40, sizes => [ 1, 2, 4 ]);
my %results   = (status => 0, most => 300, sizes => [ 0.25, 0.5, 1 ]);
grows_with_its_size('bon_csv2txt', $_, $WORTHLESS{$_}, %worthless) for sort keys %WORTHLESS;
grows_with_its_size('bon_csv2txt', $_, $RESULTS{$_}, %results) for sort keys %RESULTS;

# Both programs read input in the same way; they differ only in the page.
grows_with_its_size('bon_csv2html', $_, $RESULTS{$_}, %results) for 'results of one label', 'runs of one report';

subtest 'a file that is too large' => sub {
    my $sparse = "$dir/sparse";
    spew($sparse, $LAB);
    truncate $sparse, 3 << 30 or die "$sparse: $!\n";
    for my $program (qw(bon_csv2txt bon_csv2html)) {
        local $RunProgram::ADDRESS_SPACE = 1 << 20;
        my ($status, undef, $err) = run($program, [$sparse]);
        is("$status $err", "1 $program: cannot read $sparse: it is larger than 256 MiB\n", "$program refuses it, in 1 GiB of memory");
    }
    my $piped = `head -c 300M /dev/zero | @{[ quoted($^X, path_of('bon_csv2txt')) ]} 2>&1`;
    is($piped, "bon_csv2txt: cannot read standard input: it is larger than 256 MiB\n", 'from a pipe, too');
};

subtest 'a line that is too long' => sub {
    my ($status, $out, $err) = run('bon_csv2txt', [], 'x' x 65_536 . "\n" . 'x' x 65_537 . "\n$LAB");
    is($status, 0, 'hides nothing behind it');
    is($err, "standard input:2: a line of more than 65536 bytes is skipped\n", 'and is named');
    like($out, qr/^lab /m, 'the table is there');
    my $report = slurp("$FindBin::Bin/../golden/report/full.json") =~ s/\n */ /gr =~ s/"label": "\K/'x' x 100_000/er;
    ($status, $out, $err) = run('bon_csv2txt', [], "$report\n");
    is("$status$err", '0', 'a report in JSON may be one line');
};

subtest 'many problems' => sub {
    my ($status, $out, $err) = run('bon_csv2txt', [], "1.98\n" x 20 . $LAB);
    unlike($err, qr/more/, 'twenty are all named');
    ($status, $out, $err) = run('bon_csv2txt', [], "1.98\n" x 120 . $LAB);
    is($status, 0, 'what follows is read');
    is(scalar(() = $err =~ /^standard input:\d+: number of fields/mg), 20, 'of more, the first twenty');
    like($err, qr/^standard input: 100 more like these\n\z/m, 'and the others are counted');
};

subtest 'reports that are cut off' => sub {
    my $whole = slurp("$FindBin::Bin/../golden/report/full.json");
    my ($cut) = $whole =~ /\A(.*?"tests": \[\n)/s;
    for my $times (1, 2, 15, 16, 17, 40) {
        my ($status, $out, $err) = run('bon_csv2txt', [], $cut x $times . $whole . $LAB);
        is(scalar(() = $out =~ /^(?:lab|k.*ln) .* 1G/mg), 3, "$times of them hide neither a report nor a line behind them");
        like($err, qr/\Astandard input:1: a JSON report that cannot be read: /, 'and are named');
    }
};

subtest 'digits of another script' => sub {
    my $wide = "\xEF\xBC\x91\xEF\xBC\x92";
    my $json = slurp("$FindBin::Bin/../golden/report/full.json") =~ s/: \d[\d.]*(?=,?\n)/: "$wide"/gr =~ s/"format_version": \K"[^"]*"/1/r
        =~ s/"rate": \K"[^"]*"/12.5/r;
    my $csv = $LAB =~ s/(?<=,)\d+(?=,)/$wide/gr;
    for my $program (qw(bon_csv2txt bon_csv2html)) {
        my ($status, $out, $err) = run($program, [], $json . $csv);
        is($status, 0, "$program: exit status 0");
        unlike($err, qr/isn't numeric| at \S+ line/, 'and no complaint of perl itself');
    }
};

done_testing();
