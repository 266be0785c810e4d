/* SPDX-License-Identifier: MIT */
#include "core/filter/split/speeds.h"

#include <math.h>

#include "core/folder.h"

/* A speed measured over this many pixels has the weight of the stored one. */
#define HALF_WEIGHT_PIXELS 262144.0

/** ms_learned_speeds_work: (transfer full): the name of work whose speed depends on the rule and the radius alone. */
char *
ms_learned_speeds_work(const MsSettings *settings)
{
  return g_strdup_printf("rule%d-sp%d", (int)settings->params.rule, (int)settings->params.sp);
}

/** ms_learned_speeds_device: (transfer full): the name of a device, with its driver's version. */
char *
ms_learned_speeds_device(MsDevice *device)
{
  char *name = g_strdup_printf("%s %s %s", device->address, device->name, device->driver);

  /* Brackets would end the group's name in the file. */
  return g_strdelimit(name, "[]\n", '_');
}

/** ms_learned_speeds_path: (transfer full): the file of learned speeds. */
char *
ms_learned_speeds_path(void)
{
  return g_build_filename(g_get_user_data_dir(), "meanshift-lab", "speeds.ini", NULL);
}

/**
 * ms_learned_speeds_blend:
 * @known: the stored speed
 * @pixels: the number of pixels over which @measured was measured
 *
 * Returns: the speed to store, a weighted mean: a large image has a high weight, a small one, whose time is mostly
 *   launches, a low one
 */
double
ms_learned_speeds_blend(double known, double measured, double pixels)
{
  double weight = pixels / (pixels + HALF_WEIGHT_PIXELS);

  return known + weight * (measured - known);
}

/**
 * ms_learned_speeds_new: reads the speeds of a file, which need not exist.
 *
 * Returns: (transfer full): for ms_learned_speeds_free()
 */
MsLearnedSpeeds *
ms_learned_speeds_new(const char *path)
{
  MsLearnedSpeeds *self = g_new0(MsLearnedSpeeds, 1);

  self->path = g_strdup(path);
  self->known = g_key_file_new();
  self->added = g_key_file_new();
  g_key_file_load_from_file(self->known, path, G_KEY_FILE_NONE, NULL);
  return self;
}

/** ms_learned_speeds_free: saves the speeds that were added, and frees @self. */
void
ms_learned_speeds_free(MsLearnedSpeeds *self)
{
  ms_learned_speeds_save(self);
  g_key_file_unref(self->known);
  g_key_file_unref(self->added);
  g_free(self->path);
  g_free(self);
}

/** ms_learned_speeds_get: the speed of that work on that device, in pixels a millisecond; 0 where it is not known. */
double
ms_learned_speeds_get(const MsLearnedSpeeds *self, const char *device, const char *work)
{
  double speed = g_key_file_get_double(self->known, device, work, NULL);

  return speed > 0 && isfinite(speed) ? speed : 0;
}

/** ms_learned_speeds_add: blends the speed of a run with the known one. */
void
ms_learned_speeds_add(MsLearnedSpeeds *self, const char *device, const char *work, double pixels, double milliseconds)
{
  double speed = pixels / milliseconds, known = ms_learned_speeds_get(self, device, work);

  if (known > 0)
    speed = ms_learned_speeds_blend(known, speed, pixels);
  g_key_file_set_double(self->known, device, work, speed);
  g_key_file_set_double(self->added, device, work, speed);
}

static void
copy_speeds(GKeyFile *from, GKeyFile *to)
{
  g_auto(GStrv) devices = g_key_file_get_groups(from, NULL);

  for (char **device = devices; *device; device++) {
    g_auto(GStrv) works = g_key_file_get_keys(from, *device, NULL, NULL);

    for (char **work = works; work && *work; work++)
      g_key_file_set_double(to, *device, *work, g_key_file_get_double(from, *device, *work, NULL));
  }
}

/**
 * ms_learned_speeds_save: adds the new speeds to those that the file has by now, and replaces the file as a whole; if
 * it cannot be written, only the learned speeds are lost.
 */
void
ms_learned_speeds_save(MsLearnedSpeeds *self)
{
  g_autofree char *first = g_key_file_get_start_group(self->added);
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autoptr(GError) error = NULL;

  if (!first)
    return;
  g_key_file_load_from_file(file, self->path, G_KEY_FILE_KEEP_COMMENTS, NULL);
  copy_speeds(self->added, file);
  if (!ms_folder_make_parent(self->path, MS_FOLDER_PRIVATE, &error) ||
      !g_key_file_save_to_file(file, self->path, &error))
    g_debug("speeds: %s", error->message);
  g_key_file_unref(self->added);
  self->added = g_key_file_new();
}

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

/* The speed that is kept under a name, which is freed. */
static double
load(const MsSplitRates *self, char *name)
{
  g_autofree char *owned = name, *work = name_work(self);

  return ms_learned_speeds_get(self->speeds, owned, work);
}

/* Keeps a speed under a name, which is freed; the first image compiles kernels, so that its time is not kept. */
static void
keep(const MsSplitRates *self, char *name, double pixels, double milliseconds)
{
  g_autofree char *owned = name, *work = name_work(self);

  if (self->image > 1)
    ms_learned_speeds_add(self->speeds, owned, work, pixels, milliseconds);
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
  guint device = 0;

  ms_shares_keep_fastest(&fastest);
  while (device + 1 < shares->n && fastest.left_out[device])
    device++;
  if (ms_split_rates_prefer_alone(load(self, name_team(self, shares)), load(self, name_team(self, &fastest)),
                                  load(self, name_kernels(self, device)), self->image))
    *shares = fastest;
}

/** ms_split_rates_keep: @milliseconds: of the whole image, on the devices that got rows */
void
ms_split_rates_keep(const MsSplitRates *self, const MsShares *shares, double milliseconds)
{
  keep(self, name_team(self, shares), (double)self->pixels, milliseconds);
}

/** ms_split_rates_keep_kernels: @milliseconds: of the kernels of one device, for so many @pixels */
void
ms_split_rates_keep_kernels(const MsSplitRates *self, guint device, double pixels, double milliseconds)
{
  if (milliseconds > 0)
    keep(self, name_kernels(self, device), pixels, milliseconds);
}
