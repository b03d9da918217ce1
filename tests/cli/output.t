#!/usr/bin/perl
# --output: the report goes to a file, which is there complete or not at all.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie finish refused_ok scratch start tree wait_until);
use RunProgram qw(slurp spew);
use Trace      qw(can_trace trace);

my $dir  = scratch();
my $out  = scratch();
my @tiny = ('-d', $dir, qw(-r0 -s1 -n0 -f -mlab --cache=keep));

my $run = bonnie(@tiny, "--output=$out/report");
is("$run->{status}$run->{out}", '0', 'exit status 0, nothing on stdout');
like(slurp("$out/report"), qr/\AVersion .*\n1\.98,.*\n\z/s, 'the whole report is in the file');
is((stat "$out/report")[2] & oct(777), oct(666) & ~umask, 'with the usual mode');

spew("$out/report", 'old');
is(bonnie(@tiny, '-q', '--output', "$out/report")->{status}, 0, 'a file that is there');
like(slurp("$out/report"), qr/\AVersion .*\n1\.98,.*\n\z/s, 'is replaced, by the whole report under -q too');
symlink 'report', "$out/link";
is(bonnie(@tiny, '-q', '--format=csv', "--output=$out/link")->{status}, 0, 'a symbolic link');
is(readlink "$out/link", 'report', 'stays one');
like(slurp("$out/report"), qr/\A1\.98,.*\n\z/, 'and what it points to is replaced');
unlink "$out/link";
is(bonnie(@tiny, '-x2', "--output=$out/report", '--format=csv')->{status}, 0, 'several runs');
is(slurp("$out/report") =~ tr/\n//, 3, 'are all in it');
like(bonnie({ dir => "$out" }, @tiny, '--output=report2')->{err}, qr/done/, 'a relative name');
ok(-s "$out/report2", 'is relative to where the program stands');
is(bonnie(@tiny, '--output=/dev/null')->{status}, 0, 'a device');
ok(-c '/dev/null', 'stays a device');

refused_ok(bonnie(@tiny, '-q', "--output=$out/none/report"), qr{\Q$out\E/none/report: No such file}, 'a directory that is not there');
refused_ok(bonnie(@tiny, '-q', "--output=$out"), qr{open \Q$out\E: Is a directory}, 'a directory instead of a file');
refused_ok(bonnie(@tiny, '-q', '--format=csv', '--output=/dev/full'), qr{write the report.*: No space left on device}, 'a full disk') if -c '/dev/full';

SKIP: {
    skip 'strace cannot trace here', 4 if !can_trace();
    spew("$out/report", 'old');
    for my $call (qw(readlink newfstatat)) { # not known what is there: nothing is written over it
        my ($failed) = trace({}, [ '-P', "$out/report", '-e', "trace=$call", '-e', "inject=$call:error=EIO" ], @tiny, '-q', "--output=$out/report");
        refused_ok($failed, qr{open \Q$out\E/report: Input/output error}, "$call fails");
        is(slurp("$out/report"), 'old', 'the old report is untouched');
    }
}

spew("$out/report", 'old');
is_deeply([ tree($out) ], [qw(report report2)], 'nothing else is beside it');

# What fails or is killed on the way leaves the old file and no other.
my @long = ('-d', $dir, qw(-r0 -s0 -n1 -q -x 1000000 --cache=keep));
for my $signal (qw(TERM INT KILL)) {
    for my $name (qw(report new)) {
        $run = start(@long, "--output=$out/$name");
        wait_until('a run at work', sub { grep {m{/d00000/}} tree($dir) });
        kill $signal => $run->{pid};
        finish($run);
        is(slurp("$out/report"), 'old', "SIG$signal: the old file is untouched");
        ok(!-e "$out/new", 'a new one is not made');
        my @beside = grep { !/\Areport2?\z/ } tree($out);
        is_deeply(\@beside, [], 'and nothing is left beside it');
        unlink map {"$out/$_"} @beside;
    }
    bonnie('-d', $dir, '--cleanup');
}
refused_ok(bonnie('-d', "$dir/none", qw(-s1 -n0 -q), "--output=$out/new"), qr/No such file/, 'a run that fails');
is_deeply([ tree($out) ], [qw(report report2)], 'leaves no file');

done_testing();
