#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that are in the directory already stay as they are, whatever their names.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie is_used mark scratch tree);
use RunProgram qw(slurp spew);
use Trace      qw(can_trace trace);

my $dir     = scratch();
my $outside = scratch();
spew("$outside/precious", 'data');

# All names that a run could use, and names that older programs use.
my $ours = 'bonnie.0123456789abcdef';
mkdir "$dir/$_" for $ours, 'Bonnie.1234', "$dir/gobonniego" =~ s{.*/}{}r;
spew("$dir/$_", 'data') for "$ours/owner", "$ours/data00000", 'data00000', 'owner', 'o0', "Bonnie.$$", 'Bonnie.1234/0000000001', 'bonnie.0';
symlink "$outside", "$dir/bonnie.fedcba9876543210";
symlink "$outside/precious", "$dir/d00000";
mkdir "$dir/bonnie.aaaaaaaaaaaaaaaa", oct 500;

my %before = map { $_ => -f "$dir/$_" ? slurp("$dir/$_") : -l "$dir/$_" ? readlink "$dir/$_" : 'directory' } tree($dir);
for my $options ([qw(-s1 -n1)], [qw(-s0 -n1:100:0:3 -c2)], [qw(-s1 -n1:-2 -b)],
    [qw(-s1 -n0 -c2 --iops-duration=0.05 --tests=iops)], [qw(-s1 -n0 --engine=null -f)]) {
    mark("$dir");
    is(bonnie('-d', $dir, qw(-r0 -q), @{$options})->{status}, 0, "@{$options}: exit status 0");
    ok(is_used($dir), 'files were made beside them');
}
my %after = map { $_ => -f "$dir/$_" ? slurp("$dir/$_") : -l "$dir/$_" ? readlink "$dir/$_" : 'directory' } tree($dir);
is_deeply(\%after, \%before, 'everything is as it was');
is_deeply([ tree($outside) ], ['precious'], 'and behind the links too');

SKIP: {
    skip 'strace cannot trace here', 5 if !can_trace();
    my ($run, @calls) = trace({}, [ '-e', 'trace=openat,open,mkdirat,mkdir,unlinkat,unlink,rmdir,linkat,symlinkat,rename,renameat2' ],
        '-d', $dir, qw(-r0 -q -s1 -n1:10:0:2));
    is((grep { $_->{name} =~ /\A(?:open|mkdir|unlink|rmdir|rename)\z/ && $_->{args} =~ /\Q$dir\E/ } @calls), 0,
        'everything below the directory is reached through descriptors');
    my @made = grep { $_->{args} =~ /O_CREAT/ } @calls;
    is((grep { $_->{args} !~ /O_EXCL/ || $_->{args} !~ /O_NOFOLLOW/ } @made), 0, 'what is made must not be there yet');
    my ($private) = grep { $_->{name} eq 'mkdirat' } @calls;
    like($private->{args}, qr/"bonnie\.[0-9a-f]{16}", 0700/, 'the private directory is for its owner alone');
    my ($name) = $private->{args} =~ /"(.*?)"/;
    my ($second) = (trace({}, [ '-e', 'trace=mkdirat' ], '-d', $dir, qw(-r0 -q -s1 -n0 -z1)))[1];
    my ($third)  = (trace({}, [ '-e', 'trace=mkdirat' ], '-d', $dir, qw(-r0 -q -s1 -n0 -z1)))[1];
    isnt($second->{args}, $third->{args}, 'its name cannot be guessed, seed or no seed');
}

# Two runs in one directory do not disturb each other.
my @both = map { BonnieRun::start('-d', $dir, qw(-r0 -q -s4 -n2 -z1)) } 1, 2;
is(BonnieRun::finish($_)->{status}, 0, 'one of two runs in one directory') for @both;
is_deeply([ tree($dir) ], [ sort keys %before ], 'and both leave nothing');
chmod oct(700), "$dir/bonnie.aaaaaaaaaaaaaaaa";

done_testing();
