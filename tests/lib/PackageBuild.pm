# SPDX-License-Identifier: GPL-2.0-or-later
# Makes packages with scripts/package, in an environment of the test's choice.
package PackageBuild;

use strict;
use warnings;
use Digest::SHA    ();
use Exporter 'import';
use File::Basename qw(basename dirname);
use File::Temp     ();
use RunProgram     qw(slurp);
use Test::More     ();

our @EXPORT_OK = qw($TOP build digests give_up links_to_nothing output_of);

our $TOP = dirname(__FILE__) . '/../..';

# build(deb|rpm, \%environment, COMMAND...): the directory with the packages, the build's log, and
# its exit status. COMMAND runs scripts/package.
sub build {
    my ($kind, $env, @wrap) = @_;
    my $into = File::Temp->newdir('bonnie-test-XXXXXX', TMPDIR => 1);
    my $log  = "$into.log";
    my $pid  = fork // die "fork: $!\n";
    if ($pid == 0) {
        local %ENV = (%ENV, %{$env});
        open STDOUT, '>', $log or die "$log: $!\n";
        open STDERR, '>&', \*STDOUT or die "stderr: $!\n";
        exec @wrap, "$TOP/scripts/package", $kind, "$into" or die "scripts/package: $!\n";
    }
    waitpid $pid, 0;
    my $status = $? >> 8;
    my $text = slurp($log);
    unlink $log;
    return ($into, $text, $status);
}

# The output of a command on both streams, without the last newline.
sub output_of {
    my ($command) = @_;
    my $text = qx($command 2>&1);
    chomp $text;
    return $text;
}

# Ends the test, whose rest needs what has just failed, and prints the end of the output.
sub give_up {
    my ($text) = @_;
    Test::More::diag(substr $text, -8000);
    Test::More::BAIL_OUT('the rest needs that');
    return;
}

# The links of a text in Markdown, in that directory, that lead to none of the files.
sub links_to_nothing {
    my ($text, $place, @files) = @_;
    my %is_there = map { $_ => 1 } @files;
    my @missing;
    for my $link ($text =~ /\]\(([.\w][^)#:]*)[)#]/g) {
        my $path = "$place/$link";
        1 while $path =~ s{/[^/]+/[.][.]/}{/};
        push @missing, $link if !$is_there{$path};
    }
    return @missing;
}

# The packages in a directory by name, each with its checksum. Leaves out files that only
# describe the build (.buildinfo, and .changes, which has the checksum of that).
sub digests {
    my ($dir) = @_;
    return { map { basename($_) => Digest::SHA->new(256)->addfile($_)->hexdigest } grep { !/[.](?:buildinfo|changes)\z/ } glob "$dir/*" };
}

1;
