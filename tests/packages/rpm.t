#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The RPM packages: rpmlint finds nothing, and installed into an empty root every file is where
# Fedora wants it. Built again in another environment, they are equal to the byte. scripts/test
# --long runs this.

use strict;
use warnings;
use File::Temp ();
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use PackageBuild qw($TOP build digests give_up links_to_nothing output_of);
use RunProgram   qw(slurp);

plan skip_all => 'there are no tools to make RPM packages' if grep { !-x "/usr/bin/$_" } qw(rpm rpmbuild rpmlint);

my %quick = (RPM_OPTIONS => '--nocheck');
my ($dir, $log, $status) = build('rpm', \%quick);
is($status, 0, 'scripts/package rpm') or give_up($log);
is_deeply([ grep {/\bwarning\b/i} split /\n/, $log ], [], 'no warning in the log');

my $lint = output_of("rpmlint -c '$TOP/packaging/rpmlint.toml' '$dir'/*.rpm");
like($lint, qr/ 0 errors, 0 warnings/, 'rpmlint: 0 errors, 0 warnings') or diag($lint);

my ($bonnie)  = grep { !/src[.]rpm/ } glob "$dir/bonnie-3*.rpm";
my ($bonload) = glob "$dir/bonload-3*.rpm";
my ($by_mpi)  = glob "$dir/bonnie-openmpi-3*.rpm";
my ($load_by_mpi) = glob "$dir/bonload-openmpi-3*.rpm";
my @all   = ($bonnie, $bonload, $by_mpi, $load_by_mpi);
my %needs = map { $_ => output_of("rpm -qp --requires '$_'") } @all;
like($needs{$bonnie}, qr/^\Q$_\E/m, "bonnie requires $_") for qw(libjansson.so.4 libaio.so.1 liburing.so.2 /usr/bin/perl);
unlike($needs{$bonnie}, qr/curl|mpi|perl\(Bonnie/, 'and neither curl nor MPI nor modules of its own');
like($needs{$bonload}, qr/^libcurl[.]so/m, 'bonload requires libcurl');
for my $case ([ $bonload, 'bonnie' ], [ $by_mpi, 'bonnie' ], [ $load_by_mpi, 'bonload' ]) {
    my ($package, $base) = @{$case};
    my ($name) = $package =~ m{([^/]+?)-3};
    like($needs{$package}, qr/^$base(?:\(\S+\))? = 3[.\d]*-\d/m, "$name requires $base of the same build");
}
for my $package ($by_mpi, $load_by_mpi) {
    my ($name, $base) = $package =~ m{((\w+)-openmpi)-3};
    like($needs{$package}, qr/^libmpi[.]so/m, "$name requires Open MPI");
    like(output_of("rpm -qp --provides '$package'"), qr/^$base-mpi = 3/m, "and provides $base-mpi");
}
like(output_of("rpm -qp --provides '$bonnie'"), qr/^bonnie\+\+ = 3/m, 'bonnie provides bonnie++');
unlike(output_of("rpm -qp --provides '$bonnie'"), qr/perl\(/, 'and none of its modules');
is(output_of("rpm -qp --obsoletes '$bonnie'"), q{}, 'it obsoletes nothing');
like(output_of("rpm -qp --conflicts '$bonnie'"), qr/^bonnie\+\+ < 3$/m, 'but takes the place of that of before');

my $root = File::Temp->newdir('bonnie-test-XXXXXX', TMPDIR => 1);
my $said = output_of("rpm --root '$root' --dbpath /var/lib/rpm -i --nodeps --noscripts @all");
is($said =~ s/^rpm: (?:RPM should not|However assuming).*\n?//mgr, q{}, 'they are installed into an empty root'); # Debian's rpm warns about itself
for my $file (qw(bin/bonnie bin/bonnie++ bin/boncut bin/getc_putc sbin/bonnie sbin/bonnie++ sbin/zcav sbin/getc_putc bin/bon_csv2html bin/bon_csv2txt bin/generate_randfile bin/bonload bin/goader
    lib64/openmpi/bin/bonload-mpi_openmpi share/man/man1/bonload-mpi.1.gz lib64/openmpi/bin/bonnie-mpi_openmpi share/man/man1/bonnie-mpi.1.gz share/bash-completion/completions/bonnie-mpi
    share/man/man1/bonnie.1.gz share/man/man8/bonnie++.8.gz share/man/man1/bonload.1.gz share/licenses/bonnie/COPYING
    share/doc/bonnie/NEWS.md share/bonnie/bonnie.schema.json share/bonnie/perl/Bonnie/Page.pm
    share/bash-completion/completions/bonnie share/zsh/site-functions/_bonnie share/fish/vendor_completions.d/bonnie.fish)) {
    ok(-e "$root/usr/$file", "/usr/$file");
}
is_deeply([ links_to_nothing(slurp("$root/usr/share/doc/bonnie/README.md"), '/usr/share/doc/bonnie', map {s{\A\Q$root\E}{}r} split /\n/, output_of("find '$root/usr'")) ], [], 'what README links to is there');
for my $program (map {m{([^/]+)\z}} glob "$root/usr/{bin,sbin}/* $root/usr/lib64/openmpi/bin/*-mpi") {
    ok((() = glob "$root/usr/share/man/man[18]/$program.[18].gz"), "$program has a manual page");
}
for my $program (qw(sbin/bonnie++ sbin/zcav sbin/getc_putc bin/generate_randfile bin/goader), map {"lib64/openmpi/bin/$_"} qw(bonnie-mpi bonload-mpi)) {
    my %called = ('bonnie++' => 'bonnie', goader => 'bonload');
    my ($name) = $program =~ m{([^/]+?)(?:-mpi)?\z};
    $name = $called{$name} // $name;
    like(output_of("'$root/usr/$program' --version"), qr/\A\Q$name\E 3/, "what is installed runs: $program");
}

# Another directory, umask, locale, time zone and hour of the day.
my $tmp = File::Temp->newdir('bonnie-test-XXXXXX', TMPDIR => 1);
my ($again) = build('rpm', { %quick, TMPDIR => "$tmp", LC_ALL => 'POSIX', TZ => 'Pacific/Kiritimati' },
    qw(env NO_FAKE_STAT=1 FAKETIME_DONT_FAKE_MONOTONIC=1 faketime -f +26h sh -c), 'umask 077; exec "$@"', 'sh');
my $digests = digests($dir);
cmp_ok(scalar keys %{$digests}, '>=', 5, 'all packages are held against each other');
is_deeply(digests($again), $digests, 'built elsewhere and at another time they are the same to the byte');

# Without MPI, and with bin instead of sbin, as in Fedora since 42.
my $merged = File::Temp->new(TMPDIR => 1);
print {$merged} "%_sbindir %{_bindir}\n" or die "$merged: $!\n";
close $merged or die "$merged: $!\n";
my ($without, $said_without) = build('rpm', { RPM_OPTIONS => "--nocheck --without mpi --load=$merged" });
is_deeply([ grep {/mpi-/} keys %{ digests($without) } ], [], '--without mpi: no package of it') or diag($said_without);
my ($in_bin) = grep { !/src[.]rpm/ } glob "$without/bonnie-3*.rpm";
my @programs = output_of("rpm -qpl '$in_bin'") =~ m{^/usr/s?bin/.*}mg;
is_deeply(\@programs, [ map {"/usr/bin/$_"} qw(bon_ab bon_csv2html bon_csv2txt boncut bonnie bonnie++ bonwhy generate_randfile getc_putc gobonniego zcav) ], 'sbin is bin: bonnie');

done_testing();
