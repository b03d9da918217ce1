#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A wrong command line is refused: one line on stderr names the option, what was given and
# what is accepted; nothing is printed on stdout, and nothing is written to the directory.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(bonnie refused_ok scratch tree);

my $dir = scratch();

# [ OPTION as the message names it, WORDS, what the message says is accepted ]
my $SIZE  = qr/SIZE\[:CHUNK\[:SEEKS\[:SEEKERS\]\]\]/;
my $FILES = qr/NUM\[:MAX\[:MIN\[:DIRS\[:CHUNK\]\]\]\]/;

# A refusal names the wrong field, and its text on the command line.
my %FIELD = (
    SIZE    => qr/SIZE in MiB, or with a suffix k, m, g, t, up to 1024t/,
    CHUNK   => qr/CHUNK from 256 to 1g bytes/,
    SEEKS   => qr/SEEKS from 1 to 10\^12/,
    SEEKERS => qr/SEEKERS from 1 to 65536/,
    NUM     => qr/NUM in units of 1024 files, up to 10\^9/,
    MAX     => qr/MAX up to 1t bytes, -1 for hard or -2 for symbolic links,/,
    MIN     => qr/MIN up to 1t bytes/,
    DIRS    => qr/DIRS up to 99999/,
);

# wrong_field(LETTER, FIELD, WHOLE => PART, ...): the whole value, and its wrong part.
sub wrong_field {
    my ($letter, $field, %part) = @_;
    my ($option, $grammar) = $letter eq 's' ? ('--size', $SIZE) : ('--files', $FILES);
    return map { [ $option, [ "-$letter", $_ ], qr/$FIELD{$field} instead of '\Q$part{$_}\E', in $grammar/ ] } sort keys %part;
}

my $MIB  = qr/a size up to 1024TiB; a number alone is in MiB/;
my $TIME = qr/a time up to 1000000 seconds: 90, 90s, 1[.]5s, 300ms or 1m30s/;
my $MORE = qr/a time above 0 and up to 1000000 seconds: 90, /;
my $TESTS = qr/a comma-separated list of putc, put_block, .*, ran_del/;
my @wrong = (
    wrong_field(s => 'SIZE', (map { ($_ => $_) } qw(x 1x . -1 99999999999999999999 1025t 1k1 0x10 1e3 12monkeys), '4 ', ' 4', '4,5'), '1.x:8k' => '1.x'),
    wrong_field(s => 'CHUNK', '1:255' => '255', '1:2g' => '2g', '64:100' => '100'),
    wrong_field(s => 'SEEKS', '1::0' => '0', '1:8k:0' => '0', '4:8k:x' => 'x'),
    wrong_field(s => 'SEEKERS', '1:8k:1:0' => '0', '1:8k:1:65537' => '65537'),
    [ '--size', [ '-s', '1:1:1:1:1' ], qr/$SIZE, SIZE in MiB/ ],
    wrong_field(n => 'NUM', map { ($_ => $_) } qw(x 1k 1.5 -1 99999999999)),
    wrong_field(n => 'MAX', '1:-3' => '-3', '1:x' => 'x', '1:2t' => '2t'),
    wrong_field(n => 'MIN', '1:1:x' => 'x', '1:8M:x' => 'x'),
    wrong_field(n => 'DIRS', '1:1:1:100000' => '100000'),
    wrong_field(n => 'CHUNK', '1:1:1:1:255' => '255'),
    [ '--files', [ '-n', '1:1:1:1:8k:1' ], qr/$FILES, NUM in units/ ],
    [ '--files', ['-n', '1:10:20'], qr/a MIN no larger than MAX/ ],
    (map { [ '--concurrency', ['-c', $_], qr/1 to 1024, or auto/ ] } qw(0 -1 1025 x 2k 1.0 automatic)),
    (map { [ '--ram', ['-r', $_], $MIB ] } qw(x -1 1q 1025t 99999999999999999999)),
    (map { [ '--runs', ['-x', $_], qr/a whole number from 1 to 1000000/ ] } qw(0 -1 x 1000001 1k)),
    (map { [ '--seconds', ["--seconds=$_"], $TIME ] } qw(x -1 1x . 1e3 1000000.1 0x1 1m30), q{}),
    (map { [ '--fast', [$_], $MIB ] } qw(-f1q --fast=x --fast=-1 -f1.5.5)),
    (map { [ '--seed', ['-z', $_], qr/a whole number from 0 to 2\^53-1/ ] } qw(x -1 9007199254740992 1k 0x1)),
    (map { [ '-p', ['-p', $_], qr/1 to 1000 processes, or -1/ ] } qw(0 -2 x 1001)),
    (map { [ '-y', [$_], qr/s or p$/ ] } qw(-ysp -y1)),
    (map { [ '--tests', ["--tests=$_"], $TESTS ] } qw(none PUTC putc; putc:getc IOPS), 'putc,none', 'putc,,getc', 'putc,', ',putc', q{}, q{,}),
    (map { [ '--preset', ["--preset=$_"], qr/bonnie\+\+, bonnie, gobonniego, diskmark or quick/ ] } qw(x Bonnie bonnie+), q{}),
    (map { [ '--format', ["--format=$_"], qr/a comma-separated list of text, csv, json, html$/ ] } qw(x JSON TEXT), 'text,x', 'csv,csv', 'csv,', 'text,,csv', q{}),
    (map { [ '--data', ["--data=$_"], qr/random, zero or compress=PERCENT with 1 to 100/ ] }
        qw(x Random compress compress= compress=0 compress=101 compress=x compress=-1 compress=50% compress=1.5 zero=1), q{}),
    (map { [ '--verify', ["--verify=$_"], qr/stamp, full or off/ ] } qw(x Full none), q{}),
    (map { [ '--engine', ["--engine=$_"], qr/sync, libaio, io_uring or null$/ ] } qw(x SYNC psync uring), 'sync,null', q{}),
    (map { [ '--iodepth', ["--iodepth=$_"], qr/a whole number from 1 to 4096/ ] } qw(0 -1 4097 x 1k 1.5), q{}),
    (map { [ '--uring', ["--uring=$_"], qr/a comma-separated list of sqpoll, iopoll/ ] } 'x', 'sqpoll,x', 'sqpoll,', ',iopoll', 'sqpolliopoll', q{}),
    (map { [ '--null', ["--null=$_"], qr/a comma-separated list of delay=MICROSECONDS, fail=N, short=N, corrupt=N/ ] }
        qw(x delay delay= delay=x delay=-1 fail=1.5 short=1000000000001 corrupt=99999999999999999999 fail=1;short=2),
        'delay=1,', 'delay=1,x=2', ',fail=1', q{}),
    (map { [ '--iops-duration', ["--iops-duration=$_"], $MORE ] } qw(0 0.0 -1 x 1x 1000001 1e3 99999999999999999999), q{}),
    (map { [ '--iops-block', ["--iops-block=$_"], qr/bytes, a multiple of 512 up to 64m/ ] } qw(0 1 511 513 1000 65m 67109376 -512 x 4kk), q{}),
    (map { [ '--iops-writes', ["--iops-writes=$_"], qr/a whole number from 0 to 100/ ] } qw(-1 101 x 1.5 10% 99999999999999999999), q{}),
    (map { [ '--iops-pattern', ["--iops-pattern=$_"], qr/uniform, or zipf:THETA with a number above 0, up to 10/ ] }
        qw(x Uniform zipf zipf: zipf:0 zipf:0.0 zipf:11 zipf:10.1 zipf:-1 zipf:x zipf:1x zipf:1:2 uniform:1), q{}),
    (map { [ '--time', ["--time=$_"], $TIME ] } qw(x -1 1x 1000001), q{}),
    (map { [ '--steady-state', ["--steady-state=$_"], qr/iops, bandwidth, latency or p99/ ] } qw(x IOPS p99.9 rate), q{}),
    (map { [ '--round-time', ["--round-time=$_"], $MORE ] } qw(0 -1 x 1w), q{}),
    (map { [ '--precondition', ["--precondition=$_"], qr/a whole number from 0 to 1000/ ] } qw(-1 1001 x 1.5), q{}),
    (map { [ '--max-rounds', ["--max-rounds=$_"], qr/a whole number from 5 to 10000/ ] } qw(0 4 10001 x 5.5), q{}),
    (map { [ '--cache', ["--cache=$_"], qr/evict or keep/ ] } qw(x Keep), q{}),
    [ '--directory', [ '-d', q{} ], qr/the path of a directory/ ],
    [ '--random-file', [ '-Z', q{} ], qr/the path of a file/ ],
    [ '--output', ['--output='],   qr/the path of a file/ ],
    [ '--user', [ '-u', q{} ], qr/USER or USER:GROUP/ ],
    [ '--group', [ '-g', q{} ], qr/a group, by name or number/ ],
    (map { [ '--user', ['-u', $_], qr/USER or USER:GROUP/ ] } ':', ':0', 'root:', '0:'),
);

for my $case (@wrong) {
    my ($option, $words, $accepted) = @{$case};
    my ($given) = $words->[-1] =~ /\A(?:--[a-z-]+=|-[fy])?(.*)\z/s;
    my $run = bonnie('-d', $dir, '-s1', '-n1', @{$words});
    refused_ok($run, qr/\A\Qbonnie: $option: '$given' is not accepted; expected \E$accepted/, "@{$words}");
}

# Unknown users and groups.
refused_ok(bonnie('-d', $dir, '-s1', '-n1', '-u', 'no-such-user'), qr/--user: no user is named 'no-such-user'/, 'unknown user');
refused_ok(bonnie('-d', $dir, '-s1', '-n1', '-g', 'no-such-group'), qr/--group: no group is named 'no-such-group'/, 'unknown group');
refused_ok(bonnie('-d', $dir, '-s1', '-n1', '-u', '0:no-such-group'), qr/no group is named 'no-such-group'/, 'unknown group of a user');
refused_ok(bonnie('-d', $dir, '-s1', '-n1', '-u', '4294967295'), qr/--user: no user is named '4294967295'/, 'no number of a user');

# A prefix of several options.
refused_ok(bonnie('-d', $dir, '--dir', $dir), qr/ambiguous option --dir: it may be --directory, --direct$/m, 'an ambiguous long name');
refused_ok(bonnie('-d', $dir, '--iops=4'), qr/ambiguous option --iops: it may be --iops-duration, --iops-block, /, 'with a value');

# A misspelt name.
refused_ok(bonnie('--sise=4'), qr/unknown option --sise; did you mean --size\?/, 'a letter wrong');
refused_ok(bonnie('--thread'), qr/--concurrency needs a value: N/, 'the beginning of one name is that name');
refused_ok(bonnie('--thraeds=2'), qr/unknown option --thraeds; did you mean --threads\?/, 'two letters in the wrong order');
refused_ok(bonnie('--wibble'), qr/unknown option --wibble; --help lists the options/, 'nothing like any');
refused_ok(bonnie('--' . 'x' x 300), qr/unknown option --x{98}; --help lists the options/, 'nor a very long one');

# Missing and superfluous values.
refused_ok(bonnie('-s', '0.0001'), qr/--size: at least 1 KiB is needed/, 'too small a fraction');
refused_ok(bonnie('--preset=gobonniego', '--size=1048577'), qr/--size: 1048577 GiB are more than 1024t/, 'too many GiB');

my %value = (
    d => 'DIR', s => 'SIZE', n => 'NUM', c => 'N', m => 'LABEL', r => 'MIB', x => 'N', u => 'USER', g => 'GROUP', z => 'N',
    Z => 'FILE', p => 'N', l => 'FILE',
);
for my $letter (sort keys %value) {
    refused_ok(bonnie("-$letter"), qr/\Abonnie: -(?:$letter|-[a-z-]+) needs a value: \Q$value{$letter}\E/, "-$letter without a value");
}
for my $name (qw(directory size files concurrency threads label ram runs seconds user group seed random-file tests preset data html cache min-time format output engine iodepth uring null
    time round-time precondition max-rounds iops-duration iops-block iops-writes iops-pattern verify)) {
    refused_ok(bonnie("--$name"), qr/\Abonnie: --[a-z-]+ needs a value: [A-Z]/, "--$name without a value");
}
for my $name (qw(quiet sync direct require-steady json cleanup verbose version help)) {
    refused_ok(bonnie("--$name=1"), qr/--$name takes no value/, "--$name with a value");
}

# The message is one harmless line, whatever the user has typed.
for my $given ("4\nx", "4\e[31m", "\x07\r", "\xFF\xFE", 'x' x 5000, '%s%n%d') {
    for my $words ([ '-s', $given ], ["--$given"], ["-$given"], [$given], [ '-u', $given ]) {
        my $run = bonnie('-d', $dir, qw(-n1 -s1), @{$words});
        is("$run->{status}$run->{out}", '1', 'exit status 1 and nothing on stdout');
        like($run->{err}, qr/\Abonnie: [^\x00-\x1F\x7F]{1,600}\n\z/, 'one printable line on stderr') or diag(@{$words});
    }
}

# Operands and unknown options.
refused_ok(bonnie('-d', $dir, '-k'),                qr/unknown option -k;/,                    '-k');
refused_ok(bonnie('-d', $dir, '-qk'),               qr/unknown option -k;/,                    '-qk');
refused_ok(bonnie('-d', $dir, '--nonsense'),        qr/unknown (?:or ambiguous )?option --nonsense;/,            '--nonsense');
refused_ok(bonnie('-d', $dir, '-s1', 'stray'),      qr/unexpected argument 'stray';/,          'an argument');
refused_ok(bonnie('-d', $dir, '-s0', '-n0'),        qr/nothing to do: -s, -n, -f and --tests/, 'no test at all');
refused_ok(bonnie('-d', $dir, '-f', '--tests=putc'), qr/nothing to do/,                        'no test at all under -f');
refused_ok(bonnie('-d', $dir, qw(-s1:1m -n0 -c2)),  qr/--size: 1048576 bytes are less than one chunk of 1048576/, 'less than a chunk');
refused_ok(bonnie('-d', $dir, qw(-s0 -n1:0:0:1025)), qr/--files: 1024 files are fewer than 1025 directories/, 'an empty directory');
refused_ok(bonnie('-d', $dir, qw(-s0 -n1::20)),     qr/--files: MIN 20 is larger than MAX 0/, 'a MIN without a MAX');

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
