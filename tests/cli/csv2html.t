#!/usr/bin/perl
# bon_csv2html as a user runs it. Looking at the page is not automated; that
# it is well formed, complete, self-contained and harmless is.

use strict;
use warnings;
use Encode qw(decode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use Test::More;
use RunProgram qw(data_file run slurp spew);

my $PROGRAM = 'bon_csv2html';
my $dir     = File::Temp->newdir;

sub page {
    my ($status, $out, $err) = run($PROGRAM, @_);
    is("$status$err", '0', 'exit status 0 and silence');
    return decode('UTF-8', $out);
}

# Every start tag has its end tag, in the right order.
sub unbalanced {
    my ($html) = @_;
    my %void = map { $_ => 1 } qw(meta link);
    my @open;
    $html =~ s/<!DOCTYPE html>//;
    $html =~ s/<style>.*?<\/style>//s;
    while ($html =~ m{<(/?)([a-z0-9]+)(?: [a-zA-Z0-9-]+="[^"<>]*")*>|([<>])}g) {
        return "stray $3" if defined $3;
        if    (!$1 && !$void{$2})              { push @open, $2 }
        elsif ($1 && (pop @open // q{}) ne $2) { return "</$2>" }
    }
    return "@open";
}

# The text of the cells of each body row of the table with this caption.
sub rows_of {
    my ($html, $caption) = @_;
    my ($body) = $html =~ m{<caption><span>\Q$caption\E</span></caption>.*?<tbody>(.*?)</tbody>}s;
    my @rows;
    for my $row (split /<\/tr>/, $body =~ s/\s+\z//r) {
        push @rows, [ map { s/<[^>]*>//gr } $row =~ m{<t[hd][^>]*>(.*?)</t[hd]>}g ];
    }
    return @rows;
}

my @LABELS = qw(AcharyaX host1 host6 raspberrypi fuss yazgoo-virtualbox ubuntu ceph-admin SERVER ANDREW-PC
    tidbit.kungfoocoder.org ubuntu raid0);
my @CAPTIONS = (
    (map { ("$_: rate and CPU use", "$_: longest single operation (latency)") } 'Sequential and random I/O', 'File operations'),
    'What each result was measured with',
);

subtest 'every generation in one file' => sub {
    my $html = page([ data_file('realworld.csv') ]);
    is(unbalanced($html), q{}, 'well formed');
    my @numbered = map { $_ + 1 . " $LABELS[$_]" } 0 .. $#LABELS;
    for my $caption (@CAPTIONS) {
        is_deeply([ map { $_->[0] } rows_of($html, $caption) ], \@numbered, "$caption: every row, in order");
    }
    is(scalar(() = $html =~ /<svg /g), 12, 'a chart for each test');
    is_deeply([ $html =~ m{<figcaption>(.*?), more is better<}g ],
        [ 'Sequential output', 'Sequential input', 'Random seeks', 'Sequential create', 'Random create' ], 'in five groups');
};

subtest 'figures and settings' => sub {
    my $html = page([ data_file('realworld.csv') ]);
    my @io   = rows_of($html, $CAPTIONS[0]);
    is_deeply([ @{ $io[0] }[ 1 .. 5 ] ],
        [ "800\x{A0}MiB", "496\x{A0}KiB/s", "87\x{A0}%", "\x{25BC}\x{25BC}34.1\x{A0}MiB/s", "12\x{A0}%" ], 'rates and CPU use');
    is_deeply([ @{ $io[5] }[ 1 .. 2 ] ], [ "\x{2013}", 'not run' ], 'a half that was not run');
    ok((grep { $_ eq 'too fast to measure' } @{ $io[2] }), 'too fast to measure');
    is(@{ $io[10] }[2], 'not run', 'a test that was not run');
    is((rows_of($html, $CAPTIONS[1]))[10][2], 'not recorded', '1.03 has no latencies');
    is((rows_of($html, $CAPTIONS[1]))[1][2] =~ s/\W*//r, "9.83\x{A0}ms", 'a latency');
    my @settings = @{ (rows_of($html, $CAPTIONS[4]))[3] };
    is($settings[11], '16', 'directories of Bonnie++ in their own column');
    is($settings[12], 'not recorded', 'and its chunk size is lost');
    ($html) = page([ data_file('halves.csv') ]);
    @settings = @{ (rows_of($html, $CAPTIONS[4]))[1] };
    is_deeply([ @settings[ 9 .. 12 ] ], [ "1\x{A0}KiB", "512\x{A0}bytes", '4', "4\x{A0}KiB" ], 'our own line as written');
};

subtest 'self-contained' => sub {
    my $html = page([ data_file('realworld.csv') ]);
    unlike($html, qr{https?:|//|<script|<img|\bon[a-z]+=|url\(|\@import}, 'nothing is fetched and nothing runs');
    like($html, qr{Content-Security-Policy}, 'and the browser is told so');
};

subtest 'colours need something to compare' => sub {
    my $one = page([ data_file('lab.csv') ]);
    unlike($one, qr/class="[^"]*\b[bw][12]\b|class="cue"|id="legend"/, 'one row: no colour, no legend');
    my $same = page([ (data_file('lab.csv')) x 3 ]);
    unlike($same, qr/<td [^>]*class="[^"]*\b[bw][12]\b/, 'equal rows: no colour');
    my $two = page([ '-' ], join q{}, map { slurp(data_file('lab.csv')) =~ s/,1723,99,/,$_,99,/r } 1000, 5000);
    my ($slow, $fast) = rows_of($two, $CAPTIONS[0]);
    is("$slow->[2] $fast->[2]", "\x{25BC}\x{25BC}1,000\x{A0}KiB/s \x{25B2}\x{25B2}4.88\x{A0}MiB/s", 'a sign beside each colour');
};

subtest 'hostile text' => sub {
    my $lab  = slurp(data_file('lab.csv'));
    my @evil = ('<script>alert(1)</script>"x"&', q{'><img src=x onerror=alert(1)>}, "\e[2J\x07\x00", "\xFF\xFE", 'W' x 9999,
        "\xE2\x80\xAEx", q{}, q{ }, '</title></svg></table><!--');
    my $csv = join q{}, map { my $evil = $_; $lab =~ s/,lab,/,$evil,/r } @evil;
    $csv .= $lab =~ s/1G/<u>/r =~ s/3[.]0[.]0/"><b>/r;
    $csv .= $lab =~ s/,1723,/,<i>1<\/i>,/r =~ s/4964us/<b>us/r;
    my ($status, $out, $err) = run($PROGRAM, [ '--title', '</title><script>"\'&' ], $csv);
    my $html = decode('UTF-8', $out, Encode::FB_CROAK);
    is($status, 0, 'exit status 0');
    is(unbalanced($html), q{}, 'well formed');
    unlike($html =~ s/<style>.*?<\/style>//sr, qr/<(?:script|img|b|i|u|!--)\b/, 'no foreign element');
    unlike($html, qr/[\x00-\x09\x0B-\x1F\x7F-\x9F\x{202E}]/, 'no control character');
    is(scalar(rows_of($html, $_)), @evil + 2, "$_: no row is hidden") for @CAPTIONS;
    like($html, qr/unreadable: &lt;i&gt;1&lt;\/i&gt;/, 'an unreadable figure is shown');
    is(scalar(() = $err =~ /^standard input:11: /mg), 2, 'and named');
    like($html, qr{<h1>&lt;/title&gt;&lt;script&gt;&quot;&\#39;&amp;</h1>}, 'the title is escaped');
};

subtest 'input' => sub {
    my $csv  = slurp(data_file('lab.csv'));
    my $html = page([ data_file('bonnie++-2.00a-output.txt') ]);
    is((rows_of($html, $CAPTIONS[0]))[0][0], '1 vm', q{Bonnie++'s whole output});
    is(scalar(rows_of(page([ data_file('lab.csv'), '-' ], $csv =~ s/\n/\r\n/r), $CAPTIONS[0])), 2, 'a file and standard input');
    my ($status, $out, $err) = run($PROGRAM, [], "1.98,3.0.0,cut,off\n$csv");
    is($status, 0, 'a line that cannot be read: exit status 0');
    like($err, qr/\Astandard input:1: number of fields is 4; .*\n\z/, 'and a warning');
};

subtest 'failures' => sub {
    my %case = (
        'no such file'   => [ ["$dir/none"],           qr/cannot read .*none: No such file/ ],
        'no result'      => [ [],                      qr/no result found in standard input/ ],
        'unknown option' => [ ['-x'],                  qr/unknown option: x; try --help/ ],
        'one field'      => [ [], qr/no result found/, "1.98\n" ],
    );
    for my $name (sort keys %case) {
        my ($arguments, $message, $input) = @{ $case{$name} };
        my ($status, $out, $err) = run($PROGRAM, $arguments, $input);
        is("$status$out", '1', "$name: exit status 1 and no page");
        like($err, qr/^bon_csv2html: $message[^\n]*\n\z/m, "$name: says why");
    }
SKIP: {
        skip 'no /dev/full', 1 if !-c '/dev/full';
        is((run($PROGRAM, [ '-o/dev/full', data_file('lab.csv') ]))[0], 1, 'full disk: exit status 1');
    }
};

subtest 'options' => sub {
    my $html = page([ '--title', "M\xC3\xBCller's disks", data_file('lab.csv') ]);
    is(scalar(() = $html =~ m{<(?:title|h1)>M\x{FC}ller&\#39;s disks</}g), 2, '--title');
    page([ "-o$dir/page.html", data_file('lab.csv') ]);
    is(unbalanced(slurp("$dir/page.html")), q{}, '--output');
    my ($status, $out, $err) = run($PROGRAM, ['--help']);
    is("$status$err", '0', '--help: exit status 0');
    like($out, qr/^Usage: bon_csv2html .*--title.*--output.*--help.*--version/s, '--help: every option');
    like((run($PROGRAM, ['-V']))[1], qr/\Abon_csv2html \d+[.]\d+[.]\d+\n\z/, '--version');
};

done_testing();
