# SPDX-License-Identifier: GPL-2.0-or-later
# Runs one of the Perl programs: the installed one if the environment names it,
# and otherwise that of this source tree.
package RunProgram;

use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use File::Temp     ();
use IPC::Open3     qw(open3);

our @EXPORT_OK = qw(data_file path_of quoted run slurp spew);

my $TESTS   = dirname(__FILE__) . '/..';
my %PROGRAM = (
    bon_ab       => $ENV{BON_AB}       // "$TESTS/../scripts/bon_ab",
    bon_csv2html => $ENV{BON_CSV2HTML} // "$TESTS/../scripts/bon_csv2html",
    bon_csv2txt  => $ENV{BON_CSV2TXT}  // "$TESTS/../scripts/bon_csv2txt",
);

sub data_file { my ($name) = @_; return "$TESTS/data/$name" }

# The path of the program of that name, or undef.
sub path_of { my ($name) = @_; return $PROGRAM{$name} }

# The words as a shell reads them: a directory's name may have blanks.
sub quoted { return join q{ }, map { q{'} . s/'/'\\''/gr . q{'} } @_ }

# Limit on a program's address space in KiB; undef: no limit.
our $ADDRESS_SPACE;

# run(NAME, \@arguments, $standard_input): (exit status, stdout, stderr).
sub run {
    my ($name, $arguments, $input) = @_;
    my ($in, $out, $err) = map { File::Temp->new } 1 .. 3;
    spew("$in", $input // q{});
    my $child = open3('<&' . fileno(open_file('<', "$in")), '>&' . fileno $out, '>&' . fileno $err,
        limit(), $^X, $PROGRAM{$name}, @{$arguments});
    waitpid $child, 0;
    my $status = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
    return ($status, slurp("$out"), slurp("$err"));
}

sub limit {
    return defined $ADDRESS_SPACE ? ('sh', '-c', 'ulimit -v "$0" && exec "$@"', $ADDRESS_SPACE) : ();
}

# Stays open until the next call, so that its number stays valid.
my $KEPT;

sub open_file {
    my ($mode, $file) = @_;
    open $KEPT, "$mode:raw", $file or die "$file: $!\n";
    return $KEPT;
}

sub slurp {
    my ($file) = @_;
    my $handle = open_file('<', $file);
    local $/ = undef;
    my $bytes = readline $handle;
    return close $handle ? $bytes : q{}; # Perl keeps the last handle that was read, and its filesystem busy
}

sub spew {
    my ($file, $bytes) = @_;
    my $handle = open_file('>', $file);
    print {$handle} $bytes or die "$file: $!\n";
    close $handle or die "$file: $!\n";
    return;
}

1;
