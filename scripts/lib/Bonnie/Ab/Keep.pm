# SPDX-License-Identifier: GPL-2.0-or-later
# The directory in which a campaign keeps its results and from which a later one
# can continue: campaign.json, the report so far, and the output of each run.
package Bonnie::Ab::Keep;

use strict;
use warnings;
use experimental 'signatures';
use Fcntl  qw(LOCK_EX LOCK_NB);
use Bonnie::Ab::Report qw(kept_of same_campaign);
use Bonnie::Envelope   qw(json_text);
use Bonnie::JsonText   qw(try_value);
use Bonnie::Output     qw(write_bytes write_report);
use Bonnie::Path       qw(at_directory make_directory open_to_read read_whole vouch);
use Bonnie::Plain      qw(plain_text);

my $REPORT = 'campaign.json';

# Makes the directory unless it exists. Dies if another campaign uses it.
sub new ($class, $dir) {
    my $name   = plain_text($dir);
    my $handle = eval { make_directory($dir) } // die "cannot keep results in $name: $@";
    flock $handle, LOCK_EX | LOCK_NB or die "another bon_ab keeps its results in $name\n";
    return bless { dir => $dir, name => $name, handle => $handle }, $class;
}

# Gives $campaign the results in the directory.
sub continue ($self, $campaign) {
    my $in = eval { at_directory($self->{handle}, sub { return open_to_read($REPORT) }) };
    return if !$in && $!{ENOENT};
    die "cannot read $self->{name}/$REPORT: $@" if !$in;
    my $bytes = eval { read_whole($in) } // die "cannot read $self->{name}/$REPORT: $@";
    my ($json, $fault) = try_value(\$bytes);
    my $done = eval {
        die "$fault->{why}\n" if $fault;
        my $kept = kept_of($json);
        same_campaign($json, $campaign->{plan}, $campaign->{any_seed});
        $campaign->{plan}{seed} = $kept->{seed} // die "it has no seed\n";
        $campaign->take_over($kept);
        1;
    };
    die "cannot continue from $self->{name}: $@" if !$done;
    at_directory($self->{handle}, \&vouch);
    return;
}

sub save ($self, $report) { return $self->write_file(\&write_report, json_text($report), $REPORT) }

sub save_output ($self, $campaign, $pair, $side, $bytes) {
    return $self->write_file(\&write_bytes, $bytes, sprintf 'pair-%03d-%s.out', $pair, $side);
}

sub write_file ($self, $write, $content, $name) {
    at_directory($self->{handle}, sub { $write->($content, $name, "$self->{dir}/$name"); return });
    return;
}

1;
