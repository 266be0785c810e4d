/* SPDX-License-Identifier: MIT */
#include "app/command-line/completion.h"

#include <string.h>

#include "app/command-line/command-options.h"
#include "core/reduce/reduce-options.h"
#include "core/reduce/operators.h"

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
    return g_strjoinv(" ", (char **)ms_element_type_names());
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
