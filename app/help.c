/* SPDX-License-Identifier: MIT */
#include "app/help.h"

#include "app/command-line.h"
#include "core/option/option-help.h"
#include "core/reduce/presets.h"
#include "core/reduce/reduce-types.h"

static const char usage[] = "Usage:\n"
                            "  meanshift-lab [IMAGE...]                                 opens the window\n"
                            "  meanshift-lab --headless [OPTIONS] INPUT... -o OUTPUT    opens no display\n"
                            "\n"
                            "Mean-shift filtering of PNG and JPEG images on any OpenCL device.\n";

static const char statuses[] = "\nExit status: 0 all done; 1 some inputs failed; 2 wrong usage; 3 --verify "
                               "found a difference, or the\n"
                               "result of --reduce is not the serial one; 4 no usable device; 130 interrupted.\n";

static void
append_group(GString *text, MsOptionGroup group)
{
  g_string_append_printf(text, "\n%s:\n", ms_option_group_title(group));
  ms_option_help_append_group(text, &ms_options, group);
  ms_option_help_append_group(text, &ms_command_options, group);
}

/** ms_help_preset: (transfer full): the help text of a preset of --variant, with the settings it stands for. */
char *
ms_help_preset(guint index)
{
  guint n = 0;
  const MsReducePreset *preset = &ms_reduce_presets(&n)[index];
  g_auto(GStrv) settings = g_strsplit(preset->settings ? preset->settings : "", ",", -1);
  g_autofree char *list = g_strjoinv(", ", settings);

  return *list ? g_strdup_printf("%s (%s)", preset->help, list) : g_strdup(preset->help);
}

static void
append_reductions(GString *text)
{
  g_autofree char *operations = g_strjoinv(", ", (char **)ms_reduce_request_names());
  g_autofree char *types = g_strjoinv(", ", (char **)ms_element_type_names());
  guint n = 0;
  const MsReducePreset *presets = ms_reduce_presets(&n);

  g_string_append(text, "\nReductions (--reduce OP --type T --variant PRESET[,KEY=VALUE...]):\n");
  ms_option_help_append_row(text, "OP", operations);
  ms_option_help_append_row(text, "T", types);
  g_string_append(text, "\nPresets of --variant (the keys that differ from their defaults):\n");
  for (guint i = 0; i < n; i++) {
    g_autofree char *help = ms_help_preset(i);
    ms_option_help_append_row(text, presets[i].name, help);
  }
  g_string_append(text, "\nKeys of --variant, after any preset but auto:\n");
  ms_option_help_append_group(text, &ms_reduce_options, MS_OPTION_GROUP_VARIANT);
}

/** ms_help_text: (transfer full): what --help prints. */
char *
ms_help_text(void)
{
  GString *text = g_string_new(usage);

  for (MsOptionGroup group = MS_OPTION_GROUP_PROGRAM; group <= MS_OPTION_GROUP_LAB; group++)
    append_group(text, group);
  append_reductions(text);
  g_string_append(text, statuses);
  return g_string_free(text, FALSE);
}
