/* SPDX-License-Identifier: MIT */
#include "ui/panels/job-hold.h"

/** ms_job_hold: (transfer full) (nullable): for ms_job_release(); %NULL where no application runs, as in tests */
GApplication *
ms_job_hold(void)
{
  GApplication *application = g_application_get_default();

  if (!application)
    return NULL;
  g_application_hold(application);
  return g_object_ref(application);
}

/** ms_job_release: @held: (nullable) (transfer full) */
void
ms_job_release(GApplication *held)
{
  if (!held)
    return;
  g_application_release(held);
  g_object_unref(held);
}
