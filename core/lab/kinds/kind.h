/* SPDX-License-Identifier: MIT */
/* MsLabKind: a kind of experiment: which keys it knows, how a configuration becomes a subject, what can be tuned. */
#pragma once

#include "core/lab/kinds/bench.h"
#include "core/lab/tune/tuner.h"

/**
 * MsLabKind: a kind of experiment.
 * @knows: whether the kind has a factor of this name
 * @group: (transfer full): text that is equal for configurations that may be compared
 * @create: (transfer full): a subject; fails with #MS_ERROR_UNSUPPORTED when the plan refuses the configuration, with
 *   #MS_ERROR_USAGE when a value is malformed
 * @add_space: (nullable): adds the factors that can be tuned, for this problem and device
 * @propose: (nullable) (transfer full): where a search begins: the configuration that `auto` would choose; also
 *   computes what all trials share, so that no trial's time includes it
 */
typedef struct {
  const char *name;
  gboolean (*knows)(const char *key);
  char *(*group)(const MsFactors *factors);
  MsSubject *(*create)(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error);
  void (*add_space)(MsTuneSpace *space, const MsFactors *problem, const MsDeviceLimits *limits);
  MsFactors *(*propose)(MsLabBench *bench, const MsFactors *problem, GCancellable *cancellable, GError **error);
} MsLabKind;

const MsLabKind *ms_lab_kind_find(const char *name);
gboolean ms_lab_check_keys(const MsLabKind *kind, const MsFactors *factors, GError **error);
