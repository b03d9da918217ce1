#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonload's record of what it has written: -remove removes the files that the run made and no
# others, and -written-urls-dump has each name once.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(is_used mark scratch);
use LoadRun    qw(bonload ended_in);
use RunProgram qw(slurp spew);

my $dir = scratch();

sub files_in {
    my ($where) = @_;
    opendir my $in, $where or die "$where: $!\n";
    return sort grep { !m/\A[.]/ } readdir $in;
}

# ---- disk: files that were there before stay -----------------------------------------------------
mkdir "$dir/disk";
spew("$dir/disk/03", 'theirs');
my @DISK = (qw(-body-size=10 -remove), "-url=$dir/disk/XX");
my $eight = bonload('-wt=1', '-max-requests=8', @DISK);
is($eight->{status}, '0', 'disk -remove');
is(ended_in($eight->{out}, 'writes'), 8, 'after eight writes');
is_deeply([ files_in("$dir/disk") ], ['03'], 'a file that was there before stays, although the run wrote to it');
mark("$dir/disk");
is(bonload('-wt=3', '-max-requests=350', @DISK)->{status}, '0', 'disk -remove, names that recur');
ok(is_used("$dir/disk"), 'files were made');
is_deeply([ files_in("$dir/disk") ], ['03'], 'the same');

# bonload does not count files that it could not open as its own.
SKIP: {
    skip 'needs root, to be nobody', 2 if $>;
    mkdir "$dir/shared";
    chmod 0777, "$dir/shared" and chmod 0755, $dir;
    spew("$dir/shared/02", 'of root');
    chmod 0444, "$dir/shared/02";
    my $run = bonload(qw(-u nobody -wt=1 -max-requests=4 -body-size=10 -remove -max-errors=100), "-url=$dir/shared/XX");
    like($run->{out}, qr/^writes +4 +3 +1 /m, 'somebody else\'s file cannot be opened');
    is_deeply([ files_in("$dir/shared") ], ['02'], 'and is not removed');
}

# ---- meta: files made by any thread, whether it reads or writes ----------------------------------
for my $case ([ '-rt=2', '-meta-ops=mknod,write,symlink' ], [ '-wt=1', '-rt=1', '-meta-ops=mknod,hardlink,unlink,write' ], ['-rt=1']) {
    my ($name) = join q{ }, @{$case};
    mkdir "$dir/meta";
    mark("$dir/meta");
    my $run = bonload(@{$case}, qw(-requests-engine=meta -max-requests=2000 -body-size=10 -remove -meta-offset-limit=4k), "-url=$dir/meta/XX");
    is($run->{status}, '0', "meta $name -remove");
    cmp_ok(ended_in($run->{out}, 'reads|writes'), '>', 0, 'after its requests');
    ok(is_used("$dir/meta"), 'files were made');
    is_deeply([ files_in("$dir/meta") ], [], 'nothing is left');
}
spew("$dir/meta/07", 'theirs');
mark("$dir/meta");
bonload('-meta-ops=mknod,write,stat', qw(-rt=2 -requests-engine=meta -max-requests=500 -body-size=10 -remove -meta-offset-limit=1), "-url=$dir/meta/XX");
ok(is_used("$dir/meta"), 'other files were made');
is_deeply([ files_in("$dir/meta") ], ['07'], 'what was there before stays');
bonload(qw(-meta-ops=mknod -rt=1 -requests-engine=meta -max-requests=3), "-url=$dir/meta/new-XX");
is_deeply([ map { sprintf '%o', (stat)[2] } glob "$dir/meta/new-*" ], [ (sprintf '%o', oct(100_644) & ~umask) x 3 ], 'mknod makes files that everybody may read, but for the umask');
unlink glob "$dir/meta/new-*";
unlink "$dir/meta/07";
spew("$dir/meta/01", 'theirs');
my $renamed = bonload(qw(-rt=1 -requests-engine=meta -meta-ops=rename -max-requests=500 -remove), "-url=$dir/meta/XX");
like($renamed->{err}, qr/-remove: [1-9]\d* names are not known to belong to this run, and are kept$/m, 'the run names files that it cannot know to be its own');
is(scalar(my ($kept) = files_in("$dir/meta")), 1, 'a file that was there before stays, even when it was renamed');
is(slurp("$dir/meta/$kept"), 'theirs', 'with its contents');

# ---- each name once ------------------------------------------------------------------------------------------
spew("$dir/list", "a\nb\na\nc\n");
for my $case ([ '-url=x-NN', 100 ], [ '-url=x-NNN-R', 300 ], [ '-url=x-XX', 100 ], [ "-url-source=$dir/list", 3 ]) {
    my ($names, $most) = @{$case};
    bonload(qw(-wt=2 -requests-engine=null -max-requests=300), $names, "-written-urls-dump=$dir/dump");
    my @dumped = split /\n/, slurp("$dir/dump");
    my %once   = map { $_ => 1 } @dumped;
    is(scalar @dumped, scalar keys %once, "$names: each name once");
    cmp_ok(scalar @dumped, '<=', $most, "$names: no more than there are");
    cmp_ok(scalar @dumped, '>=', 3,     "$names: and some");
}

done_testing();
