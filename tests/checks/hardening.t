#!/usr/bin/perl
# What configure said that the program is hardened with is in the binary, as readelf reads it.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(have program);

# The flags that the program was built with; configure decides what the compiler can do.
my $flags = $ENV{BONNIE_FLAGS} // q{};
plan skip_all => 'built with --disable-hardening' if $flags !~ /-stack-protector|-pie|-z,(?:relro|now)|FORTIFY/;
plan skip_all => 'there is no readelf'            if !have('readelf');

my $program  = program();
my $headers  = qx(readelf -hldW '$program' 2>&1);
my $imported = qx(readelf -W --dyn-syms '$program' 2>&1);

sub built_with { return $flags =~ $_[0] }

SKIP: {
    skip 'built without PIE', 2 if !built_with(qr/-pie\b/);
    like($headers, qr/^ *Type: +DYN\b/m, 'position-independent');
    like($headers, qr/\(FLAGS_1\).*\bPIE\b/, 'and a program');
}
SKIP: {
    skip 'built without RELRO', 1 if !built_with(qr/-z,relro/);
    like($headers, qr/^ *GNU_RELRO /m, 'what the dynamic linker has filled in becomes read-only');
}
SKIP: {
    skip 'built without immediate binding', 1 if !built_with(qr/-z,now/);
    like($headers, qr/\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*\bNOW\b/, 'and it fills in all at the start');
}
SKIP: {
    skip 'built without stack protector', 1 if !built_with(qr/-fstack-protector/);
    like($imported, qr/\b__stack_chk_fail\b/, 'stack protector');
}
SKIP: {
    skip 'built without _FORTIFY_SOURCE', 1 if !built_with(qr/FORTIFY_SOURCE/);
    like($imported, qr/\b__\w*printf_chk\b/, 'calls that know the size of their buffers');
}
like($headers, qr/^ *GNU_STACK .* RW /m, 'the stack is not executable');

done_testing();
