#!/usr/bin/perl
# A report that cannot be printed is a failure, and leaves nothing behind.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(bonnie finish refused_ok scratch start tree);

my $dir  = scratch();
my @tiny = ('-d', $dir, qw(-r0 -s1 -n1 -f -q --format=csv --cache=keep));

sub fails {
    my ($name, $how, $reason, @args) = @_;
    my $run = bonnie($how, @args);
    is($run->{status}, 1, "$name: exit status 1");
    like($run->{err}, qr/\Abonnie: [^\n]*\n\z/, "$name: one line");
    like($run->{err}, $reason, "$name: which says why");
    is_deeply([ tree($dir) ], [], "$name: nothing is left");
    return;
}

my $full = qr/write .*: No space left on device/;
my $closed = qr/write .*: Bad file descriptor/;
SKIP: {
    skip 'no /dev/full', 28 if !-c '/dev/full';
    fails('full disk',                  { out => '/dev/full' }, $full, @tiny);
    fails('full disk, a table',         { out => '/dev/full' }, $full, @tiny, '--format=text');
    fails('full disk, classic table',   { out => '/dev/full' }, $full, @tiny, '--format=text', '--preset=bonnie');
    fails('full disk, HTML',            { out => '/dev/full' }, $full, @tiny, '--html');
    fails('full disk, several runs',    { out => '/dev/full' }, $full, @tiny, '-x3');
    fails('full disk, --help',          { out => '/dev/full' }, $full, '--help');
    fails('full disk, --version',       { out => '/dev/full' }, $full, '--version');
}
fails('closed stdout',           { out => 'closed' }, $closed, @tiny);
fails('closed stdout, --help',   { out => 'closed' }, $closed, '--help');
# The helper that drops caches has one more descriptor.
fails('closed stdin and stdout', { in => 'closed', out => 'closed' }, $closed, @tiny, '--cache=evict');
is(bonnie({ map { $_ => 'closed' } qw(in out err) }, @tiny, '--cache=evict')->{status}, 1, 'all three closed: exit status 1');
is_deeply([ tree($dir) ], [], 'nothing is left');

# A closed pipe ends the run by SIGPIPE, as it ends other programs, and nothing
# is left behind.
my $gone = finish(start({ wrap => [ 'sh', '-c', '"$@" | true; :', 'sh' ] }, @tiny, '-x', '5'));
is_deeply([ tree($dir) ], [], 'closed pipe: nothing is left');
pipe my $reader, my $writer or die "pipe: $!\n";
my $fd = fileno $writer;
close $reader;
my $run = start({ out => "/proc/$$/fd/$fd" }, @tiny);
is(finish($run)->{status}, 'signal 13', 'closed pipe: ended by SIGPIPE');
is($run->{err}, q{}, 'without a word');
is_deeply([ tree($dir) ], [], 'nothing is left');

SKIP: {
    skip 'no /dev/full', 4 if !-c '/dev/full';
    is(bonnie({ err => '/dev/full' }, '-d', $dir, qw(-r0 -s1 -n0))->{status}, 0, 'progress that cannot be shown is no failure');
    is(bonnie({ err => 'closed' },    '-d', $dir, qw(-r0 -s1 -n0))->{status}, 0, 'nor is a closed stderr');
    is(bonnie({ in => 'closed' },     '-d', $dir, qw(-r0 -s1 -n0))->{status}, 0, 'nor is a closed stdin');
    is_deeply([ tree($dir) ], [], 'nothing is left');
}

done_testing();
