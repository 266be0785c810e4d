/* SPDX-License-Identifier: MIT */
#include "app/command-line.h"

#include <string.h>

#define DEFAULT_DEVICE "auto"
#define DEFAULT_REDUCE_SIZE (G_GUINT64_CONSTANT(1) << 24)

/*
 * Options this far from what was typed are not worth suggesting: a letter in three, for with more any short word would
 * do.
 */
#define MOST_TYPOS 3
#define LETTERS_PER_TYPO 3

/** ms_command_line_new: (transfer full): the command line without arguments. */
MsCommandLine *
ms_command_line_new(void)
{
  MsCommandLine *self = g_new0(MsCommandLine, 1);

  self->settings = ms_settings_default();
  self->given = g_ptr_array_new_with_free_func(g_free);
  self->quality = ms_save_options_default().quality;
  self->shard = ms_shard_whole();
  self->max_pixels = MS_IMAGE_DEFAULT_MAX_PIXELS;
  self->size = DEFAULT_REDUCE_SIZE;
  self->repeat = 1;
  return self;
}

static void
free_text_fields(MsCommandLine *self)
{
  guint n = 0;
  const MsCommandOption *options = ms_command_options(&n);

  for (guint i = 0; i < n; i++)
    if (options[i].kind == MS_COMMAND_TEXT)
      g_free(*(char **)((char *)self + options[i].offset));
}

void
ms_command_line_free(MsCommandLine *self)
{
  if (!self)
    return;
  free_text_fields(self);
  g_strfreev(self->inputs);
  g_ptr_array_unref(self->given);
  g_free(self);
}

/** ms_command_line_has: whether --@name was given. */
gboolean
ms_command_line_has(const MsCommandLine *self, const char *name)
{
  return g_ptr_array_find_with_equal_func(self->given, name, g_str_equal, NULL);
}

/** ms_command_line_device: (transfer none): the device asked for. */
const char *
ms_command_line_device(const MsCommandLine *self)
{
  return self->device ? self->device : DEFAULT_DEVICE;
}

/** ms_command_line_is_lab: whether an action of the lab takes the place of filtering images. */
gboolean
ms_command_line_is_lab(const MsCommandLine *self)
{
  return self->experiment || self->tune || self->reduce;
}

/* Levenshtein's distance, two rows at a time; names are short. */
static guint
typos_between(const char *a, const char *b)
{
  gsize n = strlen(b);
  g_autofree guint *row = g_new(guint, n + 1);

  for (gsize j = 0; j <= n; j++)
    row[j] = (guint)j;
  for (gsize i = 0; a[i]; i++) {
    guint corner = row[0];
    row[0] = (guint)i + 1;
    for (gsize j = 0; j < n; j++) {
      guint replaced = corner + (a[i] != b[j]);
      corner = row[j + 1];
      row[j + 1] = MIN(replaced, MIN(row[j], row[j + 1]) + 1);
    }
  }
  return row[n];
}

static void
consider(const char *typed, const char *name, const char **best, guint *fewest)
{
  guint typos = g_str_has_prefix(name, typed) ? 1 : typos_between(typed, name);

  if (typos >= *fewest)
    return;
  *fewest = typos;
  *best = name;
}

static const char *
nearest_option(const char *typed)
{
  const char *best = NULL;
  guint n = 0, fewest = CLAMP((guint)strlen(typed) / LETTERS_PER_TYPO, 1, MOST_TYPOS) + 1;
  const MsOptionInfo *infos = ms_options_table(&n);

  if (*typed == '\0')
    return NULL;
  for (guint i = 0; i < n; i++)
    consider(typed, infos[i].name, &best, &fewest);
  const MsCommandOption *options = ms_command_options(&n);
  for (guint i = 0; i < n; i++)
    consider(typed, options[i].name, &best, &fewest);
  return best;
}

static gboolean
refuse_unknown(const char *name, GError **error)
{
  const char *near = nearest_option(name);

  if (near)
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "There is no option --%s; did you mean --%s? --help lists all.", name,
                near);
  else
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "There is no option --%s; --help lists all.", name);
  return FALSE;
}

typedef struct {
  int argc;
  char **argv;
  int next;
  MsCommandLine *line;
  GPtrArray *inputs;
} Parsing;

/* A negative number is none, nor is a lone dash. */
static gboolean
starts_like_option(const char *text)
{
  const char letter[2] = {text[0] == '-' ? text[1] : '\0', '\0'};

  return g_str_has_prefix(text, "--") || (letter[0] && ms_command_option_find(letter));
}

/* A value that starts like an option is taken for a forgotten value; --name=value says it was meant. */
static const char *
take_value(Parsing *p, const char *name, const char *argument, GError **error)
{
  const char *value = p->next < p->argc ? p->argv[p->next] : NULL;

  if (value && !starts_like_option(value)) {
    p->next++;
    return value;
  }
  g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "--%s needs a value: --%s %s.", name, name, argument);
  return NULL;
}

static gboolean
apply_filter_option(Parsing *p, const MsOptionInfo *info, const char *value, GError **error)
{
  if (!value)
    value = take_value(p, info->name, info->argument, error);
  return value && ms_option_set_text(info, &p->line->settings, value, error);
}

static gboolean
apply_command_option(Parsing *p, const MsCommandOption *option, const char *value, GError **error)
{
  g_autofree char *argument = ms_command_option_argument(option);

  if (option->kind == MS_COMMAND_FLAG && value) {
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "--%s takes no value; leave out “=%s”.", option->name, value);
    return FALSE;
  }
  if (option->kind != MS_COMMAND_FLAG && !value)
    value = take_value(p, option->name, argument, error);
  return (option->kind == MS_COMMAND_FLAG || value) && ms_command_option_set(option, p->line, value, error);
}

static gboolean
parse_long(Parsing *p, const char *text, GError **error)
{
  const char *equals = strchr(text, '=');
  g_autofree char *name = equals ? g_strndup(text, (gsize)(equals - text)) : g_strdup(text);
  const char *value = equals ? equals + 1 : NULL;
  const MsOptionInfo *info = ms_option_find(name);
  const MsCommandOption *option = name[0] && name[1] ? ms_command_option_find(name) : NULL;

  if (!info && !option)
    return refuse_unknown(name, error);
  g_ptr_array_add(p->line->given, g_strdup(name));
  return info ? apply_filter_option(p, info, value, error) : apply_command_option(p, option, value, error);
}

/* One letter, with its value behind it or in the next argument. */
static gboolean
parse_letter(Parsing *p, const char *text, GError **error)
{
  const char letter[2] = {text[0], '\0'};
  const MsCommandOption *option = ms_command_option_find(letter);

  if (!option || (option->kind == MS_COMMAND_FLAG && text[1])) {
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
                "There is no option -%s; --help lists all, and a file of that name is written ./-%s.", text, text);
    return FALSE;
  }
  g_ptr_array_add(p->line->given, g_strdup(option->name));
  return apply_command_option(p, option, text[1] ? text + 1 : NULL, error);
}

static gboolean
parse_argument(Parsing *p, gboolean *only_inputs, GError **error)
{
  char *text = p->argv[p->next++];

  if (*only_inputs || text[0] != '-' || text[1] == '\0')
    g_ptr_array_add(p->inputs, g_strdup(text));
  else if (strcmp(text, "--") == 0)
    *only_inputs = TRUE;
  else if (text[1] == '-')
    return parse_long(p, text + 2, error);
  else
    return parse_letter(p, text + 1, error);
  return TRUE;
}

/**
 * ms_command_line_parse:
 *
 * Reads every argument, each on its own; ms_command_line_check() says whether they go together.
 *
 * Returns: (transfer full): the command line, or %NULL with #MS_ERROR_USAGE
 */
MsCommandLine *
ms_command_line_parse(int argc, char **argv, GError **error)
{
  g_autoptr(MsCommandLine) line = ms_command_line_new();
  Parsing parsing = {
    .argc = argc, .argv = argv, .next = 1, .line = line, .inputs = g_ptr_array_new_with_free_func(g_free)};
  gboolean only_inputs = FALSE, good = TRUE;

  while (good && parsing.next < argc)
    good = parse_argument(&parsing, &only_inputs, error);
  g_ptr_array_add(parsing.inputs, NULL);
  line->inputs = (char **)g_ptr_array_free(parsing.inputs, FALSE);
  return good ? g_steal_pointer(&line) : NULL;
}
