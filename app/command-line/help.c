/* SPDX-License-Identifier: MIT */
#include "app/command-line/help.h"

#include <glib/gi18n-lib.h>

#include "app/command-line/command-options.h"
#include "core/image/codec.h"
#include "core/option/option-help.h"
#include "core/reduce/operators.h"
#include "core/reduce/reduce-options.h"

static const char *const usage = N_("Usage:\n"
                                    "  meanshift-lab [IMAGE...]                                 opens the window\n"
                                    "  meanshift-lab --headless [OPTIONS] INPUT... -o OUTPUT    opens no display\n"
                                    "\n");

static const char *const examples = N_("\nExamples:\n"
                                       "  meanshift-lab photo.jpg\n"
                                       "  meanshift-lab --headless photo.jpg --sp 10 --sr 20 -o flat.png\n"
                                       "  meanshift-lab --headless --recursive photos -o flat --resume\n"
                                       "  meanshift-lab --headless photo.jpg --timings --device gpu\n");

static const char *const more =
  N_("\n--help-all lists every option; the manual page, meanshift-lab(1), describes them.\n");

static const char *const statuses =
  N_("\nExit status: 0 all done; 1 some inputs failed; 2 wrong usage; 3 --verify "
     "found a difference, or the\n"
     "result of --reduce is not the serial one; 4 no usable device; 130 interrupted.\n");

/* Appends the rows of a group under its heading, and nothing for a group without rows. */
static void
append_group(GString *text, MsOptionGroup group, gboolean only_common)
{
  g_autoptr(GString) rows = g_string_new(NULL);

  ms_option_help_append_group(rows, &ms_options, group, only_common);
  ms_option_help_append_group(rows, &ms_command_options, group, only_common);
  if (rows->len > 0)
    g_string_append_printf(text, "\n%s:\n%s", ms_option_group_title(group), rows->str);
}

static void
append_groups(GString *text, gboolean only_common)
{
  for (MsOptionGroup group = MS_OPTION_GROUP_PROGRAM; group <= MS_OPTION_GROUP_LAB; group++)
    append_group(text, group, only_common);
}

/** ms_help_preset: (transfer full): the help text of a preset of --variant, with the settings it stands for. */
char *
ms_help_preset(guint index)
{
  guint n = 0;
  const MsReducePreset *preset = &ms_reduce_presets(&n)[index];
  g_auto(GStrv) settings = g_strsplit(preset->settings ? preset->settings : "", ",", -1);
  g_autofree char *list = g_strjoinv(", ", settings);

  return *list ? g_strdup_printf("%s (%s)", _(preset->help), list) : g_strdup(_(preset->help));
}

static void
append_reductions(GString *text)
{
  g_autofree char *types = g_strjoinv(", ", (char **)ms_element_type_names());
  guint n = 0;
  const MsReducePreset *presets = ms_reduce_presets(&n);

  g_string_append_printf(text, "\n%s (--reduce OP --type T --variant PRESET[,KEY=VALUE...]):\n", _("Reductions"));
  for (int op = 0; op < MS_REDUCE_N_OPS; op++)
    ms_option_help_append_row(text, ms_reduce_operator(op)->name, _(ms_reduce_operator(op)->help));
  ms_option_help_append_row(text, "histogram", _("counts in --bins bins over --range, without --variant"));
  ms_option_help_append_row(text, "T", types);
  g_string_append_printf(text, "\n%s:\n", _("Presets of --variant (the keys that differ from their defaults)"));
  for (guint i = 0; i < n; i++) {
    g_autofree char *help = ms_help_preset(i);
    ms_option_help_append_row(text, presets[i].name, help);
  }
  g_string_append_printf(text, "\n%s:\n", _("Keys of --variant, after any preset but auto"));
  ms_option_help_append_group(text, &ms_reduce_options, MS_OPTION_GROUP_VARIANT, FALSE);
}

static GString *
usage_new(void)
{
  GString *text = g_string_new(_(usage));
  /* TRANSLATORS: between the last two names of formats, as in "PNG, JPEG and TIFF" */
  g_autofree char *titles = ms_codec_list_titles(_(" and "));

  g_string_append_printf(text, _("Mean-shift filtering of %s images on any OpenCL device.\n"), titles);
  return text;
}

/** ms_help_short: (transfer full): what --help prints: examples and the options that people use most. */
char *
ms_help_short(void)
{
  GString *text = usage_new();

  g_string_append(text, _(examples));
  append_groups(text, TRUE);
  g_string_append(text, _(more));
  return g_string_free(text, FALSE);
}

/** ms_help_all: (transfer full): what --help-all prints: every option, the reductions and the exit statuses. */
char *
ms_help_all(void)
{
  GString *text = usage_new();

  append_groups(text, FALSE);
  append_reductions(text);
  g_string_append(text, _(statuses));
  return g_string_free(text, FALSE);
}
