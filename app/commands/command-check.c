/* SPDX-License-Identifier: MIT */
#include "app/commands/command.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/command-line/command-line.h"
#include "core/batch/inputs.h"
#include "core/batch/output-folder.h"
#include "core/folder.h"
#include "core/image/codec.h"
#include "core/image/file/atomic-file.h"
#include "core/image/file/file-path.h"
#include "core/image/image-io.h"
#include "core/lab/lab.h"
#include "core/regions/polygons.h"

/* Options that exclude each other or have no effect */

static gboolean
refuse(GError **error, const char *sentence)
{
  ms_set_error_literal(error, MS_ERROR_USAGE, sentence);
  return FALSE;
}

/* (transfer full): the commands of a set of actions. */
static char *
name_actions(guint actions)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  guint n = 0;
  const MsCommand *commands = ms_commands(&n);

  for (guint i = 0; i < n; i++)
    if (actions & commands[i].action)
      g_ptr_array_add(names, (gpointer)_(commands[i].name));
  g_ptr_array_add(names, NULL);
  return g_strjoinv(_(" or "), (char **)names->pdata);
}

static gboolean
refuse_option(const char *name, guint actions, MsCommandAction action, GError **error)
{
  g_autofree char *asked = name_actions(action);
  g_autofree char *taken = name_actions(actions);

  if (action == MS_COMMAND_WINDOW)
    ms_set_error(error, MS_ERROR_USAGE, "--%s needs --headless; the window takes images only.", name);
  else if (action == MS_COMMAND_IMAGES)
    ms_set_error(error, MS_ERROR_USAGE, "--%s applies to %s only; give that too, or leave out --%s.", name, taken,
                 name);
  else
    ms_set_error(error, MS_ERROR_USAGE, "--%s has no effect on %s; leave it out.", name, asked);
  return FALSE;
}

/* Refuses options without effect, because the user expects one. */
static gboolean
check_options(const MsCommandLine *line, MsCommandAction action, GError **error)
{
  guint filter_actions = MS_COMMAND_IMAGES | MS_COMMAND_REGIONS | (line->reduce ? 0 : MS_COMMAND_TUNE);

  for (guint i = 0; i < line->given->len; i++) {
    const char *name = g_ptr_array_index(line->given, i);
    const MsOptionInfo *row = ms_option_table_find(&ms_command_options, name);
    guint actions = row ? row->actions : filter_actions;
    if (g_str_equal(name, "preset"))
      actions &= filter_actions;
    if (row && action != MS_COMMAND_WINDOW && !ms_option_check_needs(row, line->given, error))
      return FALSE;
    if (!(actions & action))
      return refuse_option(name, actions, action, error);
  }
  return TRUE;
}

static gboolean
check_reference(const MsCommandLine *line, GError **error)
{
  const MsOptionInfo *rows = ms_options.rows;

  if (!g_str_equal(ms_command_line_device(line), MS_ENGINE_REFERENCE))
    return TRUE;
  if (ms_command_line_has(line, "fallback"))
    return refuse(error, "--fallback has no effect on the serial reference, which needs no device; leave it out.");
  for (guint i = 0; i < ms_options.n_rows; i++) {
    if (rows[i].group != MS_OPTION_GROUP_TOGGLE || ms_option_is_default(&rows[i], &line->batch.settings))
      continue;
    ms_set_error(error, MS_ERROR_USAGE,
                 "--%s has no effect on the serial reference, which has no kernels; leave it out, or choose another "
                 "--device.",
                 rows[i].name);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_devices(const MsCommandLine *line, GError **error)
{
  if (line->device && line->devices)
    return refuse(error, "--device names one device and --devices several; give one of the two.");
  if (line->devices && line->fallback == MS_FALLBACK_CPU)
    return refuse(error,
                  "--fallback cpu replaces a single device; with --devices leave it out, or list the cpu there.");
  return line->devices || check_reference(line, error);
}

static gboolean
check_inputs(const MsCommandLine *line, GError **error)
{
  const MsCommand *command = ms_command_find(line);

  if (!line->batch.inputs[0] && command->without_input)
    return refuse(error, command->without_input);
  if (line->batch.inputs[0] && command->reads_nothing) {
    ms_set_error(error, MS_ERROR_USAGE, "%s reads no image; leave out '%s'.", command->name, line->batch.inputs[0]);
    return FALSE;
  }
  if (line->batch.hidden && !ms_inputs_has_folder(line->batch.inputs))
    return refuse(error, "--hidden applies to the files in a folder, and no INPUT is a folder; leave it out.");
  return TRUE;
}

static gboolean
writes_into_folder(const MsCommandLine *line)
{
  return ms_output_folder_is_meant(line->batch.output, line->batch.inputs, line->batch.recursive);
}

/* The format of the file that @path names, AUTO where it is decided image by image. */
static MsImageFormat
format_of_file(const MsCommandLine *line, const char *path)
{
  const MsBatchItem item = {.input = (char *)line->batch.inputs[0], .output = (char *)path};

  if (line->batch.save.format == MS_IMAGE_FORMAT_AUTO && path == line->batch.output && writes_into_folder(line))
    return MS_IMAGE_FORMAT_AUTO;
  return ms_batch_item_format(&item, line->batch.save.format);
}

/* Refuses --quality where no file has a format with a quality. */
static gboolean
check_quality(const MsCommandLine *line, GError **error)
{
  const char *paths[] = {line->batch.output, ms_polygons_is_name(line->outlines) ? NULL : line->outlines};
  const MsCodec *without = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
    const MsCodec *codec = paths[i] ? ms_codec_get(format_of_file(line, paths[i])) : NULL;
    if (paths[i] && (!codec || codec->has_quality))
      return TRUE;
    without = codec ? codec : without;
  }
  ms_set_error(error, MS_ERROR_USAGE, "--quality has no effect on %s, which loses nothing; leave it out.",
               without ? without->title : "GeoJSON");
  return FALSE;
}

static gboolean
check_stdout(const MsCommandLine *line, MsCommandAction action, GError **error)
{
  const gboolean has_events = line->progress == MS_PROGRESS_JSON;

  if (has_events && !ms_command_find(line)->has_events) {
    guint n = 0, with_events = 0;
    const MsCommand *commands = ms_commands(&n);
    for (guint i = 0; i < n; i++)
      with_events |= commands[i].has_events ? commands[i].action : 0;
    return refuse_option("progress json", with_events, action, error);
  }
  if (ms_file_path_is_standard(line->batch.output) + ms_file_path_is_standard(line->json) +
        ms_file_path_is_standard(line->csv) + has_events >
      1)
    return refuse(error, "Standard output (-) can take only one of -o, --json, --csv and --progress json; write the "
                         "others to files.");
  return TRUE;
}

static gboolean
wants_report(const MsCommandLine *line)
{
  return line->timings || line->stats || line->histogram || line->json || line->csv || line->batch.verify;
}

static gboolean
check_images(const MsCommandLine *line, GError **error)
{
  guint n_standard = 0;

  for (guint i = 0; line->batch.inputs[i]; i++)
    n_standard += ms_file_path_is_standard(line->batch.inputs[i]);
  if (n_standard > 1)
    return refuse(error, "Standard input (-) can be read only once; name it once.");
  if (!line->batch.output && !wants_report(line) && !line->dry_run)
    return refuse(error, "There would be no result: name an output with -o, or ask for --timings, --json or --verify.");
  return TRUE;
}

static gboolean
check_lab(const MsCommandLine *line, GError **error)
{
  if ((line->experiment != NULL) + line->tune + (line->reduce != NULL) > 1)
    return refuse(error, "--experiment, --tune and --reduce are one action each; give one of them.");
  if (line->batch.output)
    return refuse(error, "The lab saves no image: leave out -o; --report-dir names the folder of an experiment's "
                         "reports.");
  if (line->reduce && line->batch.inputs[0])
    return refuse(error, "--reduce generates its array; leave out the image.");
  if (line->batch.inputs[0] && line->batch.inputs[1])
    return refuse(error, "The lab takes at most one image.");
  if (line->batch.resume && line->experiment && !line->report_dir)
    return refuse(error, "--resume reads the reports of an earlier run; name their folder with --report-dir.");
  return TRUE;
}

/**
 * ms_command_line_check:
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when options exclude each other, or when one of them would have no effect
 */
gboolean
ms_command_line_check(const MsCommandLine *self, GError **error)
{
  MsCommandAction action = ms_command_line_action(self);
  gboolean is_lab = self->experiment || self->tune || self->reduce;

  if (self->help || self->help_all || self->version)
    return TRUE;
  if (self->headless && is_lab && !(action & (MS_COMMAND_LIST_DEVICES | MS_COMMAND_DIAGNOSE)) &&
      !check_lab(self, error))
    return FALSE;
  if (self->batch.resume == MS_RESUME_HASH && !self->manifests)
    return refuse(error, "--resume=hash compares with what a manifest records; name it with --manifest.");
  return check_options(self, action, error) && check_inputs(self, error) && check_devices(self, error) &&
         check_stdout(self, action, error) && (action != MS_COMMAND_IMAGES || check_images(self, error)) &&
         (self->batch.save.quality == MS_QUALITY_AUTO || !self->batch.inputs[0] || check_quality(self, error));
}

/* Files that would be overwritten or cannot be written */

/* A path of the command line, and the option that names it; an input image has none. */
typedef struct {
  const char *option;
  const char *path;
} NamedFile;

static void
add_file(GArray *files, const char *option, const char *path)
{
  const NamedFile file = {option, path};

  if (path && !ms_file_path_is_standard(path))
    g_array_append_val(files, file);
}

static void
set_read_error(GError **error, const NamedFile *written, const NamedFile *read)
{
  if (read->option)
    ms_set_error(error, MS_ERROR_USAGE, "--%s would overwrite '%s', which --%s reads; choose another file.",
                 written->option, read->path, read->option);
  else
    ms_set_error(error, MS_ERROR_USAGE, "--%s would overwrite the image '%s'; choose another file.", written->option,
                 read->path);
}

static gboolean
check_against(const NamedFile *written, GArray *others, guint n, gboolean are_read, GError **error)
{
  if (!ms_file_path_is_kept(written->path))
    return TRUE;
  for (guint i = 0; i < n; i++) {
    const NamedFile *other = &g_array_index(others, NamedFile, i);
    if (!ms_file_path_is_same(written->path, other->path))
      continue;
    if (are_read)
      set_read_error(error, written, other);
    else
      ms_set_error(error, MS_ERROR_USAGE, "--%s and --%s would both write '%s'; give each its own file.", other->option,
                   written->option, written->path);
    return FALSE;
  }
  return TRUE;
}

/* @paths: (out) (nullable): what the added files point to */
static gboolean
add_report_files(const MsCommandLine *line, GArray *written, GPtrArray **paths, GError **error)
{
  const char *names[] = {line->experiment, NULL};

  if (!line->experiment || !line->report_dir || strcmp(line->experiment, "list") == 0)
    return TRUE;
  *paths = ms_lab_report_paths(names, line->report_dir, error);
  for (guint i = 0; *paths && i < (*paths)->len; i++)
    add_file(written, "report-dir", g_ptr_array_index(*paths, i));
  return *paths != NULL;
}

/* Whether @path lies in the folder of the outputs, which the batch checks and makes. */
static gboolean
is_in_new_folder(const MsCommandLine *line, const char *path)
{
  g_autofree char *folder = g_path_get_dirname(path);

  return line->batch.output && !g_file_test(folder, G_FILE_TEST_EXISTS) &&
         ms_file_path_is_same(folder, line->batch.output);
}

/*
 * Checks that the report's file can be opened. Devices and pipes are not opened, because their reader would see an end
 * of file.
 */
static gboolean
check_file(const MsCommandLine *line, const char *option, const char *path, GError **error)
{
  g_autoptr(MsAtomicFile) file = NULL;

  if (!path || ms_file_path_is_standard(path) || ms_image_is_stream(path) || is_in_new_folder(line, path))
    return TRUE;
  file = ms_atomic_file_open(path, TRUE, NULL, error);
  if (!file)
    g_prefix_error(error, "--%s: ", option);
  return file != NULL;
}

/* The run creates missing folders, so the nearest folder that exists must be writable. */
static gboolean
check_folder(const char *option, const char *path, GError **error)
{
  g_autofree char *nearest = ms_folder_find_existing(path);

  if (ms_folder_is_writable(nearest))
    return TRUE;
  ms_set_error(error, MS_ERROR_IO, "--%s cannot be '%s': the folder '%s' cannot be written to; choose another.", option,
               path, nearest);
  return FALSE;
}

/* Refuses --name where -o names the file of a single image. */
static gboolean
check_name(const MsCommandLine *line, GError **error)
{
  if (!line->batch.name_template || !line->batch.output || !line->batch.inputs[0] || writes_into_folder(line))
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE,
               "--name is for files in a folder, but '%s' is not a folder; leave out --name, or name a folder with -o.",
               line->batch.output);
  return FALSE;
}

/**
 * ms_output_check:
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when a report would overwrite an image, a baseline, an experiment or another
 *   report, or with #MS_ERROR_IO when a report cannot be written
 */
gboolean
ms_output_check(const MsCommandLine *line, GError **error)
{
  const NamedFile outputs[] = {{"output", line->batch.output},
                               {"json", line->json},
                               {"csv", line->csv},
                               {"manifest", line->manifests ? line->manifests[0] : NULL},
                               {"labels", line->labels},
                               {"modes", line->modes},
                               {"outlines", line->outlines}};
  g_autoptr(GArray) read = g_array_new(FALSE, FALSE, sizeof(NamedFile));
  g_autoptr(GArray) written = g_array_new(FALSE, FALSE, sizeof(NamedFile));
  g_autoptr(GPtrArray) reports = NULL;
  gboolean good;

  if (!check_name(line, error))
    return FALSE;
  for (guint i = 0; line->batch.inputs[i]; i++)
    add_file(read, NULL, line->batch.inputs[i]);
  add_file(read, "compare", line->compare);
  add_file(read, "experiment", line->experiment);
  for (guint i = 1; line->manifests && line->manifests[0] && line->manifests[i]; i++)
    add_file(read, "manifest", line->manifests[i]);
  good = add_report_files(line, written, &reports, error);
  for (gsize i = 0; i < G_N_ELEMENTS(outputs); i++)
    add_file(written, outputs[i].option, outputs[i].path);
  for (guint i = 0; good && i < written->len; i++) {
    const NamedFile *file = &g_array_index(written, NamedFile, i);
    /* The batch checks the outputs of images, because it makes their names. */
    if (strcmp(file->option, "output") != 0)
      good = check_against(file, read, read->len, TRUE, error);
    good = good && check_against(file, written, i, FALSE, error);
  }
  /* A long run must not end without its report. */
  return good && check_file(line, "json", line->json, error) && check_file(line, "csv", line->csv, error) &&
         (!line->report_dir || check_folder("report-dir", line->report_dir, error));
}
