/* SPDX-License-Identifier: MIT */
#include "ui/engine/job.h"

/** ms_job_new: (transfer full): a job that completes @task (transfer none). */
MsJob *
ms_job_new(MsJobKind kind, GTask *task)
{
  MsJob *self = g_new0(MsJob, 1);

  g_atomic_ref_count_init(&self->references);
  self->kind = kind;
  self->task = task ? g_object_ref(task) : NULL;
  return self;
}

MsJob *
ms_job_ref(MsJob *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void
ms_job_unref(MsJob *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  if (self->free_data)
    self->free_data(self->data);
  g_clear_object(&self->task);
  g_clear_object(&self->filter.source);
  g_clear_object(&self->filter.cancellable);
  g_free(self->device_selector);
  g_free(self);
}

/** ms_job_claim: whether the caller is the first to claim the job; only the first may complete its task. */
gboolean
ms_job_claim(MsJob *self)
{
  return g_atomic_int_compare_and_exchange(&self->claimed, 0, 1);
}
