#!/usr/bin/perl
# Files of packages and scripts that repeat the version have the one of configure.ac. And the
# packages contain every program.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(source);
use RunProgram qw(slurp);

my ($version) = slurp(source('configure.ac')) =~ /^AC_INIT\(\[bonnie\], \[([^]]+)\]/m;
like($version, qr/\A\d+[.]\d+[.]\d+\z/, 'configure.ac has a version');
for my $place (
    [ 'packaging/debian/changelog',    qr/\Abonnie \(([^)]+)-[^-)]+\) / ],
    [ 'packaging/bonnie.spec',         qr/^Version: +(\S+)$/m ],
    [ 'packaging/bonnie.spec',         qr/^%changelog\n[*] .* - (\S+)-\d+$/m ],
    [ 'scripts/lib/Bonnie/Version.pm', qr/^our \$VERSION = '([^']+)';$/m ],
    [ 'NEWS.md',                       qr/^## (\S+)$/m ],
) {
    my ($file, $pattern) = @{$place};
    my ($there) = slurp(source($file)) =~ $pattern;
    is($there, $version, "$file has the same");
}

# Every program has completions, and a package contains them; dh_missing and rpmbuild check the
# rest.
my $makefile = join q{}, map { slurp($_) } map { glob source($_) } qw(Makefile.am {src/*,scripts}/local.mk);
my @programs = map {split} $makefile =~ /^s?bin_(?:PROGRAMS|NAMES) \+?= (.*)$/mg, $makefile =~ /^dist_bin_SCRIPTS = (.*)$/mg;
s{.*/}{} for @programs;
my %completed = map { s/:.*//r => 1 } map {split} $makefile =~ /^\w*COMPLETED \+?= (.*)$/mg;
cmp_ok(scalar @programs, '>=', 7, 'the programs are known');

my $debian = join q{}, map { slurp($_) } glob source('packaging/debian/*.install');
my $spec   = slurp(source('packaging/bonnie.spec'));
for my $program (@programs) {
    ok($completed{$program}, "$program is completed");
    for my $package (["Debian's", $debian], ["RPM's", $spec]) {
        my ($whose, $files) = @{$package};
        my @globs = map { quotemeta =~ s/\\[*]/.*/gr =~ s/\\\[\\!(.*?)\\\]/[^$1]/gr } $files =~ m{/bash-completion/completions/(\S+)$}mg;
        ok((grep { $program =~ /\A$_\z/ } @globs), "$program is among $whose files");
    }
}

done_testing();
