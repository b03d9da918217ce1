# SPDX-License-Identifier: GPL-2.0-or-later
# All that these programs say: reports, which are written completely or leave the old file as it is,
# and lines on standard error. Whatever a text has from outside, it is made safe here.
package Bonnie::Output;

use strict;
use warnings;
use experimental 'signatures';
use Encode ();
use Errno  qw(EEXIST ENXIO);
use Exporter 'import';
use File::Basename qw(basename);
use Fcntl         qw(:mode F_SETFL O_APPEND O_CREAT O_EXCL O_NOCTTY O_NOFOLLOW O_NONBLOCK O_WRONLY);
use Bonnie::Path  qw(check_changed check_replaced in_its_directory rename_file);
use Bonnie::Plain qw(plain_text safe_lines wrapped);

our @EXPORT_OK = qw(check_report complain draw_line tell_line write_bytes write_report);

# Interval at which to look for the reader of a pipe, in seconds.
my $LOOK = 0.05;

# One line on standard error, after the name of the program.
sub complain ($text) { return tell_line(basename($0) . ": $text") }

# A terminal gets it wrapped.
sub tell_line ($text) {
    my $line = safe_lines($text);
    print {*STDERR} -t STDERR ? wrapped($line, q{ } x 8) : $line, "\n";
    return;
}

# Replaces the line at the cursor of the terminal that standard error is.
sub draw_line ($text) {
    print {*STDERR} "\r\e[K", safe_lines($text);
    STDERR->flush;
    return;
}

# $file undef or "-" is standard output; $shown is its name in messages.
sub write_report ($text, $file, $shown = undef) {
    return write_bytes(Encode::encode('UTF-8', safe_lines($text)), $file, $shown);
}

# Dies unless a report can be written to the file; for programs that work long before they write it.
sub check_report { return write_bytes(undef, $_[0]) }

# The same for bytes, as they are; not for a terminal. Without any, nothing is changed.
sub write_bytes {
    my ($bytes, $file, $shown) = @_;
    return defined $bytes ? write_stdout($bytes) : 1 if !defined $file || $file eq q{-};
    eval { in_its_directory($file, sub { write_name($bytes, @_); return }); 1 }
        or die 'cannot write ', plain_text($shown // $file), q{: }, plain_text($@ =~ s/\n\z//r), "\n";
    return;
}

sub write_stdout ($bytes) {
    binmode STDOUT;
    put(\*STDOUT, $bytes) or die "cannot write standard output: $!\n";
    return;
}

# Replacing a device or a pipe by rename would destroy it.
sub write_name ($bytes, $name, $is_of_kernel) {
    my @facts = lstat $name;
    die "Is a directory\n" if @facts && S_ISDIR($facts[2]);
    return defined $bytes ? write_in_place($bytes, $name, $is_of_kernel) : 1 if $is_of_kernel || (@facts && !S_ISREG($facts[2]));
    check_replaced(@facts) if @facts;
    return replace_file($bytes, $name, @facts);
}

# Opens the file without waiting, and checks what was opened before using it.
sub write_in_place ($bytes, $name, $is_of_kernel) {
    my $flags = O_WRONLY | O_APPEND | O_NOCTTY;
    my $first = $flags | O_NONBLOCK | ($is_of_kernel ? 0 : O_NOFOLLOW);
    my $handle;
    while (!sysopen $handle, $name, $first) {
        die "$!\n" if $! != ENXIO || !-p $name;
        die "it is a pipe of another user, and nobody reads it\n" if !$is_of_kernel && !grep { $_ == (lstat $name)[4] // -1 } 0, $>;
        select undef, undef, undef, $LOOK;
    }
    die "it is a plain file by now\n" if -f $handle && !$is_of_kernel;
    check_changed(stat _) if !$is_of_kernel && !-p _;
    fcntl $handle, F_SETFL, $flags or die "$!\n";
    binmode $handle;
    put($handle, $bytes) or die "$!\n";
    return;
}

# @facts: what stat() says of the file that is replaced.
sub replace_file ($bytes, $name, @facts) {
    my ($handle, $temporary) = open_temporary();
    my $done = eval {
        binmode $handle;
        keep_access($handle, @facts);
        return unlink $temporary if !defined $bytes;
        put($handle, $bytes) or die "$!\n";
        rename_file($temporary, $name);
        1;
    };
    return if $done;
    my $reason = $@;
    unlink $temporary;
    die $reason;
}

sub open_temporary {
    for (1 .. 100) {
        my $name = sprintf '.bon_csv-%08x%08x', rand 2**32, rand 2**32;
        my $handle = new_file($name);
        return ($handle, $name) if $handle;
        die "$!\n" if $! != EEXIST;
    }
    die "no name is free for a temporary file\n";
}

sub new_file ($name) {
    my $handle;
    return sysopen($handle, $name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, oct 600) ? $handle : undef;
}

# Sets mode and owner to those of the file that is replaced, as far as this user may. Otherwise
# nobody gets more access than before.
sub keep_access ($handle, @facts) {
    my $mode = @facts ? $facts[2] & oct 777 : oct(666) & ~umask;
    $mode = $mode & oct(707) | ($mode & oct 7) << 3 if @facts && !chown($facts[4], $facts[5], $handle) && !chown(-1, $facts[5], $handle);
    chmod $mode, $handle or die "$!\n";
    return;
}

# Notices a full disk even if that shows only when the buffer is flushed.
sub put ($handle, $bytes) {
    my $code = print({$handle} $bytes) ? 0 : $!;
    my $is_closed = close $handle;
    $! = $code if $code;
    return $is_closed && !$code;
}

1;
