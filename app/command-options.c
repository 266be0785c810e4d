/* SPDX-License-Identifier: MIT */
/* The program's own table of options; those of the filter stand in core/filter/options.c. */
#include "app/command-line.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/filter/shares.h"

#define OFFSET(field) offsetof(MsCommandLine, field)
#define FLAG(field) .kind = MS_COMMAND_FLAG, .offset = OFFSET(field)
#define TEXT(field) .kind = MS_COMMAND_TEXT, .offset = OFFSET(field)
#define COUNT(field, low, high) .kind = MS_COMMAND_COUNT, .minimum = low, .maximum = high, .offset = OFFSET(field)
#define AMOUNT(field, unit) .kind = MS_COMMAND_AMOUNT, .thousand = unit, .offset = OFFSET(field)
#define CHOICE(field, names, first)                                                                                    \
  .kind = MS_COMMAND_CHOICE, .values = names, .minimum = first, .offset = OFFSET(field)

static const char *const fallback_values[] = {"fail", "cpu", NULL};
static const char *const format_values[] = {"png", "jpeg", NULL};
static const char *const conflict_values[] = {"fail", "skip", "unique", "overwrite", NULL};
static const char *const progress_values[] = {"auto", "always", "never", NULL};

static const MsCommandOption table[] = {
  {.name = "headless", .help = "Work without a window; never opens a display", FLAG(headless), .anywhere = TRUE},
  {.name = "help", .letter = 'h', .help = "Show this list", FLAG(help), .anywhere = TRUE},
  {.name = "version", .help = "Show the version", FLAG(version), .anywhere = TRUE},

  {.name = "list-devices",
   .help = "List the OpenCL devices with their limits (with --json -, as JSON)",
   .group = MS_COMMAND_GROUP_DEVICE,
   FLAG(list_devices),
   .anywhere = TRUE},
  {.name = "device",
   .argument = "auto|cpu|gpu|reference|NAME-PART|P:D",
   .help = "What computes: a kind of device, a part of its name, its place in the list, or the serial reference",
   .group = MS_COMMAND_GROUP_DEVICE,
   TEXT(device)},
  {.name = "devices",
   .argument = "LIST",
   .help = "Share each image among several devices, as in 0:0,1:0 or gpu,cpu",
   .group = MS_COMMAND_GROUP_DEVICE,
   TEXT(devices)},
  {.name = "split",
   .help = "How --devices share: alike, as earlier runs learned, or corrected while running",
   .group = MS_COMMAND_GROUP_DEVICE,
   CHOICE(split, ms_split_mode_names, 0)},
  {.name = "fallback",
   .help = "When the device is missing or fails (default: fail where --device names one, cpu for auto)",
   .group = MS_COMMAND_GROUP_DEVICE,
   CHOICE(fallback, fallback_values, MS_FALLBACK_FAIL)},

  {.name = "output",
   .letter = 'o',
   .argument = "FILE|DIR|-",
   .help = "Where the result goes; - is standard output",
   .group = MS_COMMAND_GROUP_OUTPUT,
   TEXT(output)},
  {.name = "name",
   .argument = "TEMPLATE",
   .help = "Names in a folder: {stem} {ext} {sp} {sr} {device} {seq} (default {stem}.{ext})",
   .group = MS_COMMAND_GROUP_OUTPUT,
   TEXT(name)},
  {.name = "format",
   .help = "Format of the outputs (default: by the name)",
   .group = MS_COMMAND_GROUP_OUTPUT,
   CHOICE(format, format_values, MS_IMAGE_FORMAT_PNG)},
  {.name = "quality",
   .argument = "N",
   .help = "Quality of JPEG outputs, 1 to 100",
   .group = MS_COMMAND_GROUP_OUTPUT,
   COUNT(quality, 1, 100)},
  {.name = "on-conflict",
   .help = "When an output exists (default fail; an input is never overwritten)",
   .group = MS_COMMAND_GROUP_OUTPUT,
   CHOICE(on_conflict, conflict_values, MS_CONFLICT_FAIL)},

  {.name = "recursive",
   .help = "Look into the folders inside folders; outputs keep their places",
   .group = MS_COMMAND_GROUP_BATCH,
   FLAG(recursive)},
  {.name = "resume",
   .help = "Leave out what an earlier run did: by --manifest, else by the outputs (reports) that exist",
   .group = MS_COMMAND_GROUP_BATCH,
   FLAG(resume)},
  {.name = "shard",
   .argument = "I/N",
   .help = "Do the I-th of N parts, for several processes that share the work",
   .group = MS_COMMAND_GROUP_BATCH,
   .kind = MS_COMMAND_SHARD,
   .offset = OFFSET(shard)},
  {.name = "manifest",
   .argument = "FILE.jsonl",
   .help = "Add a line of JSON for each finished image",
   .group = MS_COMMAND_GROUP_BATCH,
   TEXT(manifest)},
  {.name = "jobs",
   .argument = "N",
   .help = "Threads that decode and encode (default: the processors)",
   .group = MS_COMMAND_GROUP_BATCH,
   COUNT(jobs, 1, 256)},
  {.name = "dry-run",
   .help = "Show what would be done, and do nothing",
   .group = MS_COMMAND_GROUP_BATCH,
   FLAG(dry_run)},
  {.name = "memory-limit",
   .argument = "SIZE",
   .help = "Bytes that images in flight may take together, as in 512M or 4G",
   .group = MS_COMMAND_GROUP_BATCH,
   AMOUNT(memory_limit, 1024)},
  {.name = "max-pixels",
   .argument = "N",
   .help = "Refuse images with more pixels (default 1G); K, M, G and T are decimal",
   .group = MS_COMMAND_GROUP_BATCH,
   AMOUNT(max_pixels, 1000)},

  {.name = "timings", .help = "Show what every stage and kernel took", .group = MS_COMMAND_GROUP_REPORT, FLAG(timings)},
  {.name = "stats",
   .help = "Show minimum, maximum, mean, deviation, median and percentiles of each channel of the result",
   .group = MS_COMMAND_GROUP_REPORT,
   FLAG(stats)},
  {.name = "histogram",
   .help = "Show the histogram of each channel of the result",
   .group = MS_COMMAND_GROUP_REPORT,
   FLAG(histogram)},
  {.name = "json",
   .argument = "FILE|-",
   .help = "Write a report of everything as JSON",
   .group = MS_COMMAND_GROUP_REPORT,
   TEXT(json),
   .anywhere = TRUE},
  {.name = "csv",
   .argument = "FILE|-",
   .help = "Write one line for each image as CSV",
   .group = MS_COMMAND_GROUP_REPORT,
   TEXT(csv)},
  {.name = "repeat",
   .argument = "N",
   .help = "Filter each image N times and report the median",
   .group = MS_COMMAND_GROUP_REPORT,
   COUNT(repeat, 1, 100000)},
  {.name = "verify",
   .help = "Compare with the serial reference; exit status 3 when they differ",
   .group = MS_COMMAND_GROUP_REPORT,
   FLAG(verify)},
  {.name = "progress",
   .help = "Progress on standard error; auto shows it on a terminal",
   .group = MS_COMMAND_GROUP_REPORT,
   CHOICE(progress, progress_values, MS_PROGRESS_AUTO)},
  {.name = "quiet",
   .letter = 'q',
   .help = "Say nothing but errors and what was asked for",
   .group = MS_COMMAND_GROUP_REPORT,
   FLAG(quiet)},

  {.name = "experiment",
   .argument = "NAME|FILE|list|all",
   .help = "Run a study and report it",
   .group = MS_COMMAND_GROUP_LAB,
   TEXT(experiment)},
  {.name = "quick", .help = "Scaled-down sizes for --experiment", .group = MS_COMMAND_GROUP_LAB, FLAG(quick)},
  {.name = "tune", .help = "Search the fastest options for this device", .group = MS_COMMAND_GROUP_LAB, FLAG(tune)},
  {.name = "budget",
   .argument = "TIME",
   .help = "Time for --tune or for a configuration of --experiment, as in 60s or 5m",
   .group = MS_COMMAND_GROUP_LAB,
   .kind = MS_COMMAND_SECONDS,
   .offset = OFFSET(budget)},
  {.name = "compare",
   .argument = "BASELINE.json",
   .help = "Compare the experiments with an earlier report",
   .group = MS_COMMAND_GROUP_LAB,
   TEXT(compare)},
  {.name = "fail-on-slower",
   .help = "Exit status 1 when --compare finds a slowdown beyond noise",
   .group = MS_COMMAND_GROUP_LAB,
   FLAG(fail_on_slower)},
  {.name = "report-dir",
   .argument = "DIR",
   .help = "Where experiments leave their CSV, JSON, Markdown and charts",
   .group = MS_COMMAND_GROUP_LAB,
   TEXT(report_dir)},
  {.name = "reduce",
   .argument = "OP",
   .help = "Run one reduction over a generated array, checked and timed; exit status 3 when it is wrong",
   .group = MS_COMMAND_GROUP_LAB,
   TEXT(reduce)},
  {.name = "type",
   .argument = "T",
   .help = "Element type of --reduce (default int)",
   .group = MS_COMMAND_GROUP_LAB,
   TEXT(type)},
  {.name = "size",
   .argument = "N",
   .help = "Elements of --reduce, as in 1000 or 16M (default 16777216); K, M, G and T are decimal",
   .group = MS_COMMAND_GROUP_LAB,
   AMOUNT(size, 1000)},
  {.name = "variant",
   .argument = "PRESET[,KEY=VALUE...]",
   .help = "How --reduce computes (default auto); see below",
   .group = MS_COMMAND_GROUP_LAB,
   TEXT(variant)},
};

/** ms_command_options: (transfer none): the rows, in the order of --help. */
const MsCommandOption *
ms_command_options(guint *n_rows)
{
  *n_rows = G_N_ELEMENTS(table);
  return table;
}

/**
 * ms_command_option_find: (transfer none) (nullable): the row of that name, or of that letter when @name is one
 * character.
 */
const MsCommandOption *
ms_command_option_find(const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS(table); i++)
    if (strcmp(table[i].name, name) == 0 || (table[i].letter && table[i].letter == name[0] && name[1] == '\0'))
      return &table[i];
  return NULL;
}

/** ms_command_option_argument: (transfer full) (nullable): the form of the value; %NULL for a flag. */
char *
ms_command_option_argument(const MsCommandOption *self)
{
  return self->values ? g_strjoinv("|", (char **)self->values) : g_strdup(self->argument);
}

/** ms_command_group_title: (transfer none): the heading of a group. */
const char *
ms_command_group_title(MsCommandGroup group)
{
  static const char *const titles[] = {"Program", "Device", "Output", "Batch", "Reports", "Lab"};

  return titles[group];
}

static gboolean
refuse(const MsCommandOption *option, const char *text, const char *takes, GError **error)
{
  g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "--%s cannot be “%s”; it takes %s.", option->name, text, takes);
  return FALSE;
}

static gboolean
set_count(const MsCommandOption *option, int *field, const char *text, GError **error)
{
  char *end = NULL;
  gint64 value = g_ascii_strtoll(text, &end, 10);

  if (end != text && *end == '\0' && value >= option->minimum && value <= option->maximum) {
    *field = (int)value;
    return TRUE;
  }
  g_autofree char *takes = g_strdup_printf("a whole number from %d to %d", option->minimum, option->maximum);
  return refuse(option, text, takes, error);
}

/* The factor of the letters behind a number: none, or K, M, G, T, with iB or B behind them where they count bytes. */
static guint64
unit_factor(const char *unit, guint thousand)
{
  static const char letters[] = "KMGT";
  const char *letter = *unit ? strchr(letters, g_ascii_toupper(*unit)) : NULL;
  guint64 factor = 1;

  if (*unit == '\0')
    return 1;
  if (!letter)
    return 0;
  for (const char *p = letters; p <= letter; p++)
    factor *= thousand;
  unit++;
  if (thousand == 1024 && (strcmp(unit, "iB") == 0 || strcmp(unit, "B") == 0))
    return factor;
  return *unit == '\0' ? factor : 0;
}

static gboolean
set_amount(const MsCommandOption *option, guint64 *field, const char *text, GError **error)
{
  gsize digits = strspn(text, "0123456789");
  g_autofree char *number = g_strndup(text, digits);
  guint64 factor = unit_factor(text + digits, option->thousand), value = 0;

  if (factor > 0 && g_ascii_string_to_unsigned(number, 10, 1, G_MAXUINT64 / factor, &value, NULL)) {
    *field = value * factor;
    return TRUE;
  }
  return refuse(option, text, "a whole number from 1 to 18446744073709551615, with K, M or G behind it if need be",
                error);
}

static gboolean
set_seconds(const MsCommandOption *option, double *field, const char *text, GError **error)
{
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 0.001}, {"m", 60}, {"min", 60}, {"h", 3600}};
  char *end = NULL;
  double value = g_ascii_strtod(text, &end);

  for (gsize i = 0; end != text && i < G_N_ELEMENTS(units); i++) {
    if (strcmp(end, units[i].unit) != 0 || !(value > 0) || isinf(value))
      continue;
    *field = value * units[i].seconds;
    return TRUE;
  }
  return refuse(option, text, "a time above 0, as in 90s, 5m or 1h", error);
}

static gboolean
set_choice(const MsCommandOption *option, int *field, const char *text, GError **error)
{
  for (int i = 0; option->values[i]; i++) {
    if (strcmp(option->values[i], text) != 0)
      continue;
    *field = option->minimum + i;
    return TRUE;
  }
  g_autofree char *names = g_strjoinv(", ", (char **)option->values);
  g_autofree char *takes = g_strdup_printf("one of: %s", names);
  return refuse(option, text, takes, error);
}

static gboolean
set_text(const MsCommandOption *option, char **field, const char *text, GError **error)
{
  if (*text == '\0')
    return refuse(option, text, option->argument, error);
  g_free(*field);
  *field = g_strdup(text);
  return TRUE;
}

/**
 * ms_command_option_set:
 * @text: the value; ignored for a flag
 *
 * Returns: %FALSE with #MS_ERROR_USAGE, naming the option and what it takes
 */
gboolean
ms_command_option_set(const MsCommandOption *option, MsCommandLine *line, const char *text, GError **error)
{
  gpointer field = (char *)line + option->offset;

  switch (option->kind) {
  case MS_COMMAND_FLAG:
    *(gboolean *)field = TRUE;
    return TRUE;
  case MS_COMMAND_TEXT:
    return set_text(option, field, text, error);
  case MS_COMMAND_COUNT:
    return set_count(option, field, text, error);
  case MS_COMMAND_AMOUNT:
    return set_amount(option, field, text, error);
  case MS_COMMAND_SECONDS:
    return set_seconds(option, field, text, error);
  case MS_COMMAND_CHOICE:
    return set_choice(option, field, text, error);
  default:
    return ms_shard_parse(text, field, error);
  }
}
