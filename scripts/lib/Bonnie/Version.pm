# The only place with the version of the Perl programs.
package Bonnie::Version;

use strict;
use warnings;

our $VERSION = '3.0.0';

1;
