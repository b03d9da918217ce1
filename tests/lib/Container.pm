# SPDX-License-Identifier: GPL-2.0-or-later
# Control groups with limits, and containers: a root of its own, which is an overlay whose layers
# cannot be seen, with a volume at /volume. Everything is removed with the object.
package Container;

use strict;
use warnings;
use Cwd            qw(abs_path);
use File::Basename qw(dirname);
use BonnieRun      qw(program source);
use IoLimit        ();
use Root           ();
use RunProgram     qw(quoted spew);

# Container::group(memory => BYTES, cpus => NUMBER): a group with these limits, or undef and why
# there is none.
my $GROUPS = 0;

sub group {
    my (%limits) = @_;
    return (undef, 'it takes root') if $> != 0;
    my $self = bless { dirs => [], owner => $$ }, __PACKAGE__;
    my $name = "bonnie-test-$$-" . ++$GROUPS;
    my $period = 100_000;
    for my $limit (sort keys %limits) {
        my ($controller, $value) = $limit eq 'memory' ? ('memory', $limits{$limit}) : ('cpu', $limits{$limit} * $period);
        my $v1  = IoLimit::mounted(qr/cgroup \S+ \S*\b$controller\b/);
        my $top = $v1 // IoLimit::mounted(qr/cgroup2 /) // return (undef, 'no control groups are mounted');
        IoLimit::put("$top/cgroup.subtree_control", "+$controller") if !defined $v1;
        my $dir = "$top/$name";
        -d $dir || mkdir $dir or return (undef, "no control group can be made in $top");
        push @{ $self->{dirs} }, $dir;
        my @file = $controller eq 'memory' ? (defined $v1 ? ('memory.limit_in_bytes', $value) : ('memory.max', $value))
            : defined $v1 ? ('cpu.cfs_quota_us', $value) : ('cpu.max', "$value $period");
        IoLimit::put("$dir/$file[0]", $file[1]) or return (undef, "no control group can limit $controller here");
    }
    return $self;
}

# The command of the shell that lets its process enter the group.
sub enter { return join '; ', map {"echo \$\$ >$_/cgroup.procs"} @{ $_[0]{dirs} } }

# The words to put before a command that has to run in the group.
sub wrap { return ('sh', '-c', $_[0]->enter . '; exec "$@"', 'sh') }

sub DESTROY {
    my ($self) = @_;
    return if $self->{owner} != $$;
    local ($?, $!);
    for my $dir (@{ $self->{dirs} // [] }) {
        for (1 .. 100) { # while the last process is still ending
            last if rmdir $dir or !-d $dir;
            select undef, undef, undef, .02;
        }
    }
    return;
}

# What makes the container's root and enters it. /scratch is the overlay's own. $1 has commands for
# oddities, which are done in the new root before it is entered. Programs and scripts are started at places that no
# oddity hides.
my $SCRIPT = <<'END';
set -e
top=$1 odd=$2
shift 2
root=$top/root
mount --make-rprivate /
mount -t overlay -o lowerdir=/,upperdir=$top/upper,workdir=$top/work container $root
mkdir -p $root/volume $root/scratch $root/old $root/built $root/source
chmod 0777 $root/scratch
mount --bind $top/volume $root/volume
mount --bind "$built" $root/built
mount --bind "$source" $root/source
mount -t proc proc $root/proc
mount --rbind /sys $root/sys
mount --rbind /dev $root/dev
cd $root
pivot_root . old
cd /
umount -l /old
eval "$odd"
for word; do
	shift
	case $word in
		"$built"/*) word=/built${word#"$built"} ;;
		"$source"/*) word=/source${word#"$source"} ;;
	esac
	set -- "$@" "$word"
done
exec "$@"
END

# Container::box($filesystem): what is needed for containers whose overlay and volume are on that
# filesystem, which must not be the one of /.
sub box {
    my ($top) = @_;
    mkdir "$top/$_" for qw(upper work root volume);
    chmod oct 777, "$top/volume";
    spew("$top/start", 'built=' . quoted(dirname(program())) . ' source=' . quoted(abs_path(source())) . "\n$SCRIPT");
    return "$top";
}

# Container::inside(BOX, ODDITIES): the words to put before a command that has to run in a container.
sub inside {
    my ($box, $odd) = @_;
    return (qw(unshare --mount --pid --fork --ipc --uts sh), "$box/start", $box, $odd // q{});
}

1;
