#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# zcav prints what Bonnie++'s zcav prints, line by line; reads exactly what it should, and continues
# past unreadable places; and writes only where it may, and nowhere else.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Fcntl       ();
use Digest::SHA qw(sha256_hex);
use File::Temp  ();
use JSON::PP    ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(%SIGNAL engines finish has_terminal have program refused_ok run_tool scratch scratch_on_disk source start takes_direct tree wait_until);
use HtmlCheck  qw(unbalanced);
use JsonSchema qw(schema_errors);
use OddDisk    ();
use RunProgram qw(slurp spew);
use Trace      qw(can_trace trace);

my $MIB  = 2**20;
my $dir  = scratch(oct 755);
my $file = "$dir/file";

# 20 MiB with different contents.
sub contents_of_file { return join q{}, map { pack('N', $_) x ($MIB / 4) } 1 .. 20 }
spew($file, contents_of_file());

sub zcav { return run_tool('zcav', @_) }

sub truncate_file {
    my ($path, $bytes) = @_;
    spew($path, q{});
    truncate $path, $bytes or die "$path: $!\n";
    return;
}

# ---- output -------------------------------------------------------------------------------------

# The kind of each line, for which its figures do not matter.
sub layout {
    my ($text) = @_;
    return join q{ }, map {
        /\A#loops: (\d+)\n\z/                                                                ? "loops=$1"
            : /\A#block offset \(GiB\), MiB\/s, time\n\z/                                    ? 'heading'
            : /\A#?(\d+[.]\d\d) (?:\d+[.]\d\d|[+]{4}) \d+[.]\d{3}\n\z/                       ? $1
            : /\A# Read (\d+) megs in \d+ seconds, \d+ megabytes per second[.]\n\z/           ? "read=$1"
            :                                                                                  "?$_"
    } split /^/m, $text;
}

my $run = zcav('-b', 4, $file);
is($run->{status}, 0, 'exit status 0');
is(layout($run->{out}), 'heading 0.00 0.00 0.01 0.01 0.02 read=20', 'blocks of 4 MiB');
like($run->{err}, qr/\A# Finished loop 1, on device \Q$file\E at \d\d:\d\d:\d\d\n\z/, 'progress on standard error');
is(layout(zcav('-b8', $file)->{out}), 'heading 0.00 0.01 read=16', 'only whole blocks');
SKIP: {
    skip 'script(1) makes no terminal here', 1 if !has_terminal();
    my ($zcav) = program() =~ m{\A(.*)/};
    my $shown = qx(script -qec "'$zcav/zcav' -q -b4 '$file'" /dev/null);
    like($shown, qr{^# Read 20 megs in \d+ seconds, \d+ megabytes per second[.]\r?\nmedian {6}[\d.]+ [MG]iB/s, of 5 blocks of 4 MiB\r?\nslow {8}.*^unreadable  none\r?\n(?:in the way  .*)?\z}ms, "on a terminal: Bonnie++'s line, and in words what people look for");
}
is(layout(zcav('-b4', '-c3', $file)->{out}), 'read=20 read=20 read=20 loops=3 heading 0.00 0.00 0.01 0.01 0.02', 'three passes');
is(layout(zcav(qw(--block=4 --range=8:16), $file)->{out}), 'heading 0.01 0.01 read=8', 'a range');
is(layout(zcav(qw(-b4 -r 7:19), $file)->{out}), 'heading 0.00 0.01 0.01 read=12', 'rounded down to blocks');
is(layout(zcav(qw(-b4 -r :9), $file)->{out}), layout(zcav(qw(-b4 -r 9), $file)->{out}), 'FIRST is 0');
is(layout(zcav(qw(-b4 -r 16:1000), $file)->{out}), 'heading 0.02 read=4', 'a range beyond the end');
is(layout(zcav(qw(-b1 -s5), $file)->{out}), 'heading 0.00 0.00 0.01 0.01 read=4', 'every fifth block');
is(layout(zcav(qw(-b1 --skip=5 -r1:20), $file)->{out}), 'heading 0.00 0.01 0.01 0.02 read=4', 'from FIRST on');
is(layout(zcav(qw(-b 3:2), $file)->{out}), 'heading 0.00 0.00 0.01 0.01 0.01 0.01 read=18', 'a CHUNK that BLOCK is no multiple of');
is(layout(zcav('-b4', '-f', $file)->{out}), layout($run->{out}), '-f');
is(layout(zcav('-b4', "--file=$file", '--count', 1)->{out}), layout($run->{out}), 'long names');
is(zcav(qw(-q -b4), $file)->{err}, q{}, '-q: silence');

# A block's time and rate must agree with its size.
for my $line (zcav(qw(--quiet -b20 -c2), $file)->{out} =~ /^(\d.*)$/mg) {
    my (undef, $rate, $seconds) = split q{ }, $line;
    cmp_ok(abs($rate * $seconds - 20), '<', 20 * .0006 / $seconds + .1, "$line: 20 MiB");
}
like(zcav(qw(-q -b1 --engine=null), $file)->{out}, qr/^#0[.]00 [+]{4} 0[.]00\d$/m, '++++ below a millisecond');

is(layout(zcav({ in => $file }, qw(-b4 -))->{out}), layout($run->{out}), 'a file on standard input');
my $piped = sub { my ($bytes, @args) = @_; return layout(scalar qx(head -c $bytes '$file' | '@{[ program('zcav') ]}' -q @args - 2>&1)) };
is($piped->(20 * $MIB, '-b4'),          layout($run->{out}),            'a pipe on standard input');
is($piped->(10 * $MIB, '-b4'),          'heading 0.00 0.00 read=8',      'whose last block is not whole');
is($piped->(20 * $MIB, qw(-b4 -r 8:16)), 'heading 0.01 0.01 read=8',     'a range of it');
is($piped->(20 * $MIB, qw(-b1 -s5)),    'heading 0.00 0.00 0.01 0.01 read=4', 'every fifth block of it');
is(layout(zcav(qw(-b1 -r3 /dev/zero))->{out}), 'heading 0.00 0.00 0.00 read=3', 'a device that never ends');

# Several devices at the same time.
$run = zcav(qw(-q -b4 -l), "$dir/one", $file, '--log', "$dir/two", '-f', $file);
is("$run->{status}$run->{out}", '0', 'two logs, and nothing on standard output');
is(layout(slurp("$dir/$_")), 'heading 0.00 0.00 0.01 0.01 0.02 read=20', "log $_") for qw(one two);
$run = zcav(qw(-q -b4 --trust-directory), $file, '-l', "$dir/two", $file, $file);
my ($first, $second) = $run->{out} =~ /\A# device: \Q$file\E\n(.*?)\n\n# device: \Q$file\E\n(.*?)\n\n\z/s;
is(layout($_), 'heading 0.00 0.00 0.01 0.01 0.02 read=20', 'one after the other on standard output') for $first, $second;
unlink map {"$dir/$_"} qw(one two);

SKIP: {
    skip 'Bonnie++ is not here', 4 if !-x '/usr/sbin/zcav';
    for my $args ('-b 4', '-b 4 -c 2', '-b 4 -c 5', '-b 1 -s 3') {
        my $theirs = layout(scalar qx(/usr/sbin/zcav $args '$file' 2>/dev/null));
        is(layout(zcav(split(q{ }, $args), $file)->{out}), $theirs, "zcav $args: as Bonnie++ prints it, line by line");
    }
}

# ---- JSON and the page --------------------------------------------------------------------------

$run = zcav(qw(-q -b4:2 -c2 --json -l), "$dir/log", $file);
my $json = JSON::PP::decode_json($run->{out});
is_deeply([ schema_errors(JSON::PP::decode_json(slurp(source('share/zcav.schema.json'))), $json) ], [], 'JSON is as its schema says');
is_deeply($json->{settings}, { operation => 'read', block_bytes => 4 * $MIB, chunk_bytes => 2 * $MIB, passes => 2, skip => 1 }, 'settings');
my ($device) = @{ $json->{devices} };
is_deeply([ @{$device}{qw(name bytes engine iodepth bad)} ], [ $file, 20 * $MIB, 'sync', 1, [] ], 'the device');
is_deeply([ map { [ map { [ @{$_}[ 0, 1 ] ] } @{ $_->{blocks} } ] } @{ $device->{passes} } ],
    [ ([ map { [ 4 * $_ * $MIB, 4 * $MIB ] } 0 .. 4 ]) x 2 ], 'every block of both passes');
is(layout(slurp("$dir/log")), 'read=20 read=20 loops=2 heading 0.00 0.00 0.01 0.01 0.02', 'a log beside it');
unlink "$dir/log";

$run = zcav(qw(-q -b4 -c2), '--html', "$dir/page.html", $file);
is("$run->{status}$run->{err}", '0', '--html: exit status 0 and silence');
my $html = slurp("$dir/page.html");
is(unbalanced($html), q{}, 'the page is balanced');
like($html, qr/<figcaption>\Q$file\E.*<bdi>pass 1<\/bdi>.*<bdi>pass 2<\/bdi>/s, 'with a curve of each pass');
like($html, qr/Line: the median/, 'and the median');
like($html, qr{<h1>\Q$file\E, 20\xC2\xA0MiB}, 'its title is the file');
unlike($html, qr/<script|https?:/, 'and nothing that is fetched or runs');
is_deeply([ tree($dir) ], [qw(file page.html)], 'no other file is there');
SKIP: {
    skip 'no tmpfs on /dev/shm', 1 if !-w '/dev/shm' || slurp('/proc/mounts') !~ m{ /dev/shm tmpfs };
    my $memory = File::Temp->new(DIR => '/dev/shm');
    truncate_file("$memory", 4 * $MIB);
    zcav(qw(-q -b4), '--html', "$dir/memory.html", "$memory");
    like(slurp("$dir/memory.html"), qr{<h1>\Q$memory\E, 4\xC2\xA0MiB, in memory \(tmpfs\)</h1>}, 'which says where it is in memory');
    unlink "$dir/memory.html";
}
my $before = slurp("$dir/page.html");
is(zcav({ env => { BON_CSV2HTML => '/bin/false' } }, qw(-q -b4), "--html=$dir/page.html", $file)->{status}, 1, 'a page that cannot be made');
is(slurp("$dir/page.html"), $before, 'leaves the old one alone');
refused_ok(zcav({ env => { BON_CSV2HTML => '/none' } }, '--html', "$dir/page.html", $file), qr{--html: /none, or Perl, which it needs, was not found}, 'without bon_csv2html');
refused_ok(zcav('--html', "$dir/none/page.html", $file), qr{none/page.html: No such file}, 'a page that has no place');
unlink "$dir/page.html";

# ---- engines ------------------------------------------------------------------------------------

my $disk = scratch_on_disk(oct 755);
spew("$disk/file", contents_of_file());
my @direct = takes_direct($disk) ? '-D' : ();
for my $engine (engines()) {
    my @depth = $engine eq 'sync' ? () : '--iodepth=3';
    $run = zcav(qw(-b4:1), @direct, "--engine=$engine", @depth, "$disk/file");
    is(layout($run->{out}), 'heading 0.00 0.00 0.01 0.01 0.02 read=20', "--engine=$engine") or diag($run->{err});
}
like(zcav('--engine=help')->{out}, qr/^sync .*^libaio .*^io_uring /ms, '--engine=help');

# ---- refused ------------------------------------------------------------------------------------

my $BLOCK = qr/BLOCK\[:CHUNK\] in MiB; BLOCK 1 to 1048576, CHUNK 1 to 1024 and at most BLOCK/;
my @wrong = (
    (map { [ "--block: '$_'", [ '-b', $_ ], $BLOCK ] } qw(0 x -1 1.5 4:8 4:0 4:x 4:1:1 1048577 512k), q{}, ':1'),
    (map { [ "--count: '$_'", [ '-c', $_ ], qr/a whole number from 1 to 1000000/ ] } qw(0 x -1 1000001)),
    (map { [ "--range: '$_'", [ '-r', $_ ], qr/\[FIRST:\]LAST in MiB, FIRST below LAST/ ] } qw(0 x 5:5 6:5 1: 1:2:3 -5), q{}, q{:}),
    (map { [ "--skip: '$_'", [ '-s', $_ ], qr/a whole number from 2 to 20/ ] } qw(0 1 21 x)),
    (map { [ "--engine: '$_'", ["--engine=$_"], qr/sync, libaio, io_uring or null$/ ] } 'x', q{}),
    (map { [ "--iodepth: '$_'", ["--iodepth=$_"], qr/a whole number from 1 to 4096/ ] } qw(0 4097 x)),
    [ q{--log: ''},  [ '-l', q{} ], qr/the path of a file, before the FILE that it is for/ ],
    [ q{--file: ''}, [ '-f', q{} ], qr/the path of a device or a file/ ],
    [ q{--html: ''},      ['--html='],   qr/the path of a page/ ],
    [ q{--user: ''}, [ '-u', q{} ], qr/USER or USER:GROUP/ ],
    [ q{--group: ''}, [ '-g', q{} ], qr/a group, by name or number/ ],
);
for my $case (@wrong) {
    my ($said, $args, $accepted) = @{$case};
    refused_ok(zcav(@{$args}, $file), qr/\Azcav: \Q$said\E is not accepted; expected $accepted/, "@{$args}");
}
refused_ok(zcav(),                    qr/FILE is missing/,                                   'no FILE');
refused_ok(zcav('-b4'),               qr/FILE is missing/,                                   'options alone');
refused_ok(zcav(q{}),                 qr/FILE: '' is not accepted; expected the path of a device/, 'an empty FILE');
refused_ok(zcav('-x', $file),         qr/unknown option -x/,                                 'an unknown option');
refused_ok(zcav('--what', $file),     qr/option --what/,                                     'a long one');
refused_ok(zcav($file, '-l', "$dir/l"), qr/--log: no FILE follows \Q$dir\E\/l/,       'a log without a FILE');
refused_ok(zcav('-l', 'a', '-l', 'b', $file), qr/a single LOG before each FILE/,                  'two logs of a FILE');
refused_ok(zcav('-l', 'a', $file, '-l', 'a', $file), qr/a different LOG for each FILE/,     'two FILEs of a log');
refused_ok(zcav(qw(-D --buffered), $file), qr/--direct and --buffered exclude each other/,   'direct and buffered');
refused_ok(zcav('--iodepth=2', $file), qr/the engine sync keeps one operation in flight/,      'a depth that sync cannot have');
refused_ok(zcav(qw(-b8 -r3:7), $file), qr/--range: nothing is left when it is rounded down to blocks \(-b\)/, 'a range of no block');
refused_ok(zcav($file),               qr/\Q$file\E is too small for one block of 512 MiB; choose a smaller one with -b/, 'a file that is too small');
refused_ok(zcav(qw(-b4 -r 20:24), $file), qr/too small for one block of 4 MiB in the range/, 'a range beyond the end');
refused_ok(zcav("$dir/none"),         qr{open \Q$dir\E/none: No such file or directory},     'a file that is not there');
refused_ok(zcav("$dir"),              qr{\Q$dir\E: Is a directory},                          'a directory');
refused_ok(zcav({ in => $file }, qw(-w -)), qr/-w: standard input cannot be written to/,     'standard input cannot be written to');
refused_ok(zcav(qw(-q -c2 -b1 -r2 /dev/zero)), qr{--count: /dev/zero can be read only once}, 'two passes over a stream');
refused_ok(zcav(qw(-w --yes -b1 -r2 /dev/null)), qr{-w: /dev/null is not a block device or a plain file}, 'what cannot be written to');
refused_ok(zcav(qw(--engine=io_uring -b1 -r2 /dev/zero)), qr{--engine: /dev/zero can only be read in order}, 'an engine for a stream') if grep {/io_uring/} engines();
is(zcav('-q', '-b4', (@direct ? '--direct' : ()), "$disk/file")->{status}, 0, '--direct');
is(zcav(qw(-q -b1 /dev/null))->{status}, 1, 'an empty device: exit status 1');
like(zcav($_)->{out}, qr/\Azcav \d+[.]\d+[.]\d+\n\z/, $_) for qw(-V --version);
like(zcav('--help')->{out}, qr/\AUsage: zcav .*-w, --write\n/s, '--help');
like(zcav('-h')->{out}, qr{^    zcav /dev/sdX$}m, '-h');

if (Root::is_root()) {
    my ($uid, $gid) = (getpwnam 'nobody')[ 2, 3 ];
    like(zcav(qw(-b4 -u nobody), $file)->{err}, qr/^Using uid:$uid, gid:$gid[.]$/m, '-u nobody');
    like(zcav(qw(-b4 --user=nobody --group=77), $file)->{err}, qr/^Using uid:$uid, gid:77[.]$/m, '--user and --group');
    chmod oct(600), $file;
    refused_ok(zcav(qw(-q -b4 -u nobody), $file), qr/open \Q$file\E: Permission denied/, 'who may not read the file');
    refused_ok(zcav({ as => 'nobody' }, qw(-q -b4 -u root), $file), qr/only root can become uid 0, gid 0/, 'nobody does not become root');
    chmod oct(644), $file;
}

# ---- writing to a plain file --------------------------------------------------------------------

$run = zcav(qw(-w -b4 -r 4:12 --engine=sync), $file);
is($run->{status}, 0, '-w of a plain file needs no --yes');
like($run->{out}, qr/^# Wrote 8 megs in /m, 'what was written');
my $after = slurp($file);
is(length $after, 20 * $MIB, 'the file is as large as before');
is(sha256_hex(substr $after, 0, 4 * $MIB), sha256_hex(substr contents_of_file(), 0, 4 * $MIB), 'what is before the range is untouched');
is(sha256_hex(substr $after, 12 * $MIB), sha256_hex(substr contents_of_file(), 12 * $MIB), 'and what is behind it');
isnt(sha256_hex(substr $after, $_ * $MIB, $MIB), sha256_hex(substr contents_of_file(), $_ * $MIB, $MIB), "MiB $_ is another") for 4 .. 11;
my %units = map { substr($after, 4 * $MIB + 4096 * $_, 4096) => 1 } 0 .. 2047;
is(scalar keys %units, 2048, 'no two pages of it are equal');
SKIP: {
    skip 'there is no gzip', 1 if !have('gzip');
    spew("$dir/written", substr $after, 4 * $MIB, 8 * $MIB);
    cmp_ok(.98 * -s "$dir/written", '<', qx(gzip -c '$dir/written' | wc -c), 'and gzip makes it hardly smaller');
    unlink "$dir/written";
}

# ---- devices ------------------------------------------------------------------------------------

# A loop device on a new file; both are removed with the object.
sub loop_on {
    my ($image, @options) = @_;
    chomp(my $loop = qx(losetup -f --show @options '$image' 2>/dev/null));
    return $loop;
}

my @loops;
END { local $?; system "losetup -d $_ 2>/dev/null" for @loops }

SKIP: {
    skip 'devices need root', 1 if !Root::is_root();
    skip 'there are no loop devices here', 1 if !have('losetup') || !-e '/dev/loop-control';
    spew("$disk/image", contents_of_file());
    my $loop = loop_on("$disk/image") or skip 'losetup does not work here', 1;
    push @loops, $loop;
    system 'udevadm settle --timeout=60 2>/dev/null' if have('udevadm'); # it looks at a new device, too

    my $theirs = -x '/usr/sbin/zcav' ? layout(scalar qx(/usr/sbin/zcav -b 4 $loop 2>/dev/null)) : 'heading 0.00 0.00 0.01 0.01 0.02 read=20';
    is(layout(zcav('-b4', $loop)->{out}), $theirs, 'a loop device, as Bonnie++ prints it');

    # By the kernel's counters, the program reads everything from the device, and nothing
    # else.
    my $sectors = sub { return (split q{ }, slurp("/sys/block/@{[ $loop =~ s{.*/}{}r ]}/stat"))[2] };
    my $moved   = sub { my $then = $sectors->(); zcav('-q', @_, $loop); return ($sectors->() - $then) * 512 };
    is($moved->('-b4'),             20 * $MIB, 'all of it is read by the device');
    is($moved->('-b4'),             20 * $MIB, 'and once more');
    is($moved->(qw(-b4 -c3)),       60 * $MIB, 'three times by -c 3');
    is($moved->(qw(-b4 -r 4:12)),   8 * $MIB,  'a range');
    is($moved->(qw(-b1 -s5)),       4 * $MIB,  'every fifth block');
    is($moved->(qw(-b4 --engine=libaio --iodepth=4)), 20 * $MIB, 'by libaio') if grep {/libaio/} engines();
    if (can_trace()) {
        my $is_direct = sub { my (undef, @calls) = trace({ program => 'zcav' }, [qw(-e trace=openat)], qw(-q -b4), @_, $loop); return 0 + grep { $_->{args} =~ /O_DIRECT\b/ } @calls };
        is($is_direct->(),             1, 'a device is opened with O_DIRECT');
        is($is_direct->('--buffered'), 0, '--buffered: without');
    }

    subtest 'what -w refuses' => sub {
        my $untouched = sha256_hex(slurp("$disk/image"));
        refused_ok(zcav(qw(-w -b4), $loop), qr/-w would destroy the contents of $loop \(no signature is known\); --yes confirms that/, 'a device without --yes');
        refused_ok(zcav(qw(-w --yes -b4), "$disk/image"), qr/-w: $loop uses \Q$disk\E.image: Device or resource busy/, 'the file below a loop device');
        sysopen my $held, $loop, Fcntl::O_RDONLY() | Fcntl::O_EXCL() or die "$loop: $!\n";
        refused_ok(zcav(qw(-w --yes -b4), $loop), qr/-w: $loop is in use: .*Device or resource busy/, 'a device that is held');
        close $held;
        is(sha256_hex(slurp("$disk/image")), $untouched, 'nothing was written');
    };


    subtest '-w of a device' => sub {
        my $old = slurp("$disk/image");
        my $written = zcav(qw(-w --yes -b4 -r 4:12), $loop);
        is($written->{status}, 0, 'exit status 0') or diag($written->{err});
        system 'sync', "$disk/image";
        my $new = slurp("$disk/image");
        ok(substr($new, 0, 4 * $MIB) eq substr($old, 0, 4 * $MIB), 'what is before the range is as it was, byte by byte');
        ok(substr($new, 12 * $MIB) eq substr($old, 12 * $MIB), 'and what is behind it');
        ok(!grep({ substr($new, $_, 4096) eq substr $old, $_, 4096 } map { 4096 * $_ } 1024 .. 3071), 'every page of the range is another');
        is(zcav(qw(-w --write --yes -q -b4 --buffered), $loop)->{status}, 0, '--write, --buffered');
    };

    subtest 'mounted, swap' => sub {
        if (have('mkfs.ext4') && Root::may_mount()) {
            system "mkfs.ext4 -q -F -O ^has_journal $loop";
            mkdir "$dir/mnt";
            for my $odd ('a place', "tab\tand\\slash") {
                mkdir "$dir/$odd";
                is(system('mount', $loop, "$dir/$odd"), 0, 'mounted') or return;
                refused_ok(zcav(qw(-w --yes -b4), $loop), qr/-w: $loop is mounted on \Q$dir\E.\Q${\ ($odd =~ tr{\t}{?}r)}\E: Device or resource busy/, 'mounted on a name with blanks');
                system 'umount', "$dir/$odd";
                rmdir "$dir/$odd";
            }
            is(system("mount $loop $dir/mnt"), 0, 'mounted') or return;
            refused_ok(zcav(qw(-w --yes -b4), $loop), qr/-w: $loop is mounted on \Q$dir\E.mnt: Device or resource busy/, 'mounted');
            refused_ok(run_tool('zcav', { wrap => [qw(unshare --mount sh -c), "umount '$dir/mnt' && exec \"\$0\" \"\$@\""] }, qw(-w --yes -b4), $loop),
                qr/-w: $loop is in use/, 'mounted where it cannot be seen');
            system "umount $dir/mnt";
            rmdir "$dir/mnt";
        }
        system "mkswap $loop >/dev/null 2>&1";
        if (system("swapon $loop 2>/dev/null") == 0) {
            my $swap = zcav(qw(-w --yes -b4), $loop);
            system "swapoff $loop";
            refused_ok($swap, qr/-w: $loop is used as swap: Device or resource busy/, 'used as swap');
        }
        is(zcav(qw(-w --yes -q -b4), $loop)->{status}, 0, 'and what nobody uses is written to');
    };
}

# ---- a disk whose end is broken -----------------------------------------------------------------

SKIP: {
    my ($odd, $why_not) = OddDisk->new(third => 32, slow => 100, bad => 8);
    skip $why_not, 1 if !$odd;
    my $loop = $odd->device;
    for my $engine (grep { $_ ne 'null' } engines()) {
        my $odd_run = zcav(qw(-q -b8 --json), "--engine=$engine", '--html', "$dir/odd.html", '-l', "$dir/odd.log", $loop);
        is($odd_run->{status}, 1, "$engine: exit status 1");
        my @err = split /\n/, $odd_run->{err};
        is($err[-1], 'zcav: 8388608 bytes on 1 of 1 devices cannot be read', 'which is said at last');
        is_deeply([ grep {/read \S+ at 92274688: Input\/output error/} @err ], ["zcav: read $loop at 92274688: Input/output error"], 'the offset is told once');
        my $log = slurp("$dir/odd.log");
        like($log, qr/^# Unreadable: 8388608 bytes at 92274688 \(0[.]09 GiB\): Input\/output error$/m, 'and is in the log');
        like($log, qr/^#0[.]09 ---- \d+[.]\d{3}$/m, 'where the block has no figure');
        like($log, qr/^# Read 88 megs in /m, 'all else was read');
        my ($disk_read) = @{ JSON::PP::decode_json($odd_run->{out})->{devices} };
        is_deeply($disk_read->{bad}, [ { offset_bytes => 88 * $MIB, bytes => 8 * $MIB, error => 'Input/output error' } ], 'and in JSON');
        my $page = slurp("$dir/odd.html");
        my ($places) = $page =~ /Places below half the median.*?<tbody>(.*?)<\/tbody>/s;
        my @rows = map { [ map { s/<[^>]*>//gr =~ s/\xC2\xA0/ /gr } /<t[hd][^>]*>(.*?)<\/t[hd]>/g ] } split /<\/tr>/, $places // q{};
        ok((grep { @{$_} && $_->[3] eq 'cannot be read: Input/output error' && $_->[-2] eq '92,274,688' && $_->[-1] eq '8,388,608' } @rows), 'the page names the end')
            or diag(explain(\@rows));
    }
    is(zcav(qw(-q -b8 -r 88), $loop)->{status}, 0, 'what can be read alone: exit status 0');
    unlink "$dir/odd.html", "$dir/odd.log";
}

# ---- names ---------------------------------------------------------------------------------------

# A name takes up one line, and cannot control the terminal.
my $odd = "$dir/a\nb\e[31m";
truncate_file($odd, 2 * $MIB);
my $named = zcav(qw(-b1), $odd, $odd);
is($named->{status}, 0, 'a name with a new line and an escape');
is(scalar(() = $named->{out} =~ m{^# device: \Q$dir\E/a[?]b[?]\[31m$}mg), 2, 'the devices are named in a line each');
like($named->{err}, qr{\A(?:# Finished loop 1, on device \Q$dir\E/a[?]b[?]\[31m at [\d:]{8}\n){2}\z}, 'on standard error, too');
unlink $odd;

# ---- failures -----------------------------------------------------------------------------------

for my $out ('/dev/full', 'closed') {
    my $failed = zcav({ out => $out }, qw(-q -b4), $file);
    is($failed->{status}, 1, "standard output $out: exit status 1");
    like($failed->{err}, qr/\Azcav: write (?:the report )?to standard output: \S.*\n\z/, 'with the reason');
}
# A report that is larger than stdio's buffer.
truncate_file("$dir/large", 8192 * $MIB);
for my $args ([ '--json', "$dir/large" ], [ "$dir/large", "$dir/large" ]) {
    my $failed = zcav({ out => '/dev/full' }, qw(-q -b1 --engine=null), @{$args});
    is($failed->{status}, 1, "8192 blocks to a full device, @{$args}: exit status 1");
    is($failed->{err}, $args->[0] eq '--json' ? "zcav: write the report to standard output: No space left on device\n" : "zcav: write to standard output: No space left on device\n", 'with the reason');
}
unlink "$dir/large";
refused_ok(zcav(qw(-q -b4 -l /dev/full), $file), qr{write to /dev/full: No space left on device}, 'a log on a full disk');
my $limited = zcav({ wrap => [ 'sh', '-c', '(ulimit -f 0; exec "$@") 2>&1 >/dev/null | cat >&2', 'sh' ] }, qw(-q -b1 -l), "$dir/limited", $file);
like($limited->{err}, qr{^zcav: write to \Q$dir\E/limited: File too large$}m, 'a log that is longer than a file may be');
unlink "$dir/limited";
refused_ok(zcav(qw(-q -b4 -l), "$dir/none/log", $file), qr{open \Q$dir\E/none/log: No such file}, 'a log without a place');

SKIP: {
    skip 'strace cannot trace here', 2 if !can_trace();
    my ($traced) = trace({ program => 'zcav' }, [qw(-e trace=pread64 -e inject=pread64:error=ENOMEM:when=3)], qw(-q -b4), $file);
    is($traced->{status}, 1, 'a failure that is not of the medium ends the run');
    like($traced->{err}, qr/\Azcav: read \Q$file\E at \d+: Cannot allocate memory\n\z/, 'and is told');
}

# ---- signals ------------------------------------------------------------------------------------

for my $signal (qw(TERM INT HUP QUIT XCPU KILL)) {
    for my $files ([$file], [ $file, $file ]) {
        my $endless = start({ program => 'zcav' }, qw(-b4 -c 1000000), "--html=$dir/page.html", @{$files});
        wait_until('it begins', sub { slurp($endless->{err_file}) =~ /loop 2/ });
        kill $signal => $endless->{pid};
        finish($endless);
        is($endless->{status}, "signal $SIGNAL{$signal}", "SIG$signal, @{[ scalar @{$files} ]} files: ended by the same signal");
        is_deeply([ tree($dir) ], ['file'], 'and nothing is left');
    }
}
is(qx(bash -c '"@{[ program('zcav') ]}" -q -b1 /dev/zero | head -n 3 >/dev/null; echo \${PIPESTATUS[0]}'), "141\n", 'a reader that goes ends it by SIGPIPE');

done_testing();
