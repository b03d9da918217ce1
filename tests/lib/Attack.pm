# SPDX-License-Identifier: GPL-2.0-or-later
# Another user of the machine, who attacks what root does in a directory of his own:
# the program tests/attack/attacker, and filesystems on which it attacks.
package Attack;

use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use IPC::Open2 qw(open2);
use Time::HiRes ();
use BonnieRun  qw(finish start tree wait_until);
use Fault      ();
use Root       ();
use Test::More ();
use RunProgram qw(slurp spew);
use Trace      qw(trace);

our @EXPORT_OK = qw(attack attacker_works battlefields calls_between clear_field end_of_attack go_on harm repeated stopped strike);

my $PROGRAM = $ENV{BONNIE_ATTACKER} // './tests/attack/attacker';

sub attacker_works { return -x $PROGRAM && defined getpwnam 'nobody' }

# Makes a directory that belongs to user nobody, as a home does, and beside it a directory of
# root's, with names that a run or --cleanup could mistake for their own files.
sub battlefield {
    my ($name, $fs) = @_;
    my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];
    my %field = (name => $name, fs => $fs, home => "$fs/home", precious => "$fs/precious");
    chmod oct(755), $fs or die "$fs: $!\n";
    mkdir $field{$_}, oct 755 or die "$field{$_}: $!\n" for qw(home precious);
    chown $nobody, $nogroup, $field{home} or die "$field{home}: $!\n";
    spew("$field{precious}/$_", "precious $_") for qw(owner data00000 o0 0000000000 00000000000000abc file);
    mkdir "$field{precious}/d00000", oct 700;
    $field{looks} = looks(\%field);
    return \%field;
}

# The state of a directory. Its time of change shows whether something was made
# and removed again.
sub looks {
    my ($field) = @_;
    my @names = tree($field->{precious});
    my $time  = (Time::HiRes::stat($field->{precious}))[9];
    return Fault::fingerprint($field->{precious}, @names) . "@names $time";
}

# A battlefield on every filesystem that this system can make, which is checked: without mkfs.ext4 there is no ext4.
sub battlefields {
    my %make = (
        ext4      => sub { return Root::filesystem('ext4', 64) },
        overlayfs => \&Root::overlay,
        tmpfs     => sub { return Root::tmpfs('size=64m') },
    );
    my %fs = map { $_ => scalar $make{$_}->() } sort keys %make;
    my @found = grep { defined $fs{$_} } sort keys %fs;
    Test::More::is(scalar @found, Root::have('mkfs.ext4') ? 3 : 2, 'ext4, overlayfs and tmpfs');
    return map { battlefield($_, $fs{$_}) } @found;
}

# Describes changes in root's directory; q{} if there are none.
sub harm {
    my ($field) = @_;
    my $looks = looks($field);
    return q{} if $looks eq $field->{looks};
    $field->{looks} = $looks;
    return "somebody was at work in $field->{precious}";
}

# Removes everything that attacks and runs have left in the home. Leaves what a running attacker has
# prepared for his next attack.
sub clear_field {
    my ($field, $is_under_attack) = @_;
    opendir my $dir, $field->{home} or die "$field->{home}: $!\n";
    my @names = map {"$field->{home}/$_"} grep { !/\A[.][.]?\z/ } readdir $dir;
    @names = grep { !m{/face[^/]*\z} || (lstat)[4] == 0 } @names if $is_under_attack;
    my @full = grep { !rmdir } @names;
    system 'rm', '-rf', @full if @full;
    return;
}

# attack(ARGUMENT...): starts the attacker, and returns when he is ready.
sub attack {
    my (@args) = @_;
    local $ENV{GCOV_ERROR_FILE} = '/dev/null';    # with --enable-coverage he may not write his counts
    my $pid = open2(my $out, my $in, $PROGRAM, @args);
    my $line = readline $out;
    die "the attacker does not begin: @args\n" if ($line // q{}) ne "ready\n";
    return { pid => $pid, out => $out, in => $in };
}

# Makes an attacker started as `told` exchange that name; returns whether it existed.
sub strike {
    my ($attack, $name) = @_;
    syswrite $attack->{in}, "$name\n";
    return (readline($attack->{out}) // q{}) eq "struck\n";
}

# stopped($name, $which, ARGUMENT...): starts a run that stops after call number $which (1, 2 ...)
# of that name. Returns when it has stopped. A leading hash reference among the arguments is as for
# BonnieRun::start().
sub stopped {
    my ($name, $which, @args) = @_;
    my %how = ref $args[0] ? %{ shift @args } : ();
    my $log = File::Temp->new;
    my $run = start({ %how,
        wrap => [ qw(strace -f -qq -o), "$log", '-e', "trace=$name", '-e', "inject=$name:signal=SIGSTOP:when=$which", '--', @{ $how{wrap} // [] } ] }, @args);
    wait_until("$name $which", sub { slurp("$log") =~ /--- stopped by SIGSTOP/ });
    return $run;
}

# Continues the run to its end.
sub go_on {
    my ($run) = @_;
    kill CONT => -$run->{pid};
    return finish($run);
}

# Calls whose number differs from run to run, because they wait for another process of the run.
my $WAITS = qr/\A(?:wait4|clock_nanosleep|kill|poll|ppoll|futex)\z/;

# The calls of a run between the first matches of two patterns, each as [name, which call of that
# name], and as a text. Only those of the process that makes the first match.
sub calls_between {
    my ($first, $last, @args) = @_;
    my ($run, @calls) = trace({}, [], @args);
    my $is = sub { my ($call, $pattern) = @_; return "$call->{name}($call->{args}" =~ $pattern };
    my ($pid) = map { $_->{pid} } grep { $is->($_, $first) } @calls or return;
    my (%count, @between, $begun);
    for my $call (grep { $_->{pid} == $pid } @calls) {
        my $which = ++$count{ $call->{made} };
        $begun ||= $is->($call, $first);
        last if $begun && $is->($call, $last);
        push @between, [ $call->{made}, $which ] if $begun && $call->{name} !~ $WAITS;
    }
    return @between;
}

# Runs a program COUNT times. If it waits for the attacker it is killed, and its check fails.
my $REPEAT = 'n=$1; shift; while [ $n -gt 0 ]; do n=$((n - 1)); "$@"; rc=$?; done; exit $rc';

sub repeated { my ($count, @command) = @_; return { wrap => [ qw(timeout -s KILL), 120 + $count, 'sh', '-c', $REPEAT, 'sh', $count, @command ] } }

# Ends the attacker. Returns how often he exchanged something, and how often somebody made
# something in his directories.
sub end_of_attack {
    my ($attack) = @_;
    close $attack->{in};
    my $line = readline($attack->{out}) // q{};
    waitpid $attack->{pid}, 0;
    my @counts = $line =~ /\Astruck (\d+) entered (\d+)\n\z/ or die "the attacker broke off\n";
    return @counts;
}

1;
