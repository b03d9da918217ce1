# SPDX-License-Identifier: GPL-2.0-or-later
# Text that is safe to show: it cannot move a cursor, reverse the writing direction or end a line.
package Bonnie::Plain;

use strict;
use warnings;
use experimental 'signatures';
use Encode ();
use Exporter 'import';
use Text::Wrap ();

our @EXPORT_OK = qw(ascii_units few plain_text safe_lines shorten wrapped);

my $REPLACEMENT = "\x{FFFD}";

# Makes it of foreign bytes.
sub plain_text ($bytes) {
    return safe_lines(Encode::decode('UTF-8', $bytes)) =~ s/\n/$REPLACEMENT/gr;
}

# The same of a text, whose lines may end.
sub safe_lines ($text) {
    return $text =~ s/[\x00-\x09\x0B-\x1F\x7F-\x9F\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/$REPLACEMENT/gr;
}

# At most $max of a list, which may be hostile.
sub few ($max, @all) { return @all > $max ? @all[ 0 .. $max - 1 ] : @all }

# At most $max characters, by default as many as names and cells have room for; an ellipsis marks a cut.
sub shorten ($text, $max = undef) {
    $max //= 60;
    return $text if length $text <= $max;
    return substr($text, 0, $max - 1) . "\x{2026}";
}

# Breaks a line at blanks, but not before a unit, so that it has 80 columns at most; further ones begin with $hang.
sub wrapped ($text, $hang = q{}, $first = q{}) {
    local ($Text::Wrap::columns, $Text::Wrap::unexpand, $Text::Wrap::huge, $Text::Wrap::break) = (81, 0, 'overflow', qr{(?<!\d)[ ]|[ ](?![%[:alpha:]])});
    return Text::Wrap::wrap($first, $hang, $text);
}

# A figure of Units.pm for a terminal, which may lack a blank that does not break, and the micro sign.
sub ascii_units ($text) { return $text =~ tr/\x{A0}\x{B5}/ u/r }

1;
