/* SPDX-License-Identifier: MIT */
#include "core/threads.h"

#include <sys/resource.h>

#include "core/error.h"

typedef struct {
  GMutex lock;
  GCond changed;
  gboolean may_end;
} Gate;

static gpointer
wait_in_thread(gpointer data)
{
  Gate *gate = data;

  g_mutex_lock(&gate->lock);
  while (!gate->may_end)
    g_cond_wait(&gate->changed, &gate->lock);
  g_mutex_unlock(&gate->lock);
  return NULL;
}

static void
open_gate(Gate *gate)
{
  g_mutex_lock(&gate->lock);
  gate->may_end = TRUE;
  g_cond_broadcast(&gate->changed);
  g_mutex_unlock(&gate->lock);
}

/**
 * ms_threads_check:
 * @n: threads and processes that will run at once
 *
 * Starts so many threads and ends them again, since no limit says how much of it others have taken.
 *
 * Returns: %FALSE with #MS_ERROR_MEMORY where they cannot be started
 */
gboolean
ms_threads_check(guint n, GError **error)
{
  g_autoptr(GPtrArray) threads = g_ptr_array_new();
  Gate gate = {.may_end = FALSE};
  GThread *thread = NULL;

  while (threads->len < n && (thread = g_thread_try_new("ms-check", wait_in_thread, &gate, NULL)))
    g_ptr_array_add(threads, thread);
  open_gate(&gate);
  for (guint i = 0; i < threads->len; i++)
    g_thread_join(threads->pdata[i]);
  if (threads->len == n)
    return TRUE;
  ms_set_error(error, MS_ERROR_MEMORY,
               "This user or system may start only %u more threads or processes, and the program needs %u; end other "
               "programs, or allow more with 'ulimit -u'.",
               threads->len, n);
  return FALSE;
}

/** ms_address_limit: bytes of addresses that this process may use (ulimit -v); %G_MAXUINT64 where there is no limit. */
guint64
ms_address_limit(void)
{
  struct rlimit addresses;

  return getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY ? addresses.rlim_cur
                                                                                      : G_MAXUINT64;
}
