# SPDX-License-Identifier: GPL-2.0-or-later
# Runs bonnie-mpi or bonload-mpi under the launcher of the MPI with which it was built. Its ranks
# record their process ids, have hosts of their own, and may each have a command before
# them.
package Ranks;

use strict;
use warnings;
use Exporter 'import';
use BonnieRun  qw(finish have scratch start wait_until);
use RunProgram qw(slurp spew);

our @EXPORT_OK = qw(faked_clock gives_time is_open_mpi lines_of mpi_missing pid_of ranks ranks_together start_ranks);

my $LAUNCHER = $ENV{BONNIE_MPIRUN} || 'mpirun';

# ThreadSanitizer sees only some of the threads of an MPI library that was not built with it.
$ENV{TSAN_OPTIONS} = join q{:}, grep {defined} $ENV{TSAN_OPTIONS}, 'ignore_noninstrumented_modules=1';

# Why programs with MPI cannot be tested; undef: they can.
sub mpi_missing {
    return 'the suite was built without MPI' if !eval { BonnieRun::program('bonnie-mpi') };
    return "there is no $LAUNCHER"        if $LAUNCHER =~ m{/} ? !-x $LAUNCHER : !have($LAUNCHER);
    return;
}

sub is_open_mpi { return qx($LAUNCHER --version 2>/dev/null) =~ /Open MPI|OpenRTE/ }

# Open MPI 5 kills the ranks a quarter of a second after TERM, whatever it is told. Others leave a second, or as long as they are told.
sub gives_time { return qx($LAUNCHER --version 2>/dev/null) !~ /Open MPI[^\n]* (?:[5-9]|\d\d)[.]/ }

# The shell script that begins a rank: it records its process id, takes name and boot id of its host, and
# runs its command.
my $BEGIN = <<'END';
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
echo $$ >"$RANK_NOTES/pid.$rank.new" && mv "$RANK_NOTES/pid.$rank.new" "$RANK_NOTES/pid.$rank"
if [ -e "$RANK_NOTES/before.$rank" ]; then . "$RANK_NOTES/before.$rank"; fi
[ -z "$RANK_HOSTS" ] || exec unshare -um sh -c '
    hostname "$(cat "$RANK_NOTES/name.$0")" && mount --bind "$RANK_NOTES/boot.$0" /proc/sys/kernel/random/boot_id && exec "$@"
' $((rank % RANK_HOSTS)) $before "$@"
exec $before "$@"
END

# start_ranks(\%how, ARGUMENT...): as start() of BonnieRun, with:
#   program => NAME        bonload-mpi instead of bonnie-mpi
#   ranks  => N            how many
#   hosts  => N            hosts, each with its own name and boot id, that they have in turn (takes root)
#   names  => [NAME...]    of the hosts, instead of node0 and so on
#   boots  => [ID...]      numbers of their kernels, instead of one for each
#   wrap   => [COMMAND]    what the launcher is run with
#   env    => { NAME => VALUE }  for the launcher
#   before => { N => SH }  commands of the shell for rank N; what is in $before comes in front of it
sub start_ranks {
    my ($how, @args) = @_;
    my $notes = scratch();
    my %before = %{ $how->{before} // {} };
    spew("$notes/before.$_", "$before{$_}\n") for keys %before;
    for my $host (0 .. ($how->{hosts} || 0) - 1) {
        spew("$notes/name.$host", ($how->{names} // [])->[$host] // "node$host");
        spew("$notes/boot.$host", sprintf "00000000-0000-4000-8000-%012d\n", ($how->{boots} // [])->[$host] // $host);
    }
    spew("$notes/begin", $BEGIN);
    # two launchers of Open MPI 4 that begin at once fail over the directory that all of them share
    my %env = (RANK_NOTES => "$notes", OMPI_MCA_orte_tmpdir_base => "$notes", RANK_HOSTS => $how->{hosts} // q{},
        OMPI_ALLOW_RUN_AS_ROOT => 1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM => 1, %{ $how->{env} // {} });
    my @wrap = (@{ $how->{wrap} // [] }, $LAUNCHER, (is_open_mpi() ? '--oversubscribe' : ()), '-n', $how->{ranks}, 'sh', "$notes/begin");
    my $run = start({ program => $how->{program} // 'bonnie-mpi', wrap => \@wrap, env => \%env }, @args);
    $run->{notes} = $notes;
    return $run;
}

# The same, to its end.
sub ranks { my @call = @_; return finish(start_ranks(@call)) }

# Runs several of these at the same time, each [ \%how, ARGUMENT... ]. For runs that mostly
# wait.
sub ranks_together {
    my @runs = map { start_ranks(@{$_}) } @_;
    return map { finish($_) } @runs;
}

# What comes before a rank whose clock is another one, as faketime(1) has it, on the same kernel.
sub faked_clock { my ($time) = @_; return qq{set -- env "ASAN_OPTIONS=\$ASAN_OPTIONS:verify_asan_link_order=0" faketime -f '$time' "\$@"} }

# The process of a rank that has begun.
sub pid_of {
    my ($run, $rank) = @_;
    my $file = "$run->{notes}/pid.$rank";
    wait_until("rank $rank", sub { -e $file });
    return slurp($file) + 0;
}

# The program's own lines about failures. Launchers print many others.
sub lines_of { my ($run) = @_; return $run->{err} =~ /^(?:bonnie|bonload): (.*)$/mg }

1;
