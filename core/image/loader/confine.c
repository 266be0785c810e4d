/* SPDX-License-Identifier: MIT */
#include "core/image/loader/confine.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/image/loader/filter.h"

/* Of linux/landlock.h and asm/unistd.h, which know less than this where they are older than the kernel. */
#define CREATE_RULESET 444
#define RESTRICT_SELF 446
#define ASK_VERSION 1

typedef struct {
  guint64 files;   /* since version 1: reading, writing, executing, making, removing … */
  guint64 network; /* since version 4: binding and connecting TCP sockets */
  guint64 scopes;  /* since version 6: abstract sockets and signals */
} Ruleset;

/* How many kinds of access to files each version knows; the bits of all are set. */
static guint
n_file_rights(int version)
{
  static const guint known[] = {0, 13, 14, 15, 15, 16};

  return known[MIN(version, (int)G_N_ELEMENTS(known) - 1)];
}

static gsize
ruleset_size(int version)
{
  return version < 4   ? G_STRUCT_OFFSET(Ruleset, network)
         : version < 6 ? G_STRUCT_OFFSET(Ruleset, scopes)
                       : sizeof(Ruleset);
}

/** ms_confine_get_landlock: the version of Landlock in this kernel, 0 for none. */
int
ms_confine_get_landlock(void)
{
  const long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);

  return version > 0 ? (int)version : 0;
}

/*
 * From now on this process opens, executes, makes and removes no file; those that are open stay so.
 * %FALSE where the kernel has no Landlock.
 */
static gboolean
confine_paths(void)
{
  const int version = ms_confine_get_landlock();
  const Ruleset rules = {(G_GUINT64_CONSTANT(1) << n_file_rights(version)) - 1, 3, 3};

  if (version == 0)
    return FALSE;
  /* No rule is added to the set, so that each kind of access in it is denied. */
  const long fd = syscall(CREATE_RULESET, &rules, ruleset_size(version), 0);
  const gboolean good = fd >= 0 && syscall(RESTRICT_SELF, fd, 0) == 0;
  if (fd >= 0)
    close((int)fd);
  return good;
}

/**
 * ms_confine:
 * @wanted: what to take
 *
 * To be called before the first byte of the picture is read, while this process has one thread.
 *
 * Returns: what the system could take
 */
MsConfinement
ms_confine(MsConfinement wanted)
{
  MsConfinement taken = 0;

  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if ((wanted & MS_CONFINE_PATHS) && confine_paths())
    taken |= MS_CONFINE_PATHS;
  if ((wanted & MS_CONFINE_CALLS) && ms_filter_load())
    taken |= MS_CONFINE_CALLS;
  return taken;
}
