#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# According to readelf, the binary has all the hardening that configure has reported.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(have program);

# The flags with which the program was built; configure decides what the compiler can
# do.
my $flags = $ENV{BONNIE_FLAGS} // q{};
plan skip_all => 'built with --disable-hardening' if $flags !~ /-stack-protector|-pie|-z,(?:relro|now)|FORTIFY/;
plan skip_all => 'there is no readelf'            if !have('readelf');

my $program  = program();
my $headers  = qx(readelf -hldW '$program' 2>&1);
my $imported = qx(readelf -W --dyn-syms '$program' 2>&1);

# Each flag, and its trace in the binary.
my @marks = (
    [ qr/-pie\b/,             $headers,  qr/^ *Type: +DYN\b/m,              'position-independent' ],
    [ qr/-pie\b/,             $headers,  qr/\(FLAGS_1\).*\bPIE\b/,         'and a program' ],
    [ qr/-z,relro/,           $headers,  qr/^ *GNU_RELRO /m,               'what the dynamic linker has filled in becomes read-only' ],
    [ qr/-z,now/,             $headers,  qr/\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*\bNOW\b/, 'and it fills in all at the start' ],
    [ qr/-fstack-protector/,  $imported, qr/\b__stack_chk_fail\b/,         'stack protector' ],
    [ qr/FORTIFY_SOURCE/,     $imported, qr/\b__\w*printf_chk\b/,          'calls that know the size of their buffers' ],
);
for my $mark (@marks) {
    my ($flag, $text, $left, $what) = @{$mark};
    like($text, $left, $what) if $flags =~ $flag;
}
like($headers, qr/^ *GNU_STACK .* RW /m, 'the stack is not executable');

done_testing();
