#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/setup installs servers without starting them: while apt runs, policy-rc.d forbids it. A
# policy that the system has stays as it is. apt is a script of this test's.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(scratch source);
use RunProgram qw(slurp spew);

my $dir    = scratch();
my $policy = "$dir/policy-rc.d";
my $setup  = slurp(source('scripts/setup'));
is($setup =~ s{^POLICY=\K/usr/sbin/policy-rc[.]d$}{$policy}m, 1, 'the script has one place for the policy');
is($setup =~ s{^(\t\ttest,deb +)libcmocka-dev .*}{$1no-such-server command no-such-server}m, 1, 'and a list of packages');
mkdir "$dir/$_" for qw(scripts scripts/lib bin);
spew("$dir/scripts/lib/build.sh", slurp(source('scripts/lib/build.sh')));
spew("$dir/scripts/setup", $setup);
spew("$dir/bin/apt-get", <<"END");
#!/bin/sh
echo "\$*" >>$dir/calls
case "\$*" in *assume-no*) echo "Need to get 222 MB/223 MB of archives."; echo "After this operation, 1,010 MB of additional disk space will be used.";; *install*) for package in \$(seq 1 95); do echo "Setting up package\$package"; done; sh $policy nginx start; echo "policy: \$?" >>$dir/calls; exit \${APT_STATUS-0};; esac
END
spew("$dir/bin/$_", "#!/bin/sh\n\"\$@\"\n") for qw(apt-cache sudo);
chmod oct 755, glob("$dir/bin/*"), "$dir/scripts/setup";
local $ENV{PATH} = "$dir/bin:$ENV{PATH}";

sub setup_test {
    my ($what, $status) = @_;
    unlink "$dir/calls";
    my $said = `sh $dir/scripts/setup test 2>&1`;
    is($? >> 8, $status, "$what: exit status $status") or diag($said);
    my $calls = slurp("$dir/calls");
    like($calls, qr/^-q .* install .* no-such-server/m, "$what: it installs");
    like($said, qr/^scripts\/setup: installing: .*no-such-server .*\(222 MB\/223 MB of archives, 1010 MB of disk; log: .*\)\n  40 packages are set up\n  80 packages are set up\n/m, "$what: and says so meanwhile");
    return $calls =~ /^policy: (\d+)$/m ? $1 : 'none';
}

is(setup_test('no policy', 0), 101, 'no server may start');
ok(!-e $policy, 'and the policy is gone again');

{
    local $ENV{APT_STATUS} = 100;
    is(setup_test('apt fails', 1), 101, 'no server may start');
    ok(!-e $policy, 'and the policy is gone again');
}

spew($policy, "exit 7\n");
is(setup_test('a policy of the system', 0), 7, 'it decides');
is(slurp($policy), "exit 7\n", 'and stays');

done_testing();
