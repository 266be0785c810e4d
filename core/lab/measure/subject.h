/* SPDX-License-Identifier: MIT */
/* MsSubject: a configuration that can be measured, as the measuring loop sees it. */
#pragma once

#include <gio/gio.h>

#include "core/lab/measure/measurement.h"

typedef struct _MsSubject MsSubject;

/**
 * MsSubjectFuncs: the operations of a configuration.
 * @prepare: builds kernels and puts the data on the device; may be called again after @release
 * @run: runs once, fills the sample, returns when the device has finished
 * @verify: compares the result of the last run with the reference
 * @release: (nullable): frees what @prepare allocated; is also called without @prepare, and several times
 * @finalize: (nullable): frees what the subject has owned since it was made
 */
typedef struct {
  gboolean (*prepare)(MsSubject *self, GCancellable *cancellable, GError **error);
  gboolean (*run)(MsSubject *self, MsSample *sample, GCancellable *cancellable, GError **error);
  gboolean (*verify)(MsSubject *self, MsVerification *verification, GCancellable *cancellable, GError **error);
  void (*release)(MsSubject *self);
  void (*finalize)(MsSubject *self);
} MsSubjectFuncs;

/**
 * MsSubject: a configuration that can be measured; the first field of the kind's own struct, from g_new0().
 * @key: (nullable): its name in the journal of the measurement, set by the caller; without one it is not kept
 */
struct _MsSubject {
  const MsSubjectFuncs *funcs;
  char *label;
  char *key;
  MsWork work;
};

void ms_subject_init(MsSubject *self, const MsSubjectFuncs *funcs, const char *label);
void ms_subject_free(MsSubject *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSubject, ms_subject_free)
