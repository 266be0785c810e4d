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
  g_free(self->label);
  self->funcs->finalize(self);
}
