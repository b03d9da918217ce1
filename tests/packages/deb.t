#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The Debian packages: they build without a warning, lintian and blhc find nothing, each file is in
# its package, and the dependencies are right. With BONNIE_TEST_LONG=1 they are built again in
# another environment, and are equal to the byte.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use PackageBuild qw(build digests give_up links_to_nothing output_of);
use RunProgram   qw(spew);
use SweepSize    qw(is_long);

plan skip_all => 'there are no tools to make Debian packages' if grep { !-x "/usr/bin/$_" } qw(dpkg-buildpackage dh lintian blhc);

my ($dir, $log, $status) = build('deb', { DEB_BUILD_OPTIONS => 'nocheck', LC_ALL => 'C.UTF-8' });
is($status, 0, 'scripts/package deb') or give_up($log);

my ($changes) = glob "$dir/*.changes";
is_deeply([ grep {/\bwarning\b/i} split /\n/, $log ], [], 'no warning in the log');
unlike($log, qr/dh_missing: (?:warning|error)/, 'no file is left over');
spew("$dir/build.log", $log);
is(output_of("blhc --all '$dir/build.log'"), q{}, 'blhc: every flag that hardens is in use');
unlink "$dir/build.log";
is(output_of("lintian --allow-root -i -I --pedantic '$changes'"), q{}, 'lintian has nothing to say');

# Fields and files of each package.
my %fields;
my %files;
for my $deb (glob "$dir/*.deb") {
    my ($name) = $deb =~ m{([^/]+?)_[^/]*\z};
    next if $name =~ /-dbgsym\z/;
    $fields{$name} = { output_of("dpkg-deb -f '$deb'") =~ /^([\w-]+): (.*)$/mg };
    $files{$name} = [ output_of("dpkg-deb -c '$deb'") =~ m{ [.](/\S*[^/\s])(?: |$)}mg ];
}
is_deeply([ sort keys %fields ], [qw(bonload bonload-mpi bonnie bonnie-mpi)], 'the packages');

my %known = map { $_ => 1 } qw(libaio1 libaio1t64 libblkid1 libc6 libjansson4 liburing2 perl);
my @needed = map { /\A([a-z0-9+.-]+)/ } split /, */, $fields{bonnie}{Depends};
is_deeply([ grep { !$known{$_} } @needed ], [], "bonnie depends on nothing that it does not need: @needed");
like($fields{bonload}{Depends}, qr/(?:\A|, )bonnie \(= /, 'bonload depends on what draws its page');
like($fields{'bonnie-mpi'}{Depends}, qr/(?:\A|, )libopenmpi/, 'bonnie-mpi depends on MPI');
like($fields{'bonload-mpi'}{Depends}, qr/(?:\A|, )libopenmpi/, 'and so does bonload-mpi');
unlike($fields{$_}{Depends}, qr/mpi/, "and $_ does not") for qw(bonnie bonload);
like($fields{bonload}{Depends}, qr/(?:\A|, )libcurl4/, 'and on libcurl, for http and s3');
is($fields{bonnie}{$_}, 'bonnie++, zcav', "$_ bonnie++ and zcav") for qw(Conflicts Replaces);
like($fields{bonnie}{Provides}, qr/\Abonnie\+\+ \(= 3\S+\), zcav\z/, 'which it provides');
is($fields{bonnie}{Suggests}, 'bonload', 'and suggests bonload');

for my $file (qw(/usr/bin/bonnie /usr/bin/bonnie++ /usr/bin/boncut /usr/bin/getc_putc /usr/sbin/bonnie /usr/sbin/bonnie++ /usr/sbin/zcav /usr/sbin/getc_putc /usr/bin/bon_csv2html /usr/bin/bon_csv2txt
    /usr/bin/generate_randfile /usr/share/bash-completion/completions/bonnie++ /usr/share/zsh/vendor-completions/_bonnie
    /usr/share/fish/vendor_completions.d/bonnie.fish /usr/share/man/man1/bonnie.1.gz /usr/share/man/man8/bonnie++.8.gz /usr/share/bonnie/bonnie.schema.json /usr/share/doc/bonnie/README.md /usr/share/doc/bonnie/NEWS.Debian.gz)) {
    is(scalar(grep { $_ eq $file } @{ $files{bonnie} }), 1, "bonnie has $file");
}
for my $file (qw(/usr/bin/bonload /usr/bin/goader /usr/share/man/man1/goader.1.gz /usr/share/bash-completion/completions/goader)) {
    is(scalar(grep { $_ eq $file } @{ $files{bonload} }), 1, "bonload has $file");
}
my ($readme) = glob "$dir/bonnie_*.deb";
is_deeply([ links_to_nothing(output_of("dpkg-deb --fsys-tarfile '$readme' | tar -xO ./usr/share/doc/bonnie/README.md"), '/usr/share/doc/bonnie', @{ $files{bonnie} }, @{ $files{bonload} }) ], [], 'what README links to is in the packages');

# Another directory, umask, locale, time zone and hour of the day.
if (is_long()) {
    my $tmp = "$dir/elsewhere";
    mkdir $tmp or die "$tmp: $!\n";
    my ($again) = build('deb', { DEB_BUILD_OPTIONS => 'nocheck', TMPDIR => $tmp, LC_ALL => 'POSIX', TZ => 'Pacific/Kiritimati' },
        qw(env NO_FAKE_STAT=1 FAKETIME_DONT_FAKE_MONOTONIC=1 faketime -f +26h sh -c), 'umask 077; exec "$@"', 'sh');
    rmdir $tmp;
    is_deeply(digests($again), digests($dir), 'built elsewhere and at another time it is the same to the byte');
}

done_testing();
