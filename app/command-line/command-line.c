/* SPDX-License-Identifier: MIT */
#include "app/command-line/command-line.h"

#include <gio/gio.h>

#include "core/error.h"
#include "core/filter/settings/filter-presets.h"
#include "core/option/option.h"

/** ms_exit_status_for_error: the exit status of a run that @error ended, apart from failures of single images. */
MsExitStatus
ms_exit_status_for_error(const GError *error)
{
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return MS_EXIT_INTERRUPTED;
  if (g_error_matches(error, MS_ERROR, MS_ERROR_USAGE) || g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED))
    return MS_EXIT_USAGE;
  if (g_error_matches(error, MS_ERROR, MS_ERROR_NO_DEVICE))
    return MS_EXIT_NO_DEVICE;
  if (g_error_matches(error, MS_ERROR, MS_ERROR_MISMATCH))
    return MS_EXIT_DIFFERENT;
  return MS_EXIT_SOME_FAILED;
}

#define DEFAULT_DEVICE "auto"

/* (transfer full): the command line without arguments. */
static MsCommandLine *
command_line_new(void)
{
  MsCommandLine *self = g_new0(MsCommandLine, 1);

  self->batch = ms_batch_request_default();
  self->batch.limits.accepts_streams = TRUE;
  self->given = g_ptr_array_new_with_free_func(g_free);
  ms_option_table_reset(&ms_command_options, self);
  return self;
}

/** ms_command_line_free: frees the command line with all its texts. */
void
ms_command_line_free(MsCommandLine *self)
{
  if (!self)
    return;
  ms_option_table_clear(&ms_command_options, self);
  g_strfreev((char **)self->batch.inputs);
  g_strfreev(self->manifests);
  g_ptr_array_unref(self->given);
  g_free(self);
}

/** ms_command_line_has: whether --@name was given. */
gboolean
ms_command_line_has(const MsCommandLine *self, const char *name)
{
  return g_ptr_array_find_with_equal_func(self->given, name, g_str_equal, NULL);
}

/** ms_command_line_device: (transfer none): the value of --device or its default. */
const char *
ms_command_line_device(const MsCommandLine *self)
{
  return self->device ? self->device : DEFAULT_DEVICE;
}

/** ms_command_line_action: the action that the command line selects. */
MsCommandAction
ms_command_line_action(const MsCommandLine *self)
{
  if (self->list_devices)
    return MS_COMMAND_LIST_DEVICES;
  if (self->diagnose)
    return MS_COMMAND_DIAGNOSE;
  if (!self->headless)
    return MS_COMMAND_WINDOW;
  if (self->experiment)
    return g_str_equal(self->experiment, "list") ? MS_COMMAND_LIST_EXPERIMENTS : MS_COMMAND_EXPERIMENT;
  if (self->tune)
    return MS_COMMAND_TUNE;
  if (self->merge_reports)
    return MS_COMMAND_MERGE_REPORTS;
  if (self->regions)
    return MS_COMMAND_REGIONS;
  return self->reduce ? MS_COMMAND_REDUCE : MS_COMMAND_IMAGES;
}

/* Replaces the defaults by the preset's settings; the options on the command line keep their values. */
static gboolean
apply_preset(MsCommandLine *self, GError **error)
{
  g_autoptr(MsPresets) presets = ms_presets_new(NULL);
  MsSettings settings = ms_settings_default();

  if (!ms_presets_apply(presets, self->preset, &settings, error))
    return FALSE;
  for (guint i = 0; i < ms_options.n_rows; i++) {
    const MsOptionInfo *row = &ms_options.rows[i];
    g_autofree char *value = ms_option_get_text(row, &self->batch.settings);
    if (ms_command_line_has(self, row->name))
      ms_option_set_text(row, &settings, value, NULL);
  }
  self->batch.settings = settings;
  return TRUE;
}

/**
 * ms_command_line_parse:
 *
 * Reads the arguments one by one; ms_command_line_check() checks their combination.
 *
 * Returns: (transfer full): the command line, or %NULL with #MS_ERROR_USAGE
 */
MsCommandLine *
ms_command_line_parse(int argc, char **argv, GError **error)
{
  g_autoptr(MsCommandLine) line = command_line_new();
  GPtrArray *inputs = g_ptr_array_new_with_free_func(g_free);
  const MsOptionTarget targets[] = {{&ms_options, &line->batch.settings}, {&ms_command_options, line}};
  const MsOptionReader reader = {targets, G_N_ELEMENTS(targets), line->given, inputs};
  gboolean good = ms_option_reader_read(&reader, argc, argv, error);

  g_ptr_array_add(inputs, NULL);
  line->batch.inputs = (const char *const *)g_ptr_array_free(inputs, FALSE);
  if (!good || (line->preset && !apply_preset(line, error)))
    return NULL;
  return g_steal_pointer(&line);
}
