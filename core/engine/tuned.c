/* SPDX-License-Identifier: MIT */
#include "core/engine/tuned.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "core/error.h"
#include "core/factors.h"
#include "core/file.h"
#include "core/filter/plan/plan.h"
#include "core/filter/settings/settings.h"
#include "core/folder.h"
#include "core/image/file/atomic-file.h"
#include "core/json.h"
#include "core/reduce/reduce-options.h"

/* The file of a winner has some hundred bytes. */
#define MOST_BYTES (1 << 20)

static const char *
radius_class(double sp)
{
  return sp <= 3 ? "sp 1-3" : sp <= 7 ? "sp 4-7" : sp <= 12 ? "sp 8-12" : sp <= 24 ? "sp 13-24" : "sp 25-64";
}

static const char *
size_class(double pixels)
{
  return pixels < 0.3e6   ? "up to 0.3 megapixels"
         : pixels < 1.5e6 ? "0.3 to 1.5 megapixels"
         : pixels < 10e6  ? "1.5 to 10 megapixels"
                          : "10 megapixels and more";
}

/** ms_problem_class_filter: (transfer full): the class of filtering an image of @width x @height pixels. */
char *
ms_problem_class_filter(double sp, gint64 width, gint64 height)
{
  return g_strdup_printf("mean-shift, %s, %s", radius_class(sp), size_class((double)width * (double)height));
}

const double ms_measured_radii[MS_N_MEASURED_RADII] = {5, 16};

/* Between the two radii, where the work of a pixel is as far from that of one as from that of the other. */
#define LAST_SMALL_RADIUS 9

/** ms_problem_class_measured: (transfer full): the class of what a device measures by itself at that radius. */
char *
ms_problem_class_measured(guint radius)
{
  return g_strdup_printf("mean-shift, first picture, sp %g", ms_measured_radii[radius]);
}

#define ENDING ".winner.json"

/** ms_winner_store_default_directory: (transfer full): the folder in the user's data folder. */
char *
ms_winner_store_default_directory(void)
{
  return g_build_filename(g_get_user_data_dir(), "meanshift-lab", "tuning", NULL);
}

/**
 * ms_winner_store_path:
 * @directory: (nullable): the folder of the winners; %NULL for the user's folder
 * @ending: end of the file's name, so that other files for the same key can lie beside the winner
 *
 * Returns: (transfer full): the path of a file whose name is a hash of @key
 */
char *
ms_winner_store_path(const char *directory, const MsWinnerKey *key, const char *ending)
{
  g_autofree char *folder = directory ? g_strdup(directory) : ms_winner_store_default_directory();
  g_autofree char *text = g_strjoin("\n", key->device, key->driver, key->problem, NULL);
  g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
  g_autofree char *name = g_strdup_printf("%.32s%s", hash, ending);

  return g_build_filename(folder, name, NULL);
}

static gboolean
has_text(JsonObject *object, const char *member, const char *text)
{
  return g_strcmp0(ms_json_get_text(object, member), text) == 0;
}

/**
 * ms_winner_store_read: (transfer full) (nullable): the object of the file at @path, if it is of exactly this key and
 * version of the program, whose kernels may differ in another; %NULL where there is none or the file is damaged.
 */
JsonNode *
ms_winner_store_read(const char *path, const MsWinnerKey *key, const char *version)
{
  gsize length = 0;
  g_autofree char *text = ms_file_text_load(path, MOST_BYTES, &length, NULL);
  g_autoptr(JsonNode) root = text ? ms_json_parse(text, (gssize)length, NULL) : NULL;

  JsonObject *object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  if (!object || !has_text(object, "device", key->device) || !has_text(object, "driver", key->driver) ||
      !has_text(object, "problem", key->problem) || !has_text(object, "version", version))
    return NULL;
  return g_steal_pointer(&root);
}

/**
 * ms_winner_store_load:
 * @version: (nullable): version of the program
 *
 * Returns: (transfer full) (nullable): the winner, see ms_winner_store_read()
 */
MsFactors *
ms_winner_store_load(const char *directory, const MsWinnerKey *key, const char *version)
{
  g_autofree char *path = ms_winner_store_path(directory, key, ENDING);
  g_autoptr(JsonNode) root = ms_winner_store_read(path, key, version);

  return root ? ms_json_get_factors(json_node_get_object(root), "winner") : NULL;
}

static gboolean
is_damaged(const char *path)
{
  gsize length = 0;
  g_autofree char *text = ms_file_text_load(path, MOST_BYTES, &length, NULL);

  if (!text)
    return FALSE;
  g_autoptr(JsonNode) root = ms_json_parse(text, (gssize)length, NULL);
  JsonObject *object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  g_autoptr(MsFactors) winner = object ? ms_json_get_factors(object, "winner") : NULL;
  return !object ||
         (json_object_has_member(object, "winner") && !winner && !json_object_get_null_member(object, "winner")) ||
         !ms_json_get_text(object, "device") || !ms_json_get_text(object, "driver") ||
         !ms_json_get_text(object, "problem") || !ms_json_get_text(object, "version");
}

/**
 * ms_winner_store_find_damaged:
 * @directory: (nullable): the folder of the winners; %NULL for the user's folder
 *
 * Returns: (transfer full): the paths of the files that ms_winner_store_load() ignores because they are damaged
 */
GStrv
ms_winner_store_find_damaged(const char *directory)
{
  g_autofree char *folder = directory ? g_strdup(directory) : ms_winner_store_default_directory();
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  g_autoptr(GStrvBuilder) found = g_strv_builder_new();

  for (const char *name = dir ? g_dir_read_name(dir) : NULL; name; name = g_dir_read_name(dir)) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (g_str_has_suffix(name, ENDING) && is_damaged(path))
      g_strv_builder_add(found, path);
  }
  return g_strv_builder_end(found);
}

/** ms_winner_store_begin: (transfer full): begins the object of a file; ms_winner_store_read() checks these members. */
JsonBuilder *
ms_winner_store_begin(const MsWinnerKey *key, const char *version)
{
  JsonBuilder *builder = json_builder_new();

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "device", key->device);
  ms_json_add_text(builder, "driver", key->driver);
  ms_json_add_text(builder, "problem", key->problem);
  ms_json_add_text(builder, "version", version);
  return builder;
}

/** ms_winner_store_write: ends the object and writes it to @path; an older file is replaced only by a complete one. */
gboolean
ms_winner_store_write(const char *path, JsonBuilder *builder, GError **error)
{
  json_builder_end_object(builder);
  g_autofree char *text = ms_json_builder_to_text(builder);

  return ms_folder_make_parent(path, MS_FOLDER_PRIVATE, error) && ms_atomic_file_save_own(path, text, error);
}

/**
 * ms_winner_store_save:
 * @winner: (nullable): %NULL when the search found none
 */
gboolean
ms_winner_store_save(const char *directory, const MsWinnerKey *key, const char *version, const MsFactors *winner,
                     GError **error)
{
  g_autofree char *path = ms_winner_store_path(directory, key, ENDING);
  g_autoptr(JsonBuilder) builder = ms_winner_store_begin(key, version);

  ms_json_add_factors(builder, "winner", winner);
  return ms_winner_store_write(path, builder, error);
}

/** ms_winner_store_remove: runs take the settings of the plan again; it is no error if nothing was kept. */
gboolean
ms_winner_store_remove(const char *directory, const MsWinnerKey *key, GError **error)
{
  g_autofree char *path = ms_winner_store_path(directory, key, ENDING);

  if (g_remove(path) == 0 || errno == ENOENT)
    return TRUE;
  ms_set_error(error, MS_ERROR_IO, "The file '%s' could not be removed: %s.", path, ms_errno_text(errno));
  return FALSE;
}

static MsFactors *
load_winner(MsDevice *device, const char *problem)
{
  MsWinnerKey key = {device->name, device->driver, problem};

  return ms_winner_store_load(NULL, &key, MS_VERSION);
}

/* When the folder of the winners changed last: a new winner is renamed into it. 0 where there is no folder. */
static gint64
time_of_folder(void)
{
  g_autofree char *folder = ms_winner_store_default_directory();
  struct stat about;

  return stat(folder, &about) == 0 ? about.st_mtim.tv_sec * G_GINT64_CONSTANT(1000000000) + about.st_mtim.tv_nsec : 0;
}

/** ms_known_winners_clear: forgets all; the structure can be used again. */
void
ms_known_winners_clear(MsKnownWinners *self)
{
  g_clear_pointer(&self->winners, g_hash_table_unref);
  self->changed_ns = 0;
}

/* (transfer none) (nullable): the winner, whose file is read once. */
static const MsFactors *
find_winner(MsKnownWinners *known, MsDevice *device, const char *problem)
{
  const gint64 changed_ns = time_of_folder();
  gpointer winner = NULL;

  if (!known->winners || known->changed_ns != changed_ns) {
    ms_known_winners_clear(known);
    known->winners = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)ms_factors_free);
    known->changed_ns = changed_ns;
  }
  g_autofree char *key = g_strjoin("\n", device->name, device->driver, problem, NULL);
  if (changed_ns != 0 && !g_hash_table_lookup_extended(known->winners, key, NULL, &winner)) {
    winner = load_winner(device, problem);
    g_hash_table_insert(known->winners, g_steal_pointer(&key), winner);
  }
  return winner;
}

/** ms_settings_are_automatic: whether every toggle is left to the program. */
gboolean
ms_settings_are_automatic(const MsSettings *settings)
{
  MsSettings usual = ms_settings_default();

  usual.params = settings->params;
  return ms_settings_equal(&usual, settings);
}

/**
 * ms_tuned_settings:
 * @known: the winners that this caller has met
 * @job: with the requested settings
 * @device: the device that will run it
 *
 * Resolves `--kernel auto` on a device that was tuned, or that has measured its kernels by itself (self-tune.h). The
 * winner's toggles replace those of the job when all of these are `auto` and the plan accepts the winner. The winner
 * must be of this device, driver, class of problem and version of the program.
 *
 * Returns: the settings to run; those of @job when there is no such winner
 */
MsSettings
ms_tuned_settings(MsKnownWinners *known, const MsJob *job, MsDevice *device)
{
  const MsParams *params = &job->settings->params;
  const MsPyramidSize size = ms_job_get_size(job);
  MsJob changed = *job;
  MsSettings tuned;

  if (!ms_settings_are_automatic(job->settings))
    return *job->settings;
  g_autofree char *problem = ms_problem_class_filter(params->sp, size.width, size.height);
  const MsFactors *winner = find_winner(known, device, problem);
  if (!winner) {
    g_autofree char *measured = ms_problem_class_measured(params->sp > LAST_SMALL_RADIUS ? 1 : 0);
    winner = find_winner(known, device, measured);
  }
  if (!winner || !ms_settings_from_factors(winner, &tuned, NULL))
    return *job->settings;
  tuned.params = *params;
  changed.settings = &tuned;
  g_autofree char *refusal = ms_plan_refusal(&changed, &(MsDeviceShare){.limits = &device->limits});
  return refusal ? *job->settings : tuned;
}
