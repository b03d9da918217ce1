# SPDX-License-Identifier: GPL-2.0-or-later
# BONNIE_TRY_FLAG(VARIABLE, FLAG, [PROLOGUE]): adds FLAG to VARIABLE if a program is built with it, and
# with what we use anyhow, without a warning.
AC_DEFUN([BONNIE_TRY_FLAG], [
  AC_MSG_CHECKING([whether to build with $2])
  bonnie_cflags=$CFLAGS
  CFLAGS="$BONNIE_CFLAGS $BONNIE_LDFLAGS $2 $CFLAGS -Werror"
  AC_LINK_IFELSE(
    [AC_LANG_PROGRAM([$3
#include <stdio.h>], [char text[[64]]; return snprintf(text, sizeof text, "%p", (void *)text) == 0;])],
    [$1="$$1 $2"
     AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])])
  CFLAGS=$bonnie_cflags
])

# BONNIE_HARDENING: flags that make mistakes in the program harder to exploit, as far as this
# compiler has them. Sets BONNIE_CFLAGS and BONNIE_LDFLAGS. The user's CFLAGS come later and have
# priority. Call this after the macros that choose sanitizers: these examine calls that
# _FORTIFY_SOURCE would replace, so it is left out with them.
AC_DEFUN([BONNIE_HARDENING], [
  AC_ARG_ENABLE([hardening],
    [AS_HELP_STRING([--disable-hardening], [build without stack protector, _FORTIFY_SOURCE, RELRO and PIE])])
  AS_IF([test "$enable_hardening" != no], [
    AS_CASE(["$BONNIE_CFLAGS $CFLAGS"], [*-fsanitize=*], [], [
      bonnie_before=$BONNIE_CFLAGS
      m4_define([bonnie_optimizes], [#include <features.h>
#if !defined __OPTIMIZE__ || !defined __GLIBC__
#error "_FORTIFY_SOURCE needs an optimizer, and a C library that has the functions"
#endif])
      BONNIE_TRY_FLAG([BONNIE_CFLAGS], [-D_FORTIFY_SOURCE=3], [bonnie_optimizes])
      AS_IF([test "$BONNIE_CFLAGS" = "$bonnie_before"],
        [BONNIE_TRY_FLAG([BONNIE_CFLAGS], [-D_FORTIFY_SOURCE=2], [bonnie_optimizes])])
    ])
    BONNIE_TRY_FLAG([BONNIE_CFLAGS], [-fstack-protector-strong])
    BONNIE_TRY_FLAG([BONNIE_CFLAGS], [-fstack-clash-protection])
    BONNIE_TRY_FLAG([BONNIE_LDFLAGS], [-Wl,-z,relro])
    BONNIE_TRY_FLAG([BONNIE_LDFLAGS], [-Wl,-z,now])
    AS_CASE([" $CFLAGS $LDFLAGS "], [*" -static "* | *" -no-pie "* | *" -fno-pie "*], [], [
      BONNIE_TRY_FLAG([BONNIE_LDFLAGS], [-fPIE -pie])
    ])
  ])
  AS_CASE(["$BONNIE_LDFLAGS"], [*-pie*], [BONNIE_CFLAGS="$BONNIE_CFLAGS -fPIE"])
  AC_SUBST([BONNIE_LDFLAGS])
])
