#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The archive of static programs: they run in a directory that has nothing else, and say so where they would need Perl;
# with it, from wherever the archive is; and without the system calls that older kernels lack, as tests/fault checks for
# the usual build.

use strict;
use warnings;
use FindBin;
use JSON::PP qw(decode_json);
use lib "$FindBin::Bin/../lib";
use Test::More;
use PackageBuild qw($TOP build give_up links_to_nothing output_of);
use RunProgram   qw(slurp);

plan skip_all => 'there is no musl-gcc, or no dpkg-source' if grep { !-x "/usr/bin/$_" } qw(musl-gcc dpkg-source);

my ($dir, $log, $status) = build('static', {});
plan skip_all => 'the source packages cannot be fetched' if $log =~ /cannot be fetched$/m;
is($status, 0, 'scripts/package static') or give_up($log);
chomp(my $machine = qx(uname -m));
my @made = glob "$dir/*";
like("@made", qr{/bonnie-\d[\w.]*-linux-\Q$machine\E[.]tar[.]xz\z}, 'one file') or give_up($log);
my ($name) = $made[0] =~ m{([^/]+)[.]tar[.]xz\z};
cmp_ok(-s $made[0], '<', 4 << 20, 'of less than 4 MiB');
is(output_of("tar -xJf '$made[0]' -C '$dir' && LC_ALL=C ls -A '$dir/$name'"), join("\n", qw(CONTRIBUTING.md COPYING NEWS.md README.md SECURITY.md bin docs share)), 'programs, manuals and what is for reading');
is_deeply([ links_to_nothing(slurp("$dir/$name/README.md"), q{}, map {s{\A\Q$dir/$name\E}{}r} split /\n/, output_of("find '$dir/$name'")) ], [], 'what README links to is there');

# ---- the programs --------------------------------------------------------------------------------

my @programs = qw(bonnie bonnie++ gobonniego boncut bonload bonwhy goader zcav getc_putc generate_randfile);
for my $program (@programs) {
    my $file = "$dir/$name/bin/$program";
    unlike(output_of("readelf -l '$file'"), qr/INTERP/, "$program needs no loader");
    is(output_of("readelf -d '$file'") =~ /NEEDED/ ? 1 : 0, 0, 'and no library');
}
my @manuals = glob "$dir/$name/share/man/man[18]/*";
cmp_ok(scalar @manuals, '>=', 12, 'manuals');

SKIP: {
    skip 'a chroot takes root', 1 if $> != 0;
    subtest 'an empty root' => sub {
        my $root = "$dir/root";
        mkdir $_ or die "$_: $!\n" for $root, "$root/data";
        chmod oct(777), "$root/data";
        system("cp -a '$dir/$name/bin/bonnie' '$dir/$name/bin/boncut' '$dir/$name/bin/bonload' '$dir/$name/bin/zcav' '$root'") == 0 or die "cp: $?\n";
        my $in = sub { return output_of("{ chroot '$root' @_ </dev/null; echo status \$?; }") };
        my $small = '-d /data -r0 -s2 -n1 --min-time=0.05';
        my $run = $in->("/bonnie $small -f -u 65534:65534");
        like($run, qr/^1\.98,.*\nstatus 0\z/m, 'bonnie') or diag($run);
        for my $engine (qw(libaio io_uring)) {
            my $text = $in->("/bonnie $small -q -n0 -f --engine=$engine --json");
            like($text, qr/"engine": ?"$engine".*^status 0\z|^bonnie: [^\n]*$engine[^\n]*\nstatus 1\z/ms, "$engine: it is in the program");
            unlike($text, qr/built without|not built/, 'whatever the kernel says');
        }
        like($in->('/bonload -wt=2 -url=/data/XXXX -max-requests=100 -remove -show-progress=false --json'), qr/"writes".*^status 0\z/ms, 'bonload');
        like($in->('/bonload -wt=1 -url=/data/XXXX -max-requests=9 -timeline-file=/data/page.html'), qr/\Abonload: -timeline-file: [^\n]*bon_csv2html[^\n]*\nstatus 1\z/, '-timeline-file says what is missing');
        system("cp '$dir/$name/bin/bon_csv2html' '$root'") == 0 or die "cp: $?\n";
        local $ENV{BON_CSV2HTML} = '/bon_csv2html';
        like($in->('/bonload -wt=1 -url=/data/XXXX -max-requests=9 -timeline-file=/data/page.html'), qr{\Abonload: -timeline-file: /bon_csv2html, or Perl, which it needs, was not found\nstatus 1\z}, 'with the script, Perl is');
        like($in->('/zcav --html /data/page.html /data'), qr/\Azcav: --html: [^\n]*Perl[^\n]*\nstatus 1\z/, 'and so does --html');
        like($in->('/bonload -requests-engine=http -rt=1 -url=http://127.0.0.1:1/'), qr/\Abonload: [^\n]*libcurl[^\n]*\nstatus 1\z/, 'http is not in it');
        like($in->('/boncut write --time=0.1 /data'), qr/status 0\z/, 'boncut');
        is(output_of("ls -A '$root/data' | grep -v '^boncut'"), q{}, 'nothing is left but what boncut check reads');
    };
}

subtest 'the image' => sub {
    my ($images, $said, $failed) = build('oci', {});
    is($failed, 0, 'scripts/package oci') or give_up($said);
    my ($image) = glob "$images/*.oci.tar";
    my $member = sub { return output_of("tar -xOf '$image' '$_[0]'") };
    my $blob   = sub {
        my ($digest, $size) = @{ $_[0] }{qw(digest size)};
        my $name = 'blobs/' . $digest =~ tr{:}{/}r;
        my ($sum) = output_of("tar -xOf '$image' '$name' | sha256sum") =~ /\A(\w+)/;
        is("sha256:$sum", $digest, "$name is what its name says");
        is(output_of("tar -xOf '$image' '$name' | wc -c"), $size, 'and as large');
        return $name;
    };
    my $manifest = decode_json($member->($blob->(decode_json($member->('index.json'))->{manifests}[0])));
    my $config   = decode_json($member->($blob->($manifest->{config})));
    my $layer    = $blob->($manifest->{layers}[0]);
    is($config->{config}{Entrypoint}[0], '/bin/bonnie', 'it starts bonnie');
    my ($sum) = output_of("tar -xOf '$image' '$layer' | gzip -d | sha256sum") =~ /\A(\w+)/;
    is_deeply($config->{rootfs}{diff_ids}, ["sha256:$sum"], 'on a root of this layer');
    my $root = "$images/root";
    mkdir $root or die "$root: $!\n";
    is(output_of("tar -xOf '$image' '$layer' | tar -xz -C '$root' && ls '$root'"), "COPYING\nbin", 'which has programs and their licence');
    my @there = map {s{.*/}{}r} glob "$root/bin/*";
    is_deeply([ sort @there ], [ sort @programs ], 'all of them, and no script');
    like(output_of("chroot '$root' /bin/bonnie --version"), qr/\Abonnie \d/, 'they run there') if $> == 0;
};

# ---- with Perl -----------------------------------------------------------------------------------

my $line = output_of("'$dir/$name/bin/bonnie' -q -d '$dir' -r0 -s1 -n0 -f -m lab 2>/dev/null");
like(output_of("echo '$line' | '$dir/$name/bin/bon_csv2txt'"), qr/^lab +1M /m, 'bon_csv2txt finds its modules');
like(output_of("'$dir/$name/bin/bon_ab' --help"), qr/^Usage: bon_ab/m, 'and so does bon_ab');
system("mv '$dir/$name' '$dir/elsewhere'");
output_of("'$dir/elsewhere/bin/bonload' -wt=1 -url='$dir/XXXX' -max-requests=9 -remove -show-progress=false -timeline-file='$dir/page.html'");
ok(-s "$dir/page.html", 'a page is drawn wherever the directory is');

# ---- older kernels -------------------------------------------------------------------------------

local @ENV{qw(BONNIE BON_CSV2HTML)} = ("$dir/elsewhere/bin/bonnie", "$dir/elsewhere/bin/bon_csv2html");
my $refused = output_of("$^X '$TOP/tests/fault/refused_calls.t'");
like($refused, qr/^1\.\.\d+$/m, 'system calls are refused, one by one and all at once');
is(join("\n", $refused =~ /^(not ok.*)/mg), q{}, 'and every run works without, or says why') or diag(substr $refused, -4000);

done_testing();
