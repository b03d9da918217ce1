#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# FUSE filesystems. A file that is removed while it is open keeps a name for a moment. Some of
# these filesystems keep no owners and modes: a run continues there only if nobody else may write
# to the directory.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun qw(bonnie finish refused_ok start tree wait_until wait_until_closed);

plan skip_all => 'needs root and its mounts' if !Root::may_mount();

my @small = qw(-r0 -q -s1 -f -n1:100:0:2);

sub works {
    my ($name, $fs) = @_;
    my $run = bonnie('-d', "$fs", @small);
    is($run->{status}, 0, "$name: exit status 0") or diag($run->{err});
    is_deeply([ tree("$fs") ], [], 'nothing is left');
    $run = start('-d', "$fs", @small, '-x1000000');
    wait_until('files', sub { grep {m{/d00001/}} tree("$fs") });
    kill KILL => $run->{pid};
    finish($run);
    wait_until_closed("$fs");
    my $done = bonnie('-d', "$fs", '--cleanup');
    is($done->{status}, 0, 'after a run that was killed: exit status 0');
    is("$done->{err}$done->{out}" =~ s{ \S+/bonnie[.]\w{16}\n}{}r, 'removed', 'what it left is removed');
    is_deeply([ tree("$fs") ], [], 'all of it');
    return;
}

SKIP: {
    my $fs = Root::fuse();
    skip 'this system mounts no FUSE filesystem', 18 if !defined $fs;
    works('files that are open keep a name', $fs);

    # Like vfat, this one gives everything to one user, with one mode.
    my @no_owners = map {"--$_-ignore"} qw(chown chgrp chmod);
    works('no owners, and only root may write', Root::fuse(@no_owners, qw(--force-user=root --perms=0755)));
    for my $case ([qw(root 0777)], [qw(nobody 0755)]) {
        my ($user, $mode) = @{$case};
        my $open = Root::fuse(@no_owners, "--force-user=$user", "--perms=$mode");
        refused_ok(bonnie('-d', "$open", @small), qr/keeps no owners and modes, and users other than root and this one may write there/,
            "no owners, and a directory of $user with mode $mode");
        is_deeply([ tree("$open") ], [], 'nothing is left');
        # Who trusts its users may use it, but never as root.
        my @trusted = ('-d', "$open", '--trust-directory');
        like(bonnie(@trusted, @small)->{err}, qr/trust-directory: root trusts no directory; use -u USER\n\z/, 'root may not trust it') if $user eq 'root';
        next if $mode ne '0777' && $user eq 'root';
        my $run = bonnie({ as => 'nobody' }, @trusted, @small);
        is($run->{status}, 0, "--trust-directory, a directory of $user with mode $mode") or diag($run->{err});
        my $refused = bonnie({ as => 'nobody' }, '-d', "$open", @small);
        is($refused->{status}, $user eq 'root' ? 1 : 0, 'and without it');
        is_deeply([ tree("$open") ], [], 'nothing is left');
        next if $user ne 'root';
        is(bonnie({ as => 'nobody', program => 'getc_putc' }, @trusted, qw(-q -s64))->{status}, 0, 'getc_putc, too');
        my $load = bonnie({ as => 'nobody', program => 'bonload' }, qw(-good-for=etcd -trust-directory -duration=1s -show-progress=false), "$open");
        like($load->{status}, qr/\A[023]\z/, 'bonload, too') or diag($load->{err});
        my $promises = bonnie({ as => 'nobody', program => 'boncut' }, qw(write --trust-directory --time=0.2), "$open");
        is($promises->{status}, 0, 'boncut, too') or diag($promises->{err});
        is(bonnie({ as => 'nobody', program => 'boncut' }, qw(--cleanup --trust-directory), "$open")->{status}, 0, 'and what it has left is removed');
        is_deeply([ tree("$open") ], [], 'nothing is left');
    }

    # A server that takes root for another user.
    my $squashed = Root::fuse(qw(--create-for-user=nobody));
    chmod oct(777), "$squashed";
    refused_ok(bonnie('-d', "$squashed", @small), qr/\Q$squashed\E: the server takes root for another user \(root squash\): use -u USER$/m, 'root squash');
    is_deeply([ tree("$squashed") ], [], 'nothing is left');
    is(bonnie('-d', "$squashed", '-u', 'nobody', @small)->{status}, 0, 'with -u');
}

done_testing();
