#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A report that cannot be printed is a failure, and leaves nothing behind.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(bonnie finish is_used mark nothing_left_ok scratch start);

my $dir  = scratch();
my @tiny = ('-d', $dir, qw(-r0 -s1 -n1 -f -q --format=csv --cache=keep));
mark("$dir");

sub fails {
    my ($name, $how, $reason, @args) = @_;
    my $run = bonnie($how, @args);
    is($run->{status}, 1, "$name: exit status 1");
    like($run->{err}, qr/\Abonnie: [^\n]*\n\z/, "$name: one line");
    like($run->{err}, $reason, "$name: which says why");
    if ($name =~ /--/) { ok(!is_used($dir), "$name: nothing was made") }
    else               { nothing_left_ok($dir, $name) }
    return;
}

my $full = qr/write .*: No space left on device/;
my $closed = qr/write .*: Bad file descriptor/;
SKIP: {
    skip 'no /dev/full', 33 if !-c '/dev/full';
    fails('full disk',                  { out => '/dev/full' }, $full, @tiny);
    fails('full disk, a table',         { out => '/dev/full' }, $full, @tiny, '--format=text');
    fails('full disk, classic table',   { out => '/dev/full' }, $full, @tiny, '--format=text', '--preset=bonnie');
    fails('full disk, HTML',            { out => '/dev/full' }, $full, @tiny, '-html');
    fails('full disk, several runs',    { out => '/dev/full' }, $full, @tiny, '-x3');
    fails('full disk, --help',          { out => '/dev/full' }, $full, '--help');
    fails('full disk, --version',       { out => '/dev/full' }, $full, '--version');
}
fails('closed stdout',           { out => 'closed' }, $closed, @tiny);
fails('closed stdout, --help',   { out => 'closed' }, $closed, '--help');
# The helper that drops caches has one more descriptor.
fails('closed stdin and stdout', { in => 'closed', out => 'closed' }, $closed, @tiny, '--cache=evict');
is(bonnie({ map { $_ => 'closed' } qw(in out err) }, @tiny, '--cache=evict')->{status}, 1, 'all three closed: exit status 1');
nothing_left_ok($dir, 'all three closed');

# A closed pipe ends the run by SIGPIPE, as it ends other programs, and nothing
# is left behind.
my $gone = finish(start({ wrap => [ 'sh', '-c', '"$@" | true; :', 'sh' ] }, @tiny, '-x', '5'));
nothing_left_ok($dir, 'closed pipe');
pipe my $reader, my $writer or die "pipe: $!\n";
my $fd = fileno $writer;
close $reader;
my $run = start({ out => "/proc/$$/fd/$fd" }, @tiny);
is(finish($run)->{status}, 'signal 13', 'closed pipe: ended by SIGPIPE');
is($run->{err}, q{}, 'without a word');
nothing_left_ok($dir, 'ended by SIGPIPE');

SKIP: {
    skip 'no /dev/full', 9 if !-c '/dev/full';
    for my $case ([ 'progress that cannot be shown', err => '/dev/full' ], [ 'a closed stderr', err => 'closed' ], [ 'a closed stdin', in => 'closed' ]) {
        my ($name, %how) = @{$case};
        is(bonnie(\%how, '-d', $dir, qw(-r0 -s1 -n0))->{status}, 0, "$name is no failure");
        nothing_left_ok($dir, $name);
    }
}

done_testing();
