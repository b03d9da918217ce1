# SPDX-License-Identifier: GPL-2.0-or-later
# Reads JSON values out of a text.
#
# JSON::PP reads character by character and takes a second for 1.5 MB. Twenty
# machines with ten runs each have 4 MB, so this module uses regular
# expressions, which are several times as fast. tests/unit/json.t compares the two.
#
# Strings and keys come out as plain text (see Plain.pm), true and false as 1 and 0, null as undef.
package Bonnie::JsonText;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Plain qw(plain_text);

our @EXPORT_OK = qw(read_value try_value);

# Far deeper than any report, and too little to exhaust memory.
my $MAX_DEPTH = 64;

# The depth of bonnie's reports, or a little more.
my $DEPTH_OF_REPORT = 10;

# Perl repeats a group at most 65,534 times; one group within another allows strings of any length.
my $SPACE  = qr/[ \t\r\n]*+/;
my $PIECE  = qr/[^"\\\x00-\x1F]++|\\["\\\/bfnrt]|\\u[[:xdigit:]]{4}/;
my $STRING = qr/"((?:(?:$PIECE){1,10000}+)*+)"/;
my $NUMBER = qr/-?(?:0|[1-9]\d*+)(?:[.]\d++)?(?:[eE][-+]?\d++)?/a;

# Each pattern is used alone in its match, so that it is compiled only once. Each has an alternative
# that never matches: for a character that a match requires, perl first searches all of the
# remaining text, and the time would grow quadratically.
my $NEVER = qr/[^\x00-\xFF]/;
my $VALUE = qr/\G$SPACE(?:$STRING|($NUMBER)|(true|false|null)\b|([{[]))/;
my $KEY   = qr/\G$SPACE(?:$STRING$SPACE:|$NEVER)/;
my $MARK  = qr/\G$SPACE([],}])/;

my %LITERAL = (true => 1, false => 0, null => undef);
my %ESCAPED = (b => "\b", f => "\f", n => "\n", r => "\r", t => "\t");

# Reads the value at pos of the bytes that $text refers to, and moves pos past
# it. Dies with what is wrong at pos.
sub read_value ($text) { return value($text, []) }

# Does the same for a text that may be anything. Returns (value), or (undef, {
# why => what is wrong, place => where, hopeless => [ earlier places ] }). At
# the earlier places, objects and lists begin that had not ended: none of them
# is a report by itself, and reading it would fail at the same place.
sub try_value ($text) {
    my (@open, $value);
    return $value if eval { $value = value($text, \@open); 1 };
    my $spared = @open < $MAX_DEPTH ? 0 : $DEPTH_OF_REPORT;
    return (undef, { why => $@ =~ s/\n\z//r, place => pos ${$text}, hopeless => [ @open[ 0 .. $#open - $spared ] ] });
}

# @$open: the places where the objects and lists around this value begin.
sub value ($text, $open) {
    ${$text} =~ /$VALUE/gc or die "a value is missing or malformed\n";
    return string($1)   if defined $1;
    return $2 + 0       if defined $2;
    return $LITERAL{$3} if defined $3;
    die "nested too deeply\n" if @{$open} >= $MAX_DEPTH;
    push @{$open}, $-[4];
    my $value = $4 eq '{' ? object($text, $open) : list($text, $open);
    pop @{$open};
    return $value;
}

sub object ($text, $open) {
    my %object;
    my $mark = mark($text);
    return \%object if $mark eq '}';
    die "a key and a colon are missing\n" if $mark ne q{};
    do {
        ${$text} =~ /$KEY/gc or die "a key and a colon are missing\n";
        my $key = string($1);
        $object{$key} = value($text, $open);
        $mark = mark($text);
    } while $mark eq q{,};
    die "a comma or } is missing\n" if $mark ne '}';
    return \%object;
}

sub list ($text, $open) {
    my @list;
    my $mark = mark($text);
    return \@list if $mark eq ']';
    die "a value is missing or malformed\n" if $mark ne q{};
    do {
        push @list, value($text, $open);
        $mark = mark($text);
    } while $mark eq q{,};
    die "a comma or ] is missing\n" if $mark ne ']';
    return \@list;
}

# The next comma or closing bracket, or nothing if something else follows.
sub mark ($text) { return ${$text} =~ /$MARK/gc ? $1 : q{} }

# Most strings are one word and need no work.
sub string ($written) {
    return $written if $written !~ /[^ -~]|\\/;
    $written =~ s/\\u(d[89ab][[:xdigit:]]{2})\\u(d[c-f][[:xdigit:]]{2})/pair(hex $1, hex $2)/gie;
    $written =~ s/\\(?:u([[:xdigit:]]{4})|(.))/defined $1 ? encoded(hex $1) : $ESCAPED{$2} \/\/ $2/ge;
    return plain_text($written);
}

# A character that UTF-16 encodes in two units.
sub pair ($high, $low) { return encoded(0x10000 + (($high & 0x3FF) << 10) + ($low & 0x3FF)) }

# Half a pair is no character.
sub encoded ($code) {
    my $character = chr($code >= 0xD800 && $code <= 0xDFFF ? 0xFFFD : $code);
    utf8::encode($character);
    return $character;
}

1;
