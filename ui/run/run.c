/* SPDX-License-Identifier: MIT */
#include "ui/run/run.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/filter/space/space.h"
#include "ui/common/format.h"

struct _MsRun {
  GObject parent_instance;
  MsSettings requested;
  MsSettings settings;
  MsDevice *device;
  MsTimingLog *log;
  GArray *times; /* double, ms: the kernel time of the run and of each repeat */
  MsImage *result;
  MsProgramSpec *spec;
  char *build_log;
  char *rejected;
  char *profile; /* (nullable): see ms_space_dup_profile() */
  char *label;
  guint number;
  char *digest; /* pictures are compared by it, so that the result of a comparison outlives the picture */
  int width;
  int height;
  MsMatch match;
};

G_DEFINE_FINAL_TYPE(MsRun, ms_run, G_TYPE_OBJECT)

static guint changed_signal;

static void
ms_run_finalize(GObject *object)
{
  MsRun *self = MS_RUN(object);

  g_clear_pointer(&self->device, ms_device_unref);
  g_clear_pointer(&self->log, ms_timing_log_unref);
  g_array_unref(self->times);
  g_clear_object(&self->result);
  g_clear_pointer(&self->spec, ms_program_spec_unref);
  g_free(self->build_log);
  g_free(self->rejected);
  g_free(self->profile);
  g_free(self->label);
  g_free(self->digest);
  G_OBJECT_CLASS(ms_run_parent_class)->finalize(object);
}

static void
ms_run_class_init(MsRunClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_run_finalize;
  changed_signal = g_signal_new("changed", MS_TYPE_RUN, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ms_run_init(MsRun *self)
{
  self->times = g_array_new(FALSE, FALSE, sizeof(double));
}

/** ms_run_new: (transfer full): a finished run. */
MsRun *
ms_run_new(const MsRunFacts *facts)
{
  MsRun *self = g_object_new(MS_TYPE_RUN, NULL);

  self->requested = facts->requested;
  self->settings = facts->settings;
  self->device = facts->device ? ms_device_ref(facts->device) : NULL;
  self->log = ms_timing_log_ref(facts->log);
  self->result = g_object_ref(facts->result);
  self->spec = facts->spec ? ms_program_spec_ref(facts->spec) : NULL;
  self->build_log = g_strdup(facts->build_log);
  self->rejected = g_strdup(facts->rejected);
  const MsMetadata *metadata = ms_image_get_metadata(facts->result);
  self->profile = ms_space_dup_profile(self->settings.params.space, metadata ? metadata->icc : NULL);
  self->width = ms_image_get_width(facts->result);
  self->height = ms_image_get_height(facts->result);
  self->digest = g_strdup(facts->digest);
  ms_run_add_time(self, ms_timing_log_total_ms(self->log, MS_STAGE_KERNEL));
  return self;
}

/** ms_run_get_settings: (transfer none): the settings with every `auto` resolved. */
const MsSettings *
ms_run_get_settings(MsRun *self)
{
  return &self->settings;
}

/** ms_run_get_requested: (transfer none): the settings as requested; restoring a run restores these. */
const MsSettings *
ms_run_get_requested(MsRun *self)
{
  return &self->requested;
}

/** ms_run_get_device: (transfer none) (nullable): %NULL for the serial reference. */
MsDevice *
ms_run_get_device(MsRun *self)
{
  return self->device;
}

/** ms_run_get_device_name: (transfer none): as people know it, in the user's language. */
const char *
ms_run_get_device_name(MsRun *self)
{
  return self->device ? self->device->title : _("Serial reference");
}

/** ms_run_get_log: (transfer none): the stages of the whole-picture run. */
MsTimingLog *
ms_run_get_log(MsRun *self)
{
  return self->log;
}

/** ms_run_get_spec: (transfer none) (nullable): the program that ran. */
MsProgramSpec *
ms_run_get_spec(MsRun *self)
{
  return self->spec;
}

/** ms_run_get_build_log: (transfer none) (nullable): the output of the compiler, which may be empty. */
const char *
ms_run_get_build_log(MsRun *self)
{
  return self->build_log;
}

/** ms_run_get_rejected: (transfer none) (nullable): why `auto` rejected faster kernels. */
const char *
ms_run_get_rejected(MsRun *self)
{
  return self->rejected;
}

int
ms_run_get_width(MsRun *self)
{
  return self->width;
}

int
ms_run_get_height(MsRun *self)
{
  return self->height;
}

/** ms_run_get_kernel_ms: the total device time of all kernels, the median over the repeats. */
double
ms_run_get_kernel_ms(MsRun *self)
{
  return ms_run_summarise(self).median;
}

/** ms_run_add_time: adds the kernel time of a repeat with the same settings on the same device. */
void
ms_run_add_time(MsRun *self, double kernel_ms)
{
  g_array_append_val(self->times, kernel_ms);
  g_signal_emit(self, changed_signal, 0);
}

/** ms_run_summarise: median and spread of the kernel time in milliseconds over the run and its repeats. */
MsSummary
ms_run_summarise(MsRun *self)
{
  return ms_statistics_summarise_array(self->times);
}

/** ms_run_compare: how many times the kernel time of @other @self takes. */
MsRunRatio
ms_run_compare(MsRun *self, MsRun *other)
{
  const MsSummary own = ms_run_summarise(self), base = ms_run_summarise(other);
  const double ratio = own.median / base.median, spread = hypot(own.spread, base.spread);
  const gboolean is_repeated = isfinite(spread);

  return (MsRunRatio){ratio, is_repeated ? ratio * MAX(1 - spread, 0) : ratio,
                      is_repeated ? ratio * (1 + spread) : ratio, is_repeated};
}

const char *
ms_run_get_label(MsRun *self)
{
  return self->label ? self->label : "";
}

void
ms_run_set_label(MsRun *self, const char *label)
{
  if (g_strcmp0(self->label, label) == 0)
    return;
  g_free(self->label);
  self->label = g_strdup(label);
  g_signal_emit(self, changed_signal, 0);
}

/* A value that says what it is stands alone; others follow the name of their option. */
static char *
value_words(const MsOptionInfo *option, const MsSettings *settings)
{
  g_autofree char *value = ms_option_get_text(option, settings);
  g_autofree char *label = ms_format_plain(_(option->label)), *lower = g_utf8_strdown(label, -1);
  const gboolean is_word =
    g_ascii_isalpha(value[0]) && !g_str_equal(value, "on") && !g_str_equal(value, "off") && !g_str_equal(value, "auto");

  if (is_word || strchr(value, 'x'))
    return g_steal_pointer(&value);
  return g_strdup_printf("%s %s", strlen(option->name) <= 2 ? option->name : lower, value);
}

static void
append_words(GString *text, const char *words)
{
  g_string_append_printf(text, "%s%s", text->len > 0 ? " · " : "", words);
}

/* (transfer full): what was asked for otherwise than in @before (nullable: the defaults), and the kernel that ran */
static char *
difference_words(MsRun *self, MsRun *before)
{
  const MsSettings usual = ms_settings_default(), *other = before ? &before->requested : &usual;
  const MsOptionInfo *table = ms_options.rows;
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < ms_options.n_rows; i++) {
    const gboolean is_kernel = g_str_equal(table[i].name, "kernel");
    g_autofree char *value = ms_option_get_text(&table[i], &self->requested);
    g_autofree char *usual_value = ms_option_get_text(&table[i], other);
    g_autofree char *words = value_words(&table[i], is_kernel ? &self->settings : &self->requested);
    if (is_kernel && before ? self->settings.options.kernel != before->settings.options.kernel
                            : !g_str_equal(value, usual_value))
      append_words(text, words);
  }
  if (before && self->device != before->device)
    append_words(text, ms_run_get_device_name(self));
  if (text->len == 0)
    g_string_append(text, !before ? _("defaults")
                          : self->requested.options.kernel != before->requested.options.kernel
                            ? ms_filter_kernel_name(self->settings.options.kernel)
                            : _("again"));
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/**
 * ms_run_name_after: names the run by what differs from @before (nullable), the run before it: "image", "unroll 4",
 * "sp 12 · sr 20"; a kernel that `auto` chose otherwise is named, too. The first run differs from the defaults.
 */
void
ms_run_name_after(MsRun *self, MsRun *before)
{
  g_autofree char *words = difference_words(self, before);

  ms_run_set_label(self, words);
}

/** ms_run_is_named_after: whether the run has no name of a person, but that of ms_run_name_after() or none. */
gboolean
ms_run_is_named_after(MsRun *self, MsRun *before)
{
  g_autofree char *words = difference_words(self, before);

  return !self->label || g_str_equal(self->label, words);
}

/** ms_run_get_number: which run of its picture it is, from 1. */
guint
ms_run_get_number(MsRun *self)
{
  return self->number;
}

void
ms_run_set_number(MsRun *self, guint number)
{
  self->number = number;
}

/**
 * ms_run_describe: (transfer full): number, name, the driver's name of the device, all settings, and the profile by
 * which colours were converted, for a tooltip.
 */
char *
ms_run_describe(MsRun *self)
{
  g_autofree char *settings = ms_settings_text(&self->settings, NULL, TRUE);
  const char *device = self->device ? self->device->name : ms_run_get_device_name(self);

  g_autofree char *text =
    g_strdup_printf(_("Run %u: %s\n%s\n%s"), self->number, ms_run_get_label(self), device, settings);
  g_autofree char *profile = self->profile ? g_strdup_printf(_("Colours of %s"), self->profile) : NULL;

  return g_strjoin("\n", text, profile, NULL);
}

gboolean
ms_run_is_baseline(MsRun *self)
{
  return self->match == MS_MATCH_BASELINE;
}

MsMatch
ms_run_get_match(MsRun *self)
{
  return self->match;
}

/** ms_run_get_result: (transfer none) (nullable): the picture, %NULL once it was dropped to save memory. */
MsImage *
ms_run_get_result(MsRun *self)
{
  return self->result;
}

/** ms_run_get_digest: (transfer none): equal for equal pictures, also after they were dropped. */
const char *
ms_run_get_digest(MsRun *self)
{
  return self->digest;
}

gboolean
ms_run_has_result(MsRun *self)
{
  return self->result != NULL;
}

/** ms_run_share_result: replaces the picture by that of @other, which has the same digest, to save memory. */
void
ms_run_share_result(MsRun *self, MsRun *other)
{
  g_return_if_fail(strcmp(self->digest, other->digest) == 0);

  if (g_set_object(&self->result, other->result))
    g_signal_emit(self, changed_signal, 0);
}

void
ms_run_drop_result(MsRun *self)
{
  if (!self->result)
    return;
  g_clear_object(&self->result);
  g_signal_emit(self, changed_signal, 0);
}

static MsMatch
judge(MsRun *self, MsRun *baseline)
{
  if (!baseline)
    return MS_MATCH_UNKNOWN;
  if (self == baseline)
    return MS_MATCH_BASELINE;
  if (strcmp(self->digest, baseline->digest) == 0)
    return MS_MATCH_IDENTICAL;
  return ms_params_equal(&self->settings.params, &baseline->settings.params) ? MS_MATCH_DIFFERENT : MS_MATCH_UNKNOWN;
}

/** ms_run_judge: compares the run with @baseline (nullable), a run on the same source. */
void
ms_run_judge(MsRun *self, MsRun *baseline)
{
  MsMatch match = judge(self, baseline);

  if (match == self->match)
    return;
  self->match = match;
  g_signal_emit(self, changed_signal, 0);
}
