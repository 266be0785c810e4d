/* SPDX-License-Identifier: MIT */
#include "core/process/trial.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "core/opencl/device.h"
#include "core/opencl/icd.h"
#include "core/process/follow.h"
#include "core/threads.h"

static const MsProtocol nothing = {NULL, 0};

/* (transfer full) (nullable): a process that loads the driver of @file. Layers, which are no drivers, are left out. */
static MsChild *
start_trial(const char *file)
{
  const char *const variables[] = {MS_ICD_VARIABLE, file, "OPENCL_LAYERS", "", NULL};

  return ms_child_spawn(&(MsChildStart){.role = MS_TRIAL_ROLE,
                                        .is_bare = TRUE,
                                        .from_child = &nothing,
                                        .to_child = &nothing,
                                        .captures_stderr = TRUE,
                                        .variables = variables},
                        NULL);
}

static gboolean
take_nothing(MsMessage *message, gpointer data)
{
  return FALSE;
}

/* Whether the driver is to blame: not for a process that somebody else killed. */
static gboolean
is_to_blame(MsChild *child, MsChildEnd end)
{
  const int status = ms_child_get_status(child);

  if (end == MS_CHILD_END_CANCELLED || (end == MS_CHILD_END_DIED && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
    return FALSE;
  return end != MS_CHILD_END_DIED || status != 0 || ms_child_get_wait(child) != MS_WAIT_NONE;
}

/* (transfer full) (nullable): what the driver of @file, which @child loads, did to it; %NULL if it is not to blame. */
static char *
follow_trial(MsChild *child, double seconds, GCancellable *cancellable)
{
  MsChildWatch watch = {.silence_s = MAX(seconds, 0.001)};
  const MsChildEnd end = ms_child_follow(child, &watch, take_nothing, NULL, cancellable);

  /* A child that has closed its channel is about to exit. */
  ms_child_end(child, end == MS_CHILD_END_DIED ? MS_TRIAL_S : 0);
  watch.silence_s = MS_TRIAL_S;
  return is_to_blame(child, end) ? ms_child_describe_end(child, end, &watch) : NULL;
}

/**
 * ms_trial_find_culprits:
 *
 * Loads each driver in a process of its own, all at the same time, for at most %MS_TRIAL_S seconds. Those that do not
 * survive it are left out by processes that are started from now on.
 *
 * Returns: whether there are any; with @error set, #MS_ERROR_IO, if one cannot be left out
 */
gboolean
ms_trial_find_culprits(GCancellable *cancellable, GError **error)
{
  const gint64 end_us = g_get_monotonic_time() + (gint64)MS_TRIAL_S * G_USEC_PER_SEC;
  g_auto(GStrv) files = ms_icd_list();
  /* Where a limit of the system holds the drivers up, none of them is to blame. */
  const guint n = ms_address_limit() != G_MAXUINT64 ? 0 : g_strv_length(files);
  g_autoptr(GPtrArray) children = g_ptr_array_new();
  gboolean found = FALSE;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add(children, start_trial(files[i]));
  for (guint i = 0; i < n; i++) {
    MsChild *child = children->pdata[i];
    const double seconds = (double)(end_us - g_get_monotonic_time()) / G_USEC_PER_SEC;
    g_autofree char *how = child ? follow_trial(child, seconds, cancellable) : NULL;
    if (how && (!error || !*error))
      found = ms_icd_leave_out(files[i], how, error) || found;
    ms_child_free(child);
  }
  return found;
}

/** ms_trial_work: the main function of a child of the role %MS_TRIAL_ROLE. */
void
ms_trial_work(void)
{
  g_autoptr(MsChannel) channel = ms_child_begin(&nothing, &nothing);
  g_autoptr(GPtrArray) devices = channel ? ms_device_enumerate(NULL) : NULL;

  g_clear_pointer(&channel, ms_channel_free);
  ms_child_exit(EXIT_SUCCESS);
}
