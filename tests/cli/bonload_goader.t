#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# goader's command lines, each run under both names: exit status, labels and JSON keys are those
# of goader's documentation, or the difference is listed in bonload(1).

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use BonnieRun  qw(finish scratch source wait_until);
use LoadRun    qw(bonload has_ended has_web program);
use RunProgram qw(slurp spew);
use WebServer  qw(web_server);

my $dir = scratch();
symlink program(), "$dir/goader" or die "symlink: $!\n";
my %NAMES = (bonload => {}, goader => { program => "$dir/goader" });

# Runs bonload under one of its names, as LoadRun does.
sub called {
    my ($name, @args) = @_;
    my %how = (%{ $NAMES{$name} }, dir => "$dir", env => { map { $_ => q{} } grep {/\AAWS_/} keys %ENV });
    my @quiet = (grep {/show-progress/} @args) ? () : '-show-progress=false';
    push @quiet, '-output=human' if $name eq 'bonload' && !grep {/-output=/} @args;
    push @quiet, '-output=human' if $name eq 'bonload' && !grep {/-output=/} @args;
    return BonnieRun::bonnie({ program => 'bonload', %how }, @quiet, @args);
}

# ---- what goader prints: labels in their order, by what the load is made of ------------------------
my $TIME    = qr/\d[\d.]*(?:ns|\xC2\xB5s|ms|s)/;
my @LATENCY = ("Average response time: $TIME", (map {"Percentile $_ - $TIME"} 30, 40, 50, 60, 70, 80, 90, 95, 99), "TopTen latencies:  $TIME(?: $TIME){0,9}");
my @COUNTS  = ('Total requests: \d+', 'Total errors: \d+');
my @SPEED   = ('Average OP/s:  \d+', 'Average good OP/s:  \d+');
my %LABELS  = (
    rate    => [ @LATENCY, @COUNTS, "Staggered for: $TIME", @SPEED ],
    threads => [ @LATENCY, @COUNTS, @SPEED ],
    search  => [ @LATENCY, "Threads with latency below $TIME: \\d+", @COUNTS, @SPEED ],
    failed  => [ @COUNTS,  @SPEED ],
);
my @KEYS      = qw(Errors Reads Reports StartTime Writes);
my @KIND_KEYS = qw(AverageGoodOps AverageOps AverageSpeed Done Errors FinalSpeed Percentiles StaggeredFor TopTen);

# ---- the list in the manual: the words of each difference ---------------------------------------------
my ($list) = slurp(source('man/bonload.1')) =~ /^Under both names, the program differs from goader:\n(.*?)^[.]El$/ms;
my %DIFFERS = (
    Dump     => "written-urls-dump\nwrites each name once",
    Failures => 'more errors than',
    Missing  => 'A missing or short file is an error',
    Mix      => 'may be omitted; rates',
    Numbers  => 'rates may have fractions',
    Overdue  => 'counts requests in flight',
    Page     => 'shows a heat map',
    Progress => 'Progress is shown as a line instead of dots',
    Searches => 'A search ends by itself',
    Sizes    => 'sizes start at 0',
    Words    => 'Options may follow the template',
    Wrong    => 'the exit status is 1 after a usage error (goader: 2 or 3)',
);
my %used;

# ---- the table ------------------------------------------------------------------------------------------
# A row has the arguments, the expected labels (or 'refused'), and the kinds of requests that are
# made; `differs` is an item of the manual's list if anything differs from goader's documentation;
# `bonload` has what is expected under that name instead.
mkdir "$dir/tmp";
my $web = web_server();
my $url = "$web->{url}/XXXXX";
spew("$dir/lines", join q{}, map {"tmp/line-$_\n"} 1 .. 20);
spew("$dir/urls",  join q{}, map {" $web->{url}/u$_ \n"} 1 .. 20);
my @SOME   = qw(-max-requests=60);
my @SEARCH = qw(-window=20ms -max-channels=4 -max-requests=300);
my @HTTP   = ('--requests-engine=upload', "-url=$url", '-body-size=1k');
my @BOTH   = ('--requests-engine=upload', "-url=$web->{url}/both/XXXXX", '-body-size=1k');
my @DISK   = ('-url=tmp/XXX', '-body-size=4k');
my @NULL   = qw(-requests-engine=null);
my $WORDS  = { status => 1, differs => 'Wrong' };
my @table  = (
    # the examples of goader's documentation
    [ [ qw(-rps=30 -wps=30 -max-channels=10), @BOTH, @SOME ], rate => 'RW' ],
    [ [ qw(--max-latency=300ms -timeout=60s), @BOTH, @SEARCH ],  search => 'RW', { differs => 'Searches' } ],
    [ [ qw(--max-latency=300ms -rt=0 -timeout=60s), @HTTP, @SEARCH ], search => 'W' ],
    [ [ qw(-rpt=10 --max-latency=300ms), @HTTP, @SEARCH ],      refused => q{}, $WORDS ],
    [ [ qw(-rpw=10 --max-latency=300ms -timeout=60s), @HTTP, @SEARCH ], search => 'RW' ],
    [ [ qw(-rt=20 -wt=3), @BOTH, @SOME ], threads => 'RW' ],
    [ [ qw(-rt=20 -wt=0), @HTTP, @SOME ], threads => 'R' ],
    [ [ qw(--max-latency=500ms --max-requests=3000 -rpw=10 --requests-engine=disk --url=tmp/XXX --body-size=4k -window=20ms) ], search => 'RW' ],
    # the targets
    [ [ '-wt=2', @DISK, @SOME ],                                               threads => 'W' ],
    [ [ qw(-wt=2 -requests-engine=disk), @DISK, @SOME ],                       threads => 'W' ],
    [ [ qw(-wt=2 -requests-engine=meta -meta-ops=write,stat -url=tmp/m-XX), @SOME ],           threads => 'W' ],
    [ [ qw(-wt=2 -requests-engine=meta -meta-ops=write:3 -meta-ops=stat:15,mknod -url=tmp/m-XX), @SOME ], threads => 'W' ],
    [ [ qw(-wt=2 -requests-engine=meta -url=tmp/m-XX), @SOME ],                threads => 'W', { differs => 'Mix' } ],
    [ [ qw(-wt=2 -requests-engine=meta -meta-xattr-keys=3 -meta-xattr-length=100 -meta-offset-limit=1MiB -url=tmp/m-XX), @SOME ], threads => 'W', { differs => 'Mix' } ],
    [ [ @NULL, '-rt=2', @SOME ],                                               threads => 'R' ],
    [ [ qw(-requests-engine=sleep -wt=20 -max-requests=40) ],                  threads => 'W' ],
    [ [ qw(-requests-engine=http -wt=1), "-url=$url", '-body-size=10', @SOME ], threads => 'W' ],
    [ [ qw(-requests-engine=frob -wt=1 -url=x) ], refused => q{}, $WORDS ],
    # the size of the load
    [ [ @NULL, qw(-rps=100), @SOME ],                  rate => 'R' ],
    [ [ @NULL, qw(-wps=100), @SOME ],                  rate => 'W' ],
    [ [ @NULL, qw(-rps=100.5), @SOME ],                rate => 'R', { differs => 'Numbers' } ],
    [ [ @NULL, qw(--rps 100 --wps 5), @SOME ],         rate => 'RW' ],
    [ [ @NULL, qw(-rps=100 -wps=20 -rpw=2), @SOME ],   rate => 'RW', { bonload => 'refused' } ],
    [ [ @NULL, qw(-wt=2 -rpw=1), @SOME ],              threads => 'RW' ],
    [ [ @NULL, qw(-wt=2 -rpw=0.5), @SOME ],            threads => 'RW' ],
    [ [ @NULL, qw(-wt=2 -rt=5 -rpw=1), @SOME ],        threads => 'RW' ],
    [ [ @NULL, qw(-rt=1 -rps=5) ],                     refused => q{}, $WORDS ],
    [ [ @NULL ],                                       refused => q{}, $WORDS ],
    [ [ @NULL, qw(-rt=600), @SOME ],                   threads => 'R' ],
    [ [ @NULL, qw(-rt=60 -max-channels=50), @SOME ],   threads => 'R', { bonload => 'refused' } ],
    [ [ @NULL, qw(-max-latency=1s -rt=3 -wt=0), @SEARCH ],                search => 'R' ],
    [ [ @NULL, qw(-max-latency=1s -wt=0 -adjust-on-errors=false), @SEARCH ], search => 'R' ],
    [ [ qw(-requests-engine=sleep -wps=500 -max-channels=2 -stop-on-bad-rate) ], rate => 'W', { status => 2, differs => 'Overdue' } ],
    [ [ @NULL, qw(-rps=0.7 -stop-on-bad-rate -max-requests=1) ], rate => 'R', { differs => 'Numbers' } ],
    [ [ @NULL, qw(-rt=1 -stop-on-bad-rate), @SOME ],   threads => 'R', { bonload => 'refused' } ],
    [ [ @NULL, qw(-rt=1 -max-requests=1) ],            threads => 'R' ],
    [ [ @NULL, qw(-rt=1 -max-requests=0x1) ],          refused => q{}, $WORDS ],
    # names and contents
    [ [ '-wt=1', '-body-size=4k', @SOME, 'tmp/word-XX' ],                      threads => 'W' ],
    [ [ '-wt=1', 'tmp/word-XX', '-body-size=4k', @SOME ],                      threads => 'W', { differs => 'Words' } ],
    [ [ qw(-wt=1 -mkdirs true -url=tmp/new/XX), @SOME ],                       threads => 'W', { differs => 'Words' } ],
    [ [ qw(-wt=1 -url=tmp/XX tmp/YY), @SOME ],                                 refused => q{}, { differs => 'Words', status => 1 } ],
    [ [ qw(-wt=1 -mkdirs=false -url=tmp/none/XX), @SOME ],                     failed => 'W', { status => 1, differs => 'Failures' } ],
    [ [ qw(-wt=1 -mkdirs -url=tmp/made/XX), @SOME ],                           threads => 'W' ],
    [ [ qw(-rt=1 -mkdirs -url=tmp/missing/XX), @SOME ],                        failed => 'R', { status => 1, differs => 'Missing' } ],
    [ [ qw(-wt=1 -url=tmp/r-NNNN-RRRR -seed=7), @SOME ],                       threads => 'W' ],
    [ [ qw(-wt=1 -url=tmp/same -seed=-7), @SOME ],                             threads => 'W' ],
    [ [ qw(-wt=1 -url-source=lines -body-size=100), @SOME ],                   threads => 'W' ],
    [ [ qw(-rt=1 -url-source=lines -chunk-size=10), @SOME ],                   threads => 'R' ],
    [ [ qw(-wt=2 -body-size=1KiB -url=tmp/XX), @SOME ],                        threads => 'W' ],
    [ [ qw(-wt=2 -min-body-size=1 -max-body-size=2kb -url=tmp/XX), @SOME ],    threads => 'W' ],
    [ [ qw(-wt=2 -max-body-size=2kb -url=tmp/XX), @SOME ],                     threads => 'W', { differs => 'Sizes' } ],
    [ [ qw(-wt=2 -min-body-size=1 -max-body-size=100 -fair-random -url=tmp/XX), @SOME ], threads => 'W', { differs => 'Sizes' } ],
    [ [ qw(-wt=2 -min-body-size=1 -max-body-size=100 -fair-random -random-fair-buckets=10 -url=tmp/XX), @SOME ], threads => 'W' ],
    [ [ qw(-wt=2 -min-body-size=3 -max-body-size=2 -url=tmp/XX) ],             refused => q{}, $WORDS ],
    [ [ '-wt=1', @DISK, '-written-urls-dump=dump', @SOME ],                    threads => 'W', { differs => 'Dump' } ],
    # options of goader's S3
    [ [ qw(-requests-engine=s3 -rt=1 -url=x -s3-bucket=b -s3-api-key=k -s3-secret-key=s) ], refused => q{}, $WORDS ],
    [ [ qw(-requests-engine=s3 -rt=1 -url=x -s3-bucket=b -s3-sign-ver=3 -s3-endpoint=http://127.0.0.1:1) ], refused => q{}, $WORDS ],
    [ [ qw(-requests-engine=s3 -rt=1 -url=x -s3-bucket=b -s3-api-key=k -s3-secret-key=s -s3-region=r), "-s3-endpoint=$web->{url}/status/200", @SOME ], threads => 'R' ],
    # output
    [ [ @NULL, qw(-rt=1 -output=human), @SOME ],            threads => 'R' ],
    [ [ @NULL, qw(-rt=1 -output=xml) ],                     refused => q{}, $WORDS ],
    [ [ @NULL, qw(-rt=1 -show-progress=true), @SOME ],      threads => 'R', { differs => 'Progress' } ],
    [ [ @NULL, qw(-rt=1 -show-progress=false), @SOME ],     threads => 'R' ],
    [ [ @NULL, qw(-rt=1 -verbose -memory-debug), @SOME ],   threads => 'R', { differs => 'Progress' } ],
    [ [ @NULL, qw(-rt=1 -timeline-file=page), @SOME ],      threads => 'R', { differs => 'Page' } ],
    [ [ @NULL, qw(-rt=1 -insecure-https), @SOME ],          threads => 'R', { bonload => 'refused' } ],
);
cmp_ok(scalar @table, '>=', 60, 'the table is long enough');

my $has_curl = has_web();
called('bonload', @HTTP, qw(-wt=1), @SOME) if $has_curl; # objects for the cases that only read
for my $row (@table) {
    my ($words, $labels, $kinds, $more) = @{$row};
    my %more = (status => 0, %{ $more // {} });
    next if !$has_curl && grep {/=(?:upload|http|s3)\z/} @{$words};
    $used{ $more{differs} } = 1 if $more{differs};
    for my $name (sort keys %NAMES) {
        my $is_refused = $labels eq 'refused' || ($more{$name} // q{}) eq 'refused';
        my $title = "$name @{$words}" =~ s/\Q$web->{url}\E/http:/gr =~ s/\Q$dir\E//gr;
        subtest $title => sub { look_at($name, $words, $is_refused ? 'refused' : $labels, $kinds, \%more) };
    }
}

sub look_at {
    my ($name, $words, $labels, $kinds, $more) = @_;
    my $run = called($name, @{$words});
    if ($labels eq 'refused') {
        is($run->{status}, '1', 'exit status 1');
        is($run->{out}, q{}, 'no figures');
        return like($run->{err}, qr/\Abonload: [^\n]+\n\z/, 'one line');
    }
    my $unfinished = $labels eq 'search' && $name eq 'bonload' ? '|3' : q{}; # a search may end before it knows, which goader does not tell
    like($run->{status}, qr/\A(?:$more->{status}$unfinished)\z/, "exit status $more->{status}") or diag($run->{err});
    for my $kind ([ W => 'Writes' ], [ R => 'Reads' ]) {
        my $lines = join q{}, map {"$_\n"} @{ $LABELS{$labels} };
        $kinds =~ $kind->[0] ? like($run->{out}, qr/^$kind->[1]\n$lines/m, "$kind->[1]: the labels") : unlike($run->{out}, qr/^$kind->[1]$/m, "no $kind->[1]");
    }
    my $json = eval { JSON::PP::decode_json(called($name, '-output=json', grep { !/\A-output/ } @{$words})->{out}) } // {};
    is_deeply([ sort grep { $_ ne 'bonload' } keys %{$json} ], \@KEYS, 'the keys');
    is_deeply([ sort keys %{ $json->{$_} } ], \@KIND_KEYS, "the keys of $_") for qw(Writes Reads);
    is($json->{Writes}{FinalSpeed} + $json->{Reads}{FinalSpeed} > 0, $labels eq 'search', 'FinalSpeed is that of a search');
    return;
}
isnt(index($list // q{}, $DIFFERS{$_}), -1, "bonload(1) tells of the difference: $_") for sort keys %used;

like(called('goader', qw(-rpt=10 -url=x))->{err}, qr/unknown option -rpt; did you mean .*-rpw\b/, "the -rpt of goader's documentation is -rpw");

# ---- what is done under the name goader alone -------------------------------------------------------------
# goader follows a symbolic link of this user, unless another user could have put it
# there.
mkdir "$dir/links";
spew("$dir/far", q{});
symlink '../far', "$dir/links/a" or die "symlink: $!\n";
is(called('bonload', qw(-wt=1 -max-requests=1 -body-size=10 links/a))->{status}, '1', 'bonload follows no link in the last part');
is(called('goader', qw(-wt=1 -max-requests=1 -body-size=10 links/a))->{status}, '0', 'goader follows one of this user');
is(-s "$dir/far", 10, 'to where it leads');
chmod oct(777), "$dir/links";
is(called('goader', qw(-wt=1 -max-requests=1 -body-size=10 links/a))->{status}, '1', 'but not where others can put one');

# A signal ends the run.
for my $signal (qw(HUP INT TERM)) {
    my $run = BonnieRun::start({ program => "$dir/goader" }, qw(-show-progress=false -requests-engine=sleep -rt=3 -max-requests=100000 -output=json));
    wait_until('requests', sub { has_ended($run) });
    kill $signal => $run->{pid};
    finish($run);
    is($run->{status}, '0', "goader: $signal is answered with the results");
    is_deeply(JSON::PP::decode_json($run->{out})->{Reports}, ['Stopped by user'], "$signal: which say so");
}
# The simulated target fails one request in ten thousand, so another error may be in
# the list.
is((grep { $_ eq 'Could not sustain given rate' } @{ JSON::PP::decode_json(called('goader', qw(-requests-engine=sleep -wps=500 -max-channels=2 -stop-on-bad-rate -output=json))->{out})->{Errors} }),
    1, 'why a rate ended the run');

web_tests() if $has_curl;

sub web_tests {
    my $server = web_server(log => "$dir/log");
    # Names with blanks, and a password.
    spew("$dir/blanks", "  $server->{url}/a b\t\n");
    is(called('goader', qw(-requests-engine=http -wt=1 -max-requests=2 -body-size=10 -url-source=blanks))->{status}, '0', 'names are trimmed');
    like(slurp("$dir/log"), qr{^\S+ PUT /a%20b HTTP}m, 'and a blank is encoded');
    my ($port) = $server->{url} =~ /(\d+)\z/;
    my $with = "http://me:se%20cret\@127.0.0.1:$port/echo";
    my $run  = called('goader', qw(-requests-engine=http -rt=1 -max-requests=2 -verbose --json), "-url=$with");
    like(slurp("$dir/log"), qr{^Authorization: Basic bWU6c2UgY3JldA==\r$}m, 'goader: user:password@ is basic authentication');
    unlike($run->{out} . $run->{err}, qr/se%20cret|bWU6c2/, 'of which nothing is told');
    like($run->{out}, qr{"url":"http://127.0.0.1:$port/echo"}, 'the URL is told without it');
    # Passwords in a file of names: each line has its own.
    truncate "$dir/log", 0;
    spew("$dir/named", "http://me:se%20cret\@127.0.0.1:$port/echo\nhttp://127.0.0.1:$port/status/200\n HTTP://you\@127.0.0.1:$port/status/200?a\@b \nhttp://:to%20ken\@127.0.0.1:$port/status/200?token\n");
    my $each = called('goader', qw(-requests-engine=http -rt=1 -max-requests=8 -verbose -output=json -url-source=named -written-urls-dump=told -timeline-file=page));
    is_deeply([ map { [ m{ /(\S+) HTTP}, /^Authorization: Basic (\S+)\r$/m ] } split /^(?=\S+ GET \/)/m, slurp("$dir/log") ],
        [ ([ 'echo', 'bWU6c2UgY3JldA==' ], ['status/200'], [ 'status/200?a@b', 'eW91Og==' ], [ 'status/200?token', 'OnRvIGtlbg==' ]) x 2 ], 'goader: lines of -url-source have their own');
    unlike($each->{out} . $each->{err} . slurp("$dir/told") . slurp("$dir/page"), qr/cret|\bme:se|you@|bWU6c2/, 'which nothing tells');
    is_deeply([ split /\n/, slurp("$dir/told") ], [ "http://127.0.0.1:$port/echo", "http://127.0.0.1:$port/status/200", "HTTP://127.0.0.1:$port/status/200?a\@b", "http://127.0.0.1:$port/status/200?token" ], 'names are told without them');
    like(called('bonload', qw(-requests-engine=http -rt=1 -url-source=named))->{err}, qr/\Abonload: a URL must not contain a user's name or password[^\n]*\n\z/, 'bonload: neither there');
    my $long = BonnieRun::start({ program => "$dir/goader" }, qw(-show-progress=false -requests-engine=http -rps=1 -max-requests=100), "-url=$with");
    wait_until('the program', sub { slurp("/proc/$long->{pid}/cmdline") =~ m{goader\0.*http://127}s });
    unlike(slurp("/proc/$long->{pid}/cmdline"), qr/cret/, 'nor is it seen in the list of processes');
    kill KILL => $long->{pid};
    finish($long);

    # An object store without keys, and an endpoint without a scheme.
    my @s3 = (qw(-requests-engine=s3 -wt=1 -max-requests=2 -body-size=10 -s3-bucket=b -url=key), "-s3-endpoint=127.0.0.1:$port/status/200");
    is(called('goader', @s3)->{status}, '0', 'goader: an endpoint without scheme is http, and needs no keys');
    my ($head) = slurp("$dir/log") =~ m{^\S+ (PUT /status/200/b/key .*)}ms;
    unlike($head, qr/^(?:Authorization|x-amz)/mi, 'requests are not signed');
    my $by_tls = called('bonload', @s3, qw(-s3-api-key=a -s3-secret-key=b -insecure-https));
    like($by_tls->{out}, qr/^Error: 2 x TLS: .*; is it http[?]$/m, 'bonload: https, and what may be wrong') or diag($by_tls->{out});
    is(called('bonload', @s3)->{status}, '1', 'bonload: keys are needed');

    # A server that does not keep the objects that are put.
    my @lost = (qw(-requests-engine=http -wt=1 -rpw=1 -max-requests=20 -body-size=100), "-url=$server->{url}/status/200/XXX");
    is(called('goader', @lost)->{status}, '0', 'goader: what is read is not verified');
    is(called('bonload', @lost, '-verify=off')->{status}, '0', 'nor with -verify=off');
    my $lost = called('bonload', @lost);
    is($lost->{status}, '1', 'bonload: what was put is not there');
    like($lost->{err}, qr/damaged reads; -verify=off is for a server that does not keep what is put$/m, 'the line names -verify=off');
    return;
}

done_testing();
