# Turns foreign bytes into text that is safe to show: it cannot move a cursor,
# reverse the writing direction or end a line.
package Bonnie::Plain;

use strict;
use warnings;
use Encode ();
use Exporter 'import';

our @EXPORT_OK = qw(plain_text shorten);

my $REPLACEMENT = "\x{FFFD}";

sub plain_text {
    my ($bytes) = @_;
    my $text = Encode::decode('UTF-8', $bytes);
    $text =~ s/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/$REPLACEMENT/g;
    return $text;
}

# At most $max characters; an ellipsis marks a cut.
sub shorten {
    my ($text, $max) = @_;
    return $text if length $text <= $max;
    return substr($text, 0, $max - 1) . "\x{2026}";
}

1;
