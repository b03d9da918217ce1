# SPDX-License-Identifier: GPL-2.0-or-later
# What a text is that has no result which can be read, in words: another form of one.
package Bonnie::OtherForms;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';

our @EXPORT_OK = qw(other_form);

# What reports in JSON have, and other text has not.
our $LOOKS_LIKE = qr/"fio version"|"bonload"\s*:|"format"\s*:\s*"bonnie"|"write_megabytes_per_second"|"exit_codes"/;

my $FIGURE = qr/(?:\d[\d.]*+|[+]{3,5})/a;

# The first of them that a text has. Texts may be hostile: what may be long has a limit, or is tried
# once for each line. Programs that compress write these bytes at the beginning.
my @FORMS = (
    [ qr/\A\x1F\x8B/                                     => q{compressed data of gzip (zcat prints what is in it)} ],
    [ qr/\A\xFD7zXZ\x00/                                 => q{compressed data of xz (xzcat prints what is in it)} ],
    [ qr/\A\x28\xB5\x2F\xFD/                             => q{compressed data of zstd (zstdcat prints what is in it)} ],
    [ qr/\ABZh[1-9]1AY&SY/                                => q{compressed data of bzip2 (bzcat prints what is in it)} ],
    [ qr/\APK\x03\x04/                                   => q{a ZIP archive, or a spreadsheet (save it as CSV)} ],
    [ qr/\A%PDF-/                                         => q{a PDF} ],
    [ qr/\A\s*<(?:!doctype html|html)/i                   => q{an HTML page} ],
    [ qr/^fio-\d|^[ \t]+(?:read|write|trim)[ \t]*: IOPS=/m      => q{fio's text, not its JSON (--output-format=json)} ],
    [ qr/^\d;fio-\d/m                                     => q{fio's terse form, not its JSON (--output-format=json)} ],
    [ qr/^ *Time \(mean \S+ \S+\):/m                      => q{hyperfine's text, not its JSON (--export-json=/dev/stdout)} ],
    [ qr/^[>| ]*+Version +\S+ +-+Sequential (?:Output|Create)-+/m => q{bonnie's table, not its JSON (--json)} ],
    [ qr/^ +per second +p50 +p99 +limited by$/m               => q{the text of a short look, not its JSON (bonnie --json)} ],
    [ qr/^Average good OP\/s:|^ +asked +made +errors +late /m => q{bonload's text, not its JSON (--json)} ],
    [ qr/^Sequential Write MB\/s:/m                        => q{GoBonnieGo's text, not its JSON (-json)} ],
    [ $LOOKS_LIKE                                         => 'something like a report that cannot be read' ],
    [ qr/(?:bonnie_version|file_size)\W{1,9}\w{1,40}\W{1,9}\w{1,40}.{0,200}put_block/ => 'the header of CSV, and no line below it' ],
    [ qr/^(?:1[.]9\d\w{0,9}|\S{1,200} {1,20}\d{1,18}[KMGT](?::\w{1,9})?) .{0,200}?(?: {1,20}$FIGURE){13}/am => 'something like CSV, with blanks instead of commas' ],
);

sub other_form ($text) {
    my ($form) = grep { $text =~ $_->[0] } @FORMS;
    return $form ? $form->[1] : undef;
}

1;
