# SPDX-License-Identifier: GPL-2.0-or-later
# The sections of the page about power cuts: what each method promised and what became of it, the
# promises of the last seconds, the losses, and the cuts of a campaign.
package Bonnie::CutPage;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max sum0 uniq);
use Bonnie::Chart     qw(area block course over_time panel panels time_panel);
use Bonnie::Cut       qw(count fault_words faults finding_words verdict_counts verdict_of words);
use Bonnie::HtmlTable qw(plain_table);
use Bonnie::Json      qw(hash in_the_way list number);
use Bonnie::Plain     qw(few);
use Bonnie::Units     qw(bytes_text grouped);

our @EXPORT_OK = qw(cut_facts cut_headline cut_sections cut_title);

# Pixels.
my $CUTS = 22;

# At most this share of the width, so that marks stay visible however many there are.
my $GAP = 0.15;

# A bar of losses is at least this part of the height, so that one loss is seen.
my $LEAST = 50;

# Number of losses that are shown for many checks together; each check names its first twenty.
my $MOST_LOSSES = 40;

# The last seconds that are listed separately.
my @LAST = (1, 2, 3);

# What was cut, or its filesystem: what it promises is on the page.
sub cut_title { return 'Durability of ' . join ', ', uniq map { $_->name } @_ }

sub cut_headline (@cuts) {
    my @campaigns = grep { $_->is_campaign } @cuts;
    my @told      = grep { length $_->sentence } @campaigns ? @campaigns : @cuts;
    my @words     = map { (@told > 1 ? label_words($_) . ': ' : q{}) . $_->sentence =~ s/[.]?\z/./r } @told;
    return @words ? "@words" : undef;
}

sub cut_facts (@cuts) {
    return join q{ }, map { join(', ', grep {length} label_words($_), words(hash($_->{run})->{kernel}), in_the_way($_)) . q{.} } @cuts;
}

# As sections of the page. All are empty without reports of boncut.
sub cut_sections {
    return (
        { id => 'cut-each',    title => 'Cuts',                             content => sub { map { (cut_chart($_), cut_table($_)) } grep { $_->is_campaign } cuts_of(@_) } },
        { id => 'cuts',        title => 'Promises and what became of them', content => sub { map { method_table($_) } cuts_of(@_) } },
        { id => 'cut-seconds', title => 'The last three seconds',           content => sub { second_charts(cuts_of(@_)) } },
        { id => 'cut-losses',  title => 'Losses',                           content => sub { map { loss_table($_) } cuts_of(@_) } },
    );
}

sub cuts_of ($page) { return @{ $page->{cuts} // [] } }

sub label_words ($cut) { return join q{ }, grep {defined} $cut->number_of, $cut->name }

sub amount { return grouped(count($_[0])) }

# ---- methods --------------------------------------------------------------------

sub method_table ($cut) {
    my @titles = ('Method', 'Lost', 'What was lost', 'Promises', 'Units', 'Kept', 'Unreadable', map {"Lost of the last $_\x{A0}s"} @LAST);
    return (plain_table({ caption => label_words($cut) . ': ' . $cut->what, class => 'cuts', titles => \@titles }, map { method_row($_) } $cut->methods), canary_table($cut));
}

sub method_row ($method) {
    my @last = map { hash($_) } list($method->{last_seconds});
    return [ words($method->{name}), fault_cell(faults($method)), fault_words($method),
        (map { amount($method->{$_}) } qw(promises units kept unreadable)), map { last_words($last[ $_ - 1 ]) } @LAST ];
}

sub fault_cell ($faults) { return $faults ? [ 'fault', grouped($faults) ] : '0' }

sub last_words ($last) {
    my $units = count($last->{units});
    return $units ? grouped(count($last->{lost})) . ' of ' . grouped($units) : q{};
}

my %GROUP = (
    cached => [ 'Never synced: what the kernel had in memory', 'the kernel lost what it had in memory', 'nothing was cut' ],
    drive  => [ 'Written without a flush: what the drive had in its cache', 'the drive lost what it had in its cache', 'nothing is shown about the drive' ],
    plain  => [ 'Written beside atomic without RWF_ATOMIC', 'a cut tears plain writes', 'that atomic writes are whole says little' ],
);

sub canary_table ($cut) {
    my @titles = ('Canaries', 'Lost or torn', 'What that shows', 'Writes', 'Blocks');
    return plain_table({ caption => 'Canaries, which promise nothing and are expected to lose something', class => 'cuts', titles => \@titles },
        map { canary_row($_) } grep { count($_->{blocks}) } $cut->canaries);
}

sub canary_row ($group) {
    my $name  = words($group->{name});
    my $words = $GROUP{$name} // [ $name, q{}, q{} ];
    my $lost  = count($group->{lost}) + count($group->{torn});
    my $shows = !$group->{counts} ? 'nothing: writes are not known to be in place' : $lost ? $words->[1] : $words->[2];
    return [ $name, amount($lost), $shows, map { amount($group->{$_}) } qw(writes blocks) ];
}

# ---- the last seconds -----------------------------------------------------------

sub second_charts (@cuts) {
    return panels('Units by the time of their last promise, in tenths of a second', [ [ losses => 'Orange: units that were lost.' ] ], map { second_panel(scalar @cuts, $_) } @cuts);
}

sub second_panel ($cuts, $cut) {
    my @bins    = $cut->tenths;
    my $highest = max(0, map { count($_->{units}) } @bins) or return;
    my $all   = @bins / 10;
    my $axis  = {
        unit  => 'seconds before the last promise',
        at    => sub { 1 - $_[0] / $all },
        ticks => [ map { [ $_, "$_" ] } reverse 0 .. int $all ],
    };
    my $units = { at => sub { $_[0] / $highest }, ticks => [ map { [ $_, grouped($_) . ($_ ? ' units' : q{}) ] } 0, $highest ] };
    my $strip = over_time($axis, $cuts, sub {$units});
    my (@steps, @marks);
    for my $i (0 .. $#bins) {
        my ($from, $to) = map { $all - $_ / 10 } $i, $i + 1;
        my ($units, $lost) = map { count($bins[$i]{$_}) } qw(units lost);
        push @steps, [ $to, $units ];
        push @marks, block($strip, 'losses', [ $from, 0 ], [ $to, max($lost, $highest / $LEAST) ]) if $lost;
    }
    my $lost = sum0(map { count($_->{lost}) } @bins);
    return time_panel($cut->name, $strip,
        { label => label_words($cut), shown => $lost ? grouped($lost) . ' lost' : 'none lost', marks => [ course($strip, 'course', @steps), @marks ] });
}

# ---- the cuts of a campaign -----------------------------------------------------

my %LOOKS = (kept => 'held', lost => 'losses', unreadable => 'open', 'not known' => 'open');

sub cut_chart ($cut) {
    my @each = $cut->each_cut or return;
    my @verdicts = map { verdict_of($_->{verdict}) } @each;
    my @marks    = map { my $looks = $LOOKS{ $verdicts[$_] }; area($looks, ($_ + $GAP) / @each, ($_ + 1 - $GAP) / @each, $looks eq 'open' ? $CUTS / 2 : 0, $CUTS) } 0 .. $#each;
    my $axis = { unit => 'cuts', at => sub { $_[0] / @each }, ticks => [ [ 0, '0' ], [ scalar @each, scalar @each ] ] };
    return panels('Each cut', [ [ held => 'Blue: all promises were kept.' ],
        [ losses => 'Orange: something was lost.' ], [ open => 'Grey, half as high: not known, or unreadable.' ] ],
        panel($cut->name, axis => $axis, height => $CUTS, rows => [ { label => label_words($cut), shown => verdict_counts(@verdicts), marks => \@marks } ]));
}

# A cut that only the filesystem has felt takes as much from the kernel's memory as one of the host.
my %LAYER = (drive => "the kernel's memory and the drive's cache", host => "the kernel's memory", none => 'nothing that was seen');

sub cut_table ($cut) {
    my @rows = map { [ count($_->{number}), verdict_of($_->{verdict}), fault_cell(count($_->{lost_units})),
        $LAYER{ words($_->{layer_cut}) }, amount($_->{promises}), amount($_->{units}) ] } $cut->each_cut;
    return plain_table({ caption => label_words($cut) . ': every cut', class => 'cuts', titles => [ 'Cut', 'Verdict', 'Lost', 'What the cut took', 'Promises', 'Units' ] }, @rows);
}

# ---- losses ---------------------------------------------------------------------

sub loss_table ($cut) {
    my @titles = ('Method', 'File', 'Offset', 'Promised', 'Found', 'What it is', 'Promised before the end');
    return plain_table({ caption => label_words($cut) . ': the first losses', class => 'cuts', titles => \@titles }, map { loss_row($_) } few($MOST_LOSSES, $cut->losses));
}

sub loss_row ($loss) {
    my ($offset, $found, $before) = map { number($loss->{$_}) } qw(offset_bytes found seconds_before_end);
    my $what = join ': ', grep {length} finding_words($loss->{finding}), words($loss->{detail});
    return [ words($loss->{method}), words($loss->{file}), $offset ? bytes_text($offset) : '0', version_words($loss->{promised}), version_words($found), $what,
        defined $before ? sprintf '%.3f s', $before : undef ];
}

sub version_words {
    my $version = number($_[0]);
    return defined $version ? "version $version" : 'none';
}

1;
