#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The target s3 against a store that checks every signature with botocore: keys of all kinds of
# characters, both versions of signatures, tokens, uploads in parts, and refusals.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(sum);
use Test::More;
use BonnieRun  qw(finish scratch wait_until);
use LoadRun    qw(bonload has_web load_started loaded);
use RunProgram qw(slurp spew);
use S3Store    qw(no_botocore s3_store spellings);
use WebServer  qw(free_port web_server);

plan skip_all => 'this build lacks libcurl' if !has_web();

my $dir = scratch();
delete @ENV{ grep {/\AAWS_/} keys %ENV };

# ---- wrong use ---------------------------------------------------------------------------------------
my @KEYS = qw(-s3-api-key=a -s3-secret-key=b);
for my $case (
    [ [@KEYS],                                                         qr/no store is given/ ],
    [ [ @KEYS, '-s3-endpoint=http://127.0.0.1:1' ],                    qr/no bucket is given/ ],
    [ [qw(-s3-endpoint=http://127.0.0.1:1 -s3-bucket=b)],              qr/no keys are given/ ],
    [ [ @KEYS, qw(-s3-endpoint=ftp://h -s3-bucket=b) ],                qr/-s3-endpoint: 'ftp:\/\/h' is not accepted/ ],
    [ [ @KEYS, qw(-s3-endpoint=http://u:pass@h -s3-bucket=b) ],        qr/-s3-endpoint: the URL must not contain a user's name or password/ ],
    [ [ @KEYS, qw(-s3-endpoint=http://h -s3-bucket=b -s3-sign-ver=3) ], qr/-s3-sign-ver: '3' is not accepted/ ],
    [ [ @KEYS, qw(-s3-endpoint=http://h -s3-bucket=b -s3-part-size=5MiB -body-size=1GB -max-body-size=1TiB) ], qr/-s3-part-size: the largest object has more than 10000 parts/ ],
    [ [ @KEYS, qw(-s3-endpoint=http://h -s3-bucket=b -ops=post) ],     qr/-ops takes OP\[:WEIGHT\],... of get, put, head, delete and list,/ ],
    )
{
    my ($args, $line) = @{$case};
    my $run = bonload(qw(-requests-engine=s3 -rt=1 -url=x), @{$args});
    is($run->{status}, '1', "@{$args}: exit status 1");
    like($run->{err}, qr/\Abonload: [^\n]*$line[^\n]*\n\z/, "@{$args}: one line");
}

# ---- several servers -----------------------------------------------------------------------------------
# The number of requests that a server got, and of the connections they came on.
sub got {
    my ($log, $method) = @_;
    my @heads = grep {/\A\S+ $method /} split /^(?=\S+ [A-Z]+ \/)/m, slurp($log);
    my %connections = map { (split)[0] => 1 } @heads;
    return (scalar @heads, scalar keys %connections);
}
{
    my @servers = map { web_server(log => "$dir/log-$_") } 0 .. 2;
    my @all     = (qw(-requests-engine=s3 -s3-bucket=b -url=XXX -body-size=10 -wt=2 -max-requests=90 -http1), @KEYS);
    my @urls    = map {"$_->{url}/status/200"} @servers;
    is(loaded(@all, "-s3-endpoint=$urls[0],$urls[1]", "-s3-endpoint=$urls[2]")->{writes}{errors}, 0, 'three servers');
    for my $i (0 .. 2) {
        my ($requests, $connections) = got("$dir/log-$i", 'PUT');
        is($requests, 30, "server $i: they take turns");
        cmp_ok($connections, '<=', 2, "server $i: connections are kept alive");
        is((got("$dir/log-$i", 'HEAD'))[0], 1, "server $i: is asked for the bucket");
    }
    local $ENV{AWS_ENDPOINT_URL} = "$urls[0],$urls[1]";
    is(loaded(@all)->{writes}{errors}, 0, 'also from the environment');
    is((got("$dir/log-$_", 'PUT'))[0], 75, "server $_: half of the requests more") for 0, 1;
    for my $before ([], [ map {"-header=X-$_: some value-$_"} 1 .. 40 ]) {
        like(bonload(@all, "-s3-endpoint=$servers[0]{url}/tell", @{$before}, '-header=X-Token: tell-nobody ')->{said}, qr/^error +90 x 403 Denied: \*{11}$/m, 'a server tells the value of a header');
    }
    like(bonload(@all, "-s3-endpoint=$urls[0],ftp://h")->{err}, qr/\Abonload: -s3-endpoint: 'ftp:\/\/h' is not accepted; expected a URL[^\n]*\n\z/, 'each has to be a URL');
    like(bonload(@all, '-s3-endpoint=' . join q{,}, ('http://h') x 33)->{err}, qr/\Abonload: -s3-endpoint: up to 32 URLs[^\n]*\n\z/, 'no more than 32');
    like(bonload(@all, "-s3-endpoint=$urls[0],$servers[1]{url}")->{err}, qr/\Abonload: -s3-bucket: there is no bucket b at \Q$servers[1]{url}\E\n\z/, 'each has to have the bucket');
    my $path = 'p' x 300;
    loaded(@all, "-s3-endpoint=$urls[0]/$path");
    ok(slurp("$dir/log-0") =~ m{ PUT /status/200/$path/b/\d}, 'a long path is sent as a whole');
}

SKIP: {
    my $why = no_botocore();
    skip $why, 1 if $why;
    with_store();
    only_the_bucket();
    stores_that_keep_versions();
}
done_testing();

# Stores that keep what is removed.
sub stores_that_keep_versions {
    my $store = s3_store(buckets => [qw(plain versioned)], log => "$dir/touched");
    my @to    = map { [ (grep { !/-s3-bucket/ } $store->options), "-s3-bucket=$_" ] } qw(plain versioned);
    my $marked = bonload(@{ $to[1] }, qw(-wt=1 -max-requests=3 -body-size=10 -remove -url=v/XXXX));
    is($marked->{status}, '0', 'a bucket that keeps versions');
    like($marked->{err}, qr/\Abonload: the bucket keeps versions: deletes only added delete markers[^\n]*\n\z/, 'says so once');
    my $deletes = bonload(@{ $to[1] }, qw(-wt=1 -max-requests=3 -ops=delete -url=v/XXXX));
    like($deletes->{err}, qr/\Abonload: the bucket keeps versions[^\n]*\n\z/, '-ops=delete, too');
    is(bonload($store->options, '-s3-bucket=plain', qw(-wt=1 -max-requests=3 -body-size=10 -remove -url=XXXX))->{err}, q{}, 'another bucket is not said to keep versions');
    return;
}

# Region, endpoint and keys in the environment, and in a profile.
sub amazons_variables {
    my ($store) = @_;
    my @put  = (qw(-requests-engine=s3 -wt=1 -max-requests=2 -body-size=10 -url=env/XX), "-s3-bucket=$S3Store::BUCKET");
    my %keys = (AWS_ACCESS_KEY_ID => $S3Store::ACCESS, AWS_SECRET_ACCESS_KEY => $S3Store::SECRET, AWS_REGION => $S3Store::REGION, AWS_ENDPOINT_URL => $store->{url});
    mkdir "$dir/$_" or die for qw(.aws for-all);
    chmod oct(777), "$dir/for-all";
    symlink "$dir/.aws/config", "$dir/for-all/config";
    my $profile = sub {
        my ($config, $credentials) = @_;
        spew("$dir/.aws/config", "# mine\n[default]\nrole_arn = arn\n[profile lab]\noutput = json\n$config\n[profile lab2]\nregion = no\nendpoint_url = ftp://no\n");
        spew("$dir/.aws/credentials", "[lab2]\naws_access_key_id = no\n\n[lab]\r\n$credentials");
        return (HOME => $dir, AWS_PROFILE => 'lab');
    };
    my $config = "region =$S3Store::REGION \nendpoint_url= $store->{url}\n";
    my $static = "aws_access_key_id=$S3Store::ACCESS\naws_secret_access_key = $S3Store::SECRET\r\n";
    for my $case (
        [ 'a region by its other name', sub { %keys, AWS_REGION => undef, AWS_DEFAULT_REGION => $S3Store::REGION } ],
        [ 'the first of two regions',   sub { %keys, AWS_DEFAULT_REGION => 'no' } ],
        [ 'an endpoint for s3 alone',   sub { %keys, AWS_ENDPOINT_URL => 'ftp://no', AWS_ENDPOINT_URL_S3 => $store->{url} } ],
        [ 'a profile in two files',     sub { $profile->($config, $static) } ],
        [ 'one in a single file',       sub { $profile->("$config$static", q{}) } ],
        [ 'files with other names',     sub { $profile->($config, $static), HOME => '/nowhere', AWS_CONFIG_FILE => "$dir/.aws/config", AWS_SHARED_CREDENTIALS_FILE => "$dir/.aws/credentials" } ],
        [ 'keys beside a profile',      sub { %keys, $profile->("role_arn = x\n", q{}) } ],
        [ 'a role',                     sub { $profile->("${config}role_arn = arn\nsource_profile = x", $static) }, qr{config: the profile has role_arn, but only static keys} ],
        [ 'a process',                  sub { $profile->($config, "credential_process = /bin/false\n") },             qr{credentials: the profile has credential_process, but} ],
        [ 'single sign-on',             sub { $profile->("${config}sso_session = x", q{}) },                          qr{config: the profile has sso_session, but} ],
        [ 'an addressing style',        sub { $profile->("${config}s3 =\n  addressing_style = virtual\n", $static) }, qr{config: the profile has s3, but} ],
        [ 'a region that is too long',  sub { $profile->('region = ' . 'r' x 65, $static) },                          qr{or the region more than 64} ],
        [ 'no such profile',            sub { $profile->($config, $static), AWS_PROFILE => 'lab3' },                  qr{AWS_PROFILE: there is no profile 'lab3'} ],
        [ 'no files',                   sub { (AWS_PROFILE => 'lab', HOME => '/nowhere') },                           qr{AWS_PROFILE: there is no profile 'lab'} ],
        [ 'a link that others could change', sub { $profile->($config, $static), AWS_CONFIG_FILE => "$dir/for-all/config" }, qr{read \Q$dir\E/for-all/config: a symbolic link is not followed where} ],
        [ 'half of a profile',          sub { $profile->($config, "aws_access_key_id=a\n") },                         qr{no keys are given} ],
        )
    {
        my ($name, $make, $line) = @{$case};
        my %variables = $make->();
        local %ENV = (%ENV, %variables);
        delete @ENV{ grep { !defined $variables{$_} } keys %variables };
        if ($line) {
            like(bonload(@put)->{err}, qr/\Abonload: [^\n]*$line[^\n]*\n\z/, "$name: refused");
        }
        else {
            no_errors(loaded(@put), $name);
        }
    }
    return;
}

# Nothing outside the bucket is ever touched, however endpoint and bucket are spelled.
sub only_the_bucket {
    my $log    = "$dir/touched";
    my %stores = map { $_ => s3_store(domain => $_, buckets => [qw(minio load)], log => $log) } qw(localhost minio.localhost);
    my @load   = ("-s3-api-key=$S3Store::ACCESS", "-s3-secret-key=$S3Store::SECRET", "-s3-region=$S3Store::REGION", qw(-requests-engine=s3 -wt=1 -max-requests=2 -body-size=10 -remove));
    my $count  = 0;
    for my $port_less (spellings('PORT')) {
        my ($domain, $endpoint, $bucket, $option, $works) = @{$port_less};
        $endpoint =~ s/PORT/$stores{$domain}{port}/g;
        my $name = "$port_less->[1], bucket '$bucket' $option of a store at $domain";
        spew($log, q{});
        my $run     = bonload(@load, '-url=load/XXXX', "-s3-endpoint=$endpoint", "-s3-bucket=$bucket", $option || ());
        my @touched = split /\n/, slurp($log);
        is_deeply([ grep { !m{\A(?:PUT|DELETE) minio load/} } @touched ], [], "$name: nothing else is touched");
        is("$run->{status} " . @touched, $works ? '0 4' : '1 0', "$name: " . ($works ? 'the objects come and go' : 'refused')) or diag($run->{err});
        like($run->{err}, qr/\Abonload: [^\n]+\n\z/, "$name: one line") if !$works;
        $count++;
    }
    cmp_ok($count, '>=', 30, "$count spellings");
    for my $key (qw(../load/XXXX /../load/XXXX a/../../load/XXXX / // . ..), 'a/..') {
        spew($log, q{});
        my $run = bonload(@load, "-url=$key", "-s3-endpoint=$stores{localhost}{url}", '-s3-bucket=minio');
        like($run->{err}, qr/\Abonload: the key '[^\n]+' may lead out of its bucket\n\z/, "the key $key");
        is(slurp($log), q{}, "the key $key: nothing is touched");
    }

    # ---- only 404 ends a run -----------------------------------------------------------------------------
    my $store = s3_store(buckets => [qw(unlisted public)]);
    my @put   = (qw(-requests-engine=s3 -wt=1 -max-requests=2 -body-size=10 -url=XXXX), "-s3-endpoint=$store->{url}");
    no_errors(loaded(@put, '-s3-bucket=unlisted', @load[ 0 .. 2 ]), 'keys without the right to list');
    symlink LoadRun::program(), "$dir/goader" or die "symlink: $!\n";
    my $goader = BonnieRun::bonnie({ program => "$dir/goader" }, '-show-progress=false', @put, '-s3-bucket=public');
    is($goader->{status}, '0', 'a store without signatures, as goader');
    return;
}

sub failures { my ($json, $kind) = @_; return { map { $_->{what} => $_->{count} } @{ $json->{$kind}{failures} } } }

sub no_errors {
    my ($json, $name) = @_;
    return is_deeply({ %{ failures($json, 'writes') }, %{ failures($json, 'reads') } }, {}, "$name: no errors");
}

# Whether a server that tidies paths finds the key below its bucket.
sub stays_within {
    my ($key) = @_;
    my $depth = 0;
    for my $part (grep { !/\A[.]?\z/ } split m{/}, $key) {
        $depth += $part eq '..' ? -1 : 1;
        return 0 if $depth < 0;
    }
    return $depth > 0;
}

# Keys of all kinds of characters: those that URLs contain as they are, those that URLs encode, and
# any others.
sub any_keys {
    my ($count) = @_;
    my @pieces = (q{ }, '+', '%', '%25', '//', q{/}, '.', '..', '~', q{?}, '#', '&', '=', q{;}, q{:}, '@', q{"}, q{'}, '<', '>', '\\', '|',
        "\xc3\xa9", "\xe1\x88\xb4", "\xf0\x9f\x90\xa2", "\xc2\x85", "\x01", "\x7f", 'a' .. 'z', 'A' .. 'Z', 0 .. 9, qw(! $ * ( ) [ ] { } ^ ` _ -), q{,});
    srand 7;
    my %keys;
    while (keys %keys < $count) {
        my $key = join q{}, map { $pieces[ rand @pieces ] } 1 .. 1 + rand 20;
        $keys{"$key."} = 1 if stays_within("$key.");
    }
    return sort keys %keys;
}

sub with_store {
    my $store = s3_store();
    my @S3    = $store->options;

    # ---- a thousand random keys --------------------------------------------------------------------------
    my @keys = any_keys(1000);
    spew("$dir/keys", join q{}, map {"$_\n"} @keys);
    for my $version (4, 2) {
        my @some = (@S3, "-s3-sign-ver=$version", "-url-source=$dir/keys", '-max-requests=1000', '-seed=3', '-max-body-size=2000', '-min-body-size=100');
        no_errors(loaded(@some, '-wt=4'), "version $version, put");
        my $read = loaded(@some, '-rt=4', '-verify=full');
        no_errors($read, "version $version, get");
        is($read->{verified_bytes}, $read->{reads}{bytes}, "version $version: every byte is that of its key");
        no_errors(loaded(@some, '-rt=2', '-ops=head'), "version $version, head");
        no_errors(loaded(@some, '-wt=2', '-ops=delete'), "version $version, delete");
        is(failures(loaded(@some, '-rt=2', '-max-errors=100'), 'reads')->{'404 NoSuchKey: There is no such object'}, 1000, "version $version: nothing is left");
    }

    # ---- operations ------------------------------------------------------------------------------------------
    my $mix = loaded(@S3, qw(-rt=3 -wt=2 -ops=get:45,put:15,head:30,delete:10,list:5 -max-requests=1500 -min-body-size=1 -max-body-size=64KiB -verify=full -remove -url=mix/NNNNNNNNNN));
    no_errors($mix, 'all operations');
    my %done = map { $_->{name} => $_->{made} } @{ $mix->{operations} };
    is(sum(values %done), 1500, 'each request is one of them');
    ok($done{$_} > 0, "$_ is among them") for qw(get put head delete list);
    cmp_ok($done{get}, '>', $done{list}, 'by their weights');
    cmp_ok($mix->{reads}{connections}, '<=', 3, 'connections are kept alive');

    # ---- virtual style, from the environment, with a token ------------------------------------------------------
    {
        my $other = s3_store(token => 'a/token+for=you');
        local @ENV{qw(AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_REGION AWS_ENDPOINT_URL)} =
            ($S3Store::ACCESS, $S3Store::SECRET, 'a/token+for=you', $S3Store::REGION, "http://$S3Store::BUCKET.localhost:$other->{port}/");
        for my $version (4, 2) {
            no_errors(loaded(qw(-requests-engine=s3 -s3-virtual -wt=2 -rt=2 -max-requests=100 -body-size=100 -url=v/XXX), "-s3-sign-ver=$version", "-s3-bucket=$S3Store::BUCKET", '-header=x-amz-meta-b:  two   words ', '-header=X-Amz-Meta-A: 1'),
                "virtual style, token and headers, version $version");
        }
        local $ENV{AWS_SESSION_TOKEN} = 'another token';
        my $refused = bonload(qw(-requests-engine=s3 -s3-virtual -rt=1 -max-requests=10 -url=v/XXX), "-s3-bucket=$S3Store::BUCKET");
        like($refused->{said}, qr/^error +10 x 400 InvalidToken: The token is not valid$/m, 'a wrong token');
    }

    # ---- one store under several names: each signature is that of its host -----------------------------------------
    for my $version (4, 2) {
        my @names = map {"http://$_:$store->{port}"} '127.0.0.1', 'localhost', '[::ffff:127.0.0.1]';
        my @there = ((grep { !/-s3-endpoint/ } @S3), (map {"-s3-endpoint=$_"} @names), "-s3-sign-ver=$version", '-url=names/XX', '-body-size=6MiB', '-s3-part-size=5MiB');
        no_errors(loaded(@there, qw(-wt=2 -rt=2 -max-requests=40 -verify=full)), "several names, version $version");
    }

    # ---- parts ---------------------------------------------------------------------------------------------------------
    for my $version (4, 2) {
        my @parts = (@S3, "-s3-sign-ver=$version", qw(-s3-part-size=5MiB -body-size=11MiB -max-requests=2 -seed=4 -max-errors=100), '-url=parts/XX');
        no_errors(loaded(@parts, '-wt=2'), "version $version, an upload in parts");
        is(loaded(@parts, qw(-rt=1 -verify=full))->{verified_bytes}, 22 << 20, 'is the object');
    }
    spew("$dir/body", join q{}, map { chr(33 + $_ % 90) } 1 .. 11 << 20);
    for my $size ([], ["-s3-part-size=5MiB"]) {
        no_errors(loaded(@S3, '-wt=1', '-rt=1', '-max-requests=4', '-url=body/XX', "-body-file=$dir/body", @{$size}), 'a body from a file, signed');
    }
    my @one = (@S3, qw(-s3-part-size=5MiB -body-size=11MiB -max-requests=1 -max-errors=100 -wt=1));
    is_deeply(failures(loaded(@one, '-url=bad'), 'writes'), { '400 InvalidPart: A part is not there' => 1 }, 'a part that is refused');
    is_deeply([ values %{ failures(loaded(@one, qw(-url=slow -timeout=1500ms)), 'writes') } ], [1], '-timeout holds for all parts together');
    is_deeply(failures(loaded(@one, '-url=late'), 'writes'), { '200 with an error: InvalidPart' => 1 }, 'success that is none');

    # ---- refusals of the store -------------------------------------------------------------------
    amazons_variables($store);
    my @wrong = map {s/\A-s3-secret-key=.*/-s3-secret-key=quite-another/r} @S3;
    my $run = bonload(@wrong, qw(-rt=2 -max-requests=20 -url=a));
    is($run->{status}, '1', 'a wrong secret: exit status 1');
    like($run->{err}, qr/\Abonload: 100 % of the requests failed/, 'a wrong secret: every request fails');
    like($run->{said}, qr/^error +20 x 403 SignatureDoesNotMatch: The signature is not that of this request and your key$/m, 'a wrong secret: in words');
    my $missing = bonload((map {s/\A-s3-bucket=.*/-s3-bucket=no-such/r} @S3), qw(-rt=2 -url=a));
    is($missing->{status}, '1', 'a missing bucket: exit status 1');
    like($missing->{err}, qr{\Abonload: -s3-bucket: there is no bucket no-such at \Q$store->{url}\E\n\z}, 'a missing bucket: before the load');
    is($missing->{out}, q{}, 'a missing bucket: no figures');
    my $nobody = free_port();
    my $away = bonload((map {s/\A-s3-endpoint=.*/-s3-endpoint=http:\/\/127.0.0.1:$nobody/r} @S3), qw(-rt=2 -max-requests=5 -url=a));
    like($away->{said}, qr/^error +5 x connect: Connection refused$/m, 'a store that is away is for the load to find out');

    # ---- secrets ---------------------------------------------------------------------------------------------------------------
    my $slow = bonload(@S3, qw(-rt=1 -max-requests=5 -url=slow -verbose --json -max-errors=100), "-timeline-file=$dir/page");
    my ($told) = @{ JSON::PP::decode_json($slow->{out})->{reads}{failures} };
    is($told->{what}, '503 SlowDown: Please come more slowly, key *****************', 'a store that is slow, and tells what it should not');
    my $all = $slow->{out} . $slow->{err} . slurp("$dir/page");
    unlike($all, qr/\Q$S3Store::SECRET\E|$S3Store::ACCESS/, 'keys are told to nobody');
    my $long = load_started(@S3, qw(-rps=1 -duration=1000s -url=a));
    wait_until('the program', sub { slurp("/proc/$long->{pid}/cmdline") =~ /secret-key=\*+\0/ });
    unlike(slurp("/proc/$long->{pid}/cmdline"), qr/\Q$S3Store::SECRET\E|$S3Store::ACCESS/, 'nor are they seen in the list of processes');
    kill KILL => $long->{pid};
    finish($long);
    return;
}
