/* SPDX-License-Identifier: MIT */
#include "core/filter/split/learned-speeds.h"

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
  char *name = g_strdup_printf("%s %s %s", ms_device_get_address(device), ms_device_get_name(device),
                               ms_device_get_driver(device));

  /* Brackets would end the group's name in the file. */
  return g_strdelimit(name, "[]\n", '_');
}

/** ms_learned_speeds_path: (transfer full): the file of learned speeds. */
char *
ms_learned_speeds_path(void)
{
  return g_build_filename(g_get_user_data_dir(), "meanshift-lab", "speeds.ini", NULL);
}

/** ms_learned_speeds_load: the stored speed of that work on that device. */
gboolean
ms_learned_speeds_load(const char *path, const char *device, const char *work, double *speed)
{
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autoptr(GError) error = NULL;

  if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  *speed = g_key_file_get_double(file, device, work, &error);
  return !error && *speed > 0 && isfinite(*speed);
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

/* Stores a speed; the file is replaced as a whole. */
static gboolean
store_speed(const char *path, const char *device, const char *work, double speed, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new();

  g_key_file_load_from_file(file, path, G_KEY_FILE_KEEP_COMMENTS, NULL);
  g_key_file_set_double(file, device, work, speed);
  return ms_folder_make_parent(path, MS_FOLDER_PRIVATE, error) && g_key_file_save_to_file(file, path, error);
}

/**
 * ms_learned_speeds_keep: blends the speed of a run, in pixels a millisecond, with what the file has; if it cannot be
 * written, only the learned speed is lost.
 */
void
ms_learned_speeds_keep(const char *path, const char *device, const char *work, double pixels, double milliseconds)
{
  double speed = pixels / milliseconds, known;
  g_autoptr(GError) error = NULL;

  if (ms_learned_speeds_load(path, device, work, &known))
    speed = ms_learned_speeds_blend(known, speed, pixels);
  if (!store_speed(path, device, work, speed, &error))
    g_debug("%s", error->message);
}
