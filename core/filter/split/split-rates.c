/* SPDX-License-Identifier: MIT */
#include "core/filter/split/split-rates.h"

/* (transfer full): the devices that get rows */
static char *
name_team(const MsSplitRates *self, const MsShares *shares)
{
  GString *name = g_string_new("together:");

  for (guint i = 0; i < shares->n; i++)
    if (!shares->left_out[i])
      g_string_append_printf(name, " + %s", (const char *)g_ptr_array_index(self->devices, i));
  return g_string_free(name, FALSE);
}

/* (transfer full): times hold for sizes within a factor of two, since launches take a part that depends on it */
static char *
name_work(const MsSplitRates *self)
{
  return g_strdup_printf("%s-2^%u", self->work, (guint)g_bit_storage(self->pixels));
}

static double
load(const MsSplitRates *self, const MsShares *shares)
{
  g_autofree char *team = name_team(self, shares);
  g_autofree char *work = name_work(self);

  return ms_learned_speeds_get(self->speeds, team, work);
}

/**
 * ms_split_rates_prefer_alone:
 * @together: pixels a millisecond of all devices; 0 where it is not known
 * @alone: of the fastest one
 *
 * Both ways are timed once before the faster one is used; not by the first image of a process.
 */
gboolean
ms_split_rates_prefer_alone(double together, double alone, guint image)
{
  if (image > 1 && (together <= 0 || alone <= 0))
    return together > 0;
  return (together > 0 && alone > together) != (image % MS_SPLIT_IMAGES_UNTIL_TRIAL == 0);
}

/** ms_split_rates_choose: leaves out all devices but the fastest if that is faster, or not yet known to be slower. */
void
ms_split_rates_choose(const MsSplitRates *self, MsShares *shares)
{
  MsShares fastest = *shares;

  ms_shares_keep_fastest(&fastest);
  if (ms_split_rates_prefer_alone(load(self, shares), load(self, &fastest), self->image))
    *shares = fastest;
}

/** ms_split_rates_keep: @milliseconds: of the whole image, on the devices that got rows */
void
ms_split_rates_keep(const MsSplitRates *self, const MsShares *shares, double milliseconds)
{
  g_autofree char *team = name_team(self, shares);
  g_autofree char *work = name_work(self);

  if (self->image > 1)
    ms_learned_speeds_add(self->speeds, team, work, (double)self->pixels, milliseconds);
}
