# Writes a finished report: complete or not at all.
package Bonnie::Output;

use strict;
use warnings;
use Encode ();
use Exporter 'import';
use File::Basename qw(dirname);
use File::Temp     ();
use Bonnie::Plain  qw(plain_text);

our @EXPORT_OK = qw(write_report);

# $file undef or "-" is standard output.
sub write_report {
    my ($text, $file) = @_;
    my $bytes = Encode::encode('UTF-8', $text);
    return write_stdout($bytes) if !defined $file || $file eq q{-};

    # A device, a pipe or a link cannot be renamed over without destroying it.
    return write_in_place($bytes, $file) if -l $file || (-e $file && !-f _);
    return replace_file($bytes, $file);
}

sub write_stdout {
    my ($bytes) = @_;
    binmode STDOUT;
    put(\*STDOUT, $bytes, 'standard output');
    return;
}

sub write_in_place {
    my ($bytes, $file) = @_;
    my $name = plain_text($file);
    open my $handle, '>:raw', $file or die "cannot write $name: $!\n";
    put($handle, $bytes, $name);
    return;
}

sub replace_file {
    my ($bytes, $file) = @_;
    my $name = plain_text($file);
    my $mode = -e $file ? (stat _)[2] & oct 777 : oct(666) & ~umask;

    # Removed again when anything below dies.
    my $temporary = eval { File::Temp->new(DIR => dirname($file), TEMPLATE => '.bon_csv-XXXXXXXX') };
    die "cannot write $name: $!\n" if !$temporary;
    binmode $temporary;
    put($temporary, $bytes, $name);
    my $done = chmod($mode, "$temporary") && rename "$temporary", $file;
    die "cannot write $name: $!\n" if !$done;
    return;
}

# A full disk may be noticed only when the buffer is flushed.
sub put {
    my ($handle, $bytes, $name) = @_;
    my $done = (print {$handle} $bytes) && close $handle;
    die "cannot write $name: $!\n" if !$done;
    return;
}

1;
