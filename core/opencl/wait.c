/* SPDX-License-Identifier: MIT */
#include "core/opencl/wait.h"

#include <glib/gi18n-lib.h>

/* One number says it all, so that a reader in another process never sees half a change: MsWait, and above it a count
 * of changes, by which one long wait is told from many short ones. */
#define KIND_BITS 8
#define KIND_MASK ((1 << KIND_BITS) - 1)

static gint unshared;
static gint *shared = &unshared;

/** ms_wait_share: from now on this process notes its waits in @block, which another process reads. */
void
ms_wait_share(gint *block)
{
  shared = block;
}

static void
change_to(MsWait what)
{
  const guint count = (guint)g_atomic_int_get(shared) >> KIND_BITS;

  g_atomic_int_set(shared, (gint)(((count + 1) << KIND_BITS) | what));
}

/** ms_wait_begin: notes that a call begins. Returns: what was noted before, for ms_wait_end() */
MsWait
ms_wait_begin(MsWait what)
{
  const MsWait before = ms_wait_read(shared, NULL);

  change_to(what);
  return before;
}

/** ms_wait_end: notes that the call has returned. */
void
ms_wait_end(MsWait before)
{
  change_to(before);
}

/**
 * ms_wait_read:
 * @block: of another process, which may have written anything
 * @number: (out) (optional): differs from wait to wait
 */
MsWait
ms_wait_read(const gint *block, guint *number)
{
  const guint value = (guint)g_atomic_int_get(block);

  if (number)
    *number = value;
  return (value & KIND_MASK) < MS_N_WAITS ? (MsWait)(value & KIND_MASK) : MS_WAIT_NONE;
}

/** ms_wait_name: (nullable): what is waited for, in the user's language, as the end of a sentence. */
const char *
ms_wait_name(MsWait what)
{
  switch (what) {
  case MS_WAIT_DRIVERS:
    return _("the OpenCL drivers, which are being loaded");
  case MS_WAIT_DEVICE:
    return _("the OpenCL device, which is being opened");
  case MS_WAIT_COMPILER:
    return _("the compiler of the OpenCL driver");
  case MS_WAIT_NONE:
  case MS_N_WAITS:
    break;
  }
  return NULL;
}
