#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bon_csv2html with measurements of zcav: logs of ours and of Bonnie++, including old ones, JSON,
# and several of them on one page, which names slow and failed places by their offsets.

use strict;
use warnings;
use Encode qw(decode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use JSON::PP   ();
use Test::More;
use HtmlCheck  qw(unbalanced);
use RunProgram qw(run slurp spew);

my $MIB = 2**20;
my $dir = File::Temp->newdir;

sub page {
    my ($status, $out, $err) = run('bon_csv2html', @_);
    is("$status$err", '0', 'exit status 0 and silence');
    my $html = decode('UTF-8', $out);
    is(unbalanced($html), q{}, 'balanced');
    return $html;
}

# The cells of each row of the table with this caption. Rates are in words.
sub rows_of {
    my ($html, $caption) = @_;
    my ($body) = $html =~ m{<caption[^>]*><span>\Q$caption\E</span></caption>.*?<tbody>(.*?)</tbody>}s;
    return map { [ map { s/<[^>]*>//gr =~ s/\x{A0}/ /gr } m{<t[hd][^>]*>(.*?)</t[hd]>}g ] } split /<\/tr>\s*/, ($body // q{}) =~ s/\s+\z//r;
}
my $PLACES  = 'Places below half the median in each pass, and places that failed';
my $DEVICES = 'Devices';
my $NONE    = "\x{2013}";

sub file_of {
    my ($name, $text) = @_;
    spew("$dir/$name", $text);
    return "$dir/$name";
}

# 24 blocks of 16 MiB at 400 MiB/s; the second third at 20 MiB/s, and the last 8
# MiB unreadable.
my @RATE = ((400) x 8, (20) x 8, (400) x 7);
my $LOG  = "#block offset (GiB), MiB/s, time\n"
    . join(q{}, map { sprintf "%.2f %.2f %.3f\n", $_ / 64, $RATE[$_], 16 / $RATE[$_] } 0 .. $#RATE)
    . "#0.36 ---- 0.020\n# Read 368 megs in 7 seconds, 53 megabytes per second.\n"
    . "# Unreadable: 16777216 bytes at 385875968 (0.36 GiB): Input/output error\n";

subtest 'a log' => sub {
    my $log  = file_of('sda.log', $LOG);
    my $html = page([$log]);
    is_deeply([ rows_of($html, $PLACES) ], [
        [ $log, '128 MiB', '256 MiB', 'slow', '20 MiB/s', '5 %', '134,217,728', '134,217,728' ],
        [ $log, '368 MiB', '384 MiB', 'cannot be read: Input/output error', $NONE, $NONE, '385,875,968', '16,777,216' ],
    ], 'the slow third and the unreadable end, by their offsets');
    is_deeply([ rows_of($html, $DEVICES) ],
        [ [ $log, '16 MiB', 1, '400 MiB/s', '20 MiB/s', '400 MiB/s', '128 MiB', '16 MiB' ] ], 'what was measured, without columns that have nothing');
    like($html, qr{<h1>\Q$log\E</h1>\n<p class="headline">Reads 400\x{A0}MiB/s [(]median of the blocks; 20\x{2013}400\x{A0}MiB/s[)]; 1 place cannot be read [(]at 368\x{A0}MiB[)], 1 place is slow [(]at 128\x{A0}MiB[)][.]<}, 'how fast it is, then the places');
    like($html, qr/Line: the median, 400\x{A0}MiB\/s/, 'the median');
    my ($course) = $html =~ /<path class="course" d="M0 \d+([^"]*)"/;
    is(scalar(() = $course =~ /h/g), 24, 'a step for each block');
    like($course, qr/v190h/, 'and down at the slow ones');
    is_deeply([ $html =~ /<path class="(losses|open)"/g ], [qw(losses open)], 'which are marked, and those that failed');
    unlike($html, qr/<script|https?:|<img/, 'nothing runs or is fetched');
    is(page(['--title=Old disk', $log]) =~ /<h1>Old disk<\/h1>/, 1, '--title');
    is(page([], $LOG) =~ s/standard input/$log/gr, $html, 'from standard input');
    my ($status) = run('bon_csv2html', [ '-o', "$dir/page.html", $log ]);
    is($status . decode('UTF-8', slurp("$dir/page.html")), "0$html", '-o');
};

subtest 'what stands in the way' => sub {
    my $json = file_of('slow.json', '{"format":"zcav","format_version":1,"settings":{"block_bytes":1048576},'
            . '"storage":{"facts":[{"fact":"link","text":"sdb: USB at 480 Mbit/s"},{"fact":"full","text":"it is full"}]},'
            . '"devices":[{"name":"stick","passes":[{"blocks":[[0,1048576,0.1]]}]}]}');
    like(page([$json]), qr/1 device; blocks of 1\x{A0}MiB[.] sdb: USB at 480 Mbit\/s; it is full[.]/, 'the facts of the storage');
};

# Times may be shorter in JSON than in a log.
subtest 'blocks that took less than a millisecond' => sub {
    my $json = file_of('fast.json', '{"format":"zcav","format_version":1,"settings":{"block_bytes":1048576},'
            . '"devices":[{"name":"array","passes":[{"blocks":[[0,1048576,0.0001],[1048576,1048576,0.0002]]}]}]}');
    is_deeply([ (rows_of(page([$json]), $DEVICES))[0]->@[ 1 .. 5 ] ], [ '1 MiB', 1, '7.32 GiB/s', '4.88 GiB/s', '9.77 GiB/s' ], 'have their rates');
};

subtest 'logs of Bonnie++' => sub {
    my $old = file_of('old.log', "#loops: 1, version: 1.03\n#block K/s time\n" . join q{}, map {"${_}00 60000 1.706667\n"} 0 .. 3, 5);
    my $html = page([$old]);
    is_deeply([ (rows_of($html, $DEVICES))[0]->@[ 1 .. 4 ] ], [ '100 MiB', 1, '58.6 MiB/s', '58.6 MiB/s' ], '1.03: MiB, KiB/s, seconds');
    my $fast = file_of('fast.log', "#block offset (GiB), MiB/s, time\n#0.00 ++++ 0.100\n#0.50 ++++ 0.400\n#1.00 ++++ 0.100\n# Read 1536 megs in 0 seconds, 2560 megabytes per second.\n");
    $html = page([$fast]);
    is_deeply([ (rows_of($html, $DEVICES))[0]->@[ 1 .. 5 ] ], [ '512 MiB', 1, '5 GiB/s', '1.25 GiB/s', '5 GiB/s' ], '2.00a: ++++ has a time, and so a figure');
    is((rows_of($html, $PLACES))[0][1], '512 MiB', 'also of a slow place');
    my $loops = file_of('loops.log', "# Read 64 megs in 0 seconds, 100 megabytes per second.\n" x 3 . "#loops: 3\n#block offset (GiB), MiB/s, time\n0.00 100.00 0.320\r\n0.03 90.00 0.356\r\n");
    is((rows_of(page([$loops]), $DEVICES))[0][2], 'mean of 3', 'several passes are one curve; CRLF');
};

subtest 'several' => sub {
    my $a = file_of('a.log', $LOG);
    my $b = file_of('b.log', "# device: /dev/one\n$LOG\n\n# device: /dev/two<b>\n$LOG\n\n");
    my $html = page([ $a, $b ]);
    is_deeply([ map { $_->[0] } rows_of($html, $DEVICES) ], [ $a, '/dev/one', '/dev/two&lt;b&gt;' ], 'of two files, and of two devices in one');
    is(() = $html =~ /<figure>/g, 3, 'a figure each');
};

# JSON in the form in which zcav prints it.
sub json_of {
    my (%change) = @_;
    my @blocks = map { [ $_ * 16 * $MIB, 16 * $MIB, 16 / $RATE[$_] ] } 0 .. $#RATE;
    my %device = (
        name => '/dev/sda', bytes => 384 * $MIB, direct => JSON::PP::true, engine => 'libaio', iodepth => 8,
        passes => [ map { { bytes => 1, elapsed_seconds => 1, blocks => [ @blocks, [ 368 * $MIB, 0, .02 ] ] } } 1 .. 3 ],
        bad => [ { offset_bytes => 368 * $MIB, bytes => 16 * $MIB, error => 'Input/output error' } ], %change,
    );
    my $report = { settings => { operation => 'read', block_bytes => 16 * $MIB }, devices => [ \%device ], host => { name => 'lab' }, format_version => 1 };
    return '{"format":"zcav",' . substr JSON::PP->new->canonical->encode($report), 1;
}

subtest 'JSON' => sub {
    my $html = page([ file_of('zcav.json', json_of()) ]);
    is_deeply([ map { $_->[3] } rows_of($html, $PLACES) ], [ 'slow', 'cannot be read: Input/output error' ], 'the places');
    is_deeply([ (rows_of($html, $DEVICES))[0]->@[ 0 .. 3, 9 ] ], [ '/dev/sda', '384 MiB', '16 MiB', 3, 'libaio, depth 8, direct' ], 'the device');
    is_deeply([ $html =~ /<bdi>(pass \d)<\/bdi>/g ], [ 'pass 1', 'pass 2', 'pass 3' ], 'a curve of each pass');
    like($html, qr/1 device on lab; blocks of 16\x{A0}MiB/, 'where');
    my $hostile = json_of(name => '</bdi><script>alert(1)</script>', bad => [ 1, {}, { offset_bytes => -1, bytes => 'x' } ], engine => [], bytes => 'x', iodepth => {});
    unlike(page([ file_of('hostile.json', $hostile) ]), qr/<script/, 'a hostile one does no harm');
};

subtest 'large' => sub {
    my $many = 40_000;
    my $log  = "#block offset (GiB), MiB/s, time\n" . join q{}, map { sprintf "%.2f %.2f %.3f\n", $_ / 2, $_ == 777 ? 20 : 200, $_ == 777 ? 25.6 : 2.56 } 0 .. $many - 1;
    my $html = page([ file_of('large.log', $log) ]);
    cmp_ok(length $html, '<', 60_000, 'a disk of 20 TiB makes a small page');
    is_deeply([ (rows_of($html, $PLACES))[0]->@[ 1, 3, 6 ] ], [ '388 GiB', 'slow', '417,148,698,624' ] , 'on which one slow block is named') or diag(explain([ rows_of($html, $PLACES) ]));
    like($html, qr/<path class="losses"/, 'and seen');
};

subtest 'nothing wrong' => sub {
    my $html = page([ file_of('good.log', "#block offset (GiB), MiB/s, time\n0.00 100.00 5.120\n0.50 99.00 5.172\n") ]);
    like($html, qr/<p class="headline">Reads 99[.]5\x{A0}MiB\/s [^<]*; no place is slow, and none has failed[.]</, 'is said');
    is_deeply([ rows_of($html, $PLACES) ], [], 'and there is no table');
    unlike($html, qr/Orange|Grey/, 'nor a colour explained');
    my $memory = page([ file_of('memory.json', json_of(name => '/m/file', bytes => 2 * $MIB, bad => [], filesystem => 'tmpfs')) ]);
    like($memory, qr{<h1>/m/file, 2\x{A0}MiB, in memory [(]tmpfs[)]</h1>\n<p class="headline">Reads [^;]*; [^;]* in memory [(]tmpfs[)];}, 'memory is called memory');
};

# What only one pass shows may be anything; the curve of that pass shows it.
subtest 'slow in one of two passes' => sub {
    my @passes = map { my $pass = $_; { blocks => [ map { [ $_ * $MIB, $MIB, $_ == 5 || $_ == 4 * $pass - 1 ? 1 : .01 ] } 0 .. 9 ] } } 1, 2;
    my $html   = page([ file_of('passes.json', json_of(name => 'two', bad => [], bytes => 10 * $MIB, passes => \@passes)) ]);
    is_deeply([ map { $_->[1] } rows_of($html, $PLACES) ], ['5 MiB'], 'is no place that is slow');
    my ($slow) = $html =~ /<path class="losses" d="([^"]*)"/;
    is(() = $slow =~ /v-/g, 4, 'but each curve shows what was slow in it');
};

subtest 'refused' => sub {
    my $csv = "1.98,3.0,lab,1,1,1G,,8192,5" . ',1' x 12 . ',' x 5 . ',' x 24 . "\n";
    my @cases = (
        [ 'no block',     [ file_of('empty.log', "#block offset (GiB), MiB/s, time\n") ], qr/no block was measured in/ ],
        [ 'cut JSON',     [ file_of('cut.json', '{"format":"zcav","devices":[') ],          qr/JSON of zcav that cannot be read: / ],
        [ 'no device',    [ file_of('none.json', '{"format":"zcav","format_version":1,"devices":[]}') ],       qr/no block was measured in/ ],
        [ 'both at once', [ file_of('x.log', $LOG), "$FindBin::Bin/../golden/report/full.json" ], qr/results of bonnie and of zcav cannot be on one page/ ],
    );
    for my $case (@cases) {
        my ($name, $files, $reason) = @{$case};
        my ($status, $out, $err) = run('bon_csv2html', $files);
        is("$status$out", '1', "$name: exit status 1, no page");
        like($err, qr/\Abon_csv2html: [^\n]*$reason[^\n]*\n\z/, 'with the reason');
    }
    my ($status, undef, $err) = run('bon_csv2txt', [ file_of('y.log', $LOG) ]);
    like("$status$err", qr/\A1bon_csv2txt: no result found/, 'bon_csv2txt has no table for it');
};

done_testing();
