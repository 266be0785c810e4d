/* SPDX-License-Identifier: MIT */
/* The kinds of experiments by name. */
#include "core/lab/kinds/bench.h"

static const MsLabKind *const kinds[] = {
  &ms_lab_kind_bandwidth, &ms_lab_kind_mean_shift,   &ms_lab_kind_reduce,   &ms_lab_kind_sort,
  &ms_lab_kind_split,     &ms_lab_kind_swap_example, &ms_lab_kind_transfer,
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
