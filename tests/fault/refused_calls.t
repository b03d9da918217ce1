#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Older kernels and filters of system calls lack or forbid the newest calls; containers may have no
# /proc and /sys, a root that cannot be written, and no CAP_SYS_ADMIN. For each of these calls, and
# for all of them together, a run does the same in another way, or ends with one line that says why.
# Nothing crashes, hangs or stays behind, and the report leaves out what is not known, instead of
# saying something false.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use BonnieRun  qw(bonnie engines have is_used mark scratch tree);
use Root       ();
use RunProgram qw(slurp);

my @CALLS = qw(openat2 statx cachestat process_vm_readv io_uring libaio tmpfile memfd close_range getrandom seccomp);

my $tools  = scratch(oct 755);
my $refuse = "$tools/refuse_calls";
my $cc     = $ENV{CC} // 'cc';
plan skip_all => "$cc does not build the program that forbids system calls"
    if system("$cc -Wall -Werror -O1 -o '$refuse' '$FindBin::Bin/refuse_calls.c'") != 0;
plan skip_all => 'system calls cannot be forbidden here' if system("$refuse EPERM cachestat true 2>/dev/null") != 0;

# name => program and arguments; DIR is the directory of a run. `needs` is the call that the run
# cannot do without, and that its message names.
my $small  = '-d DIR -r0 -q -z7 --min-time=0 -s256k:16k:20:2 -n1:100:1:2 -c2 --iops-duration=0.01 --json';
my %runs   = (
    'bonnie'       => { args => "$small -f --verify=full" },
    'to a file'    => { args => "$small -f --tests=put_block --output=DIR/report" },
    'page'         => { program => 'bonload', page => 1, args => '-wt=2 -url=DIR/data/XXX -max-requests=20 -show-progress=false -remove -timeline-file=DIR/report' },
    (map { ($_ => { args => "$small --engine=$_ --iodepth=4 --tests=put_block,get_block,seeks -n0", needs => $_ }) }
        grep {/libaio|io_uring/} engines()),
    (map { ($_ => { args => "$small --tests=put_block,get_block -u nobody" }) } grep { Root::is_root() } '-u nobody'),
    'bonload'      => { program => 'bonload', args => '-wt=2 -url=DIR/data/XXX -max-requests=20 -body-size=5000 --json -verify=full -show-progress=false -remove' },
    'boncut'       => { program => 'boncut', args => 'write --time=0.2 -c1 --units=2 DIR', log => 1 },
);

my %number = map { $_ => 0 } qw(cases the_same less_known told crashed left hung);

# What a run leaves in its directory, except the report that the user wanted.
sub left_in {
    my ($dir, $run) = @_;
    return if $run->{log};
    return grep { $_ ne 'report' && $_ ne 'data' } map {s{\A\Q$dir\E/?}{}r} tree($dir);
}

sub in_sandbox {
    my ($run, @wrap) = @_;
    my $dir  = scratch(oct 777);
    my $used = ($run->{program} // q{}) eq 'bonload' ? "$dir/data" : "$dir";
    mkdir $used;
    mark($used);
    my @args = map {s/\bDIR\b/$dir/r} split q{ }, $run->{args};
    local $BonnieRun::HANGS = 300;
    my $done = bonnie({ program => $run->{program}, wrap => [ map {s/\bDIR\b/$dir/r} @wrap ] }, @args);
    my $text = -e "$dir/report" ? slurp("$dir/report") : $done->{out};
    my $report = $text =~ /\A\{/ ? (eval { JSON::PP::decode_json($text) }) // {} : { page => $text =~ m{</html>\s*\z} ? 1 : 0 };
    return { %{$done}, report => $report, left => [ left_in($dir, $run) ], is_used => is_used($used) };
}

# Figures, and the lengths of lists of figures, differ between any two runs.
my $MEASURED = qr/time|seconds|rate|percent|latenc|_ns\b|percentiles|histogram|intervals|rounds|heat|TopTen|Reports|FinalSpeed|[.](?:seed|run|limit\w*|verdict|advice|busiest|label|cv|slowest)\b/;

# The part of the report that is the same in all runs with these arguments on
# this machine.
my $FIXED = qr/[.](?:ops|bytes|engine|direct|sync|verify|data|workers|iodepth|name|cache|page|cpus|ram_bytes)\z/;

sub leaves {
    my ($value, $path, $found) = @_;
    if    (ref $value eq 'HASH')  { leaves($value->{$_}, "$path.$_", $found) for keys %{$value} }
    elsif (ref $value eq 'ARRAY') { leaves($value->[$_], "$path.$_", $found) for 0 .. $#{$value} }
    else                          { $found->{$path} = $value }
    return $found;
}

# Whether the report says that this value is not known: the value, or what it belongs
# to, is null.
sub is_null {
    my ($report, $path) = @_;
    for (my $part = $path; length $part; $part =~ s/[.][^.]*\z//) {
        return 1 if exists $report->{$part} && !defined $report->{$part};
    }
    return 0;
}

# Whether this value is in a list other than the list of the run's tests.
sub is_of_list { return $_[0] =~ s/\A[.]runs[.]0[.]tests[.]\d+//r =~ /[.]\d+(?:[.]|\z)/ }

# How two reports differ: (what is wrong, number of values that are unknown in
# the second one).
sub differences {
    my ($usual, $now) = map { leaves($_, q{}, {}) } @_;
    my (@wrong, $unknown);
    for my $path (grep { defined $usual->{$_} && !is_of_list($_) } sort keys %{$usual}) {
        my ($before, $after) = ($usual->{$path}, $now->{$path});
        if    (!defined $after && is_null($now, $path))        { $unknown++ }
        elsif ($path =~ $MEASURED)                           { }
        elsif (!defined $after)                              { push @wrong, "$path is gone" }
        elsif ($path =~ /system_dropped/)                    { $unknown++ if $before && !$after }
        elsif ($path =~ /verified_bytes/)                    { push @wrong, "$path: $after" if !$after != !$before }
        elsif ($path =~ $FIXED && $path !~ /device/ && $after ne $before) { push @wrong, "$path: $after instead of $before" }
    }
    return (\@wrong, $unknown // 0);
}

sub judge {
    my ($name, $row, $run, $usual, $now) = @_;
    my @wrong;
    my @lines = split /\n/, $now->{err};
    $row->{cases}++;
    if ($now->{status} !~ /\A[01]\z/) {
        $row->{ $now->{status} =~ /signal 9/ ? 'hung' : 'crashed' }++;
        push @wrong, $now->{status};
    }
    if (@{ $now->{left} }) {
        $row->{left}++;
        push @wrong, "left: @{ $now->{left} }";
    }
    if ($now->{status} eq '1') {
        $row->{told}++;
        note("$name: $now->{err}");
        push @wrong, scalar(@lines) . ' lines' if @lines != 1;
    }
    elsif ($now->{status} eq '0') {
        push @wrong, 'it has made no file' if !$now->{is_used};
        my ($differs, $unknown) = differences($usual->{report}, $now->{report});
        push @wrong, @{$differs};
        $row->{ $unknown ? 'less_known' : 'the_same' }++;
    }
    is("@wrong", q{}, $name) or diag($now->{err});
    return;
}

my %usual;
for my $name (sort keys %runs) {
    $usual{$name} = in_sandbox($runs{$name});
    is($usual{$name}{status}, '0', "$name: it works") or diag($usual{$name}{err});
    is($usual{$name}{report}{page}, 1, "$name: a page") if $runs{$name}{page};
}

my %row;
my @replaced = grep { !/io_uring|libaio|tmpfile|getrandom/ } @CALLS;
my %all      = ((join q{,}, @CALLS) => 'all of them', (join q{,}, @replaced) => 'all that are replaced');
for my $calls (@CALLS, sort keys %all) {
    my $title = $all{$calls} // $calls;
    my $row = $row{$title} = {%number};
    for my $code (qw(ENOSYS EPERM)) {
        for my $name (sort keys %runs) {
            my $now = in_sandbox($runs{$name}, $refuse, $code, $calls);
            judge("$title, $code: $name", $row, $runs{$name}, $usual{$name}, $now);
            my $needs = $runs{$name}{needs} // next;
            next if $calls !~ /\b$needs\b/;
            like($now->{err}, qr/\A\w+: --engine=$needs: [^\n]+\n\z/, "$title, $code: $needs says why");
        }
    }
}

SKIP: {
    my @needed = grep { !have($_) } qw(unshare setpriv);
    skip "needs @needed", 1 if @needed;
    skip 'needs root, for mounts', 1 if !Root::is_root();
    # The container: nothing but the run's directory can be written, and the kernel's mount points
    # are empty.
    my @mounts = ('mount --bind "$1" "$1"', 'mount -o remount,bind,ro /', map {"mount -t tmpfs -o mode=555 none $_"} qw(/sys /proc));
    my $narrow = join ' && ', @mounts, 'shift', 'exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$@"';
    my @container = (qw(unshare --mount --propagation private sh -c), $narrow, 'sh', 'DIR');
    skip 'mounts of its own are not allowed here', 1 if system("unshare --mount --propagation private sh -c 'mount -t tmpfs none /proc && mount -o remount,bind,ro /' 2>/dev/null") != 0;
    for my $filter ([], [ $refuse, 'EPERM', join q{,}, @CALLS ]) {
        my $title = @{$filter} ? 'a container that forbids all of them' : 'a container';
        my $row = $row{$title} = {%number};
        judge("$title: $_", $row, $runs{$_}, $usual{$_}, in_sandbox($runs{$_}, @container, @{$filter})) for sort keys %runs;
    }
}

for my $title (sort keys %row) {
    print "# table: refused: $title: ", join(', ', map {"$_ $row{$title}{$_}"} qw(cases the_same less_known told crashed left hung)), "\n";
}

done_testing();
