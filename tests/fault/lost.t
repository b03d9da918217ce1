#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Storage that fails, or has lost what its filesystem wrote there, as below a backing file that was
# truncated: however few requests notice it, the exit status of a load on files is 1.

use strict;
use warnings;
no warnings 'qw';
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(scratch);
use LoadRun   qw(bonload);
use Trace     qw(can_trace);

plan skip_all => 'strace cannot trace here' if !can_trace();

my $dir = scratch();
my %reason = (EIO => 'Input/output error', EUCLEAN => 'Structure needs cleaning', EBADMSG => 'Bad message', EMFILE => undef);
for my $errno (sort keys %reason) {
    my $how  = { wrap => [ qw(strace -f -qq -o /dev/null -e trace=unlink,unlinkat -e), "inject=unlink,unlinkat:error=$errno:when=7" ] };
    my @load = (qw(-requests-engine=meta -wt=1 -max-requests=100 -meta-ops=unlink:1,mknod:1 -show-progress=false), "$dir/XX");
    my $run  = bonload($how, @load);
    like($run->{out}, qr/^error +1 x unlink: /m, "$errno: a single request fails");
    is($run->{status}, $reason{$errno} ? 1 : 0, 'the exit status');
    like($run->{err}, qr/^bonload: the storage failed: [^\n]*unlink: \Q$reason{$errno}\E\n\z/m, 'and the reason') if $reason{$errno};
    is(bonload($how, '-max-errors=100', @load)->{status}, 0, 'where all may fail, this one may');
}
done_testing();
