/* SPDX-License-Identifier: MIT */
#include "core/lab/kinds/kind.h"

#include <string.h>

#include "core/error.h"
#include "core/lab/kinds/kind-table.h"

static const MsLabKind *const kinds[] = {
  &ms_lab_kind_bandwidth,   &ms_lab_kind_mean_shift, &ms_lab_kind_peer,  &ms_lab_kind_reduce,
  &ms_lab_kind_reduce_peer, &ms_lab_kind_sort,       &ms_lab_kind_split, &ms_lab_kind_swap_example,
  &ms_lab_kind_transfer,    &ms_lab_kind_regions,
};

/** ms_lab_kind_find: (transfer none) (nullable): the kind of this name. */
const MsLabKind *
ms_lab_kind_find(const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
    if (g_strcmp0(kinds[i]->name, name) == 0)
      return kinds[i];
  return NULL;
}

/**
 * ms_lab_check_keys: whether @kind knows every key of @factors; %FALSE with #MS_ERROR_USAGE names one that it does not.
 */
gboolean
ms_lab_check_keys(const MsLabKind *kind, const MsFactors *factors, GError **error)
{
  for (guint i = 0; i < ms_factors_size(factors); i++) {
    const char *key = ms_factors_key(factors, i);
    if (strcmp(key, "case") == 0 || strcmp(key, "kind") == 0 || kind->knows(key))
      continue;
    ms_set_error(error, MS_ERROR_USAGE, "The kind “%s” has no setting “%s”.", kind->name, key);
    return FALSE;
  }
  return TRUE;
}
