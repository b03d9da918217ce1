#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonnie and the small programs are one executable. The name by which it is called decides
# which program it is, whatever links lead to it; under any other name it is bonnie.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(program run_tool scratch);

my $dir = scratch();

# The program's own name and version, and the type of its file.
sub version_as {
    my ($name, $make) = @_;
    my $path = "$dir/$name";
    $make->($path);
    my $run = run_tool($path, '--version');
    is($run->{status}, 0, "$name: exit status 0");
    unlink $path or die "$path: $!\n";
    return $run->{out} =~ s/ .*//sr;
}

my %ways = (
    link => sub { symlink program(), $_[0] or die "$_[0]: $!\n" },
    copy => sub { system('cp', program(), $_[0]) == 0 or die "$_[0]: cp failed\n" },
);
for my $way (sort keys %ways) {
    for my $name (qw(bonnie zcav getc_putc generate_randfile)) {
        is(version_as($name, $ways{$way}), $name, "a $way called $name is $name");
    }
    for my $name (qw(bonnie++ zcav2 my-zcav Zcav .getc_putc)) {
        is(version_as($name, $ways{$way}), 'bonnie', "a $way called $name is bonnie");
    }
}

mkdir "$dir/zcav" or die "$dir/zcav: $!\n";
is(version_as('zcav/bonnie', $ways{link}), 'bonnie', 'the directory says nothing');
rmdir "$dir/zcav" or die "$dir/zcav: $!\n";

# A name without a directory is searched for in PATH, and a process may be started without any name.
symlink program(), "$dir/getc_putc" or die "getc_putc: $!\n";
my $found = do { local $ENV{PATH} = "$dir:$ENV{PATH}"; qx(getc_putc --version) };
like($found, qr/\Agetc_putc /, 'found in PATH');
like(qx($^X -e 'exec { \$ARGV[0] } q{}, q{--version}' '@{[program()]}'), qr/\Abonnie /, 'an empty name is bonnie');
unlink "$dir/getc_putc";

# Messages begin with that name, without arguments, too.
symlink program(), "$dir/zcav" or die "zcav: $!\n";
for my $args ([], ['--nonsense']) {
    like(run_tool("$dir/zcav", @{$args})->{err}, qr/\Azcav: /, "zcav @{$args}: its messages begin with its name");
}
unlink "$dir/zcav";

done_testing();
