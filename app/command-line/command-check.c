/* SPDX-License-Identifier: MIT */
#include "app/command-line/command-check.h"

#include <glib/gi18n-lib.h>

#include "app/command-line/command-options.h"
#include "core/image/file/file-path.h"

static gboolean
refuse(GError **error, const char *sentence)
{
  ms_set_error_literal(error, MS_ERROR_USAGE, sentence);
  return FALSE;
}

/* The names of the actions in messages, in the order of the bits of #MsCommandAction. */
static const char *const action_names[] = {
  N_("the window"), N_("images"),        "--list-devices", "--reduce",          "--tune",
  "--experiment",   "--experiment list", "--diagnose",     "--merge-manifests", "--regions"};

static char *
name_actions(guint actions)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new();

  for (guint i = 0; i < G_N_ELEMENTS(action_names); i++)
    if (actions & 1u << i)
      g_ptr_array_add(names, (gpointer)_(action_names[i]));
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
  for (guint i = 0; i < ms_options.n_rows; i++) {
    if (rows[i].group != MS_OPTION_GROUP_TOGGLE || ms_option_is_default(&rows[i], &line->settings))
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
check_stdout(const MsCommandLine *line, MsCommandAction action, GError **error)
{
  const gboolean has_events = line->progress == MS_PROGRESS_JSON;
  const MsCommandAction with_events =
    MS_COMMAND_IMAGES | MS_COMMAND_REGIONS | MS_COMMAND_REDUCE | MS_COMMAND_TUNE | MS_COMMAND_EXPERIMENT;

  if (has_events && !(action & with_events))
    return refuse_option("progress json", with_events, action, error);
  if (ms_file_path_is_standard(line->output) + ms_file_path_is_standard(line->json) +
        ms_file_path_is_standard(line->csv) + has_events >
      1)
    return refuse(error, "Standard output (-) can take only one of -o, --json, --csv and --progress json; write the "
                         "others to files.");
  return TRUE;
}

static gboolean
wants_report(const MsCommandLine *line)
{
  return line->timings || line->stats || line->histogram || line->json || line->csv || line->verify;
}

static gboolean
check_images(const MsCommandLine *line, GError **error)
{
  guint n = g_strv_length(line->inputs), n_standard = 0;

  for (guint i = 0; i < n; i++)
    n_standard += ms_file_path_is_standard(line->inputs[i]);
  if (n == 0)
    return refuse(error, "--headless needs an image or a folder, as in: meanshift-lab --headless in.png -o out.png.");
  if (n_standard > 1)
    return refuse(error, "Standard input (-) can be read only once; name it once.");
  if (!line->output && !wants_report(line) && !line->dry_run)
    return refuse(error, "There would be no result: name an output with -o, or ask for --timings, --json or --verify.");
  return TRUE;
}

static gboolean
check_lab(const MsCommandLine *line, MsCommandAction action, GError **error)
{
  if ((line->experiment != NULL) + line->tune + (line->reduce && !line->tune) > 1)
    return refuse(error, "--experiment, --tune and --reduce are one action each; give one of them.");
  if (line->output)
    return refuse(error, "The lab saves no image: leave out -o; --report-dir names the folder of an experiment's "
                         "reports.");
  if (action == MS_COMMAND_LIST_EXPERIMENTS && line->inputs[0])
    return refuse(error, "--experiment list runs nothing; leave out the image, or name an experiment.");
  if (line->reduce && line->inputs[0])
    return refuse(error, "--reduce generates its array; leave out the image.");
  if (line->inputs[0] && line->inputs[1])
    return refuse(error, "The lab takes at most one image.");
  if (line->resume && line->experiment && !line->report_dir)
    return refuse(error, "--resume reads the reports of an earlier run; name their folder with --report-dir.");
  if (line->tune && ms_command_line_has(line, "variant"))
    return refuse(error, "--tune searches for the variant itself; leave out --variant.");
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
      !check_lab(self, action, error))
    return FALSE;
  if (action == MS_COMMAND_MERGE && !self->inputs[0])
    return refuse(error, "--merge-manifests compares with the images; name their folders, as in: photos --recursive "
                         "--merge-manifests manifests.");
  if (self->resume == MS_RESUME_HASH && !self->manifest)
    return refuse(error, "--resume=hash compares with what a manifest records; name it with --manifest.");
  return check_options(self, action, error) && check_devices(self, error) && check_stdout(self, action, error) &&
         (action != MS_COMMAND_IMAGES || check_images(self, error));
}
