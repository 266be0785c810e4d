/* SPDX-License-Identifier: MIT */
#include "core/filter/options.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define OFFSET(field) offsetof(MsSettings, field)

static const char *const rule_values[] = {"opencv", "truncate", "replicate", NULL};
static const char *const memory_values[] = {"buffer", "image", NULL};
static const char *const switch_values[] = {"off", "on", NULL};
static const char *const unroll_values[] = {"1", "2", "4", NULL};
static const char *const access_values[] = {"pointer", "vload", NULL};
static const char *const schedule_values[] = {"fixed", "refill", NULL};

static const MsOptionInfo table[] = {
  {.name = "sp",
   .json = "sp",
   .label = "_Spatial radius",
   .argument = "R",
   .help = "Window radius in pixels; the window's side is 2R+1",
   .group = MS_OPTION_GROUP_FILTER,
   .kind = MS_OPTION_REAL,
   .minimum = MS_SP_MIN,
   .maximum = MS_SP_MAX,
   .step = 1,
   .offset = OFFSET(params.sp)},
  {.name = "sr",
   .json = "sr",
   .label = "_Colour radius",
   .argument = "R",
   .help = "Colours up to this distance take part in the mean",
   .group = MS_OPTION_GROUP_FILTER,
   .kind = MS_OPTION_REAL,
   .minimum = MS_SR_MIN,
   .maximum = MS_SR_USEFUL_MAX,
   .largest = MS_SR_MAX,
   .step = 1,
   .offset = OFFSET(params.sr)},
  {.name = "max-iterations",
   .json = "max_iterations",
   .label = "Max _iterations",
   .argument = "N",
   .help = "Mean-shift steps a pixel may take",
   .group = MS_OPTION_GROUP_FILTER,
   .kind = MS_OPTION_INT,
   .minimum = MS_MAX_ITERATIONS_MIN,
   .maximum = MS_MAX_ITERATIONS_MAX,
   .step = 1,
   .offset = OFFSET(params.max_iterations)},
  {.name = "epsilon",
   .json = "epsilon",
   .label = "_Epsilon",
   .argument = "E",
   .help = "A pixel stops when shift plus squared colour change is at most E",
   .group = MS_OPTION_GROUP_FILTER,
   .kind = MS_OPTION_REAL,
   .minimum = MS_EPSILON_MIN,
   .maximum = MS_EPSILON_MAX,
   .step = 1,
   .offset = OFFSET(params.epsilon)},
  {.name = "rule",
   .json = "rule",
   .label = "_Rule",
   .argument = "opencv|truncate|replicate",
   .help = "Border and rounding: of OpenCV on the CPU, of its old OpenCL, or of its CUDA filter",
   .group = MS_OPTION_GROUP_FILTER,
   .kind = MS_OPTION_CHOICE,
   .values = rule_values,
   .offset = OFFSET(params.rule)},
  {.name = "memory",
   .json = "memory",
   .label = "_Memory object",
   .argument = "buffer|image",
   .help = "What the kernel reads the pixels from",
   .group = MS_OPTION_GROUP_TOGGLE,
   .kind = MS_OPTION_CHOICE,
   .values = memory_values,
   .offset = OFFSET(options.memory)},
  {.name = "local-memory",
   .json = "local_memory",
   .label = "_Local memory",
   .argument = "on|off",
   .help = "Each work-group stages its own pixels in local memory",
   .group = MS_OPTION_GROUP_TOGGLE,
   .kind = MS_OPTION_CHOICE,
   .values = switch_values,
   .offset = OFFSET(options.local_memory)},
  {.name = "unroll",
   .json = "unroll",
   .label = "_Unroll",
   .argument = "1|2|4",
   .help = "Pixels a step of the innermost loop takes",
   .group = MS_OPTION_GROUP_TOGGLE,
   .kind = MS_OPTION_CHOICE,
   .values = unroll_values,
   .numeric_values = TRUE,
   .offset = OFFSET(options.unroll)},
  {.name = "access",
   .json = "access",
   .label = "_Access",
   .argument = "pointer|vload",
   .help = "One uchar4 at a time, or vload4, vload8, vload16 by the unrolling",
   .group = MS_OPTION_GROUP_TOGGLE,
   .kind = MS_OPTION_CHOICE,
   .values = access_values,
   .offset = OFFSET(options.access)},
  {.name = "work-group",
   .json = "work_group",
   .label = "_Work-group",
   .argument = "WxH|auto",
   .help = "Work-items of a work-group, columns by rows",
   .group = MS_OPTION_GROUP_TOGGLE,
   .kind = MS_OPTION_SHAPE,
   .minimum = 1,
   .maximum = 65536,
   .step = 1,
   .offset = OFFSET(options.work_group_width)},
  {.name = "kernel",
   .json = "kernel",
   .label = "_Kernel",
   .argument = "NAME",
   .help = "auto takes the fastest that the device and the other toggles allow",
   .group = MS_OPTION_GROUP_TOGGLE,
   .kind = MS_OPTION_CHOICE,
   .values = ms_filter_kernel_names,
   .offset = OFFSET(options.kernel)},
  {.name = "schedule",
   .json = "schedule",
   .label = "Sche_dule",
   .argument = "fixed|refill",
   .help = "One pixel for the life of a work-item, or new pixels for work-items that have finished",
   .group = MS_OPTION_GROUP_TOGGLE,
   .kind = MS_OPTION_CHOICE,
   .values = schedule_values,
   .offset = OFFSET(options.schedule)},
};

/** ms_settings_default: the default parameters, and toggles that leave every kernel possible. */
MsSettings
ms_settings_default(void)
{
  return (MsSettings){.params = ms_params_default(), .options = {.unroll = 1}};
}

/** ms_options_table: (transfer none): the rows, in the order in which they are shown. */
const MsOptionInfo *
ms_options_table(guint *n_rows)
{
  *n_rows = G_N_ELEMENTS(table);
  return table;
}

/** ms_option_find: (transfer none) (nullable): the row of that command-line name. */
const MsOptionInfo *
ms_option_find(const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS(table); i++)
    if (strcmp(table[i].name, name) == 0)
      return &table[i];
  return NULL;
}

guint
ms_option_n_values(const MsOptionInfo *self)
{
  return self->values ? g_strv_length((char **)self->values) : 0;
}

static int *
int_field(const MsOptionInfo *self, const MsSettings *settings)
{
  return (int *)((char *)settings + self->offset);
}

static double *
real_field(const MsOptionInfo *self, const MsSettings *settings)
{
  return (double *)((char *)settings + self->offset);
}

static double
largest(const MsOptionInfo *self)
{
  return MAX(self->largest, self->maximum);
}

static gboolean
refuse(const MsOptionInfo *self, const char *text, GError **error)
{
  g_autofree char *choices = self->values ? g_strjoinv(", ", (char **)self->values) : NULL;

  if (choices)
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "--%s cannot be “%s”; it takes one of: %s.", self->name, text,
                choices);
  else if (self->kind == MS_OPTION_SHAPE)
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "--%s cannot be “%s”; it takes columns x rows, as in 32x4, or auto.",
                self->name, text);
  else
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "--%s cannot be “%s”; it takes a %s from %.10g to %.10g.", self->name,
                text, self->kind == MS_OPTION_INT ? "whole number" : "number", self->minimum, largest(self));
  return FALSE;
}

static gboolean
set_choice(const MsOptionInfo *self, MsSettings *settings, const char *text, GError **error)
{
  for (guint i = 0; self->values[i]; i++) {
    if (strcmp(self->values[i], text) != 0)
      continue;
    *int_field(self, settings) = self->numeric_values ? (int)g_ascii_strtoll(text, NULL, 10) : (int)i;
    return TRUE;
  }
  return refuse(self, text, error);
}

static gboolean
set_number(const MsOptionInfo *self, MsSettings *settings, const char *text, GError **error)
{
  char *end = NULL;
  double value = g_ascii_strtod(text, &end);

  if (end == text || *end != '\0' || !(value >= self->minimum && value <= largest(self)))
    return refuse(self, text, error);
  if (self->kind == MS_OPTION_INT && value != floor(value))
    return refuse(self, text, error);
  ms_option_set_number(self, settings, value);
  return TRUE;
}

static gboolean
parse_side(const MsOptionInfo *self, const char **text, int *side)
{
  char *end = NULL;
  guint64 value = g_ascii_isdigit(**text) ? g_ascii_strtoull(*text, &end, 10) : 0;

  if (value < self->minimum || value > self->maximum)
    return FALSE;
  *side = (int)value;
  *text = end;
  return TRUE;
}

static gboolean
set_shape(const MsOptionInfo *self, MsSettings *settings, const char *text, GError **error)
{
  int *side = int_field(self, settings);
  const char *rest = text;
  int width = 0, height = 0;

  if (strcmp(text, "auto") != 0 &&
      !(parse_side(self, &rest, &width) && *rest++ == 'x' && parse_side(self, &rest, &height) && *rest == '\0'))
    return refuse(self, text, error);
  side[0] = width;
  side[1] = height;
  return TRUE;
}

/**
 * ms_option_set_text:
 * @text: a value as on the command line; numbers in the C locale
 *
 * Returns: %FALSE with #MS_ERROR_USAGE, naming the option and what it takes; @settings is then as before
 */
gboolean
ms_option_set_text(const MsOptionInfo *self, MsSettings *settings, const char *text, GError **error)
{
  switch (self->kind) {
  case MS_OPTION_CHOICE:
    return set_choice(self, settings, text, error);
  case MS_OPTION_SHAPE:
    return set_shape(self, settings, text, error);
  default:
    return set_number(self, settings, text, error);
  }
}

static const char *
choice_name(const MsOptionInfo *self, int value)
{
  for (guint i = 0; self->values[i]; i++)
    if (value == (self->numeric_values ? (int)g_ascii_strtoll(self->values[i], NULL, 10) : (int)i))
      return self->values[i];
  g_return_val_if_reached("");
}

/** ms_option_get_text: (transfer full): the value as ms_option_set_text() takes it. */
char *
ms_option_get_text(const MsOptionInfo *self, const MsSettings *settings)
{
  const int *whole = int_field(self, settings);
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  switch (self->kind) {
  case MS_OPTION_CHOICE:
    return g_strdup(choice_name(self, *whole));
  case MS_OPTION_SHAPE:
    return whole[0] ? g_strdup_printf("%dx%d", whole[0], whole[1]) : g_strdup("auto");
  case MS_OPTION_INT:
    return g_strdup_printf("%d", *whole);
  default:
    return g_strdup(g_ascii_formatd(text, sizeof text, "%.10g", *real_field(self, settings)));
  }
}

/** ms_option_get_number: the value of an INT or REAL option, or the stored number of a choice. */
double
ms_option_get_number(const MsOptionInfo *self, const MsSettings *settings)
{
  return self->kind == MS_OPTION_REAL ? *real_field(self, settings) : *int_field(self, settings);
}

void
ms_option_set_number(const MsOptionInfo *self, MsSettings *settings, double value)
{
  if (self->kind == MS_OPTION_REAL)
    *real_field(self, settings) = value;
  else
    *int_field(self, settings) = (int)value;
}

gboolean
ms_option_is_default(const MsOptionInfo *self, const MsSettings *settings)
{
  MsSettings standard = ms_settings_default();
  g_autofree char *a = ms_option_get_text(self, settings);
  g_autofree char *b = ms_option_get_text(self, &standard);

  return strcmp(a, b) == 0;
}

gboolean
ms_settings_equal(const MsSettings *a, const MsSettings *b)
{
  return ms_params_equal(&a->params, &b->params) && memcmp(&a->options, &b->options, sizeof a->options) == 0;
}

/**
 * ms_settings_to_arguments:
 *
 * Returns: (transfer full): the command-line options that repeat these settings: the parameters always, toggles where
 *   they differ from the default
 */
char *
ms_settings_to_arguments(const MsSettings *self)
{
  GString *line = g_string_new(NULL);

  for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
    if (table[i].group == MS_OPTION_GROUP_TOGGLE && ms_option_is_default(&table[i], self))
      continue;
    g_autofree char *value = ms_option_get_text(&table[i], self);
    g_string_append_printf(line, "%s--%s %s", line->len > 0 ? " " : "", table[i].name, value);
  }
  return g_string_free(line, FALSE);
}
