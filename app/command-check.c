/* SPDX-License-Identifier: MIT */
/* Which options go together: every refusal names the options and what to do. */
#include "app/command-line.h"

#include <string.h>

static gboolean
refuse(GError **error, const char *sentence)
{
  g_set_error_literal(error, MS_ERROR, MS_ERROR_USAGE, sentence);
  return FALSE;
}

static gboolean
is_std(const char *path)
{
  return path && strcmp(path, MS_INPUT_STDIN) == 0;
}

static gboolean
wants_report(const MsCommandLine *line)
{
  return line->timings || line->stats || line->histogram || line->json || line->csv || line->verify;
}

/* Without --headless there is a window, for which few options mean anything. */
static gboolean
check_window(const MsCommandLine *line, GError **error)
{
  for (guint i = 0; i < line->given->len; i++) {
    const char *name = g_ptr_array_index(line->given, i);
    const MsCommandOption *option = ms_command_option_find(name);
    if (option && option->anywhere && (strcmp(name, "json") != 0 || line->list_devices))
      continue;
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
                "--%s needs --headless; without it a window opens that takes images alone.", name);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_needs(const MsCommandLine *line, GError **error)
{
  static const struct {
    const char *option;
    const char *needs[4];
    const char *sentence;
  } rules[] = {
    {"split", {"devices"}, "--split says how --devices share an image; give --devices too."},
    {"fail-on-slower", {"compare"}, "--fail-on-slower is about --compare; give --compare BASELINE.json too."},
    {"compare", {"experiment"}, "--compare is about experiments; give --experiment too."},
    {"quick", {"experiment", "tune"}, "--quick is about experiments; give --experiment too."},
    {"budget", {"tune", "experiment"}, "--budget is about --tune and --experiment; give one of them too."},
    {"report-dir", {"experiment", "tune"}, "--report-dir is about experiments; give --experiment too."},
    {"type", {"reduce"}, "--type is about --reduce; give --reduce too."},
    {"size", {"reduce", "tune"}, "--size is about --reduce; give --reduce too."},
    {"variant", {"reduce"}, "--variant is about --reduce; give --reduce too."},
    {"name", {"output"}, "--name is about files in a folder; name the folder with -o."},
    {"resume", {"output", "experiment"}, "--resume is about files in a folder; name the folder with -o."},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rules); i++) {
    gboolean met = !ms_command_line_has(line, rules[i].option);
    for (gsize k = 0; rules[i].needs[k] && !met; k++)
      met = ms_command_line_has(line, rules[i].needs[k]);
    if (!met)
      return refuse(error, rules[i].sentence);
  }
  return TRUE;
}

/* The reference is one loop in C: what chooses a kernel or how it runs would be passed over. */
static gboolean
check_reference(const MsCommandLine *line, GError **error)
{
  guint n = 0;
  const MsOptionInfo *infos = ms_options_table(&n);

  if (strcmp(ms_command_line_device(line), MS_ENGINE_REFERENCE) != 0)
    return TRUE;
  for (guint i = 0; i < n; i++) {
    if (infos[i].group != MS_OPTION_GROUP_TOGGLE || ms_option_is_default(&infos[i], &line->settings))
      continue;
    g_set_error(
      error, MS_ERROR, MS_ERROR_USAGE,
      "--%s means nothing to the serial reference, which has no kernels; leave it out, or choose another --device.",
      infos[i].name);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_one_device(const MsCommandLine *line, GError **error)
{
  if (line->device && line->devices)
    return refuse(error, "--device names one device and --devices several; give one of the two.");
  if (line->devices && ms_command_line_is_lab(line) && !line->experiment)
    return refuse(error, "--devices shares images; for --tune and --reduce name one with --device.");
  if (line->devices && line->fallback == MS_FALLBACK_CPU)
    return refuse(error,
                  "--fallback cpu stands in for one device; with --devices leave it out, or name the cpu among them.");
  return line->devices || check_reference(line, error);
}

/* Standard output has room for one thing that is read by a program; tables then go to standard error. */
static gboolean
check_stdout(const MsCommandLine *line, GError **error)
{
  if (is_std(line->output) + is_std(line->json) + is_std(line->csv) > 1)
    return refuse(error, "Standard output (-) can take only one of -o, --json and --csv; write the others to files.");
  return TRUE;
}

static gboolean
check_inputs(const MsCommandLine *line, GError **error)
{
  guint n = g_strv_length(line->inputs), n_std = 0;

  for (guint i = 0; i < n; i++)
    n_std += is_std(line->inputs[i]);
  if (n == 0)
    return refuse(error, "--headless needs an image or a folder to work on, as in: meanshift-lab --headless "
                         "in.png -o out.png.");
  if (n_std > 1)
    return refuse(error, "Standard input (-) can be read only once; name it once.");
  if (!line->output && !wants_report(line) && !line->dry_run)
    return refuse(error,
                  "Nothing would come of it: name the result with -o, or ask for --timings, --json or --verify.");
  return TRUE;
}

/* What is not for the lab is refused and not passed over in silence. */
static gboolean
suits_lab(const MsCommandLine *line, const char *name)
{
  static const char *const reports[] = {"json", "repeat", "progress", "quiet", "verify", "max-pixels", NULL};
  const MsCommandOption *option = ms_command_option_find(name);

  if (!option)
    return line->tune;
  if (strcmp(name, "resume") == 0)
    return line->experiment != NULL;
  if (g_strv_contains(reports, name))
    return TRUE;
  return option->group != MS_COMMAND_GROUP_OUTPUT && option->group != MS_COMMAND_GROUP_BATCH &&
         option->group != MS_COMMAND_GROUP_REPORT;
}

static gboolean
check_lab_options(const MsCommandLine *line, GError **error)
{
  for (guint i = 0; i < line->given->len; i++) {
    const char *name = g_ptr_array_index(line->given, i);
    if (suits_lab(line, name))
      continue;
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
                "--%s means nothing to --%s, which has its own settings; leave it out.", name,
                line->experiment ? "experiment"
                : line->tune     ? "tune"
                                 : "reduce");
    return FALSE;
  }
  return TRUE;
}

/* Nothing runs, so nothing else has a meaning. */
static gboolean
check_list(const MsCommandLine *line, GError **error)
{
  static const char *const known[] = {"headless", "experiment", "json", "progress", "quiet", NULL};

  if (line->inputs[0])
    return refuse(error, "--experiment list runs nothing; leave out the image, or name an experiment.");
  for (guint i = 0; i < line->given->len; i++) {
    const char *name = g_ptr_array_index(line->given, i);
    if (g_strv_contains(known, name))
      continue;
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
                "--%s means nothing to --experiment list, which runs nothing; leave it out, or name an experiment.",
                name);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_lab(const MsCommandLine *line, GError **error)
{
  if ((line->experiment != NULL) + line->tune + (line->reduce && !line->tune) > 1)
    return refuse(error, "--experiment, --tune and --reduce are one action each; give one of them.");
  if (line->output)
    return refuse(error, "The lab saves no image: leave out -o, and name a folder for its reports with --report-dir.");
  if (line->inputs[0] && line->inputs[1])
    return refuse(error, "The lab takes at most one image.");
  if (line->resume && !line->report_dir)
    return refuse(error, "--resume goes by the reports of an earlier run; name their folder with --report-dir.");
  if (line->tune && line->variant)
    return refuse(error, "--tune looks for the variant itself; leave out --variant.");
  if (line->reduce && !line->tune && line->inputs[0])
    return refuse(error, "--reduce makes its own array; leave out the image.");
  if (g_strcmp0(line->experiment, "list") == 0)
    return check_list(line, error);
  return check_lab_options(line, error);
}

/**
 * ms_command_line_check:
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when the options do not go together
 */
gboolean
ms_command_line_check(const MsCommandLine *self, GError **error)
{
  if (self->help || self->version)
    return TRUE;
  if (!self->headless)
    return check_window(self, error);
  if (!check_needs(self, error) || !check_one_device(self, error) || !check_stdout(self, error))
    return FALSE;
  if (self->list_devices)
    return TRUE;
  return ms_command_line_is_lab(self) ? check_lab(self, error) : check_inputs(self, error);
}
