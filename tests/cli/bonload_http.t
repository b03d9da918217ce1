#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The target http: objects are put, read and deleted, and every kind of server failure is
# counted.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use HTTP::Tiny ();
use List::Util qw(sum);
use Test::More;
use BonnieRun  qw(finish have scratch source wait_until wait_until_working);
use JsonSchema qw(schema_errors);
use LoadRun    qw(bonload has_ended has_web load_started loaded);
use RunProgram qw(slurp spew);
use WebServer  qw(free_port web_server);

plan skip_all => 'this build lacks libcurl' if !has_web();

my @HTTP   = qw(-requests-engine=http);
my $dir    = scratch();
my $server = web_server(log => "$dir/log");
my $url    = $server->{url};

# The operations in a report, by name.
sub operations { my ($json) = @_; return { map { $_->{name} => $_ } @{ $json->{operations} } } }

sub failures { my ($json, $kind) = @_; return { map { $_->{what} => $_->{count} } @{ $json->{$kind}{failures} } } }

# ---- writing and reading ---------------------------------------------------------------------------
my $both = loaded(@HTTP, qw(-wt=3 -rt=3 -max-requests=600 -min-body-size=0 -max-body-size=70000 -verify=full -seed=5), "$url/both/a-XXXX");
is($both->{writes}{errors} + $both->{reads}{errors}, 0, 'no errors');
is($both->{writes}{asked} + $both->{reads}{asked}, 600, '600 requests');
cmp_ok($both->{verified_bytes}, '>', 0, 'what is read was looked at');
cmp_ok($both->{$_}{connections}, '<=', 3, "$_: connections are kept alive") for qw(reads writes);
cmp_ok($both->{$_}{connections}, '>=', 1, "$_: and counted") for qw(reads writes);
cmp_ok($both->{reads}{first_byte_ns}{count}, '==', $both->{reads}{asked}, 'the time to the first byte');
cmp_ok($both->{reads}{first_byte_ns}{mean}, '<=', $both->{reads}{latency_ns}{mean}, 'which comes before the last');
my $RECONNECTS = qr/^connections .*: the server closes them after each request, and every request paid for a new one$/m;
like(bonload(@HTTP, qw(-rt=2 -max-requests=100), "$url/once")->{said}, $RECONNECTS, 'a server that keeps no connection is told');
unlike(bonload(@HTTP, qw(-rt=2 -max-requests=100), "$url/status/200")->{said}, $RECONNECTS, 'one that does is not');

my $written = $both->{writes}{asked};
my @SAME    = (@HTTP, '-rt=2', '-seed=5', '-verify=full', "-max-requests=$written", "$url/both/a-XXXX");
my $again   = loaded(@SAME, qw(-min-body-size=0 -max-body-size=70000));
is($again->{damaged}, 0, 'another run with the same seed reads it back');
is($again->{verified_bytes}, $again->{reads}{bytes}, 'all of it');
my $other = bonload(@SAME, '-seed=6');
is($other->{status}, '1', 'another seed is another content');
like($other->{said}, qr/^error +\d+ x damaged: not what was written$/m, 'which is told');

is_deeply([ schema_errors(JSON::PP::decode_json(slurp(source('share/bonload.schema.json'))), JSON::PP::decode_json(JSON::PP::encode_json(loaded(@SAME)))) ], [], 'the report is as its schema says');

# ---- URLs as they are ----------------------------------------------------------------------------------
for my $signed ('X-Amz-Algorithm=A&X-Amz-Signature=abRRcdNN', 'a=1&X-Goog-Signature=00XX', 'Expires=1&Signature=aNN%3D', 'sv=1&sig=abRRcdNN') {
    my $name = ($signed =~ /([\w-]+ignature|sig)=/)[0];
    my @get  = (@HTTP, qw(-rt=1 -max-requests=2), "-url=$url/status/200?$signed");
    my $run  = bonload(@get);
    is($run->{status}, '1', "$name: exit status 1");
    like($run->{err}, qr/\Abonload: -url: the URL is presigned \(\Q$name\E=\), but its (RR|NN|XX) would become something else; use -literal, [^\n]*\n\z/, "$name: is told");
    is(bonload(@get, '-literal')->{status}, '0', "$name: -literal");
    like(slurp("$dir/log"), qr{GET /status/200\?\Q$signed\E }, "$name: is sent as it is");
}
is(bonload(@HTTP, qw(-rt=1 -max-requests=2), "-url=$url/status/200?sigs=abRRcdNN")->{status}, '0', 'other queries are templates');
is(bonload(@HTTP, qw(-rt=1 -max-requests=2), "-url=$url/status/200?X-Amz-Signature=ab12")->{status}, '0', 'and presigned ones without such letters are accepted');

# A signature is a secret, which neither lists of processes nor reports show.
for my $parameter (qw(X-Amz-Signature X-Goog-Signature Signature sig)) {
    my $run = load_started(@HTTP, qw(-rt=1 -duration=1000s -max-errors=100 --json -literal), "-timeline-file=$dir/page.html", "$url/status/404?a=1&$parameter=abRRcd&b=2");
    wait_until('a request', sub { (eval { slurp("$dir/log") } // q{}) =~ /[?]a=1&\Q$parameter\E=abRRcd&b=2 / });
    my $words = slurp("/proc/$run->{pid}/cmdline");
    kill TERM => $run->{pid};
    finish($run);
    like($words, qr/\Q$parameter\E=\*{6}&b=2\0/, "$parameter: stars stand for it in argv");
    like($run->{out}, qr/\Q$parameter\E=\*{6}&b=2/, 'and in JSON');
    unlike("$words$run->{out}$run->{err}" . slurp("$dir/page.html"), qr/abRRcd/, 'it is nowhere else');
    spew("$dir/urls", "$url/status/404?$parameter=abRRcd\n");
    $run = bonload(@HTTP, qw(-rt=1 -max-requests=3 -max-errors=100 --json -url-source), "$dir/urls");
    unlike("$run->{out}$run->{err}", qr/abRRcd/, 'nor of a file of names');
}

# ---- operations ---------------------------------------------------------------------------------------
my $mix = loaded(@HTTP, qw(-wt=2 -rt=2 -max-requests=2000 -body-size=100 -ops=get:4,head:2,put:3,delete:2 -remove), "$url/mix/NNNNNNNNNNNN");
my %done = map { $_ => operations($mix)->{$_}{made} } qw(get put head delete);
is(sum(values %done), 2000, '-ops: each request is one of them');
ok($done{$_} > 50, "-ops: $_ is among them") for sort keys %done;
is($mix->{writes}{asked}, $done{put} + $done{delete}, 'put and delete are writes');
is($mix->{reads}{asked},  $done{get} + $done{head},   'get and head are reads');
is($mix->{writes}{errors} + $mix->{reads}{errors}, 0, 'what the run removes itself is no error of a read');
is($mix->{damaged}, 0, 'nor damage');

loaded(@HTTP, qw(-wt=2 -max-requests=50 -body-size=10), "$url/gone/XX");
my $deleted = loaded(@HTTP, qw(-wt=2 -max-requests=50 -ops=delete), "$url/gone/XX");
is($deleted->{writes}{errors}, 0, '-ops=delete alone: from the first name on');
is_deeply(failures(loaded(@HTTP, qw(-rt=2 -max-requests=50 -ops=head -max-errors=100), "$url/gone/XX"), 'reads'), { '404 Not Found' => 50 }, 'and they are gone');
loaded(@HTTP, qw(-wt=2 -max-requests=30 -body-size=10 -remove), "$url/clean/XX");
is_deeply(failures(loaded(@HTTP, qw(-rt=1 -max-requests=30 -max-errors=100), "$url/clean/XX"), 'reads'), { '404 Not Found' => 30 }, '-remove');

# Names that recur while their objects are being removed.
my $few = loaded(@HTTP, qw(-wt=3 -rt=3 -max-requests=3000 -body-size=5000 -ops=get,put:3,delete), "$url/few/XX");
is($few->{writes}{errors} + $few->{reads}{errors}, $few->{writes}{errors}, 'reads of names that come and go are not taken for errors');
is($few->{damaged}, 0, 'nor for damage');

# ---- post and patch -----------------------------------------------------------------------------------
my $posted = loaded(@HTTP, qw(-wt=2 -rt=1 -max-requests=200 -body-size=100 -ops=post,get -max-errors=100 -header=Content-Type:application/json), "$url/post/XX", "-written-urls-dump=$dir/posted");
is($posted->{writes}{errors}, 0, '-ops=post: 202 Accepted is success');
is(operations($posted)->{post}{made}, $posted->{writes}{asked}, 'post is a write');
is(scalar split(/\n/, slurp("$dir/posted")), $posted->{writes}{asked} > 100 ? 100 : $posted->{writes}{asked}, 'with a name each, as put');
is($posted->{settings}{verify}, 'off', 'nothing is known of what is read');
my ($post) = slurp("$dir/log") =~ m{^\S+ (POST /post/01 .*?)\r\n\r\n}ms;
like($post, qr/^Content-Length: 100\r?$/m, 'with a body');
like($post, qr{^Content-Type:application/json\r?$}m, 'and the content type that was asked for');
unlike($post, qr/x-www-form-urlencoded|^Transfer-Encoding/m, 'and no other');
my $patched = loaded(@HTTP, qw(-wt=2 -rt=2 -max-requests=1000 -body-size=100 -ops=put,patch:3,get,delete -remove), "$url/patch/NNNNNNNNNNNN");
is($patched->{writes}{errors} + $patched->{reads}{errors}, 0, 'beside put, patch takes what the run has put');
ok(operations($patched)->{$_}{made} > 0, "$_ is among them") for qw(put patch get delete);
is(operations($patched)->{put}{errors} + operations($patched)->{patch}{errors}, 0, 'no patch before there is something');
like((grep {/ PATCH /} split /^(?=\S+ [A-Z]+ \/)/m, slurp("$dir/log"))[0], qr/^Content-Length: 100\r$/m, 'it has a body, too');
my $alone = loaded(@HTTP, qw(-wt=1 -max-errors=100 -max-requests=100 -body-size=10 -ops=patch), "$url/post/XX");
is($alone->{writes}{errors}, 100 - (grep {m{/post/}} split /\n/, slurp("$dir/posted")), 'without put, it takes the next name');

# ---- bodies from files --------------------------------------------------------------------------------
my @bodies = ('{"one": 1}', q{}, join q{}, map { chr(33 + $_ % 90) } 1 .. 50_000);
spew("$dir/body-$_", $bodies[$_]) for 0 .. 2;
my $tiny = HTTP::Tiny->new;
my $one = loaded(@HTTP, qw(-wt=2 -rt=2 -max-requests=100), "-body-file=$dir/body-2", "$url/both/all-XX");
is($one->{writes}{errors} + $one->{reads}{errors}, 0, '-body-file');
is($tiny->get("$url/both/all-01")->{content}, $bodies[2], 'is what is put');
is($one->{writes}{bytes}, 50_000 * $one->{writes}{asked}, 'and counted');
cmp_ok($one->{verified_bytes}, '>', 0, 'and compared with what is read');
is_deeply([ schema_errors(JSON::PP::decode_json(slurp(source('share/bonload.schema.json'))), JSON::PP::decode_json(JSON::PP::encode_json($one))) ], [], 'the report is as its schema says');
for my $op (qw(put post)) {
    for my $body (0 .. 2) {
        my @each = (@HTTP, "-ops=$op,get", "-body-file=$dir/body-$body");
        $tiny->delete("$url/given/$body");
        is(loaded(@each, qw(-wt=1 -max-requests=2), "$url/given/$body")->{writes}{errors}, 0, "-body-file, $op");
        is($tiny->get("$url/given/$body")->{content}, $bodies[$body], 'is what is sent');
        my $same = loaded(@each, qw(-rt=1 -max-requests=2 -verify=stamp), "$url/given/$body");
        is($same->{verified_bytes}, 2 * length $bodies[$body], 'another run knows what is right');
    }
}
for my $wrong ($bodies[0] . 'x', '{"one": 2}', '{"on') {
    $tiny->put("$url/given/0", { content => $wrong });
    is(bonload(@HTTP, qw(-rt=1 -max-requests=1 -verify=stamp), "-body-file=$dir/body-0", "$url/given/0")->{status}, '1', "and what is wrong: $wrong");
}

# ---- names from a file, and to a file ------------------------------------------------------------------
loaded(@HTTP, qw(-wt=2 -max-requests=20 -body-size=100), "-written-urls-dump=$dir/urls", "$url/dump/XX");
is(scalar split(/\n/, slurp("$dir/urls")), 20, '-written-urls-dump');
is(loaded(@HTTP, qw(-rt=2 -max-requests=60), "-url-source=$dir/urls")->{reads}{errors}, 0, '-url-source');

# ---- headers --------------------------------------------------------------------------------------------
loaded(@HTTP, '-rt=1', '-max-requests=1', '-header=X-Token: tell-nobody', '-header', 'X-Other:  b', '-header=X-Empty:', "$url/both/a-0001?x=%20y");
my ($head) = slurp("$dir/log") =~ m{.*^\S+ (GET /both/a-0001[?]x=%20y .*)}ms;
like($head, qr/^X-Token: tell-nobody\r$/m, '-header');
like($head, qr/^X-Other:  b\r$/m,          'more than one');
like($head, qr/^X-Empty: *\r$/m,           'one without a value');
like($head, qr{^User-Agent: bonload/\S+\r$}m, 'who asks');
unlike(slurp("$dir/log"), qr/^Expect:/m, 'nobody is asked whether a body may come');
my $echo = bonload(@HTTP, '-rt=1', '-max-requests=5', '-verbose', '-header=X-Token: tell-nobody', '--json', "-timeline-file=$dir/page", "$url/echo");
unlike($echo->{out} . $echo->{err} . slurp("$dir/page"), qr/tell-nobody/, 'what the server tells of a header is told to nobody');

# ---- failures ------------------------------------------------------------------------------------
my $nobody = free_port();
for my $case (
    [ '/none',       '404 Not Found' ],
    [ '/status/500', '500 Internal Server Error' ],
    [ '/status/503', '503 Service Unavailable' ],
    [ '/status/302', '302 Found' ],
    [ '/status/299', '299 not a success' ],
    [ '/loop',       '302 Found' ],
    [ '/garbage',    'the answer is not HTTP' ],
    [ '/nothing',    'closed without an answer' ],
    [ '/reset',      'receive: Connection reset by peer' ],
    [ '/half',       'closed within the headers' ],
    [ '/short',      'the body is shorter than announced' ],
    [ '/lying',      'no body can have the announced length' ],
    [ '/chunks',     qr/\Areceive: .*chunk/ ],
    (map { [ "/gzip$_", 'it has a Transfer-Encoding but chunked' ] } q{}, 2, 3),
    [ '/headers',    'the headers do not end' ],
    [ '/header',     qr/\A(?:the headers do not end|a line of headers is too long, or memory is short)/ ],
    [ '/interim',    'the headers do not end' ],
    [ '/silent',     'timed out' ],
    [ '/late',       'timed out' ], # data comes in the last millisecond, and then nothing
    [ '/body',       'timed out' ],
    [ '/chunk',      'timed out' ], # an extension of a chunk that does not end
    [ '/loris',      'timed out' ],
    [ "http://127.0.0.1:$nobody/", 'connect: Connection refused' ],
    [ 'http://no.such.host.invalid/', 'the host name cannot be resolved' ],
    )
{
    my ($path, $what) = @{$case};
    my $timeout = $what eq 'timed out' ? '300ms' : '60s';
    my $threads = $path eq '/late' ? 1 : 3; # the server makes only one at a time wait for so long
    my $run     = bonload(@HTTP, "-rt=$threads", qw(-max-requests=6 --json), "-timeout=$timeout", $path =~ /\Ahttp/ ? $path : "$url$path");
    is($run->{status}, '1', "$path: exit status 1");
    like($run->{err}, qr/\Abonload: 100 % of the requests failed, more than -max-errors=50; the first: read: .*\n\z/, "$path: one line");
    my $json = JSON::PP::decode_json($run->{out});
    my ($told, @more) = @{ $json->{reads}{failures} };
    like($told->{what}, ref $what ? $what : qr/\A\Q$what\E\z/, "$path: its kind");
    is($told->{count}, 6, "$path: each is counted");
    is_deeply(\@more, [], "$path: once");
}

# ---- a signal -----------------------------------------------------------------------------------
# Nobody waits up to -timeout for a server that sends nothing, or nothing that belongs to its answer.
for my $path (qw(/silent /chunk)) {
    spew("$dir/log", q{});
    my $load = load_started(@HTTP, qw(-rt=2 -timeout=600s -duration=1000s), "$url$path");
    wait_until("requests for $path", sub { slurp("$dir/log") =~ /GET \Q$path\E / });
    kill TERM => $load->{pid};
    is(finish($load)->{status}, 'signal 15', "$path: TERM ends it");
    like($load->{out}, qr/ x stopped before the server had answered$/m, 'and it says what became of the requests');
}

# ---- what comes in TLS without an end -------------------------------------------------------------
# OpenSSL or libcurl takes more and more of it, and calls nobody meanwhile.
sub ends_in_time {
    my ($name, $serve) = @_;
    my @args   = (@HTTP, qw(-insecure-https -rt=1));
    my $server = $serve->();
    my $load   = bonload(@args, qw(-max-requests=1 -timeout=300ms), "-url=https://127.0.0.1:$server->{port}/");
    like("$load->{status} $load->{out}", qr/\A1 .*^error +1 x timed out$/ms, "$name: -timeout ends it");
    $server = $serve->();
    $load   = load_started(@args, qw(-timeout=600s -duration=1000s), "-url=https://127.0.0.1:$server->{port}/");
    wait_until_working($load->{pid});
    kill TERM => $load->{pid};
    is(finish($load)->{status}, 'signal 15', "$name: TERM ends it");
    return;
}

my @feeders;
END { kill KILL => map {-$_} @feeders }

# A frame of HTTP/2, and a server that sends an empty SETTINGS, the first of two frames, and the second for ever.
sub frame { my ($kind, $flags, $stream, $content) = @_; return pack('x2C3N', length $content, $kind, $flags, $stream) . $content }

my $FEED = 'print pack "H*", $ARGV[0]; my $more = pack("H*", $ARGV[1]) x 1000; print $more while 1';

sub sends {
    my ($first, $more) = @_;
    my @texts = map { unpack 'H*', $_ } frame(4, 0, 0, q{}) . $first, $more;
    my $port = free_port();
    my $pid  = fork // die "fork: $!\n";
    if ($pid == 0) {
        setpgrp 0, 0;
        exec 'sh', '-c', 'perl -e "$1" $2 $3 | exec openssl s_server -quiet -4 -alpn h2 -accept 127.0.0.1:$4 -key "$5/key" -cert "$5/cert" >/dev/null 2>&1', 'sh', $FEED, @texts, $port, "$dir"
            or POSIX::_exit(1);
    }
    push @feeders, $pid;
    my $listens = sprintf '0100007F:%04X 00000000:0000 0A', $port;
    wait_until('the server', sub { slurp('/proc/net/tcp') =~ /$listens/ });
    return { port => $port, pid => $pid };
}

ends_in_time('HelloRequests in a handshake', sub { web_server(greets => "\x16\3\3\0\4\0\0\0\0" x 1000) });
SKIP: {
    skip 'this system lacks openssl', 4 if !have('openssl') || system("openssl req -x509 -newkey rsa:2048 -nodes -keyout $dir/key -out $dir/cert -days 1 -subj /CN=localhost >/dev/null 2>&1") != 0;
    ends_in_time('PRIORITY in HTTP/2',   sub { sends(q{}, frame(2, 0, 3, "\0\0\0\1\0")) });
    ends_in_time('empty DATA in HTTP/2', sub { sends(frame(1, 4, 1, "\x88"), frame(0, 0, 1, q{})) });
}

# ---- the run continues ---------------------------------------------------------------------------
# The server is killed and comes back: requests are refused meanwhile, and served afterwards.
my $port = free_port();
my $weak = web_server(port => $port);
loaded(@HTTP, qw(-wt=1 -max-requests=1 -body-size=100), "http://127.0.0.1:$port/x");
my $run = load_started(@HTTP, qw(-rps=200 -duration=1000s -max-errors=100 -verbose --json), "http://127.0.0.1:$port/x");
wait_until('requests', sub { has_ended($run) });
$weak->stop;
wait_until('errors', sub { slurp($run->{err_file}) =~ /refused/ });
$weak = web_server(port => $port);
wait_until('answers again', sub { slurp($run->{err_file}) =~ /404 Not Found/ });
kill INT => $run->{pid};
finish($run);
is($run->{status}, 'signal 2', 'it ends by the signal');
my $outage = JSON::PP::decode_json($run->{out});
cmp_ok(failures($outage, 'reads')->{'connect: Connection refused'}, '>', 0, 'refused while it was away');
cmp_ok($outage->{reads}{connections}, '>=', 2, 'connected again');

# A stopped server answers late, while requests keep coming due.
my $frozen = web_server();
loaded(@HTTP, qw(-wt=1 -max-requests=1 -body-size=100), "$frozen->{url}/x");
kill STOP => $frozen->{pid};
$run = load_started(@HTTP, qw(-rps=100 -max-requests=300 --json), "$frozen->{url}/x");
wait_until('the load', sub { has_ended($run); slurp($run->{err_file}) =~ /[(]the\s+run\s+goes\s+on[)]/ });
select undef, undef, undef, 1;
kill CONT => $frozen->{pid};
finish($run);
my $stopped = JSON::PP::decode_json($run->{out});
my $late    = $stopped->{reads};
my ($passed, @early) = (0);
for my $slice (@{ $stopped->{timeline}{slices} }) {
    push @early, $slice->{reads}{made} if ($passed += $slice->{seconds}) <= 1;
}
cmp_ok(scalar @early, '>', 0, 'the first second has slices');
is_deeply([ grep { $_ } @early ], [], 'and no request is told of before it has ended');
cmp_ok($late->{asked}, '>=', 300, 'requests kept coming due');
is($late->{made}, 300, 'and all were made');
is($late->{errors}, 0, 'without errors');
cmp_ok($late->{latency_ns}{max}, '>=', .95e9, 'the latency shows the stop');

# ---- wrong use ---------------------------------------------------------------------------------------------------
spew("$dir/bad", "$url/ok\nfile:///etc/passwd\n");
for my $case (
    [ [qw(-rt=1 -url=example.org/x)],                qr/'example.org\/x' is not a URL/ ],
    [ [qw(-rt=1 -url=file:///etc/passwd)],           qr/'file:\/\/\/etc\/passwd' is not a URL/ ],
    [ [ '-rt=1', "-url-source=$dir/bad" ],           qr/'file:\/\/\/etc\/passwd' is not a URL/ ],
    [ [qw(-rt=1 -url=http://me:secret@localhost/x)], qr/a URL must not contain a user's name or password/ ],
    [ [qw(-rt=1 -ops=list -url=http://x/)],          qr/-ops takes OP\[:WEIGHT\],... of get, put, head, delete, post and patch,/ ],
    [ [qw(-rt=1 -ops=put -url=http://x/)],           qr/-ops has nothing that reads/ ],
    [ [qw(-wt=1 -ops=get:2 -url=http://x/)],         qr/-ops has nothing that writes/ ],
    [ [ qw(-wt=1 -url=http://x/ -body-file=x -body-size=1) ],    qr/-body-file takes the size of the file, and cannot be combined with other sizes/ ],
    [ [ qw(-wt=1 -url=http://x/), "-body-file=$dir/none" ],      qr{open \Q$dir\E/none: No such file or directory} ],
    [ [ qw(-wt=1 -url=http://x/ -body-file=/dev/zero) ],         qr{the body /dev/zero is not a plain file} ],
    [ [qw(-wt=1 -ops=post -verify=stamp -url=http://x/)],    qr/-verify: what an object contains after post or patch is not known/ ],
    [ [qw(-wt=1 -ops=patch -remove -url=http://x/)],        qr/-remove removes what put has written, but -ops has no put/ ],
    [ [qw(-wt=1 -rpw=2 -ops=get,post -url=http://x/)],       qr/-rpw makes reads follow writes, but -ops has no put/ ],
    [ [qw(-wt=1 -rpw=2 -ops=get,delete -url=http://x/)], qr/-rpw makes reads follow writes, but -ops has no put/ ],
    )
{
    my ($args, $line) = @{$case};
    my $refused = bonload(@HTTP, @{$args});
    is($refused->{status}, '1', "@{$args}: exit status 1");
    like($refused->{err}, qr/\Abonload: [^\n]*$line[^\n]*\n\z/, "@{$args}: one line");
    unlike($refused->{err}, qr/secret/, "@{$args}: no secret");
    is($refused->{out}, q{}, "@{$args}: no figures");
}

done_testing();
