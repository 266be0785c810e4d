/* SPDX-License-Identifier: MIT */
#include "app/command-line/help.h"

#include <CL/cl.h>
#include <cairo.h>
#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <jpeglib.h>

#include "app/command-line/command-line.h"
#include "core/image/codec.h"
#include "core/image/pixbuf.h"
#include "core/option/option.h"
#include "core/reduce/operators.h"
#include "core/reduce/reduce-options.h"

/* Version */

#define TEXT_OF(number) #number
#define AS_TEXT(macro) TEXT_OF(macro)

/**
 * ms_version_text: (transfer full): one line for the program and one for each library: its version in this process, or
 * that which the program was built with.
 */
char *
ms_version_text(void)
{
  g_autofree char *pixbuf = ms_pixbuf_describe();

  return g_strdup_printf("meanshift-lab %s\n"
                         "GLib %u.%u.%u\n"
                         "JSON-GLib %s\n"
                         "cairo %s\n"
                         "zlib %s\n"
                         "libpng %s\n"
                         "libjpeg-turbo %s\n"
                         "libtiff %s\n"
                         "libwebp %s\n"
                         "libdeflate %s\n"
                         "ISA-L %s\n"
                         "lcms2 %s\n"
                         "GTK %s\n"
                         "OpenCL %d.%d headers\n"
                         "gdk-pixbuf %s\n",
                         MS_VERSION, glib_major_version, glib_minor_version, glib_micro_version, JSON_VERSION_S,
                         cairo_version_string(), zlibVersion(), png_get_libpng_ver(NULL),
                         AS_TEXT(LIBJPEG_TURBO_VERSION), MS_TIFF_VERSION, MS_WEBP_VERSION, MS_DEFLATE_VERSION,
                         MS_ISAL_VERSION, MS_LCMS_VERSION, MS_GTK_VERSION, CL_TARGET_OPENCL_VERSION / 100,
                         CL_TARGET_OPENCL_VERSION / 10 % 10, pixbuf);
}

/* Completions */

#define PROGRAM "meanshift-lab"

typedef void (*RowFunc)(GString *text, const MsOptionInfo *row, const char *values);

static char *
operator_names(void)
{
  GString *names = g_string_new("histogram");

  for (int op = 0; op < MS_REDUCE_N_OPS; op++)
    g_string_append_printf(names, " %s", ms_reduce_operator(op)->name);
  return g_string_free(names, FALSE);
}

/* Returns the names that a text option accepts, separated by spaces, or %NULL if it accepts other texts. */
static char *
fixed_texts(const char *name)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  guint n = 0;
  const MsReducePreset *presets = ms_reduce_presets(&n);

  if (strcmp(name, "reduce") == 0)
    return operator_names();
  if (strcmp(name, "type") == 0)
    return g_strjoinv(" ", (char **)ms_element_type_names);
  if (strcmp(name, "device") == 0)
    return g_strdup("auto cpu gpu reference");
  if (strcmp(name, "variant") != 0)
    return NULL;
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(names, (gpointer)presets[i].name);
  g_ptr_array_add(names, NULL);
  return g_strjoinv(" ", (char **)names->pdata);
}

static void
for_each_row(GString *text, RowFunc func)
{
  const MsOptionTable *tables[] = {&ms_options, &ms_command_options};

  for (gsize k = 0; k < G_N_ELEMENTS(tables); k++)
    for (guint i = 0; i < tables[k]->n_rows; i++) {
      const MsOptionInfo *row = &tables[k]->rows[i];
      g_autofree char *values = row->values ? g_strjoinv(" ", (char **)row->values) : fixed_texts(row->name);
      func(text, row, values);
    }
}

static void
append_name(GString *text, const MsOptionInfo *row, const char *values)
{
  g_string_append_printf(text, " --%s", row->name);
  if (row->letter)
    g_string_append_printf(text, " -%c", row->letter);
}

static void
append_bash_case(GString *text, const MsOptionInfo *row, const char *values)
{
  if (values && !row->value_is_optional)
    g_string_append_printf(text, "    --%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", row->name,
                           values);
}

/** ms_completion_for_bash: (transfer full): the completion for bash. */
char *
ms_completion_for_bash(void)
{
  GString *text = g_string_new("# SPDX-License-Identifier: MIT\n"
                               "_meanshift_lab() {\n"
                               "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
                               "  case $previous in\n");

  for_each_row(text, append_bash_case);
  g_string_append(text, "  esac\n"
                        "  if [[ $word == -* ]]; then\n"
                        "    COMPREPLY=($(compgen -W '");
  for_each_row(text, append_name);
  g_string_append(text, "' -- \"$word\"))\n"
                        "  else\n"
                        "    compopt -o filenames\n"
                        "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
                        "  fi\n"
                        "}\n"
                        "complete -F _meanshift_lab " PROGRAM "\n");
  return g_string_free(text, FALSE);
}

/* Escapes the characters that zsh's _arguments or its single quotes would interpret. */
static char *
escape_zsh(const char *help)
{
  GString *text = g_string_new(NULL);

  for (const char *p = help; *p; p++) {
    if (strchr("[]:\\", *p))
      g_string_append_c(text, '\\');
    if (*p == '\'')
      g_string_append(text, "'\\''");
    else
      g_string_append_c(text, *p);
  }
  return g_string_free(text, FALSE);
}

static void
append_zsh_row(GString *text, const MsOptionInfo *row, const char *values)
{
  g_autofree char *help = escape_zsh(row->help);
  g_autofree char *action = values ? g_strdup_printf("(%s)", values) : g_strdup("_files");
  gboolean takes_next = row->kind != MS_OPTION_FLAG && !row->value_is_optional;
  g_autofree char *value = takes_next ? g_strdup_printf(":%s:%s", row->name, action) : g_strdup("");

  if (row->letter)
    g_string_append_printf(text, "  '-%c[%s]%s' \\\n", row->letter, help, value);
  g_string_append_printf(text, "  '--%s[%s]%s' \\\n", row->name, help, value);
}

/** ms_completion_for_zsh: (transfer full): the completion for zsh. */
char *
ms_completion_for_zsh(void)
{
  GString *text = g_string_new("#compdef " PROGRAM "\n# SPDX-License-Identifier: MIT\n_arguments \\\n");

  for_each_row(text, append_zsh_row);
  g_string_append(text, "  '*:image:_files'\n");
  return g_string_free(text, FALSE);
}

static void
append_fish_row(GString *text, const MsOptionInfo *row, const char *values)
{
  g_auto(GStrv) parts = g_strsplit(row->help, "'", -1);
  g_autofree char *help = g_strjoinv("\\'", parts);

  g_string_append_printf(text, "complete -c " PROGRAM " -l %s", row->name);
  if (row->letter)
    g_string_append_printf(text, " -s %c", row->letter);
  if (row->kind != MS_OPTION_FLAG && !row->value_is_optional)
    g_string_append(text, " -r");
  if (values)
    g_string_append_printf(text, " -f -a '%s'", values);
  g_string_append_printf(text, " -d '%s'\n", help);
}

/** ms_completion_for_fish: (transfer full): the completion for fish. */
char *
ms_completion_for_fish(void)
{
  GString *text = g_string_new("# SPDX-License-Identifier: MIT\n");

  for_each_row(text, append_fish_row);
  return g_string_free(text, FALSE);
}

/* Help */

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
  g_autofree char *types = g_strjoinv(", ", (char **)ms_element_type_names);
  guint n = 0;
  const MsReducePreset *presets = ms_reduce_presets(&n);

  g_string_append_printf(text, "\n%s (--reduce OP --type T --variant PRESET[,KEY=VALUE...]):\n", _("Reductions"));
  for (int op = 0; op < MS_REDUCE_N_OPS; op++)
    ms_option_help_append_row(text, ms_reduce_operator(op)->name, _(ms_reduce_operator(op)->help));
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
  g_autofree char *titles = ms_codec_list_titles(ms_codec_is_written, _(" and "));

  g_string_append_printf(text, _("Mean-shift filtering of images on any OpenCL device.\nFormats: %s.\n"), titles);
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
