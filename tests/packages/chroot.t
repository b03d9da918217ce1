#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A clean Debian 12, and then a clean 13: the packages are built there by an ordinary user, without network, without
# /dev/shm and without strace, on a root that is no mount point, and make check passes. On another
# clean Debian they are installed, run and purged, and leave nothing behind; and they replace
# Bonnie++. piuparts and autopkgtest report nothing either.
#
# It needs root and a mirror of Debian, and takes many minutes: BONNIE_TEST_LONG=1. The systems are
# made in BONNIE_TEST_CHROOT, by default TMPDIR; BONNIE_TEST_RELEASES names other releases.

use strict;
use warnings;
use File::Basename qw(basename);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BareDebian   qw(copy_sources debootstrap in_system new_place why_none);
use PackageBuild qw($TOP give_up output_of);
use SweepSize    qw(is_long);

plan skip_all => 'building in a clean chroot takes long' if !is_long();
my $why = why_none();
plan skip_all => $why if $why;

my ($clean, $build, $user);
my $ours    = 'bonnie bonnie-mpi bonload bonload-mpi';
my $exactly = '-o APT::AutoRemove::SuggestsImportant=false -o APT::AutoRemove::RecommendsImportant=false';

# What somebody does who has just been given an account: bon_ab's examples are run with less work.
my $AS_A_USER = <<'END';
useradd -m somebody
install -d -o somebody /a /b /data
su - somebody <<'USER'
set -e
case :$PATH: in *sbin*) exit 9 ;; esac
bonnie ~
for page in bonnie bonload boncut bon_ab bonwhy; do man $page | grep -q SYNOPSIS; done
bash -ic 'complete -p bonnie 2>/dev/null || _completion_loader bonnie; complete -p bonnie' | grep -q bonnie
examples=$(bon_ab -h | sed -n '/^ /{ :more; /\\$/{ N; s/\\\n *//; b more }; s/^ *//; /^bon_ab --[ap]/p }' | grep -v 'mount\|\[OPTION')
test "$(echo "$examples" | wc -l)" -eq 4
cp /bin/cat old && cp /bin/cat new && echo text >input
echo "$examples" | sed "s,bonnie --json,& --time=1,g; s,-good-for,-duration=0.2s &,g; s,^bon_ab,& --time=20s," |
	while read -r example; do
		status=0; sh -c "$example" </dev/null || status=$?
		case $status in 0|2|3) ;; *) echo "$example: $status"; exit 1 ;; esac
	done
bonnie -q -d /data -s 8 -n 1 -r 0 --min-time=0 | bon_csv2html >page.html && grep -q '</html>' page.html
USER
test -z "$(ls -A /a /b /data | grep -v ':$')"
userdel -r somebody 2>/dev/null
rm -rf /a /b /data
END

sub succeeds {
    my ($root, $command, $name, @options) = @_;
    my ($text, $status) = in_system($root, "export LC_ALL=C.UTF-8\n$command", @options);
    is($status, 0, $name) or give_up($text);
    return $text;
}

# All files, except those that apt and dpkg write in every run.
sub files {
    my ($root) = @_;
    my $list = output_of("cd '$root' && find . -xdev -path ./var/cache -prune -o -path ./var/log -prune -o -path ./var/lib/apt -prune -o -path ./var/lib/dpkg -prune -o -path ./tmp -prune -o -path ./proc -prune -o -print | sort");
    return [ split /\n/, $list ];
}

# Installs packages, and then runs a command.
sub install {
    my ($packages, $name, $then) = @_;
    succeeds($user, "apt-get -q -y --no-install-recommends install $packages\n" . ($then // q{}), $name);
    return;
}

# Purges packages and everything that was installed with them.
sub purge {
    my ($packages, $name) = @_;
    succeeds($user, "apt-get -q -y $exactly purge --autoremove $packages", $name);
    return;
}

# The command for a test of debian/tests, in a directory of its own.
sub as_installed { my ($test) = @_; return "mkdir /tmp/work && AUTOPKGTEST_TMP=/tmp/work sh /tmp/$test && rm -rf /tmp/work" }

sub try_release {
    my ($release) = @_;
    my $dir = new_place();
    ($clean, $build, $user) = map {"$dir/$_"} qw(clean build user);

    my ($made, $failed_to) = debootstrap($clean, $release);
    is($failed_to, 0, 'debootstrap') or give_up($made);
    system("rm -rf '$clean'/dev/shm/*; rmdir '$clean/dev/shm' 2>/dev/null");
    system("cp -a '$clean' '$build' && cp -a '$clean' '$user'") == 0 or die "cp: $?\n";

    # ---- building ------------------------------------------------------------------------------------

    succeeds($build, 'useradd -m -d /srv/builder builder; apt-get -q update; apt-get -q -y --no-install-recommends install build-essential git iproute2', 'a system that builds');
    copy_sources("$build/srv/builder/source");
    succeeds($build, <<'END', 'with what debian/control names');
mkdir /tmp/control && cp -R /srv/builder/source/packaging/debian /tmp/control/
apt-get -q -y --no-install-recommends build-dep /tmp/control
chown -R builder: /srv/builder
END
    ok(!-e "$build/dev/shm", 'there is no /dev/shm');
    # Only the loopback interface, as with sbuild and pbuilder.
    my $log = succeeds($build, 'ip link set lo up; su builder -c "cd ~/source && scripts/package deb ~/packages"', 'scripts/package deb, with make check', '--net');
    my ($passed, $failed) = $log =~ /^(\d+) passed, (\d+) failed/m;
    is($failed, 0, 'all tests passed') or diag($log);
    cmp_ok($passed // 0, '>', 1000, 'which are many');

    # ---- installing ----------------------------------------------------------------------------------

    my ($changes) = glob "$build/srv/builder/packages/*.changes";
    my @debs = map {"/tmp/$_"} map { basename($_) } grep { !/-dbgsym_/ } glob "$build/srv/builder/packages/*.deb";
    system("cp '$build'/srv/builder/packages/*.deb '$user/tmp/'");
    system("cp '$TOP'/packaging/debian/tests/installed '$TOP'/packaging/debian/tests/mpi '$user/tmp/'");
    my ($bonnie) = grep {/\bbonnie_/} @debs;
    my @without  = grep { !/-mpi_/ } @debs;

    # The first user of a system brings /etc/gshadow-, which stays.
    succeeds($user, 'apt-get -q update; useradd -m first && userdel -r first 2>/dev/null', 'a system that uses');
    my $before = files($user);
    install($bonnie, 'bonnie alone is installed', 'bonnie --version');
    install("@without man-db bash-completion", 'with all but those of MPI the test of what is installed passes', as_installed('installed'));
    succeeds($user, $AS_A_USER, 'a new user with the PATH of one looks, reads, completes and compares');
    purge('bonnie bonload man-db bash-completion', 'they are purged');
    is_deeply(files($user), $before, 'and nothing is left');

    # ---- replacing Bonnie++ --------------------------------------------------------------------------

    install('bonnie++', "Debian's bonnie++", 'bonnie++ -h 2>&1 | grep -q 2.00');
    install("@without", 'gives way');
    like(succeeds($user, 'dpkg-query -W -f "\${Package} \${db:Status-Status}\n" "bonnie*"', 'to bonnie'), qr/^bonnie installed$(?!.*^bonnie\+\+ installed$)/ms, 'alone');
    succeeds($user, <<'END', 'what scripts call goes on working');
cd /tmp
bonnie++ -d /tmp -s 8 -r 4 -n 1 -u root >table
tail -n 1 table | bon_csv2html >page.html
/usr/sbin/bonnie++ -d /tmp -s 8 -r 4 -n 0 -u root -q | bon_csv2txt
dd if=/dev/zero of=disk bs=1M count=8 2>/dev/null
/usr/sbin/zcav -b 4 disk
END
    install('bonnie++', "and Debian's takes its place again", 'bonnie++ -h 2>&1 | grep -q 2.00');
    purge('bonnie++', 'which is purged');
    is_deeply(files($user), $before, 'nothing is left of either');

    # ---- with MPI ------------------------------------------------------------------------------------

    # Open MPI's packages leave files behind: libibverbs1 makes a group (rdma) when it is installed, and
    # openssh-client makes one (_ssh). Neither removes its group, nor /etc/gshadow- and /run/adduser,
    # which were made with it.
    install('openmpi-bin', 'Open MPI alone');
    purge('openmpi-bin', 'is purged');
    $before = files($user);
    install("@debs openmpi-bin", 'with all packages the test of two ranks passes', as_installed('mpi'));
    purge("$ours openmpi-bin", 'they are purged');
    is_deeply(files($user), $before, 'and nothing is left but what Open MPI leaves alone');

    # ---- Debian's tools for testing packages -------------------------------------------------------

    SKIP: {
        skip 'there is no piuparts', 1 if !-x '/usr/sbin/piuparts';
        my $said = output_of("piuparts --ignore-regex=^/var/cache/debconf/tmp.ci/? --distribution=$release --existing-chroot='$clean' --no-eatmydata '$changes'");
        is($?, 0, 'piuparts: installed, upgraded and purged') or diag(substr $said, -8000);
    }
    SKIP: {
        skip 'there is no autopkgtest', 1 if !-x '/usr/bin/autopkgtest';
        my $said = output_of("unshare --mount --pid --fork sh -c \"mount -t proc proc '$clean/proc' && exec env TMPDIR=/tmp autopkgtest '$changes' -- chroot '$clean'\" </dev/null");
        is($?, 0, 'autopkgtest: every test passes') or diag(substr $said, -8000);
    }
    return;
}

for my $release (split q{ }, $ENV{BONNIE_TEST_RELEASES} // 'bookworm trixie') {
    note($release);
    try_release($release);
}
done_testing();
