/* SPDX-License-Identifier: MIT */
/*
 * Kinds of experiments as declarations: a row says which settings a kind knows, what a configuration prepares, runs and
 * checks. kind.c does what all kinds have in common.
 */
#pragma once

#include "core/filter/settings/settings.h"
#include "core/lab/kinds/bench.h"
#include "core/lab/measure/measurement.h"
#include "core/lab/tune/tuner.h"

typedef struct _MsLabKind MsLabKind;

/** MsLabKey: a setting of a kind. @usual: (nullable): its value where a configuration does not give one. */
typedef struct {
  const char *key;
  const char *usual;
} MsLabKey;

/**
 * MsConfiguration: a configuration that can be measured; the first field of the kind's own struct.
 * @label: names it in messages
 * @key: (nullable): its name in the log, set by the caller; without one it is not kept
 * @work: what a run does, where @set_up or @check of the kind knows it
 * @factors: the settings that were given
 * @context: (nullable): the device
 * @log: the commands of the last run on the device
 * @launches: (nullable) (element-type MsLaunch): the kernels of the first run, for the optional columns
 * @on_host: whether the host computes, so that @context is not used
 * @wall: whether the time of a run is the host's wall time instead of that of its commands
 * @image: the picture of kinds of pictures, @settings: how it is filtered
 * @type: of the @n generated elements, for kinds of arrays: @set_up sets it, @n and @uploads, if they are also needed
 *   on the device; @data and @buffer are there before @prepare is called
 */
typedef struct {
  char *label;
  char *key;
  MsWork work;
  const MsLabKind *kind;
  MsLabBench *bench;
  MsFactors *factors;
  MsContext *context;
  MsTimingLog *log;
  GArray *launches;
  gboolean on_host;
  gboolean wall;
  MsImage *image;
  MsSettings settings;
  MsElementType type;
  guint64 n;
  gboolean uploads;
  const void *data;
  cl_mem buffer;
} MsConfiguration;

/**
 * MsLabKind: a kind of experiment.
 * @size: of the kind's own struct, which is zero at first
 * @keys: (array) (nullable): its settings, up to one without a key
 * @find_option: (nullable): finds options that are settings as well
 * @group: text that is equal for configurations that may be compared: {KEY} stands for the value of a setting, {filter}
 *   for the parameters of the filter that were given
 * @pictures: whether it computes on the picture that the setting "size" names
 * @headline: bits 1 << MsStage of the stages whose commands are the time of a run; 0 for kernels
 * @set_up: (nullable): reads the settings and plans; fails with #MS_ERROR_UNSUPPORTED when the plan refuses the
 *   configuration, with #MS_ERROR_USAGE when a value is malformed
 * @prepare: (nullable): builds kernels and allocates; may be called again after @release
 * @run: runs once, adds commands to the log or events to the sample
 * @check: compares the result of the last run with the reference
 * @release: (nullable): frees what @prepare and @run allocated; is called several times
 * @finalize: (nullable): frees what @set_up allocated
 */
struct _MsLabKind {
  const char *name;
  gsize size;
  const MsLabKey *keys;
  const MsOptionInfo *(*find_option)(const char *name);
  const char *group;
  gboolean pictures;
  guint headline;
  gboolean (*set_up)(MsConfiguration *self, GError **error);
  gboolean (*prepare)(MsConfiguration *self, GCancellable *cancellable, GError **error);
  gboolean (*run)(MsConfiguration *self, MsSample *sample, GCancellable *cancellable, GError **error);
  gboolean (*check)(MsConfiguration *self, MsVerification *verification, GCancellable *cancellable, GError **error);
  void (*release)(MsConfiguration *self);
  void (*finalize)(MsConfiguration *self);
};

/* The rows, each table up to a kind without a name. */
extern const MsLabKind ms_lab_array_kinds[], ms_lab_memory_kinds[], ms_lab_picture_kinds[], ms_lab_split_kinds[],
  ms_lab_peer_kinds[];

/* What the rows of a kind and of its peer have in common. */
#define MS_LAB_DEFAULT_SIZE "512x512"
#define MS_LAB_FILTER_GROUP "mean-shift size:{size}{filter}"
#define MS_LAB_REDUCE_GROUP "reduce op:{op} type:{type} size:{size}"
/* clang-format off */
#define MS_LAB_REDUCE_KEYS                                                                                             \
  {"op", "sum"}, {"type", "uint"}, {"size", "2^20"}, {"variant"}, {"device", "selected"}, {"clock", "events"},         \
  {"serial", "vectorised"}, {"threads", "1"}
/* clang-format on */

const MsLabKind *ms_lab_kind_find(const char *name);
char *ms_lab_kind_group(const MsLabKind *kind, const MsFactors *factors);
gboolean ms_lab_check_keys(const MsLabKind *kind, const MsFactors *factors, GError **error);

MsConfiguration *ms_configuration_new(const MsLabKind *kind, MsLabBench *bench, const MsFactors *factors,
                                      const char *label, GError **error);
void ms_configuration_free(MsConfiguration *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsConfiguration, ms_configuration_free)
gboolean ms_configuration_prepare(MsConfiguration *self, GCancellable *cancellable, GError **error);
gboolean ms_configuration_run(MsConfiguration *self, MsSample *sample, GCancellable *cancellable, GError **error);
gboolean ms_configuration_check(MsConfiguration *self, MsVerification *verification, GCancellable *cancellable,
                                GError **error);
void ms_configuration_describe(MsConfiguration *self, GPtrArray *kernels);
void ms_configuration_release(MsConfiguration *self);

const char *ms_configuration_get(const MsConfiguration *self, const char *key);
gboolean ms_configuration_take_clock(MsConfiguration *self, GError **error);
int ms_configuration_choose(const MsConfiguration *self, const char *key, const char *const *names, GError **error);
const MsDeviceLimits *ms_configuration_limits(const MsConfiguration *self);
gboolean ms_configuration_check_image(MsConfiguration *self, MsImage *result, MsVerification *verification,
                                      GCancellable *cancellable, GError **error);
void ms_verification_compare(MsVerification *self, const void *result, const void *expected, guint64 n, gsize size,
                             const char *against);
void ms_verification_agree(MsVerification *self, gboolean agrees, const char *against);
void ms_sample_add_host(MsSample *sample, const char *name, guint64 start_ns);

/* What --tune searches. */
void ms_lab_filter_add_space(MsTuneSpace *space, const MsFactors *problem);
MsFactors *ms_lab_filter_propose(MsLabBench *bench, const MsFactors *problem, GCancellable *cancellable,
                                 GError **error);
