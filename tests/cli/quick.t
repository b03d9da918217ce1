#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# `bonnie DIR`: the short look, on storage of every kind, and what it refuses.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(sum0);
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw($LIMIT bonnie nobody_can program refused_ok run_tool scratch scratch_on_disk takes_direct tree);
use Container   ();
use FailingDisk ();
use IoLimit     ();
use JSON::PP ();
use JsonReport qw(report_ok);
use RunProgram qw(run spew);
use SweepSize  ();

my $FIGURE = qr/ +(?:\d[\d.]{0,3}(?: (?:[KMGT]?i?B|k|M))?)/;
my $TIME   = qr{ +(?:\d[\d.]{0,3} [mun]?s|-)};
my $ROW    = qr/$FIGURE(?:$TIME$TIME)? +$LIMIT\n| +too quick\n/;
my @LINES  = (
    qr/ {33}per second {7}p50 {7}p99 {3}limited by\n/,
    qr/Write    1 MiB, (?:8 in flight|one by one)$ROW/,
    qr/Read     1 MiB, (?:8 in flight|one by one)$ROW/,
    qr/Read     4 KiB, one by one$ROW/,
    qr/Read     4 KiB, 32 in flight(?:$ROW|: .*\n)/,
    qr/Write    4 KiB, one by one$ROW/,
    qr/Write    4 KiB, 32 in flight(?:$ROW|: .*\n)/,
    qr/Durable  8 KiB, one by one$ROW/,
    qr/Files    created$ROW/,
    qr/Files    deleted$ROW/,
);
my $TABLE = join q{}, @LINES;

# Its times, shortened. With --time it would be a longer look, to which its bounds do not apply.
my @SHORT = qw(--iops-duration=0.3 --min-time=0.1);

# The short look at a directory: its whole table, in 80 columns, and nothing left. Its times are checked in
# tests/unit/bonnie/test_plan.c.
sub look_ok {
    my ($dir, $what, @options) = @_;
    my $run = bonnie(@options, $dir);
    BAIL_OUT('this is no short look') if $run->{out} =~ /^Version/m;
    is($run->{status}, 0, "$what: exit status 0") or diag($run->{err});
    like($run->{out}, qr/\A\Q$dir\E: .*(?:\n.+){0,6}\n\n$TABLE\n/, "$what: the table") or diag($run->{out});
    unlike($run->{out}, qr/^.{81}/m, "$what: in 80 columns");
    is(scalar($run->{out} =~ /^$_: /m), scalar($run->{out} =~ / {3}$_$/m), "$what: $_ is explained if a row says it") for 'others', 'not known';
    my ($seconds, $written, $unit) = $run->{out} =~ /^(\d+) s, ([\d.]+) ([KMG]iB) written[.,]/m;
    ok(defined $seconds, "$what: its time");
    cmp_ok(($written // 999) * { KiB => 2**-20, MiB => 2**-10, GiB => 1 }->{ $unit // 'GiB' }, '<=', 2, "$what: at most 2 GiB");
    is_deeply([ grep { $_ ne 'lost+found' } tree($dir) ], [], "$what: nothing is left");
    return $run;
}

# Two directories, and options that make it an ordinary run.
my $dir = scratch();
refused_ok(bonnie("$dir", "$dir/2"),       qr/unexpected argument '\Q$dir\E\/2'; --help lists/, 'two directories');
refused_ok(bonnie('-d', $dir, "$dir"),     qr/unexpected argument '\Q$dir\E'; --help lists/,    'a directory and -d');
refused_ok(bonnie("$dir", '-d', $dir),     qr/unexpected argument '\Q$dir\E'; --help lists/,    'in the other order');
refused_ok(bonnie(q{}),                    qr/unexpected argument ''; --help lists/,            'no name');
refused_ok(bonnie("$dir/none"),            qr{\Q$dir\E/none: No such file or directory},        'no directory');
refused_ok(bonnie('-d', $dir, '--preset=quick', '-n1'), qr/--preset=quick decides by itself what it measures/, 'a size');
for my $name (qw(bonnie++ gobonniego)) {
    symlink program(), "$dir/$name";
    my $run = run_tool("$dir/$name", "$dir");
    like("$run->{status}$run->{err}", qr/\A1bonnie: unexpected argument '\Q$dir\E'; --help lists the options\n\z/, "under the name $name");
    unlink "$dir/$name";
}
for my $case ([ '-s', '1:64k' ], ['-s1', '--tests=put_block'], [qw(-x2 -s1)]) {
    my $run = bonnie("$dir", @{$case}, qw(-n0 -r0));
    is($run->{status}, 0, "@{$case}: exit status 0") or diag($run->{err});
    like($run->{out}, qr/^1[.]98,/m, "@{$case}: an ordinary run of the directory");
}
my $run = bonnie("$dir", '--good-for=etcd');
refused_ok($run, qr{unknown option --good-for; it is one of bonload: bonload -help$}m, q{--good-for says which program that is});
is_deeply([ tree($dir) ], [], 'nothing is made');
is(bonnie('--cleanup', "$dir")->{status}, 0, '--cleanup of an operand');

# Memory is memory; JSON has the same rows.
$run = look_ok("$dir", 'in memory', '-q', @SHORT);
is($run->{err}, q{}, '-q: no progress');
like($run->{out}, qr/^\d+ s, .* written[.] tmpfs is memory: these are figures of no device[.]$/m, 'in memory: it says so') if $run->{out} =~ /: tmpfs/;

my $disk = scratch_on_disk();
my $report = do {
    my $json = bonnie("$disk", qw(--json --verify=full -m lab), @SHORT);
    is($json->{status}, 0, '--json: exit status 0') or diag($json->{err});
    report_ok($json->{out});
};
is($report->{label},            'lab',   'the label has no row');
is($report->{settings}{preset}, 'quick', 'the preset');
is($report->{settings}{min_time_seconds}, 0.1, '--min-time');
my @tests = @{ $report->{runs}[0]{tests} };
is_deeply(
    [ map {"$_->{name}: $_->{row}"} @tests, map { +{ name => 'left out', row => $_->{row} } } @{ $report->{runs}[0]{left_out} // [] } ],
    [   'put_block: write-1m-q8', 'get_block: read-1m-q8', (map {"iops: $_"} qw(read-4k-q1 read-4k-q32 write-4k-q1 write-4k-q32 durable-8k)),
        'seq_create: create', 'seq_del: delete',
    ],
    'one document has every test of every row'
) if takes_direct($disk);
is_deeply([ map { $_->{write_percent} } grep { $_->{name} eq 'iops' } @tests ], [ 0, 0, 100, 100, 100 ], 'which write') if takes_direct($disk);
is((grep { $_->{sync} } @tests), 1, 'one of them durably');
my $written = sum0(map { $_->{name} eq 'put_block' || $_->{write_percent} ? $_->{bytes} : 0 } @tests);
cmp_ok($written, '<=', 2 * 2**30, 'at most 2 GiB');
cmp_ok(sum0(map { $_->{verified_bytes} } @tests), '>', 0, 'what was read was checked');
spew("$disk/report.json", JSON::PP->new->encode($report));
my ($status, $page, $said) = run(bon_csv2html => ["$disk/report.json"]);
is($status, 0, 'the page of it') or diag($said);
like($page, qr{<bdi>Durable 8 KiB, one by one</bdi>}, 'has its rows');
unlike($page, qr{lab Durable|<h3>Random mix}, 'by their titles');
unlike($page, qr{>(?:Durable writes|Files|I/O depth)</th>}, 'and no setting in which rows differ');
like($page, qr{<span>Results of lab with }, 'and the label');

# Two looks are two results, whose rows are compared.
spew("$disk/other.json", JSON::PP->new->encode({ %{$report}, label => 'other' }));
($status, my $text, $said) = run(bon_csv2txt => [ '--baseline=lab', map {"$disk/$_.json"} qw(report other) ]);
is("$status$said", '0', 'two looks are compared') or diag($said);
like($text, qr/^write-1m-q8 .*^delete /ms, 'row by row');
like((run(bon_csv2txt => ["$disk/report.json"]))[1], qr/^Durable 8 KiB, one by one /m, 'their text has the rows, too');
($status, $page, $said) = run(bon_csv2html => [ map {"$disk/$_.json"} qw(report other) ]);
is("$status$said", '0', 'the page of both') or diag($said);
like($page, qr{2 runs of 2 labels}, 'is of two results');
unlink map {"$disk/$_.json"} qw(report other);
is_deeply([ tree($disk) ], [], 'nothing is left');

# With a size or a time it is the same look, larger or longer, and recommends no other.
$run = look_ok("$disk", '-s', qw(-q -s 48 --time=2));
unlike($run->{out}, qr/longer/, 'a longer look names no longer one');
# On a machine that is busy all of it takes longer to write than a row's share of 2 s.
my ($time, $bytes) = (1, 0);
while ($bytes < 48 << 20 && $time < 128) {
    $time *= 2;
    $report = report_ok(bonnie("$disk", qw(-q --json -s 48), "--time=$time")->{out});
    ($bytes) = map { $_->{name} eq 'put_block' ? $_->{bytes} : () } @{ $report->{runs}[0]{tests} };
}
is_deeply([ @{ $report->{settings} }{qw(preset size_bytes time_seconds)} ], [ 'quick', 48 << 20, $time ], 'with the size and the time that were given');
cmp_ok(abs($report->{settings}{iops_duration_seconds} - $time / 7), '<', 1e-6, 'which the rows share that go on');
is($bytes, 48 << 20, 'over which it goes');

# With 1 GiB of RAM, which the command for a figure to rely on is for; -r changes no machine. And as
# a user who is nobody.
my ($machine) = look_ok("$disk", '-r1024', qw(-q -r1024), @SHORT)->{out} =~ /^The same rows, longer:  bonnie --time=10m -s (\d+)g/m;
SKIP: {
    my ($group, $why) = Container::group(memory => 2**30);
    skip $why, 1 if !$group;
    $run = look_ok("$disk", 'a group with 1 GiB', { wrap => [ $group->wrap ] }, '-q', @SHORT);
    like($run->{out}, qr/[;\s]1[.]00 GiB\sRAM\n/, 'a group with 1 GiB: the RAM');
    like($run->{out}, qr/^The same rows, longer:  bonnie --time=10m -s 2g \Q$disk\E$/m, 'the command suits it');
    cmp_ok($machine // 0, '>', 2, 'and not the machine');
}
SKIP: {
    skip 'it takes root, and a directory of temporary files that nobody can reach', 1 if $> != 0 || !nobody_can();
    look_ok(scratch(oct 777), 'as nobody', { as => 'nobody' }, @SHORT);
}

if (Root::may_mount()) {

    # Little room: a tenth of what is free, or one line.
    my $small = Root::tmpfs('size=400m');
    look_ok("$small", '400 MiB', @SHORT);
    my $full = Root::tmpfs('size=50m');
    refused_ok(bonnie("$full"), qr/: 50[.]0 MiB are free, and a short look writes at most a tenth of that/, '50 MiB left');
    is_deeply([ tree($full) ], [], 'nothing is written there');
    refused_ok(bonnie('/proc/self'), qr{/proc/self}, 'no filesystem of files');
    my $inodes = Root::tmpfs('size=1g,nr_inodes=1000');
    $run = bonnie("$inodes", @SHORT);
    is($run->{status}, 0, 'few inodes: exit status 0') or diag($run->{err});
    like($run->{out}, qr/^Files    created: too few inodes are free$/m, 'the row says why');
    my $few = scratch_on_disk();
    if (system("truncate -s 900m $few/image && mkfs.ext4 -q -F -N 600 $few/image && mkdir $few/on && mount -o loop $few/image $few/on") == 0) {
        $run = bonnie("$few/on", @SHORT);
        like($run->{out}, qr/^Files    created: too few inodes are free\n.*^The same rows, longer:  bonnie /ms, 'the same look can be longer there') or diag($run->{err});
        system 'umount', "$few/on";
    }
    my $locked = Root::tmpfs('size=1g');
    system 'mount', '-o', 'remount,ro', "$locked";
    refused_ok(bonnie("$locked"), qr/Read-only file system/, 'a read-only directory');

    my $overlay = Root::overlay(Root::tmpfs('size=1g'));
    SKIP: {
        skip 'there is no overlay', 1 if !$overlay;
        $run = look_ok("$overlay", 'an overlay', @SHORT);
        like($run->{out}, qr/written[.] tmpfs is memory: these are figures of no device[.]$/m, 'an overlay over tmpfs: it is memory');
    }

    # So little memory that the buffers of 32 MiB would be too many; and much less.
    for my $mib (64, 48, 8) {
        my ($group, $why) = Container::group(memory => $mib * 2**20);
    SKIP: {
            skip $why, 1 if !$group;
            my $how = { wrap => [ $group->wrap ] };
            if ($mib > 8) { look_ok("$disk", "a group of $mib MiB", $how, '-q', @SHORT) }
            else { refused_ok(bonnie($how, '-q', "$disk"), qr/^bonnie: \Q$disk\E: the buffers .* more than half of the control group's memory [(]8[.]00 MiB[)]$/m, 'a group of 8 MiB: no option that was not given') }
        }
    }

    # What a group's limit holds back: the row says so, and a line which limit it is. At one operation a
    # second, operations in flight would outlast the look: then there are fewer, or the row says why there are none.
    for my $case ([ iops => 100, qr/limit: Control group: 100 (?:reads|writes)\/s; \d/ ], [ bps => 1 << 20, qr/limit: Control group: (?:reads|writes) of 1[.]00 MiB\/s; \d/ ],
        [ iops => 1, qr/limit: Control group: 1 (?:reads|writes)\/s; \d/ ], [ bps => 1 << 16, qr/limit: Control group: (?:reads|writes) of 64[.]0 KiB\/s; \d/ ])
    {
        my ($kind, $value, $line) = @{$case};
        my $held = Root::filesystem_on_disk([qw(--direct-io=on)], 'ext4', 2048);
        my ($group, $why) = $held ? IoLimit::io_limit("$held", $value, $kind) : (undef, 'there is no filesystem of our own on a loop device here');
    SKIP: {
            skip $why, 1 if !$group;
            my $is_long = $value == 1 || $value == 1 << 16;
            skip 'it takes a minute', 1 if $is_long && !SweepSize::is_all();
            my @short = $is_long ? () : qw(--iops-duration=1 --min-time=0.1);
            $run = look_ok("$held", "$value $kind", { wrap => [ $group->wrap ] }, '-q', @short);
            cmp_ok(scalar(() = $run->{out} =~ /^(?:Read|Write|Durable) .* limit$/mg), '>=', 2, "$value $kind: rows say it");
            like($run->{out}, qr/^$line/m,             'and a line which limit it is') or diag($run->{out});
            like($run->{out}, qr/^Read     4 KiB, 32 in flight: so many at a time would take too long$/m, 'no 32 in flight') if $value == 1;
            like($run->{out}, qr/^Write    1 MiB, one by one .*\nRead     1 MiB, one by one /m, 'chunks of which eight would outlast the row') if $kind eq 'bps';
            cmp_ok(($run->{out} =~ /^(\d+) s,/m)[0], '<=', 75, 'within its time') if $is_long;
        }
    }

    # Slow storage takes less.
    my ($slow, $why) = FailingDisk->new(2048, qw(--filter=rate rate=40M burstiness=0.1));
    SKIP: {
        skip $why, 1 if !$slow;
        $run = look_ok($slow->dir, '5 MiB/s', SweepSize::is_all() ? () : (@SHORT, '--time=8'));
        like($run->{out}, qr/^Write    1 MiB, \S+ \S+ \S+ +[0-6](?:[.]\d+)? MiB /m, '5 MiB/s: written so fast');
        like($run->{out}, qr/^\d+ s, 1?\d?\d(?:[.]\d+)? MiB written[.,]/m, '5 MiB/s: little is written');
    }
}
done_testing();
