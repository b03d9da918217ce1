#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --output: the report goes to a file that is either complete or does not exist.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX      ();
use Test::More;
use BonnieRun  qw(bonnie finish refused_ok run_tool scratch source start tree wait_until);
use Root       qw(is_root);
use RunProgram qw(data_file slurp spew);
use Trace      qw(also_older can_trace);

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
symlink 'report3', "$out/link";
is(bonnie(@tiny, '-q', '--format=csv', "--output=$out/link")->{status}, 0, 'a symbolic link to nothing');
is(readlink "$out/link", 'report3', 'stays one, too');
like(slurp("$out/report3"), qr/\A1\.98,.*\n\z/, 'and the file is made');
unlink "$out/link", "$out/report3";
is(bonnie(@tiny, '-x2', "--output=$out/report", '--format=csv')->{status}, 0, 'several runs');
is(slurp("$out/report") =~ tr/\n//, 3, 'are all in it');
like(bonnie({ dir => "$out" }, @tiny, '--output=report2')->{err}, qr/done/, 'a relative name');
ok(-s "$out/report2", 'is relative to where the program stands');
is(bonnie(@tiny, '--output=/dev/null')->{status}, 0, 'a device');
ok(-c '/dev/null', 'stays a device');
$run = bonnie(@tiny, '-q', '--format=csv', '--output=/dev/stdout');
like("$run->{status}$run->{out}", qr/\A01\.98,.*\n\z/, '/dev/stdout is standard output, whatever that is');
mkdir "$out/sub";
is(bonnie({ dir => "$out/sub" }, @tiny, '-q', '--format=csv', "--output=.././sub/..//report")->{status}, 0, 'a path with dots and slashes');
like(slurp("$out/report"), qr/\A1\.98,.*\n\z/, 'leads where it should');
my $long_name = 'r' x 255;
is(bonnie(@tiny, '-q', '--format=csv', "--output=$out/$long_name")->{status}, 0, 'a name as long as can be');
ok(-s "$out/$long_name", 'is written');
unlink "$out/$long_name";
rmdir "$out/sub";

# What the new file takes over from the file that it replaces.
for my $mode (oct(600), oct(640), oct(666), oct(4711)) {
    spew("$out/report", 'old');
    chmod $mode, "$out/report";
    is(bonnie(@tiny, '-q', '--format=csv', "--output=$out/report")->{status}, 0, sprintf 'a file of mode %04o', $mode);
    is(sprintf('%04o', (stat "$out/report")[2] & oct 7777), sprintf('%04o', $mode & oct 777), 'keeps it, but runs as nobody else');
}
unlink "$out/report";

refused_ok(bonnie(@tiny, '-q', '--output='), qr{--output}, 'no name at all');
refused_ok(bonnie(@tiny, '-q', "--output=$out/report2/report"), qr{open \Q$out\E/report2/report: Not a directory}, 'a file instead of a directory');
refused_ok(bonnie(@tiny, '-q', "--output=$out/new/"), qr{open \Q$out\E/new/: No such file}, 'a directory to be made');
refused_ok(bonnie(@tiny, '-q', "--output=$out/" . 'r' x 256), qr{: File name too long}, 'a name that is too long');
refused_ok(bonnie(@tiny, '-q', '--output=' . 'd/' x 2048), qr{: File name too long}, 'a path that is too long');
symlink 'loop', "$out/loop";
refused_ok(bonnie(@tiny, '-q', "--output=$out/loop"), qr{: Too many levels of symbolic links}, 'a link to itself');
unlink "$out/loop";
refused_ok(bonnie(@tiny, '-q', "--output=$out/none/report"), qr{\Q$out\E/none/report: No such file}, 'a directory that is not there');
refused_ok(bonnie(@tiny, '-q', "--output=$out"), qr{open \Q$out\E: Is a directory}, 'a directory instead of a file');
refused_ok(bonnie(@tiny, '-q', '--format=csv', '--output=/dev/full'), qr{write the report.*: No space left on device}, 'a full disk') if -c '/dev/full';

SKIP: {
    skip 'strace cannot trace here', 4 if !can_trace();
    spew("$out/report", 'old');
    for my $call (qw(openat newfstatat)) { # the old file is unknown, so it is not replaced
        my @fail   = (qw(strace -e quiet=all -o /dev/null -P report -e), also_older("trace=$call"), '-e', also_older("inject=$call:error=EIO"), '--');
        my $failed = bonnie({ dir => "$out", wrap => \@fail }, @tiny, '-q', '--output=report');
        refused_ok($failed, qr{open report: Input/output error}, "$call fails");
        is(slurp("$out/report"), 'old', 'the old report is untouched');
    }
}

# The path leads to a file that another user may have put there; bonnie follows
# it only so far.
SKIP: {
    skip 'needs root: other users\' files', 1 if !is_root();
    my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];
    my $his  = scratch(oct 755);
    my $here = scratch(oct 755);
    chown $nobody, $nogroup, "$his";
    my %make = (
        file   => sub { spew($_[0], 'his') },
        pipe   => sub { POSIX::mkfifo($_[0], oct 666) },
        link   => sub { symlink "$here/report", $_[0] },
        'link within the directory'   => sub { symlink 'other',        $_[0] },
        'link of the kernel'          => sub { symlink '/dev/stdout',  $_[0] },
        'hard link of root\'s link'   => sub { symlink "$here/report", "$here/link"; link "$here/link", $_[0] },
    );
    # The kind of the file, its owner, the owner and the mode of its directory, and whether bonnie
    # uses it. Links count where root alone can change the directory, files also if they are root's.
    for my $case (
        [ 'file',                      $nobody, oct(755),  0,       1 ],
        [ 'file',                      $nobody, oct(1755), 0,       1 ],
        [ 'file',                      $nobody, oct(775),  0,       0 ],
        [ 'file',                      $nobody, oct(777),  0,       0 ],
        [ 'file',                      $nobody, oct(1777), 0,       0 ],
        [ 'file',                      $nobody, oct(755),  $nobody, 0 ],
        [ 'file',                      1,       oct(1777), $nobody, 0 ],
        [ 'file',                      0,       oct(2775), 0,       1 ],
        [ 'file',                      0,       oct(1777), 0,       1 ],
        [ 'file',                      0,       oct(755),  $nobody, 1 ],
        [ 'pipe',                      $nobody, oct(1777), 0,       0 ],
        [ 'link',                      0,       oct(755),  0,       1 ],
        [ 'link',                      $nobody, oct(755),  0,       1 ],
        [ 'link',                      0,       oct(2775), 0,       0 ],
        [ 'link',                      0,       oct(777),  0,       0 ],
        [ 'link',                      0,       oct(1777), 0,       0 ],
        [ 'link',                      $nobody, oct(1777), 0,       0 ],
        [ 'link',                      0,       oct(755),  $nobody, 0 ],
        [ 'link',                      $nobody, oct(755),  $nobody, 0 ],
        [ 'link within the directory', $nobody, oct(755),  0,       1 ],
        [ 'link within the directory', 0,       oct(777),  0,       0 ],
        [ 'link within the directory', $nobody, oct(755),  $nobody, 0 ],
        [ 'link of the kernel',        0,       oct(755),  0,       1 ],
        [ 'link of the kernel',        0,       oct(777),  0,       0 ],
        [ 'hard link of root\'s link', 0,       oct(755),  0,       1 ],
        [ 'hard link of root\'s link', 0,       oct(755),  $nobody, 0 ],
        ) {
        my ($kind, $owner, $mode, $of, $is_used) = @{$case};
        my $place = scratch();
        chown $of, -1, "$place";
        chmod $mode, "$place";
        $make{$kind}->("$place/report");
        POSIX::lchown($owner, $owner, "$place/report");
        my $name = sprintf '%s of user %d in a directory of user %d, mode %04o', $kind, $owner, $of, $mode;
        my $report = bonnie(@tiny, '-q', '--format=csv', "--output=$place/report");
        is($report->{status}, 0, "$name: is used") if $is_used;
        refused_ok($report, qr{open \Q$place\E/report: .*another user}, "$name: is not used") if !$is_used;
        my $end = $kind =~ /within/ ? "$place/other" : $kind eq 'link of the kernel' ? '/dev/stdout' : "$here/report";
        like($report->{err}, qr{give its target: \Q$end\E$}m, 'the message names where it leads') if $kind =~ /link/ && !$is_used;
        is_deeply([ grep {-s} "$here/report" ], $is_used && $kind =~ /\A(?:link|hard.*)\z/ ? ["$here/report"] : [], 'nothing else is written');
        unlink "$here/report", "$here/link";
    }

    # The same holds for the random file.
    spew("$here/secret", 'secret');
    symlink "$here/secret", "$his/seed";
    refused_ok(bonnie(@tiny, '-q', "-Z$his/seed"), qr{random file \Q$his\E/seed: a symbolic link is not followed.*: \Q$here\E/secret$}, 'a random file behind a link in another user\'s directory');

    # The new file keeps owner and group, but no rights beyond the user's.
    spew("$here/report", 'his');
    chown $nobody, $nogroup, "$here/report";
    chmod oct(640), "$here/report";
    is(bonnie(@tiny, '-q', "--output=$here/report")->{status}, 0, 'a file of another user');
    is(join(q{ }, (stat "$here/report")[ 4, 5 ]), "$nobody $nogroup", 'stays theirs');
    is((stat _)[2] & oct(777), oct 640, 'with its mode');
    chmod oct(664), "$here/report";
    chown 0, 0, "$here/report";
    chown $nobody, $nogroup, "$here";
    is(bonnie({ as => 'nobody' }, '-d', $here, @tiny[ 2 .. $#tiny ], '-q', "--output=$here/report")->{status}, 0, 'a file of root\'s, replaced by the user of the directory');
    is(join(q{ }, (stat "$here/report")[ 4, 5 ]), "$nobody $nogroup", 'is his then');
    is((stat _)[2] & oct(777), oct 644, 'and his group may do what others may');
    my $open = scratch(oct 777);
    spew("$open/report", 'root\'s');
    refused_ok(bonnie({ as => 'nobody' }, '-d', $open, @tiny[ 2 .. $#tiny ], '-q', "--output=$open/report"),
        qr{open \Q$open\E/report: another user can change its directory, so only your own files}, 'a file of root\'s in a directory for all: known before the run');
    for my $mode (oct(777), oct 1777) {
        chmod $mode, "$open";
        for my $time (1, 2) {
            is(bonnie({ as => 'nobody' }, '-d', $open, @tiny[ 2 .. $#tiny ], '-q', "--output=$open/his")->{status}, 0, "his own report there: time $time");
        }
    }
}

spew("$out/report", 'old');
is_deeply([ tree($out) ], [qw(report report2)], 'nothing else is beside it');

# A failed or killed run leaves the old file, and no other.
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

# Without /proc the file cannot be given its name at the end, so it has a name from the
# start.
SKIP: {
    skip 'only root, with mounts of its own, can hide a part of /proc', 3 if !is_root() || system('unshare --mount --propagation private true 2>/dev/null') != 0;
    my @hiding = (qw(unshare --mount --propagation private -- sh -c), 'mount -t tmpfs none /proc/$$/fd && exec "$@"', 'sh');
    $run = bonnie({ wrap => \@hiding }, '-d', $dir, qw(-r0 -s0 -n1 -q --format=csv --cache=keep --tests=seq_create), "--output=$out/new");
    is("$run->{status}$run->{out}", '0', 'no descriptors in /proc: exit status 0');
    like(slurp("$out/new"), qr/\A1[.]98,[^\n]*\n\z/, 'the report is there');
    is_deeply([ tree($out) ], [qw(new report report2)], 'and nothing beside it');
    unlink "$out/new";
}

# Without a standard output, Perl opens the file of the program itself as descriptor 1.
{
    my $copy = scratch();
    system 'cp', '-R', source('scripts'), "$copy/scripts";
    my $program = slurp("$copy/scripts/bon_csv2txt");
    my $run = run_tool($^X, { out => 'closed' }, "$copy/scripts/bon_csv2txt", '-o', '/dev/stdout', data_file('lab.csv'));
    is(slurp("$copy/scripts/bon_csv2txt"), $program, 'a converter whose standard output is closed does not write into itself');
    is("$run->{status}$run->{err}", '0', 'and /dev/stdout is nothing then, as for the other programs');
}

done_testing();
