#!/usr/bin/perl
# The target disk: files are written and read as the options say, and what is damaged is found.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Find ();
use POSIX      ();
use Test::More;
use BonnieRun  qw(finish refused_ok scratch scratch_on_disk takes_direct wait_until);
use LoadRun    qw(bonload load_started loaded);
use RunProgram qw(slurp spew);

my $dir = scratch();

sub files_in {
    my @found;
    File::Find::find({ no_chdir => 1, wanted => sub { push @found, $_ if -f } }, $_[0]);
    return sort @found;
}

# ---- writing ---------------------------------------------------------------------------------------
my $written = loaded('-wt=2', "-url=$dir/a-XXX", '-body-size=1KiB', '-max-requests=50', '-seed=7');
is($written->{Writes}{Done},   50, 'so many writes');
is($written->{Writes}{Errors}, 0,  'all good');
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
is($read->{bonload}{damaged},        0,         'an earlier run with the same seed wrote it');
is($read->{bonload}{verified_bytes}, 50 * 1024, 'all of it was looked at');
loaded('-rt=1', "-url=$dir/a-XXX", '-max-requests=50', '-seed=7', '-verify=stamp', '-chunk-size=100');
like(bonload(@READ, '-seed=8')->{err}, qr/something other than what was written: 50 damaged reads$/m, 'another seed is another content');

# ---- damage -----------------------------------------------------------------------------------------
# damage($name, sub that changes $file, $expected words): in the files of an earlier run.
sub damage {
    my ($name, $change, $words) = @_;
    my $before = slurp("$dir/a-007");
    $change->("$dir/a-007");
    my $run = bonload(@READ);
    is($run->{status}, '1', "$name: exit status 1");
    like($run->{err}, qr/^bonload: the storage returned something other than what was written: 1 damaged reads\n\z/, "$name: found");
    like($run->{out}, qr/^Error: 1 x $words$/m, "$name: and named");
    spew("$dir/a-007", $before);
}
my $DAMAGED = 'damaged: not what was written';
damage('a flipped byte', sub { my $text = slurp($_[0]); substr($text, 600, 1) ^= "\1"; spew($_[0], $text) }, $DAMAGED);
damage('a truncated file', sub { truncate $_[0], 1000 or die }, 'shorter than what was written');
damage('a file that is longer', sub { spew($_[0], slurp($_[0]) . 'x') }, $DAMAGED);
damage('another file', sub { spew($_[0], slurp("$dir/a-008")) }, $DAMAGED);
damage('zeros', sub { spew($_[0], "\0" x 1024) }, $DAMAGED);

# What a run reads of its own: an older version of a name that was written again is put back under
# it, until the run has read it.
{
    mkdir "$dir/own";
    my @size = ('-body-size=8KiB', '-wps=20', '-rps=200');
    my $run  = load_started(@size, "-url=$dir/own/f", '-duration=100s', '-max-errors=100', '-verbose');
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

# ---- names that come again ---------------------------------------------------------------------------
my $few = loaded('-wt=4', '-rpw=1', "-url=$dir/few-XX", '-body-size=20KiB', '-max-requests=5000');
is($few->{bonload}{damaged}, 0, 'a hundred names, thousands of writes: nothing is taken for damage');
is($few->{Reads}{Errors},    0, 'nor for an error');
cmp_ok($few->{bonload}{verified_bytes}, '>', 0, 'although reads are judged');

# ---- directories, links, cleaning up -----------------------------------------------------------------
my $missing = bonload('-wt=1', "-url=$dir/x/y/XX", '-max-requests=5', '-body-size=1');
is($missing->{status}, '1', 'a missing directory');
like($missing->{out}, qr/^Error: 5 x open: No such file or directory$/m, 'each is an error');
is(loaded('-wt=2', "-url=$dir/x/XX/f", '-max-requests=5', '-body-size=1', '-mkdirs')->{Writes}{Errors}, 0, '-mkdirs');
is(bonload('-wt=1', "-url=$dir/q/XX", '-max-requests=5', '-mkdirs=false')->{status}, '1', '-mkdirs=false');
spew("$dir/precious", 'precious');
symlink 'precious', "$dir/link";
like(bonload('-wt=1', "-url=$dir/link", '-max-requests=1')->{out}, qr/^Error: 1 x open: Too many levels of symbolic links$/m, 'no link is written through');
like(bonload('-rt=1', "-url=$dir/link", '-max-requests=1')->{out}, qr/^Error: 1 x open: Too many/m, 'nor read');
is(slurp("$dir/precious"), 'precious', 'what it leads to is as it was');
mkdir "$dir/clean";
spew("$dir/clean/mine", 'mine');
is(loaded('-wt=2', '-rt=1', "-url=$dir/clean/XX", '-body-size=10', '-max-requests=300', '-cleanup')->{Reads}{Errors}, 0, '-cleanup');
is_deeply([ files_in("$dir/clean") ], ["$dir/clean/mine"], 'what the run wrote is gone, and nothing else');
symlink 'mine', "$dir/clean/03";
mkdir "$dir/clean/05";
is(bonload('-wt=1', "-url=$dir/clean/XX", '-body-size=10', '-max-requests=8', '-cleanup')->{status}, '0', '-cleanup where a link and a directory have names of the run');
is(readlink "$dir/clean/03", 'mine', 'the link, which was not written, stays');
ok(rmdir "$dir/clean/05", 'so does the directory');
is_deeply([ files_in("$dir/clean") ], [ "$dir/clean/03", "$dir/clean/mine" ], 'and the other files are gone');
unlink "$dir/clean/03";

# ---- more threads than the soft limit on open files allows ---------------------------------------------
sub limited { return { wrap => [ 'sh', '-c', "ulimit $_[0] 50; exec \"\$@\"", 'sh' ] } }
POSIX::mkfifo("$dir/fifo", oct 600) or die "mkfifo: $!\n";
my @MANY = (qw(-rt=100 -max-requests=100 -verbose), "-url=$dir/fifo");
open my $writer, '+<', "$dir/fifo" or die "$dir/fifo: $!\n"; # reads wait for what is never written
my $many = load_started(limited('-Sn'), @MANY);
my $count_open = sub { scalar grep { (readlink // q{}) eq "$dir/fifo" } glob "/proc/$many->{pid}/fd/*" };
wait_until('100 open files, or a failure', sub { $count_open->() == 100 || -s $many->{err_file} });
close $writer;
finish($many);
is($many->{status}, '0', 'more threads than the soft limit on open files allows');
like($many->{out}, qr/^Total errors: 0$/m, 'all have their file');
refused_ok(bonload(limited('-n'), @MANY), qr/-rt, -wt: 100 threads need 116 open files at a time; the limit is 50 \(ulimit -Hn\)/, 'more than the hard limit');
unlink "$dir/fifo";

# ---- names from a file, and to a file ------------------------------------------------------------------
mkdir "$dir/list";
loaded('-wt=3', "-url=$dir/list/XX", '-body-size=10', '-max-requests=20', "-written-urls-dump=$dir/names");
is(slurp("$dir/names"), join(q{}, map { sprintf "$dir/list/%02d\n", $_ } 1 .. 20), '-written-urls-dump: what was written');
my $listed = loaded('-rt=1', "-url-source=$dir/names", '-max-requests=45', "-written-urls-dump=$dir/names2");
is($listed->{Reads}{Errors}, 0, '-url-source: what was dumped is read, round and round');
is(slurp("$dir/names2"), slurp("$dir/names"), 'a dump of what was read');
chmod 0, "$dir/list/03" if $> != 0;
unlink "$dir/list/03";
mkdir "$dir/list/03";
bonload('-wt=1', "-url=$dir/list/XX", '-body-size=10', '-max-requests=5', "-written-urls-dump=$dir/names3");
is(slurp("$dir/names3"), join(q{}, map { sprintf "$dir/list/%02d\n", $_ } 1, 2, 4, 5), 'what failed is not in it');
is(loaded('-rt=1', "-url=$dir/a-XXX", "-url-source=$dir/none", '-max-requests=1')->{Reads}{Done}, 1, '-url wins');

# ---- durable and direct --------------------------------------------------------------------------------
my $disk = scratch_on_disk();
for my $options ([], ['-fsync'], takes_direct($disk) ? (['-direct'], [qw(-direct -fsync -chunk-size=8KiB)]) : ()) {
    my $run = loaded('-wt=2', '-rpw=1', @{$options}, "-url=$disk/d-XXX", '-min-body-size=0', '-max-body-size=70000', '-max-requests=100', '-verify=full');
    is($run->{Writes}{Errors} + $run->{Reads}{Errors}, 0, "@{$options}: no errors");
    cmp_ok($run->{bonload}{verified_bytes}, '>', 0, "@{$options}: what is read is what was written");
}

# ---- one clear line for each fault ------------------------------------------------------------------------
for my $case (
    [ 'unreadable source', ["-url-source=$dir/none"], qr/open \Q$dir\E\/none: No such file or directory/ ],
    [ 'empty source', ['-url-source=/dev/null'], qr/\/dev\/null contains no name/ ],
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
like($full->{out}, qr/^Error: 20 x write: No space left on device$/m, 'each write is an error');
like($full->{err}, qr/\Abonload: no write succeeded, so there was nothing to read\n\z/, 'and nothing was read');

done_testing();
