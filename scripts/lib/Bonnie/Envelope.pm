# SPDX-License-Identifier: GPL-2.0-or-later
# What every JSON document of the Perl programs begins with (share/document.schema.json).
package Bonnie::Envelope;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use File::Basename qw(basename);
use JSON::PP ();
use POSIX    ();
use Bonnie::Version;

our @EXPORT_OK = qw(envelope json_bool json_text);

my $FORMAT_VERSION = 1;

# %of: settings; label, start_time and elapsed_seconds, if they are not those of this machine and moment.
sub envelope (%of) {
    my $program = basename($0);
    my ($name, $kernel) = (POSIX::uname())[ 1, 2 ];
    return (
        format          => $program,
        format_version  => $FORMAT_VERSION,
        program         => $program,
        version         => $Bonnie::Version::VERSION,
        label           => $name,
        start_time      => POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime $^T),
        elapsed_seconds => time - $^T,
        host            => { (map { $_ => undef } qw(c_library cpu_model cpus cpu_quota ram_bytes ram_from)), name => $name, kernel => "Linux $kernel" },
        storage         => undef,
        %of,
    );
}

sub json_bool { return $_[0] ? JSON::PP::true : JSON::PP::false }

sub json_text ($document) {
    return JSON::PP->new->canonical->pretty->indent_length(2)->encode($document);
}

1;
