/* SPDX-License-Identifier: MIT */
#include "core/filter/split/split-partner.h"

/* A partner's speed changes from step to step as that of a processor with other work does; the mean is about 1. */
static const double variation[] = {1.0, 0.8, 1.25, 1.1, 0.85, 1.2, 0.9, 1.0};

/** ms_split_partner_begin: at the start of an image. */
void
ms_split_partner_begin(MsSplitPartner *self)
{
  self->step = 0;
  self->total_ms = 0;
}

/**
 * ms_split_partner_take:
 * @rows: the partner's rows of this step
 * @first_rows: those of the first device
 * @first_ms: its time for them; where that is 0 for unknown, its last known speed is used
 *
 * Returns: the milliseconds that the partner takes; 0 while no speed is known
 */
double
ms_split_partner_take(MsSplitPartner *self, int rows, int first_rows, double first_ms)
{
  if (first_rows > 0 && first_ms > 0)
    self->row_ms = first_ms / first_rows;
  return rows * self->row_ms * self->ratio * variation[self->step++ % G_N_ELEMENTS(variation)];
}

/** ms_split_partner_end_step: counts a step of @n devices, which ends with the slowest of them. */
void
ms_split_partner_end_step(MsSplitPartner *self, const double *milliseconds, guint n)
{
  double longest = 0;

  for (guint i = 0; i < n; i++)
    longest = MAX(longest, milliseconds[i]);
  self->total_ms += longest;
}
