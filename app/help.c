/* SPDX-License-Identifier: MIT */
/* The text of --help, made from the two tables of options and those of --reduce. */
#include "app/command-line.h"

#include <string.h>

#include "app/reduce-help.h"

#define HELP_COLUMN 34
#define HELP_WIDTH 100

static const char usage[] = "Usage:\n"
                            "  meanshift-lab [IMAGE...]                                 opens the window\n"
                            "  meanshift-lab --headless [OPTIONS] INPUT... -o OUTPUT    opens no display\n"
                            "\n"
                            "Mean-shift filtering of PNG and JPEG images on any OpenCL device.\n";

static const char statuses[] = "\nExit status: 0 all done; 1 some inputs failed; 2 wrong usage; 3 --verify "
                               "found a difference, or the\n"
                               "result of --reduce is not the serial one; 4 no usable device; 130 interrupted.\n";

/* Words of @help from HELP_COLUMN on, broken at HELP_WIDTH. */
static void
append_help(GString *text, gsize column, const char *help)
{
  g_auto(GStrv) words = g_strsplit(help, " ", -1);

  if (column + 2 > HELP_COLUMN) {
    g_string_append_c(text, '\n');
    column = 0;
  }
  g_string_append_printf(text, "%*s", (int)(HELP_COLUMN - column), "");
  column = HELP_COLUMN;
  for (gsize i = 0; words[i]; i++) {
    gsize length = (gsize)g_utf8_strlen(words[i], -1);
    if (i > 0 && column + 1 + length > HELP_WIDTH) {
      g_string_append_printf(text, "\n%*s", HELP_COLUMN, "");
      column = HELP_COLUMN;
    } else if (i > 0) {
      g_string_append_c(text, ' ');
      column++;
    }
    g_string_append(text, words[i]);
    column += length;
  }
  g_string_append_c(text, '\n');
}

static void
append_row(const char *left, const char *help, gpointer text)
{
  g_string_append_printf(text, "  %s", left);
  append_help(text, strlen(left) + 2, help);
}

static void
append_option(GString *text, char letter, const char *name, const char *argument, const char *help)
{
  g_autofree char *short_form = letter ? g_strdup_printf("-%c, ", letter) : NULL;
  g_autofree char *left =
    g_strdup_printf("%s--%s%s%s", short_form ? short_form : "", name, argument ? " " : "", argument ? argument : "");

  append_row(left, help, text);
}

static void
append_filter_group(GString *text, const char *title, MsOptionGroup group)
{
  guint n = 0;
  const MsOptionInfo *infos = ms_options_table(&n);
  MsSettings standard = ms_settings_default();

  g_string_append_printf(text, "\n%s:\n", title);
  for (guint i = 0; i < n; i++) {
    if (infos[i].group != group)
      continue;
    g_autofree char *value = ms_option_get_text(&infos[i], &standard);
    g_autofree char *help = g_strdup_printf("%s (default %s)", infos[i].help, value);
    g_autofree char *choices = infos[i].values ? g_strjoinv("|", (char **)infos[i].values) : NULL;
    append_option(text, 0, infos[i].name, choices ? choices : infos[i].argument, help);
  }
}

static void
append_command_group(GString *text, MsCommandGroup group)
{
  guint n = 0;
  const MsCommandOption *options = ms_command_options(&n);

  g_string_append_printf(text, "\n%s:\n", ms_command_group_title(group));
  for (guint i = 0; i < n; i++) {
    if (options[i].group != group)
      continue;
    g_autofree char *argument = ms_command_option_argument(&options[i]);
    append_option(text, options[i].letter, options[i].name, argument, options[i].help);
  }
}

static void
append_reductions(GString *text)
{
  g_string_append(text, "\nReductions (--reduce OP --type T --variant PRESET[,KEY=VALUE...]):\n");
  ms_reduce_help_operands(append_row, text);
  g_string_append(text, "\nPresets of --variant (how they differ from " MS_REDUCE_HELP_BASE "):\n");
  ms_reduce_help_presets(append_row, text);
  g_string_append(text, "\nKeys of --variant, after any preset but auto (what they are in " MS_REDUCE_HELP_BASE "):\n");
  ms_reduce_help_keys(append_row, text);
}

/** ms_command_line_help: (transfer full): what --help prints. */
char *
ms_command_line_help(void)
{
  GString *text = g_string_new(usage);

  append_command_group(text, MS_COMMAND_GROUP_PROGRAM);
  append_filter_group(text, "Filter", MS_OPTION_GROUP_FILTER);
  append_filter_group(text, "Toggles", MS_OPTION_GROUP_TOGGLE);
  for (MsCommandGroup group = MS_COMMAND_GROUP_DEVICE; group <= MS_COMMAND_GROUP_LAB; group++)
    append_command_group(text, group);
  append_reductions(text);
  g_string_append(text, statuses);
  return g_string_free(text, FALSE);
}
