/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/subject.h"

void
ms_subject_init(MsSubject *self, const MsSubjectFuncs *funcs, const char *label)
{
  self->funcs = funcs;
  self->label = g_strdup(label);
}

void
ms_subject_free(MsSubject *self)
{
  if (!self)
    return;
  if (self->funcs->release)
    self->funcs->release(self);
  if (self->funcs->finalize)
    self->funcs->finalize(self);
  g_free(self->label);
  g_free(self->key);
  g_free(self);
}
