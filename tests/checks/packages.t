#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What tells of each version begins with that of the programs. And the packages contain every program, and
# no address that nobody has.

use strict;
use warnings;
use File::Find qw(find);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie source sources);
use RunProgram qw(slurp);

my ($version) = slurp(source('scripts/lib/Bonnie/Version.pm')) =~ /^our \$VERSION = '(\d+[.]\d+[.]\d+)';$/m;
like(bonnie('--version')->{out}, qr/\A\S+ \Q$version\E$/m, 'C and Perl have one version');
for my $place (
    [ 'packaging/debian/changelog',   qr/\Abonnie \(([^)]+)-[^-)]+\) / ],
    [ 'packaging/debian/bonnie.NEWS',  qr/\Abonnie \(([^)]+)-[^-)]+\) / ],
    [ 'NEWS.md',                      qr/^## (\S+)$/m ],
) {
    my ($file, $pattern) = @{$place};
    my ($there) = slurp(source($file)) =~ $pattern;
    is($there, $version, "$file begins with it");
}

# Every program has completions, and a package contains them; dh_missing and rpmbuild check the
# rest.
my $makefile = join q{}, map { slurp($_) } sources('{Makefile.am,src/*/local.mk,scripts/local.mk}');
my @programs = map {split} $makefile =~ /^s?bin_(?:PROGRAMS|NAMES) \+?= (.*)$/mg, $makefile =~ /^dist_bin_SCRIPTS = (.*)$/mg;
s{.*/}{} for @programs;
my %completed = map { s/:.*//r => 1 } map {split} $makefile =~ /^\w*COMPLETED \+?= (.*)$/mg;
cmp_ok(scalar @programs, '>=', 7, 'the programs are known');

my $debian = join q{}, map { slurp($_) } sources('packaging/debian/*.install');
my $spec   = slurp(source('packaging/bonnie.spec.in'));
for my $program (@programs) {
    ok($completed{$program}, "$program is completed");
    for my $package (["Debian's", $debian], ["RPM's", $spec]) {
        my ($whose, $files) = @{$package};
        my @globs = map { quotemeta =~ s/\\[*]/.*/gr =~ s/\\\[\\!(.*?)\\\]/[^$1]/gr } $files =~ m{/bash-completion/completions/(\S+)$}mg;
        ok((grep { $program =~ /\A$_\z/ } @globs), "$program is among $whose files");
    }
}
my @files = ($spec, map { slurp($_) } grep {-f} sources('packaging/debian/{*,*/*}'));
is_deeply([ grep {/[.]example\b/} @files ], [], 'no address is invented');

my $top = source(q{.});
my @sources;
# What no fragment lists may still be built, or found beside a script, but is not in a release, or not
# installed. Completions are made by a build, and their modules are not installed.
my %listed = map { $_ => 1 } map {split} map { slurp($_) } sources('{src/*,scripts}/local.mk');
find({ no_chdir => 1, wanted => sub { push @sources, s{\A\Q$top\E/}{}r if /[.](?:[ch]|pm)\z/ } }, "$top/src", "$top/scripts/lib");
is_deeply([ grep { !$listed{$_} && !m{/Completion[./]} } @sources ], [], 'each source and module is listed');

# A directory of an installation may have a blank in its name.
my @unquoted = map { grep {/^\t(?:[^"'#]|"[^"]*"|'[^']*')*\$\((?:DESTDIR|installed_\w+|\w+dir)\)/} split /\n/ } map { slurp($_) =~ s/\\\n/ /gr } sources('{Makefile.am,{*,*/*,*/*/*}/local.mk}');
is_deeply([ grep { !/distdir|builddir|srcdir/ } @unquoted ], [], 'rules quote the directories of an installation');

done_testing();
