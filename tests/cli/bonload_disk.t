#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The target disk: files are written and read as the options say, and damage is found.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Find ();
use List::Util qw(any);
use POSIX      ();
use File::Path qw(remove_tree);
use Test::More;
use BonnieRun  qw(finish refused_ok scratch scratch_on_disk takes_direct wait_until);
use LoadRun    qw(bonload load_started loaded);
use RunProgram qw(slurp spew);
use Trace      qw(can_trace trace);

my $dir = scratch();

sub files_in {
    my @found;
    File::Find::find({ no_chdir => 1, wanted => sub { push @found, $_ if -f } }, $_[0]);
    return sort @found;
}

# ---- writing ---------------------------------------------------------------------------------------
my $written = loaded('-wt=2', "-url=$dir/a-XXX", '-body-size=1KiB', '-max-requests=50', '-seed=7');
is($written->{writes}{asked},   50, '50 writes');
is($written->{writes}{errors}, 0,  'all good');
is_deeply([ files_in($dir) ], [ map { sprintf "$dir/a-%03d", $_ } 1 .. 50 ], 'from 1 on');
is_deeply([ grep { -s $_ != 1024 } files_in($dir) ], [], 'as long as they should be');
is((stat "$dir/a-001")[2] & oct(7777), oct(644) & ~umask, 'mode 0644');
my %seen;
$seen{ slurp($_) }++ for files_in($dir);
is(scalar keys %seen, 50, 'no two alike');
loaded('-wt=1', "$dir/z-XX", '-min-body-size=1', '-max-body-size=3KiB', '-max-requests=40');
my @sizes = map { -s } grep {m{/z-}} files_in($dir);
is_deeply([ grep { $_ < 1 || $_ > 3072 } @sizes ], [], '-min-body-size, -max-body-size');
my %sizes = map { $_ => 1 } @sizes;
cmp_ok(scalar keys %sizes, '>', 20, 'of many sizes');

# ---- an earlier run's files -------------------------------------------------------------------------
my @READ = ('-rt=2', "-url=$dir/a-XXX", '-max-requests=50', '-seed=7', '-verify=full');
my $read = loaded(@READ);
is($read->{damaged},        0,         'an earlier run with the same seed wrote it');
is($read->{verified_bytes}, 50 * 1024, 'all of it was looked at');
loaded('-rt=1', "-url=$dir/a-XXX", '-max-requests=50', '-seed=7', '-verify=stamp', '-chunk-size=100');
like(bonload(@READ, '-seed=8')->{err}, qr/something other than what was written: 50 damaged reads$/m, 'another seed is another content');

# ---- damage --------------------------------------------------------------------------------------
# damage($name, sub that changes $file, $expected message): changes files of an earlier run.
sub damage {
    my ($name, $change, $words) = @_;
    my $before = slurp("$dir/a-007");
    $change->("$dir/a-007");
    my $run = bonload(@READ);
    is($run->{status}, '1', "$name: exit status 1");
    like($run->{err}, qr/^bonload: the storage returned something other than what was written: 1 damaged reads\n\z/, "$name: found");
    like($run->{said}, qr/^error +1 x $words$/m, "$name: and named");
    spew("$dir/a-007", $before);
}
my $DAMAGED = 'damaged: not what was written';
damage('a flipped byte', sub { my $text = slurp($_[0]); substr($text, 600, 1) ^= "\1"; spew($_[0], $text) }, $DAMAGED);
damage('a truncated file', sub { truncate $_[0], 1000 or die }, 'shorter than what was written');
damage('a file that is longer', sub { spew($_[0], slurp($_[0]) . 'x') }, $DAMAGED);
damage('another file', sub { spew($_[0], slurp("$dir/a-008")) }, $DAMAGED);
damage('zeros', sub { spew($_[0], "\0" x 1024) }, $DAMAGED);

# A run finds damage in its own files. The test puts an older version back in place of a newer
# one, again and again until the run has read it.
{
    mkdir "$dir/own";
    my @size = ('-body-size=8KiB', '-wps=20', '-rps=200');
    my $run  = load_started(@size, "-url=$dir/own/f", '-duration=1000s', '-max-errors=100', '-verbose');
    my $old  = q{};
    wait_until('a version', sub { $old = eval { slurp("$dir/own/f") } // q{}; length $old == 8192 });
    wait_until('the next version', sub { my $now = slurp("$dir/own/f"); length $now == 8192 && $now ne $old });
    wait_until('damage that is told', sub {
        open my $out, '+<', "$dir/own/f" or die;
        syswrite $out, $old;
        close $out;
        return slurp($run->{err_file}) =~ /damaged/;
    });
    kill INT => $run->{pid};
    finish($run);
    is($run->{status}, 'signal 2', 'it ends by the signal');
    like($run->{err}, qr{^bonload: read: \Q$dir\E/own/f: damaged: not what was written$}m, 'an old copy that was put back is found');
}

# ---- names that recur ----------------------------------------------------------------------------
my $few = loaded('-wt=4', '-rpw=1', "-url=$dir/few-XX", '-body-size=20KiB', '-max-requests=5000');
is($few->{damaged}, 0, 'a hundred names, thousands of writes: nothing is taken for damage');
is($few->{reads}{errors},    0, 'nor for an error');
cmp_ok($few->{verified_bytes}, '>', 0, 'although reads are judged');

# ---- directories, links, cleaning up -----------------------------------------------------------------
my $missing = bonload('-wt=1', "-url=$dir/x/y/XX", '-max-requests=5', '-body-size=1');
is($missing->{status}, '1', 'a missing directory');
like($missing->{said}, qr/^error +5 x open: No such file or directory$/m, 'each is an error');
is(loaded('-wt=2', "-url=$dir/x/XX/f", '-max-requests=5', '-body-size=1', '-mkdirs')->{writes}{errors}, 0, '-mkdirs');
is(bonload('-wt=1', "-url=$dir/q/XX", '-max-requests=5', '-mkdirs=false')->{status}, '1', '-mkdirs=false');
# Letters of a path that mean something in a template: -mkdirs says so first, and -literal takes them as they are.
for my $case ([ 'ANNA', qr/[0-9]/, 'NN' ], [ 'SARRAH', qr/[a-zA-Z]/, 'RR' ], [ 'XXL', qr/[0-9]/, 'XX' ]) {
    my ($word, $kind, $letters) = @{$case};
    my @write = (qw(-wt=1 -max-requests=1 -body-size=1 -mkdirs), "-url=$dir/who/$word/fXXXX");
    my $told  = bonload(@write);
    is($told->{err}, "bonload: -mkdirs: $letters in $dir/who/$word/fXXXX is replaced, also in names of directories; -literal takes names as they are\n", "$word: said first");
    my @before = files_in("$dir/who");
    is(bonload(@write, '-literal')->{err}, q{}, "$word: as it is");
    ok(-f "$dir/who/$word/fXXXX", "$word: is its name") or diag(join q{ }, files_in("$dir/who"));
    is(scalar(my @after = files_in("$dir/who")), @before + 1, "$word: and nothing else is made");
    is(loaded(qw(-rt=1 -max-requests=2 -literal), "$dir/who/$word/fXXXX")->{reads}{errors}, 0, "$word: nor read");
    remove_tree("$dir/who");
}
is(bonload(qw(-wt=1 -max-requests=1 -body-size=1 -mkdirs), "-url=$dir/who/a/fXXXX")->{err}, q{}, 'a template for files alone is not remarked on');
remove_tree("$dir/who");
spew("$dir/precious", 'precious');
symlink 'precious', "$dir/link";
like(bonload('-wt=1', "-url=$dir/link", '-max-requests=1')->{said}, qr/^error +1 x open: a symbolic link that is not followed$/m, 'no link is written through');
like(bonload('-rt=1', "-url=$dir/link", '-max-requests=1')->{said}, qr/^error +1 x open: a symbolic link/m, 'nor read');
is(slurp("$dir/precious"), 'precious', 'what it leads to is as it was');
mkdir "$dir/clean";
spew("$dir/clean/mine", 'mine');
is(loaded('-wt=2', '-rt=1', "-url=$dir/clean/XX", '-body-size=10', '-max-requests=300', '-remove')->{reads}{errors}, 0, '-remove');
is_deeply([ files_in("$dir/clean") ], ["$dir/clean/mine"], 'what the run wrote is gone, and nothing else');
symlink 'mine', "$dir/clean/03";
mkdir "$dir/clean/05";
is(bonload('-wt=1', "-url=$dir/clean/XX", '-body-size=10', '-max-requests=8', '-remove')->{status}, '0', '-remove where a link and a directory have names of the run');
is(readlink "$dir/clean/03", 'mine', 'the link, which was not written, stays');
ok(rmdir "$dir/clean/05", 'so does the directory');
is_deeply([ files_in("$dir/clean") ], [ "$dir/clean/03", "$dir/clean/mine" ], 'and the other files are gone');
unlink "$dir/clean/03";

# ---- more threads than the soft limit on open files allows ---------------------------------------------
sub limited { return { wrap => [ 'sh', '-c', "ulimit $_[0] 50; exec \"\$@\"", 'sh' ] } }
spew("$dir/slow", 'x' x 30_000);
my @MANY = (qw(-rt=100 -chunk-size=1 -max-requests=1000000 -verbose), "-url=$dir/slow");
my $many = load_started(limited('-Sn'), @MANY);
my $count_open = sub { scalar grep { (readlink // q{}) eq "$dir/slow" } glob "/proc/$many->{pid}/fd/*" };
wait_until('100 open files, or a failure', sub { $count_open->() == 100 || -s $many->{err_file} });
kill INT => $many->{pid};
finish($many);
is($many->{status}, 'signal 2', 'more threads than the soft limit on open files allows');
like($many->{out}, qr/^reads +\d+ +\d+ +0 /m, 'all have their file');
refused_ok(bonload(limited('-n'), @MANY), qr/-rt, -wt: 100 threads need 116 open files at a time; the limit is 50 \(ulimit -Hn\)/, 'more than the hard limit');

# ---- names that are not regular files ------------------------------------------------------------
POSIX::mkfifo("$dir/fifo", oct 600) or die "mkfifo: $!\n";
for my $options ('-wt=1', '-rt=1', '-wt=1 -fsync', '-rt=1 -direct') {
    my $run = bonload(split(q{ }, $options), "-url=$dir/fifo", '-max-requests=3');
    like($run->{said}, qr/^error +3 x open: (?:not a plain file|Invalid argument)$/m, "$options of a pipe that nobody has open");
}
open my $other_end, '+<', "$dir/fifo" or die "$dir/fifo: $!\n";
like(bonload($_, "-url=$dir/fifo", '-max-requests=3')->{said}, qr/^error +3 x open: not a plain file$/m, "$_ of one that somebody has open") for '-wt=1', '-rt=1';
close $other_end;
like(bonload('-rt=1', '-url=/dev/zero', '-max-requests=1')->{said}, qr/^error +1 x open: not a plain file$/m, 'what has no end is not read');
unlink "$dir/fifo";

# ---- names from a file, and to a file ------------------------------------------------------------------
mkdir "$dir/list";
loaded('-wt=3', "-url=$dir/list/XX", '-body-size=10', '-max-requests=20', "-written-urls-dump=$dir/names");
is(slurp("$dir/names"), join(q{}, map { sprintf "$dir/list/%02d\n", $_ } 1 .. 20), '-written-urls-dump: what was written');
my $listed = loaded('-rt=1', "-url-source=$dir/names", '-max-requests=45', "-written-urls-dump=$dir/names2");
is($listed->{reads}{errors}, 0, '-url-source: what was dumped is read, round and round');
is(slurp("$dir/names2"), slurp("$dir/names"), 'a dump of what was read');
unlink "$dir/list/03";
mkdir "$dir/list/03";
bonload('-wt=1', "-url=$dir/list/XX", '-body-size=10', '-max-requests=5', "-written-urls-dump=$dir/names3");
is(slurp("$dir/names3"), join(q{}, map { sprintf "$dir/list/%02d\n", $_ } 1, 2, 4, 5), 'what failed is not in it');
is(loaded('-rt=1', "-url=$dir/a-XXX", "-url-source=$dir/none", '-max-requests=1')->{reads}{asked}, 1, '-url wins');

# ---- directories of names ------------------------------------------------------------------------
SKIP: {
    skip 'strace cannot trace here', 2 if !can_trace();
    mkdir "$dir/$_" for qw(few few/one few/two);
    spew("$dir/names", join q{}, map {"$dir/few/one/$_\n$dir/few/two/$_\n"} 1 .. 30);
    my ($run, @calls) = trace({ program => 'bonload' }, [ '-e', 'trace=openat,openat2' ], qw(-wt=1 -max-requests=60 -body-size=10 -remove), "-url-source=$dir/names");
    is($run->{status}, 0, 'names in two directories');
    cmp_ok(scalar(grep { $_->{args} =~ m{one/?"} } @calls), '<', 10, 'a directory is not looked up again for each of its names');
}

# ---- symbolic links in names ---------------------------------------------------------------------
mkdir "$dir/$_" for qw(real real/one real/two links);
chmod oct(755), "$dir/$_" for qw(real links);
symlink "$dir/real", "$dir/data";
symlink '../real/one', "$dir/links/1";
symlink "$dir/data/two", "$dir/links/2";
for my $args (
    [ "-url=$dir/data/a-XX" ], [ "-url=$dir/links/1/../two/a-XX" ], [ "-url=$dir//data///a-XX" ],
    [ "-url=$dir/data/new-XX/a", '-mkdirs' ])
{
    is(loaded(qw(-wt=2 -rt=1 -body-size=10 -max-requests=100 -remove), @{$args})->{writes}{errors}, 0, "@{$args}: the user's own links are followed");
}
rmdir for glob "$dir/real/new-*";
is_deeply([ files_in("$dir/real") ], [], 'and all is removed by those names');
spew("$dir/names", "$dir/links/1/x\n$dir/links/2/x\n$dir/real//y\n");
for my $engine (qw(disk meta)) {
    my $run = loaded(qw(-wt=1 -max-requests=3 -body-size=10), ($engine eq 'meta' ? '-meta-ops=write' : ()), "-requests-engine=$engine", "-url-source=$dir/names");
    my @made = map { files_in("$dir/real$_") } qw(/one /two);
    is_deeply([@made], [ map {"$dir/real/$_/x"} qw(one two) ], "$engine: names of -url-source through links");
    ok(-f "$dir/real/y", "$engine: and with more slashes than they need");
    unlink @made, "$dir/real/y";
}
# Without extended attributes on this filesystem, asking for one is an error.
spew("$dir/real/y", 'data');
spew("$dir/plain", "$dir/real/y\n");
my $no_attribute = bonload(qw(-rt=1 -requests-engine=meta -meta-ops=getxattr -max-requests=6 -max-errors=100), "-url-source=$dir/plain");
like($no_attribute->{out}, qr/^(?:miss|error) +6 x getxattr: /m, 'meta: a failure of an operation on an open file is counted');
unlink "$dir/real/y";
chmod oct(777), "$dir/links";
my $not_followed = bonload('-wt=1', "-url-source=$dir/names", '-max-requests=3', '-body-size=10', '-max-errors=100');
like($not_followed->{said}, qr/^error +2 x open: a symbolic link that is not followed$/m, 'links are not followed where others can change them');
unlink "$dir/real/y";
refused_ok(bonload('-wt=1', "-url=$dir/links/1/XX"), qr/open directory \Q$dir\E\/links\/1\/: a symbolic link is not followed where another user can change its directory or one above it; .* give its target: \Q$dir\E\/links\/..\/real\/one\/$/, 'nor on the way to all names');
chmod oct(1777), "$dir/links";
is(bonload('-wt=1', "-url=$dir/links/1/XX", '-max-requests=3', '-body-size=10')->{status}, 1, 'nor in a sticky directory');
chmod oct(755), "$dir/links";

# ---- as another user -----------------------------------------------------------------------------------
refused_ok(bonload('-u', 'no such user', '-wt=1', "-url=$dir/XX"), qr/no user is named 'no such user'/, 'an unknown user');
if ($> == 0) {
    my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];
    for my $case ([ [qw(-u nobody)], $nogroup ], [ [qw(-u 4242:77)], 77, 4242 ], [ [qw(-user=nobody -group=77)], 77 ]) {
        my ($args, $gid, $uid) = @{$case};
        my $open = scratch(oct 777);
        my $run  = bonload(@{$args}, '-wt=1', "-url=$open/XX", "-written-urls-dump=$open/names", qw(-max-requests=3 -body-size=10));
        is($run->{err}, sprintf("Using uid:%d, gid:%d.\n", $uid // $nobody, $gid), "@{$args}: is told");
        is_deeply([ map { join q{:}, (stat)[ 4, 5 ] } files_in($open) ], [ (($uid // $nobody) . ":$gid") x 4 ], "@{$args}: owns all that is made");
    }
    my $secret = scratch(oct 1777);
    spew("$secret/day", "0s 10\n1s 10\n");
    chmod oct(600), "$secret/day";
    my $run = bonload(qw(-u nobody -wps=1 -max-requests=1), "-load-file=$secret/day", "-url=$secret/XX");
    is("$run->{status} $run->{err}", "1 Using uid:$nobody, gid:$nogroup.\nbonload: read $secret/day: Permission denied\n", '-load-file is read as the user');
} else {
    refused_ok(bonload('-u', $> + 1, '-wt=1', "-url=$dir/XX"), qr/only root can become uid/, 'an ordinary user becomes nobody else');
}

# ---- durable and direct --------------------------------------------------------------------------------
my $disk = scratch_on_disk();
for my $options ([], ['-fsync'], takes_direct($disk) ? (['-direct'], [qw(-direct -fsync -chunk-size=8KiB)]) : ()) {
    my $run = loaded('-wt=2', '-rpw=1', @{$options}, "-url=$disk/d-XXX", '-min-body-size=0', '-max-body-size=70000', '-max-requests=100', '-verify=full');
    is($run->{writes}{errors} + $run->{reads}{errors}, 0, "@{$options}: no errors");
    cmp_ok($run->{verified_bytes}, '>', 0, "@{$options}: what is read is what was written");
}

# ---- names through a pipe ------------------------------------------------------------------------------
POSIX::mkfifo("$dir/fifo", oct 600) or die "mkfifo: $!\n";
my $piped = load_started('-wt=1', "-url-source=$dir/fifo", '-max-requests=4', '-body-size=10', '-show-progress=false');
open my $names, '>', "$dir/fifo" or die "$dir/fifo: $!\n";
print {$names} map {"$dir/list/piped$_\n"} 1 .. 2;
close $names;
finish($piped);
is($piped->{status}, 0, 'names through a pipe');
ok(-f "$dir/list/piped$_", "piped$_") for 1 .. 2;
my $waiting = load_started('-wt=1', "-url-source=$dir/fifo");
wait_until('that it is open', sub { grep { (readlink // q{}) eq "$dir/fifo" } glob "/proc/$waiting->{pid}/fd/*" });
kill TERM => $waiting->{pid};
finish($waiting);
is($waiting->{status}, 'signal 15', 'a pipe that nobody writes to is not waited for after a signal');
unlink "$dir/fifo";
spew("$dir/empty", q{});

# ---- one clear line for each fault ------------------------------------------------------------------------
for my $case (
    [ 'unreadable source', ["-url-source=$dir/none"], qr/open \Q$dir\E\/none: No such file or directory/ ],
    [ 'empty source', ["-url-source=$dir/empty"], qr/\Q$dir\E\/empty contains no name/ ],
    [ 'source without end', ['-url-source=/dev/zero'], qr/\/dev\/zero is not a plain file or a pipe/ ],
    [ 'dump not writable', [ "-url=$dir/XX", "-written-urls-dump=$dir/none/x" ], qr/\Q$dir\E\/none.*: No such file or directory/ ],
    [ 'timeline not writable', [ "-url=$dir/XX", "-timeline-file=$dir/none/x" ], qr/\Q$dir\E\/none.*: No such file or directory/ ],
    )
{
    my ($name, $args, $line) = @{$case};
    my $run = bonload('-rt=1', @{$args});
    is($run->{status}, '1', "$name: exit status 1");
    like($run->{err}, qr/\Abonload: .*$line.*\n\z/, "$name: one line");
    is($run->{out}, q{}, "$name: no figures");
}
my $full = bonload('-wt=2', '-rt=1', '-url=/dev/full', '-max-requests=20', '-body-size=1k');
is($full->{status}, '1', 'a full disk');
like($full->{said}, qr/^error +20 x write: No space left on device$/m, 'each write is an error');
like($full->{err}, qr{\Abonload: no write succeeded, so there was nothing to read: write: /dev/full: write: No space left on device\n\z}, 'and nothing was read');

# ---- a directory that is missing -----------------------------------------------------------------
my $gone = bonload('-wps=200', '-duration=60s', "$dir/gone/XXXX");
like($gone->{err}, qr{\Abonload: 100 % of the requests failed, more than -max-errors=50; the first: write: \Q$dir\E/gone/0\d+: open: No such file or directory; -mkdirs makes missing directories\n\z},
    'the path, the reason, and what helps');
is($gone->{status}, '1', 'exit status 1');
like($gone->{out}, qr/[(]ended\s+early:\s+nothing\s+had\s+succeeded[)]/, 'before its time is over');
like($gone->{out}, qr{\A0 writes/s [(]\S+ asked[)]}, 'what failed is not achieved');
my $counted = bonload('-wps=200', '-duration=60s', '--json', "$dir/gone/XXXX");
like($counted->{out}, qr/"made_per_second":\s*0(?:[.]0)?,/, 'in JSON, too');
my ($failures) = $gone->{out} =~ /^writes +\d+ +0 +(\d+) /m;
cmp_ok($failures // 12_000, '<', 12_000, 'of a minute of requests');
like(bonload('-rps=200', '-duration=60s', "$dir/gone/XXXX")->{err},
    qr{; the first: read: \Q$dir\E/gone/0\d+: open: No such file or directory; what is read must have been written, as by -wt=1, with -mkdirs where a directory is missing\n\z},
    'and where nothing is written');
is(bonload('-rt=2', "$dir/gone/XXXX", '-max-requests=3000', '-max-errors=100')->{status}, '0', '-max-errors=100 goes on');
like(bonload('-rt=2', "$dir/gone/XXXX", '-max-requests=3000', '-max-errors=100')->{out}, qr/^reads +3000 +0 +3000 /m, 'to its end');

# ---- where the bytes came from ------------------------------------------------------------------------
my $memory = loaded('-rt=1', "$dir/a-XXX", '-max-requests=50', '-seed=7');
is("$memory->{reads}{limited_by}: $memory->{reads}{reason}", 'page cache: tmpfs is memory and has no device.', 'files in memory') if $memory->{storage}{filesystem} eq 'tmpfs';
my $storage = scratch_on_disk();
my @KEPT = ("-url=$storage/kept-XXX", '-max-requests=100', '-body-size=256KiB');
loaded('-wt=2', @KEPT, '-fsync');
SKIP: {
    my $device = loaded('-rt=2', @KEPT)->{device};
    skip 'there is no block device below the temporary directory', 5 if !$device->{name};
    my $cached;
    for (1 .. 10) { # other programs may read from the device, or drop the kernel's caches
        $cached = loaded('-rt=2', @KEPT)->{reads};
        last if $cached->{limited_by} eq 'page cache';
    }
    is($cached->{limited_by}, 'page cache', 'what was just written is read from the page cache');
    my $said = qr/^limited by +page cache: the device read .* of the data [(]-evict or -direct measures the device[)]$/m;
    ok((any { bonload('-rt=2', @KEPT)->{said} =~ $said } 1 .. 10), 'and what helps');
    for my $how (qw(-evict -direct)) {
        next if $how eq '-direct' && !takes_direct($storage);
        my $read = loaded('-rt=2', @KEPT, $how)->{reads};
        like("$read->{limited_by} $read->{errors}", qr/\A(?:device|others) 0\z/, "with $how it is the device");
        cmp_ok($read->{device_percent}, '>=', 90, 'that read it');
    }
}

done_testing();
