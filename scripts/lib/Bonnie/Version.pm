# SPDX-License-Identifier: GPL-2.0-or-later
# The version of all programs: configure.ac reads it here, the scripts say it.
package Bonnie::Version;

use strict;
use warnings;

our $VERSION = '3.0.0';

1;
