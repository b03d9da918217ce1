#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the files that `make install` installs. make installcheck runs this,
# and so does make distcheck.

use strict;
use warnings;
use File::Basename qw(dirname);
use File::Glob     qw(bsd_glob);
use Test::More;

my ($dir, $sbin) = (dirname($ENV{BONNIE}), $ENV{BONNIE_TEST_SBINDIR});

is(readlink $ENV{BONNIE}, 'bonnie', 'bonnie++ is a link to bonnie beside it');
is(readlink "$dir/gobonniego", 'bonnie', 'and so is gobonniego');
like(qx('$dir/gobonniego' -version), qr/\Agobonniego version \d+\.\d+\.\d+\n\z/, 'which goes by its flags');
for my $program (map {"$dir/$_"} qw(bonnie bonnie++)) {
    like(qx('$program' --version), qr/\d+\.\d+\.\d+/, "$program runs");
}
for my $tool ("$dir/getc_putc", map {"$sbin/$_"} qw(bonwhy zcav getc_putc bonnie bonnie++)) {
    my ($name) = $tool =~ m{([^/+]+)\+*\z};
    like(qx('$tool' --version), qr/\A$name \d+\.\d+\.\d+\n/, "$tool runs");
}
my $bin = dirname($ENV{BON_CSV2HTML});
is(qx('$bin/generate_randfile' -s5 1 2>/dev/null), pack('H*', '232add1b'), 'generate_randfile runs');
for my $script (@ENV{qw(BON_AB BON_CSV2HTML BON_CSV2TXT)}) {
    like(qx('$script' --version), qr/\d+\.\d+\.\d+/, "$script runs by itself and finds its modules");
}
is(readlink "$bin/goader", 'bonload', 'goader is a link to bonload beside it');
like(qx('$bin/goader' --version), qr/^bonload \d+\.\d+\.\d+/, 'bonload runs');
is(system("'$bin/bonload' -requests-engine=null -rt=1 -max-requests=10 -show-progress=false -timeline-file=/dev/null >/dev/null"), 0, 'it finds what draws its page');
for my $page (qw(man1/bon_ab.1 man1/bonload.1 man1/goader.1 man1/bonnie.1 man1/bonnie++.1 man1/gobonniego.1 man1/bon_csv2html.1 man1/bon_csv2txt.1
    man1/boncut.1 man8/bonwhy.8 man8/zcav.8 man1/getc_putc.1 man1/generate_randfile.1 man8/bonnie.8 man8/bonnie++.8 man8/gobonniego.8 man8/getc_putc.8)) {
    ok(-s "$ENV{BONNIE_TEST_MANDIR}/$page", "manual page $page");
}
ok(-s "$ENV{BONNIE_TEST_DATADIR}/$_", "schema of the JSON report: $_") for qw(bon_ab.schema.json bonwhy.schema.json bon_csv2txt.schema.json bonnie.schema.json boncut.schema.json bonload.schema.json document.schema.json zcav.schema.json);
for my $program (qw(bonload bonnie)) {
    my ($named) = qx(cat '$ENV{BONNIE_TEST_MANDIR}/man1/$program.1') =~ m{^[.]It Pa (/.*)/$program[.]schema[.]json$}m;
    like($ENV{BONNIE_TEST_DATADIR}, qr/\Q$named\E\z/, "which $program(1) finds there");
}

# Every program has completions under each of its names.
my @names = (qw(bonnie boncut bonwhy getc_putc zcav bonload generate_randfile bon_ab bon_csv2html bon_csv2txt),
    map { s{.*/}{}r } grep { (readlink // q{}) =~ /\A(?:bonnie|bonload)\z/ } bsd_glob("$bin/*"));
my $data = dirname($ENV{BONNIE_TEST_DATADIR});
SKIP: {
    skip 'a build for another machine has no completions', 1 if !-d "$data/bash-completion";
    my %zsh = map { $_ => 1 } map {split} qx(sed -n 's/^#compdef //p' '$data'/zsh/site-functions/_*);
    for my $program (@names) {
        ok(-s "$data/bash-completion/completions/$program",    "by bash: $program");
        ok(-s "$data/fish/vendor_completions.d/$program.fish", "by fish: $program");
        ok($zsh{$program},                                     "by zsh: $program");
    }
}

done_testing;
