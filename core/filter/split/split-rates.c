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

/* (transfer full): under which the speed of a device's kernels is kept */
static char *
name_kernels(const MsSplitRates *self, guint device)
{
  return g_strconcat("kernels: ", (const char *)g_ptr_array_index(self->devices, device), NULL);
}

static double
load(const MsSplitRates *self, const MsShares *shares)
{
  g_autofree char *team = name_team(self, shares);
  g_autofree char *work = name_work(self);

  return ms_learned_speeds_get(self->speeds, team, work);
}

/* The speed of the kernels of the first device that gets rows. */
static double
load_kernels(const MsSplitRates *self, const MsShares *shares)
{
  guint device = 0;

  while (device + 1 < shares->n && shares->left_out[device])
    device++;
  g_autofree char *name = name_kernels(self, device);
  g_autofree char *work = name_work(self);

  return ms_learned_speeds_get(self->speeds, name, work);
}

/**
 * ms_split_rates_prefer_alone:
 * @together: pixels a millisecond of all devices; 0 where it is not known
 * @alone: of the fastest one
 * @kernels: of its kernels, which it cannot exceed alone
 *
 * Both ways are timed once before the faster one is used; not by the first image of a process, and not where the
 * kernels of the fastest device alone would take longer than all devices together.
 */
gboolean
ms_split_rates_prefer_alone(double together, double alone, double kernels, guint image)
{
  if (kernels > 0 && kernels <= together)
    return FALSE;
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
  if (ms_split_rates_prefer_alone(load(self, shares), load(self, &fastest), load_kernels(self, &fastest), self->image))
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

/** ms_split_rates_keep_kernels: @milliseconds: of the kernels of one device, for so many @pixels */
void
ms_split_rates_keep_kernels(const MsSplitRates *self, guint device, double pixels, double milliseconds)
{
  g_autofree char *name = name_kernels(self, device);
  g_autofree char *work = name_work(self);

  if (self->image > 1 && milliseconds > 0)
    ms_learned_speeds_add(self->speeds, name, work, pixels, milliseconds);
}
