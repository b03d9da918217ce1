#!/usr/bin/perl
# The target http: what is put, read and deleted, and how every way is counted in which a server can fail.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(sum);
use Test::More;
use BonnieRun  qw(finish scratch source wait_until);
use JsonSchema qw(schema_errors);
use LoadRun    qw(bonload has_ended load_started loaded);
use RunProgram qw(slurp spew);
use WebServer  qw(free_port web_server);

plan skip_all => 'this build lacks libcurl' if bonload(qw(-requests-engine=http -rt=1 -url=http://127.0.0.1:1/))->{err} =~ /this build lacks libcurl/;

my @HTTP   = qw(-requests-engine=http);
my $dir    = scratch();
my $server = web_server(log => "$dir/log");
my $url    = $server->{url};

# What a report says of the operations, by name.
sub operations { my ($json) = @_; return { map { $_->{name} => $_ } @{ $json->{bonload}{operations} } } }

sub failures { my ($json, $kind) = @_; return { map { $_->{what} => $_->{count} } @{ $json->{bonload}{$kind}{failures} } } }

# ---- writing and reading ---------------------------------------------------------------------------
my $both = loaded(@HTTP, qw(-wt=3 -rt=3 -max-requests=600 -min-body-size=0 -max-body-size=70000 -verify=full -seed=5), "$url/a/XXXX");
is($both->{Writes}{Errors} + $both->{Reads}{Errors}, 0, 'no errors');
is($both->{Writes}{Done} + $both->{Reads}{Done}, 600, 'so many requests');
cmp_ok($both->{bonload}{verified_bytes}, '>', 0, 'what is read was looked at');
cmp_ok($both->{bonload}{$_}{connections}, '<=', 3, "$_: connections are kept alive") for qw(reads writes);
cmp_ok($both->{bonload}{$_}{connections}, '>=', 1, "$_: and counted") for qw(reads writes);
cmp_ok($both->{bonload}{reads}{first_byte_ns}{count}, '==', $both->{Reads}{Done}, 'the time to the first byte');
cmp_ok($both->{bonload}{reads}{first_byte_ns}{mean}, '<=', $both->{bonload}{reads}{latency_ns}{mean}, 'which comes before the last');

my $written = $both->{Writes}{Done};
my @SAME    = (@HTTP, '-rt=2', '-seed=5', '-verify=full', "-max-requests=$written", "$url/a/XXXX");
my $again   = loaded(@SAME, qw(-min-body-size=0 -max-body-size=70000));
is($again->{bonload}{damaged}, 0, 'another run with the same seed reads it back');
is($again->{bonload}{verified_bytes}, $again->{bonload}{reads}{bytes}, 'all of it');
my $other = bonload(@SAME, '-seed=6');
is($other->{status}, '1', 'another seed is another content');
like($other->{out}, qr/^Error: \d+ x damaged: not what was written$/m, 'which is told');

is_deeply([ schema_errors(JSON::PP::decode_json(slurp(source('share/bonload.schema.json'))), JSON::PP::decode_json(JSON::PP::encode_json(loaded(@SAME)))) ], [], 'the report is as its schema says');

# ---- operations ---------------------------------------------------------------------------------------
my $mix = loaded(@HTTP, qw(-wt=2 -rt=2 -max-requests=2000 -body-size=100 -ops=get:4,head:2,put:3,delete:2 -cleanup), "$url/mix/NNNNNNNNNNNN");
my %done = map { $_ => operations($mix)->{$_}{requests} } qw(get put head delete);
is(sum(values %done), 2000, '-ops: each request is one of them');
ok($done{$_} > 50, "-ops: $_ is among them") for sort keys %done;
is($mix->{Writes}{Done}, $done{put} + $done{delete}, 'put and delete are writes');
is($mix->{Reads}{Done},  $done{get} + $done{head},   'get and head are reads');
is($mix->{Writes}{Errors} + $mix->{Reads}{Errors}, 0, 'what the run removes itself is no error of a read');
is($mix->{bonload}{damaged}, 0, 'nor damage');

loaded(@HTTP, qw(-wt=2 -max-requests=50 -body-size=10), "$url/gone/XX");
my $deleted = loaded(@HTTP, qw(-wt=2 -max-requests=50 -ops=delete), "$url/gone/XX");
is($deleted->{Writes}{Errors}, 0, '-ops=delete alone: from the first name on');
is_deeply(failures(loaded(@HTTP, qw(-rt=2 -max-requests=50 -ops=head -max-errors=100), "$url/gone/XX"), 'reads'), { '404 Not Found' => 50 }, 'and they are gone');
loaded(@HTTP, qw(-wt=2 -max-requests=30 -body-size=10 -cleanup), "$url/clean/XX");
is_deeply(failures(loaded(@HTTP, qw(-rt=1 -max-requests=30 -max-errors=100), "$url/clean/XX"), 'reads'), { '404 Not Found' => 30 }, '-cleanup');

# Names that come again, and are removed meanwhile.
my $few = loaded(@HTTP, qw(-wt=3 -rt=3 -max-requests=3000 -body-size=5000 -ops=get,put:3,delete), "$url/few/XX");
is($few->{Writes}{Errors} + $few->{Reads}{Errors}, $few->{bonload}{writes}{errors}, 'reads of names that come and go are not taken for errors');
is($few->{bonload}{damaged}, 0, 'nor for damage');

# ---- names from a file, and to a file ------------------------------------------------------------------
loaded(@HTTP, qw(-wt=2 -max-requests=20 -body-size=100), "-written-urls-dump=$dir/urls", "$url/dump/XX");
is(scalar split(/\n/, slurp("$dir/urls")), 20, '-written-urls-dump');
is(loaded(@HTTP, qw(-rt=2 -max-requests=60), "-url-source=$dir/urls")->{Reads}{Errors}, 0, '-url-source');

# ---- headers --------------------------------------------------------------------------------------------
loaded(@HTTP, '-rt=1', '-max-requests=1', '-header=X-Token: tell-nobody', '-header', 'X-Other:  b', '-header=X-Empty:', "$url/a/0001?x=%20y");
my ($head) = slurp("$dir/log") =~ m{.*^\S+ (GET /a/0001[?]x=%20y .*)}ms;
like($head, qr/^X-Token: tell-nobody\r$/m, '-header');
like($head, qr/^X-Other:  b\r$/m,          'more than one');
like($head, qr/^X-Empty: *\r$/m,           'one without a value');
like($head, qr{^User-Agent: bonload/\S+\r$}m, 'who asks');
unlike(slurp("$dir/log"), qr/^Expect:/m, 'nobody is asked whether a body may come');
my $echo = bonload(@HTTP, '-rt=1', '-max-requests=5', '-verbose', '-header=X-Token: tell-nobody', '-output=json', "-timeline-file=$dir/page", "$url/echo");
unlike($echo->{out} . $echo->{err} . slurp("$dir/page"), qr/tell-nobody/, 'what the server tells of a header is told to nobody');

# ---- what goes wrong --------------------------------------------------------------------------------------
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
    [ '/chunks',     qr/\Areceive: .*chunk/ ],
    [ '/headers',    'the headers do not end' ],
    [ '/header',     qr/\A(?:the headers do not end|Out of memory)/ ],
    [ '/interim',    'the headers do not end' ],
    [ '/silent',     'timed out' ],
    [ '/body',       'timed out' ],
    [ '/loris',      'timed out' ],
    [ "http://127.0.0.1:$nobody/", 'connect: Connection refused' ],
    [ 'http://no.such.host.invalid/', 'the host name cannot be resolved' ],
    )
{
    my ($path, $what) = @{$case};
    my $timeout = $what eq 'timed out' ? '300ms' : '60s';
    my $run     = bonload(@HTTP, qw(-rt=3 -max-requests=6 -output=json), "-timeout=$timeout", $path =~ /\Ahttp/ ? $path : "$url$path");
    is($run->{status}, '1', "$path: exit status 1");
    is($run->{err}, "bonload: 100 % of the requests failed, more than -max-errors=50\n", "$path: one line");
    my $json = JSON::PP::decode_json($run->{out});
    my ($told, @more) = @{ $json->{bonload}{reads}{failures} };
    like($told->{what}, ref $what ? $what : qr/\A\Q$what\E\z/, "$path: its kind");
    is($told->{count}, 6, "$path: each is counted");
    is_deeply(\@more, [], "$path: once");
}

# ---- the run goes on -----------------------------------------------------------------------------------------
# A server that is killed, and comes back: refused meanwhile, served afterwards.
my $port = free_port();
my $weak = web_server(port => $port);
loaded(@HTTP, qw(-wt=1 -max-requests=1 -body-size=100), "http://127.0.0.1:$port/x");
my $run = load_started(@HTTP, qw(-rps=200 -duration=100s -max-errors=100 -verbose -output=json), "http://127.0.0.1:$port/x");
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
cmp_ok($outage->{bonload}{reads}{connections}, '>=', 2, 'connected again');

# A server that stands still answers late, and the schedule goes on.
my $frozen = web_server();
loaded(@HTTP, qw(-wt=1 -max-requests=1 -body-size=100), "$frozen->{url}/x");
$run = load_started(@HTTP, qw(-rps=100 -duration=3s -output=json), "$frozen->{url}/x");
wait_until('requests', sub { has_ended($run) });
kill STOP => $frozen->{pid};
select undef, undef, undef, 1;
kill CONT => $frozen->{pid};
finish($run);
my $late = JSON::PP::decode_json($run->{out})->{bonload}{reads};
is($late->{due}, 300, 'what was due was due');
is($late->{requests}, 300, 'and was made');
is($late->{errors}, 0, 'late');
cmp_ok($late->{latency_ns}{max}, '>=', .95e9, 'which shows');

# ---- wrong use ---------------------------------------------------------------------------------------------------
spew("$dir/bad", "$url/ok\nfile:///etc/passwd\n");
for my $case (
    [ [qw(-rt=1 -url=example.org/x)],                qr/'example.org\/x' is not a URL/ ],
    [ [qw(-rt=1 -url=file:///etc/passwd)],           qr/'file:\/\/\/etc\/passwd' is not a URL/ ],
    [ [ '-rt=1', "-url-source=$dir/bad" ],           qr/'file:\/\/\/etc\/passwd' is not a URL/ ],
    [ [qw(-rt=1 -url=http://me:secret@localhost/x)], qr/a URL must not contain a user's name or password/ ],
    [ [qw(-rt=1 -ops=list -url=http://x/)],          qr/-ops takes OP\[:WEIGHT\],... of get, put, head and delete,/ ],
    [ [qw(-rt=1 -ops=put -url=http://x/)],           qr/-ops has nothing that reads/ ],
    [ [qw(-wt=1 -ops=get:2 -url=http://x/)],         qr/-ops has neither put nor delete/ ],
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
