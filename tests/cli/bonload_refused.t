#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What bonload refuses: it reports wrong usage in one line, before it makes any load.
# And it hides secrets.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(finish wait_until);
use LoadRun    qw(bonload has_web load_started program);
use RunProgram qw(slurp);

my @NULL = qw(-requests-engine=null);
for my $case (
    [ [], qr/no load is given/ ],
    [ [qw(-rt=1)], qr/no names are given/ ],
    [ [qw(-rt=0 -wt=0)], qr/no load is given/ ],
    [ [qw(-rps=0)], qr/no load is given/ ],
    [ [qw(-rt=1 -wps=3)], qr/cannot be combined/ ],
    [ [ @NULL, qw(-rt=1 -sweep=1,2) ], qr/cannot be combined with threads/ ],
    [ [ @NULL, qw(-sweep=1,2 -max-latency=1s) ], qr/-sweep and -max-latency cannot be combined/ ],
    [ [ @NULL, qw(-sweep=1,0) ], qr/-sweep: '1,0' is not accepted/ ],
    [ [ @NULL, qw(-rt=1 -rpw=2) ], qr/-rpw needs writes/ ],
    [ [ @NULL, qw(-max-latency=1s -rt=0 -wt=0) ], qr/no reads or writes/ ],
    [ [ @NULL, qw(-max-latency=p100:1s) ], qr/-max-latency: 'p100:1s' is not accepted; expected a duration/ ],
    [ [qw(-requests-engine=frob -rt=1)], qr/'frob' is not accepted; expected disk, meta, null, sleep, http, upload or s3/ ],
    [ [qw(-requests-engine=http -rt=1 -url=x)],   qr/this build lacks libcurl|is not a URL/ ],
    [ [qw(-requests-engine=upload -rt=1 -url=x)], qr/this build lacks libcurl|is not a URL/ ],
    [ [qw(-requests-engine=s3 -rt=1 -url=x -s3-endpoint=ftp://x -s3-bucket=b -s3-region=r -s3-sign-ver=2 -s3-part-size=5MiB)], qr/this build lacks libcurl|-s3-endpoint|no keys are given/ ],
    [ [qw(-rt=1 http://host/x)], qr/-requests-engine=disk takes a path; use -requests-engine=http/ ],
    [ [qw(-requests-engine=meta -rt=1 -url=HTTPS://host/x)], qr/-requests-engine=meta takes a path; use -requests-engine=http/ ],
    [ [qw(-rt=1 -url=x -min-body-size=2 -max-body-size=1)], qr/-min-body-size: 2 bytes are more than the largest body has \(1, -max-body-size\)/ ],
    [ [qw(-wt=1 -url=x -min-body-size=1MiB)], qr/-min-body-size: 1048576 bytes are more than the largest body has \(163840, -max-body-size\)/ ],
    [ [qw(-rt=1 -meta-ops=frob -requests-engine=meta -url=x)], qr/-meta-ops takes OP/ ],
    [ [ @NULL, qw(-rt=1 -meta-ops=stat:0 -requests-engine=meta -url=x) ], qr/one of the weights must be above 0/ ],
    [ [qw(-rt=1 a b)],    qr/unexpected argument 'b'/ ],
    [ [qw(-rt=1 -url=a b)], qr/unexpected argument 'b'/ ],
    [ [qw(-rt=1 -mkdirs yes -url a)], qr/unexpected argument 'yes'/ ],
    [ [ @NULL, qw(-rps=1 -wps=1 -rpw=2) ],       qr/-rpw and -rps cannot be combined/ ],
    [ [ @NULL, qw(-max-latency=1s -search=rate -wt=0) ], qr/-search=rate uses -rps and -wps, not -rt, -wt/ ],
    [ [ @NULL, qw(-max-latency=1s -rps=5) ],     qr/-rps, -wps need -search=rate in a search/ ],
    [ [ @NULL, qw(-sweep=1 -stop-on-bad-rate) ], qr/-stop-on-bad-rate needs a rate/ ],
    [ [ @NULL, qw(-wt=600 -max-channels=500) ],  qr/600 threads are more than -max-channels=500/ ],
    [ [ @NULL, qw(-rt=1 -mkdirs) ],              qr/-mkdirs is an option of disk, meta, not of null/ ],
    [ [qw(-rt=1 -url=x -s3-bucket=b)],           qr/-s3-bucket is an option of s3, not of disk/ ],
    [ [qw(-frob)],        qr/unknown option -frob; -help lists the options/ ],
    [ [qw(-rpz=5)],       qr/unknown option -rpz; did you mean -rps, -rpw[?]/ ],
    [ [qw(-mkdir)],       qr/unknown option -mkdir; did you mean -mkdirs[?]/ ],
    [ [qw(-max=5)],       qr/ambiguous option -max: it may be -max-latency, -max-channels, -max-requests, -max-errors, -max-body-size/ ],
    [ [qw(-s3-secret-kay=hidden)], qr/unknown option -s3-secret-kay; did you mean -s3-secret-key[?]$/ ],
    [ [qw(-verify=some)], qr/-verify: 'some' is not accepted; expected stamp, full or off/ ],
    [ [qw(-header=x)],    qr/-header: this value is not accepted; expected NAME: VALUE/ ],
    (map { [ [$_], qr/-max-requests(?:: | needs a value)/ ] } qw(-max-requests=0 -max-requests=-1 -max-requests=1x -max-requests=)),
    (map { [ [$_], qr/-duration: .* is not accepted; expected a time above 0/ ] } qw(-duration=0 -duration=5x -duration=1m30 -duration=-1s)),
    (map { [ [$_], qr/-body-size: .* is not accepted; expected a size up to 1TiB/ ] } qw(-body-size=-1 -body-size=1x -body-size=2TiB)),
    (map { [ [$_], qr/\A-?\S+ \S+ .* is not accepted/ ] }
        qw(-window=0 -warmup=x -timeout=0 -chunk-size=2GiB -random-fair-buckets=0 -max-channels=0 -max-errors=101 -meta-xattr-keys=0
        -meta-xattr-length=1MiB -meta-offset-limit=0 -arrival=often -search=luck -output=xml -fair-random=2 -seed=x -s3-sign-ver=3x)),
    )
{
    my ($args, $line) = @{$case};
    my $run = bonload(@{$args});
    is($run->{status}, '1', "@{$args}: exit status 1");
    like($run->{err}, qr/\Abonload: [^\n]*\n\z/, "@{$args}: one line");
    like($run->{err}, $line, "@{$args}: the reason");
    is($run->{out}, q{}, "@{$args}: no figures");
}

# Secrets must not appear in the list of processes: a key in either spelling of its option,
# and a header.
SKIP: {
    skip 'this build lacks libcurl', 2 if !has_web();
    my $run = load_started(qw(-requests-engine=s3 -s3-endpoint=http://127.0.0.1:1 -s3-bucket=b -url=x -rps=1 -duration=1000s -s3-api-key=public-key -s3-secret-key very-secret -insecure-https -ops=get -timeout=5s),
        '-header', 'Authorization: very-secret', '-header=X: y');
    wait_until('the program', sub { slurp("/proc/$run->{pid}/cmdline") =~ /\A\Q${\program()}\E\0.*\*\*\*/s });
    my $words = slurp("/proc/$run->{pid}/cmdline");
    unlike($words, qr/secret\0|public-key|X: y/, 'secrets are overwritten');
    like($words, qr/-s3-secret-key\0\*{11}\0/, 'by as many stars');
    kill KILL => $run->{pid};
    finish($run);
}

like(bonload('-help')->{out}, qr/^The target\n  -requests-engine ENGINE\n/m, '-help in groups');
is(bonload("--$_")->{status}, '0', "--$_") for qw(help version h);
like(bonload('-version')->{out}, qr/\Abonload \d+[.]\d+[.]\d+\n\z/, '-version');

done_testing();
