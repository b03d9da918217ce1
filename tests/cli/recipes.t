#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes of README and docs/questions.md: each is run as it stands there, with smaller sizes and shorter times, in a
# mounted filesystem of its own, with shells in place of ssh. What a recipe changes is looked at while it measures, and
# afterwards.

use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(program scratch source tree);
use RunProgram qw(path_of slurp spew);

plan skip_all => 'the recipes mount filesystems' if !Root::may_mount();

my $data = Root::tmpfs('size=1g,mode=0777');
my $bin  = scratch(oct 755);
my $work = scratch(oct 777);
mkdir "$work/include" or die "$work/include: $!\n"; # for /usr/include
spew("$work/include/$_.h", "#define $_\n") for 'a' .. 'j';

# The programs under their names. bonnie first writes down how /data is mounted.
my %PLACE = ((map { $_ => program($_) } qw(bonload boncut)), map { $_ => path_of($_) } qw(bon_ab bon_csv2html bon_csv2txt));
symlink abs_path($PLACE{$_}), "$bin/$_" or die "$_: $!\n" for keys %PLACE;
tool('bonnie', "findmnt -no OPTIONS '$data' >>'$work/options'; exec '" . program() . '\' --min-time=0.05 "$@"');
tool('ssh', 'shift; case $* in "boncut write"*) exec timeout -s INT 3 "$@" ;; esac; exec sh -c "$*"');
tool('sleep', 'exit 0');

sub tool {
    my ($name, $text) = @_;
    spew("$bin/$name", "#!/bin/sh\n$text\n");
    return chmod oct(755), "$bin/$name";
}

# Each block of commands that begins with one of ours; a block ends at a line that is not indented.
sub recipes_of {
    my ($file) = @_;
    my @blocks = slurp(source($file)) =~ /^((?: {4}.*\n)+)/mg;
    return grep { !m{^\$ |^# |^[.]/scripts/}m && /^(?:.* )?(?:bonnie|bonload|boncut|bon_ab|bon_csv2\w+) /m } map {s/^ {4}//mgr} @blocks;
}

# What makes them small. Times and numbers become the smallest with which the recipe still does all that it says.
sub small {
    my ($recipe) = @_;
    for ($recipe) {
        s{/mnt/(?:ext4|xfs|test)\b|/nfs\b|/data\b}{$data}g;
        s{-s \d+[gm]?\b}{-s 1}g;
        s{(bonnie .*)-n 4:100}{$1-n 1:100}g;
        s{(bonnie -d \S+)$}{$1 -s 1 -n 1}mg;
        s{--time=60\b}{--time=0.2}g;
        s{-x 6\b}{-x 2}g;
        s{-duration=\d+s}{-duration=0.5s}g;
        s{-good-for=(\S+)}{-good-for=$1 -duration=0.5s}g;
        s{-rps=\d+ -wps=\d+}{-rps=40 -wps=20}g;
        s{--preset=diskmark}{--preset=diskmark -s 16 --time=0.1 --iops-duration=0.1}g;
        s{/usr/include}{$work/include}g;
        s{(?=\bbon_ab .*)\bbon_ab}{bon_ab --seed=1 --pairs=2};
    }
    return $recipe;
}

# Returns the exit status and all output.
sub run_recipe {
    my ($recipe) = @_;
    unlink "$work/options";
    spew("$work/recipe", "set -e\ncd '$work'\n" . small($recipe));
    local $ENV{PATH} = "$bin:$ENV{PATH}";
    my $out = qx(timeout 120 sh '$work/recipe' 2>&1 </dev/null);
    return ($? >> 8, $out);
}

sub options_now { chomp(my $options = qx(findmnt -no OPTIONS '$data')); return $options }

# ---- what is asked, and what each recipe has to print ----------------------------------------------

# A regular expression that the recipe matches; accepted statuses; what it prints; what holds then.
my $TABLE = qr/^ {8}.*change/m;
my @expected = (
    [ qr/remount,noatime/, qr/[0-3]/, $TABLE, sub {
            my @pairs = split /\n/, slurp("$work/options");
            cmp_ok((grep {/noatime/} @pairs), '>=', 2, 'noatime in one run of each pair') or diag("@pairs");
            cmp_ok((grep {/relatime/ && !/noatime/} @pairs), '>=', 2, 'relatime in the other');
            like(options_now(), qr/relatime/, 'and at the end again, as before');
            unlike(options_now(), qr/noatime/, 'without noatime');
    } ],
    [ qr/good-for=maildir.*good-for=maildir/s, qr/[0-3]/, $TABLE ],
    [ qr/beside-b=/, qr/[0-3]/, $TABLE ],
    [ qr/-m old .*-m new /s,    qr/0/, qr/\A/, sub { ok(-s "$work/$_", "$_ is there") for qw(old.json new.json) } ],
    [ qr/ssh \$host/,           qr/0/, qr/^c1 +1M .*^c4 +1M /ms, sub { is_deeply([ tree($data) ], [qw(c1 c2 c3 c4)], 'each client has removed its data') } ],
    [ qr/boncut write/,         qr/[03]|124/, qr/\A/, sub { cmp_ok(-s "$work/promises", '>', 1000, 'promises') } ],
    [ qr/boncut audit/,         qr/[0-3]/, qr/fsync|flush/ ],
    [ qr/good-for=(?:postgres|etcd)/, qr/[023]/, qr/^\w+: /m ],
    [ qr/-rps=\d+ -wps=\d+ .*XXXX/, qr/0/, qr/^reads +\d+ +\d+ /m ],
    [ qr/preset=diskmark/,      qr/0/, qr/^RND4K Q1T1 +read/m ],
    [ qr/-m old|tar -cf/,       qr/[0-3]/, $TABLE ],
    [ qr/^bonnie \S+\n\z/,      undef ], # tests/cli/quick.t
    [ qr/^Not shown: |^O_DIRECT went past/m, undef ], # what it prints
    [ qr/requests-engine=(?:s3|http)/, undef ], # tests/cli/bonload_s3.t and bonload_http.t, with servers
    [ qr/^bonload .*max-latency/, undef ],
);

my %done;
for my $file (qw(README.md docs/questions.md)) {
    my @recipes = recipes_of($file);
    cmp_ok(scalar @recipes, '>', 2, "$file has recipes");
    for my $recipe (@recipes) {
        my ($row) = grep { $recipe =~ $_->[0] } @expected;
        my ($title) = $recipe =~ /((?:bonnie|bonload|boncut|bon_ab) .{0,60})/;
        ok($row, "$file: what this has to do is known: $title") or next;
        next if !defined $row->[1] || $done{$recipe}++;
        subtest "$file: $title" => sub {
            system("rm -rf '$data'/* && mount -o remount,atime,relatime '$data'");
            my ($status, $out) = run_recipe($recipe);
            like($status, qr/\A(?:$row->[1])\z/, 'its exit status') or diag($out);
            like($out, $row->[2], 'what it prints') or diag($out);
            $row->[3]->() if $row->[3];
        };
    }
}

# The recipe that was given before is void: libmount merges the options.
system("mount -o remount,noatime '$data' && mount -o remount,relatime '$data'");
my $merged = options_now();
system("mount -o remount,atime,relatime '$data'");
note("remount,relatime after noatime leaves: $merged");
unlike(options_now(), qr/noatime/, 'remount,atime,relatime undoes noatime, whatever the version of mount');

done_testing();
