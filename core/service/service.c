/* SPDX-License-Identifier: MIT */
/*
 * The main thread carries out one request after the other. A second thread reads the channel meanwhile, so that a
 * cancellation reaches the running request, and so that the process ends when the channel is closed, even if the
 * driver never returns. Programs and buffers stay with the engine between requests.
 */
#include "core/service/service.h"

#include <glib/gi18n-lib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/engine/region-search.h"
#include "core/opencl/device-choice.h"
#include "core/opencl/driver-cache.h"
#include "core/opencl/icd.h"
#include "core/process/child.h"
#include "core/process/trial.h"
#include "core/reduce/bandwidth.h"
#include "core/reduce/image-comparison.h"
#include "core/reduce/image-statistics.h"

/* If the visible part is a larger share of the picture than this, the whole picture is filtered at once. */
#define MOSTLY_VISIBLE 0.7

/* The shortest time between two reports of progress. */
#define PROGRESS_US (40 * 1000)

/* The time that the running request gets to end after the channel was closed. */
#define GRACE_US G_USEC_PER_SEC

/**
 * Request: what is asked for.
 * @number: of the request
 * @content: the second half of its payload
 */
typedef struct {
  MsMessage message;
  guint32 number;
  GVariant *content;
  GCancellable *cancellable;
} Request;

/** Modes: what the regions of a source are found in, kept so that other options filter nothing again. */
typedef struct {
  guint64 source; /* 0 for none */
  MsSettings settings;
  MsImage *filtered;
  guint16 *modes;
} Modes;

typedef struct {
  MsChannel *channel;
  const MsServiceWork *further; /* (nullable): of requests that need more than what this folder knows */
  gpointer further_data;
  GAsyncQueue *jobs; /* an item without a kind, the quit job, ends the process */
  MsEngine *engine;  /* (nullable): while a device is open, or for the serial reference */
  Modes modes;
  const Request *request; /* the running one */
  gint64 progress_us;
} Service;

static char quit;

static void
request_free(Request *self)
{
  ms_message_clear(&self->message);
  g_clear_pointer(&self->content, g_variant_unref);
  g_clear_object(&self->cancellable);
  g_free(self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Request, request_free)

/* Answers */

static void
answer(Service *self, MsAnswerKind kind, GVariant *content, const int *fds)
{
  ms_service_answer(self->channel, self->request->number, kind, content, fds);
}

/* A failed call may mean that the device is lost; a trivial kernel shows whether it is. */
static gboolean
is_lost(Service *self, const GError *error)
{
  MsContext *context = self->engine ? ms_engine_get_context(self->engine) : NULL;

  return context && g_error_matches(error, MS_ERROR, MS_ERROR_DEVICE) && !ms_context_probe(context, NULL);
}

static void
fail(Service *self, const GError *error)
{
  ms_service_answer_failure(self->channel, self->request->number, error, is_lost(self, error));
}

static void
report_share(Service *self, double share)
{
  const gint64 now = g_get_monotonic_time();

  if (now - self->progress_us < PROGRESS_US)
    return;
  self->progress_us = now;
  answer(self, MS_ANSWER_PROGRESS, g_variant_new("(d)", share), NULL);
}

/* (transfer full) (nullable): the picture @number of the running request, in the descriptor of this number. */
static MsImage *
map_image(Service *self, guint number, GError **error)
{
  g_autoptr(GVariant) picture = g_variant_get_child_value(self->request->content, number);

  return ms_service_take_picture(picture, self->request->message.fds[number], error);
}

/* Opening */

static void
forget_modes(Service *self)
{
  g_clear_object(&self->modes.filtered);
  g_clear_pointer(&self->modes.modes, g_free);
  self->modes.source = 0;
}

/* (transfer full) (nullable): what the user should know about the driver and the devices that were tried. */
static char *
explain(GStrv rejected)
{
  const char *const problems[] = {ms_icd_prepare(), ms_driver_cache_prepare()};
  g_autoptr(GStrvBuilder) sentences = g_strv_builder_new();

  for (gsize i = 0; i < G_N_ELEMENTS(problems); i++)
    if (problems[i])
      g_strv_builder_add(sentences, problems[i]);
  if (rejected)
    g_strv_builder_addv(sentences, (const char **)rejected);
  g_auto(GStrv) all = g_strv_builder_end(sentences);
  return all[0] ? g_strjoinv("\n", all) : NULL;
}

static gboolean
open_engine(Service *self, const char *device_selector, GPtrArray *devices, char **explanation, GError **error)
{
  g_auto(GStrv) rejected = NULL;

  if (strcmp(device_selector, MS_ENGINE_REFERENCE) == 0) {
    self->engine = ms_reference_engine_new();
    return TRUE;
  }
  g_autoptr(MsContext) context = devices ? ms_device_choose_among(devices, device_selector, &rejected, error) : NULL;
  if (!context)
    return FALSE;
  self->engine = ms_device_engine_new(context, MS_FALLBACK_FAIL, NULL, NULL);
  *explanation = explain(rejected);
  return TRUE;
}

static GVariant *
describe_opened(Service *self, GPtrArray *devices, const char *explanation)
{
  MsContext *context = ms_engine_get_context(self->engine);
  g_autofree char *valid = explanation ? g_utf8_make_valid(explanation, -1) : NULL;
  GVariantBuilder snapshots;
  guint index = 0;

  g_variant_builder_init(&snapshots, G_VARIANT_TYPE("a" MS_DEVICE_SNAPSHOT));
  for (guint i = 0; devices && i < devices->len; i++)
    g_variant_builder_add_value(&snapshots, ms_device_to_snapshot(devices->pdata[i]));
  if (context)
    g_ptr_array_find(devices, context->device, &index);
  return g_variant_new("(a" MS_DEVICE_SNAPSHOT "ims)", &snapshots, context ? (int)index : -1, valid);
}

static gboolean
run_open(Service *self, GError **error)
{
  g_autofree char *explanation = NULL;
  g_autoptr(GError) none = NULL;
  const char *device_selector;

  g_variant_get(self->request->content, "(&s)", &device_selector);
  forget_modes(self);
  g_clear_pointer(&self->engine, ms_engine_unref);
  g_autoptr(GPtrArray) devices = ms_device_enumerate(&none);
  if (!open_engine(self, device_selector, devices, &explanation, error)) {
    if (none && error && !*error)
      g_propagate_error(error, g_steal_pointer(&none));
    return FALSE;
  }
  answer(self, MS_ANSWER_OPENED, describe_opened(self, devices, explanation), NULL);
  return TRUE;
}

/* Filtering */

/**
 * Pass: one run over a region.
 * @fd: which descriptor of the request takes the result
 * @into: its pixels, of the region's width
 * @reported: rows that are in @into
 * @digest: (nullable): of the whole picture, once it is filtered
 * @from, @to: the shares of the whole request between which it lies
 */
typedef struct {
  Service *service;
  MsImage *source;
  const MsSettings *settings;
  MsRegion region;
  guint fd;
  gboolean is_visible;
  gboolean reports_rows;
  guint8 *into;
  int reported;
  char *digest;
  double from;
  double to;
} Pass;

static void
copy_rows(Pass *pass, const guint8 *pixels, int done)
{
  const gsize stride = (gsize)pass->region.width * 4;

  if (done > pass->reported)
    memcpy(pass->into + pass->reported * stride, pixels + pass->reported * stride, (done - pass->reported) * stride);
}

static void
report_rows(const guint8 *pixels, int done, gpointer data)
{
  Pass *pass = data;

  if (done <= pass->reported)
    return;
  if (pixels != pass->into)
    copy_rows(pass, pixels, done);
  answer(pass->service, MS_ANSWER_PIECE,
         g_variant_new("(bii)", pass->is_visible, pass->reported, done - pass->reported), NULL);
  pass->reported = done;
}

static void
report_progress(int done, int total, gpointer data)
{
  Pass *pass = data;

  report_share(pass->service, pass->from + (pass->to - pass->from) * done / MAX(total, 1));
}

/* Fills @pass->into; @job has what comes out. */
static gboolean
run_pass(Pass *pass, MsJob *job, GError **error)
{
  job->source = pass->source;
  job->settings = pass->settings;
  job->region = &pass->region;
  job->interactive = TRUE;
  job->rows = pass->reports_rows ? report_rows : NULL;
  job->rows_data = pass;
  job->into = pass->into;
  job->cancellable = pass->service->request->cancellable;
  job->progress = report_progress;
  job->progress_data = pass;
  g_autoptr(MsImage) image = ms_engine_run(pass->service->engine, job, error);
  if (image && ms_image_get_pixels(image) != pass->into)
    copy_rows(pass, ms_image_get_pixels(image), pass->region.height);
  return image != NULL;
}

/* Numbers without a pattern in their bits: the first 128 of the fraction of the golden ratio. */
static const guint64 keys[2] = {G_GUINT64_CONSTANT(0x9e3779b97f4a7c15), G_GUINT64_CONSTANT(0xf39cc0605cedc834)};

/* Both halves of the product of two numbers. */
static guint64
fold_product(guint64 a, guint64 b)
{
  G_GNUC_EXTENSION const unsigned __int128 product = (unsigned __int128)a * b;

  return (guint64)product ^ (guint64)(product >> 64);
}

static void
mix(guint64 chains[2], const guint64 words[4])
{
  for (int i = 0; i < 2; i++)
    chains[i] = fold_product(words[2 * i] ^ keys[i], words[2 * i + 1] ^ chains[i]);
}

/*
 * (transfer full): 128 bits in hex by which pictures are told apart, from folded products as in wyhash. The checksums
 * of GLib take several times as long as a GPU takes for the filter.
 */
static char *
digest_of(const guint8 *pixels, gsize size)
{
  const guint8 *end = pixels + size - size % 32;
  guint64 chains[2] = {keys[1], keys[0]}, words[4];

  for (; pixels < end; pixels += sizeof words) {
    memcpy(words, pixels, sizeof words);
    mix(chains, words);
  }
  memset(words, 0, sizeof words);
  memcpy(words, pixels, size % sizeof words);
  mix(chains, words);
  mix(chains, (const guint64[4]){size, chains[1], size, chains[0]});
  return g_strdup_printf("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", chains[0], chains[1]);
}

/* Maps memory of the window for the result of @pass and fills it. */
static gboolean
run_pass_into(Pass *pass, MsJob *job, GError **error)
{
  const gsize size = (gsize)pass->region.width * (gsize)pass->region.height * 4;

  pass->into = ms_channel_map_memory(pass->service->request->message.fds[pass->fd], size, TRUE, error);
  if (!pass->into)
    return FALSE;
  gboolean good = run_pass(pass, job, error);
  if (good && !pass->is_visible)
    pass->digest = digest_of(pass->into, size);
  munmap(pass->into, size);
  return good;
}

static GVariant *
describe_run(Service *self, const MsJob *job, const char *digest)
{
  MsContext *context = ms_engine_get_context(self->engine);
  MsProgram *program = job->program ? ms_context_build(context, job->program, NULL, NULL) : NULL;
  g_autofree char *log = program ? g_utf8_make_valid(ms_program_get_log(program), -1) : NULL;
  GVariant *spec = job->program ? ms_program_spec_to_variant(job->program) : NULL;

  return g_variant_new("(@as@" MS_TIMING_LOG_TYPE "@m" MS_PROGRAM_SPEC_TYPE "msmss)",
                       ms_settings_to_variant(&job->used), ms_timing_log_to_variant(job->log),
                       g_variant_new_maybe(G_VARIANT_TYPE(MS_PROGRAM_SPEC_TYPE), spec), log, job->rejected, digest);
}

/* One run covers the whole picture, so that its timings can be compared with those of any other run. */
static gboolean
run_whole(Service *self, Pass *pass, GError **error)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsJob job = {.log = log};
  const gboolean good = run_pass_into(pass, &job, error);

  if (good)
    answer(self, MS_ANSWER_FILTERED, describe_run(self, &job, pass->digest), NULL);
  g_free(pass->digest);
  ms_job_clear(&job);
  return good;
}

static gboolean
run_filter(Service *self, GError **error)
{
  g_autoptr(GVariant) values = NULL;
  MsSettings settings;
  MsRegion seen;

  g_variant_get(self->request->content, "(@" MS_PICTURE_TYPE "(iiii)@as)", NULL, &seen.x, &seen.y, &seen.width,
                &seen.height, &values);
  g_autoptr(MsImage) source = map_image(self, 0, error);
  if (!source)
    return FALSE;
  ms_settings_from_variant(values, &settings);
  const double whole = (double)ms_image_get_width(source) * ms_image_get_height(source),
               visible = (double)seen.width * seen.height;
  const gboolean first = visible > 0 && visible < MOSTLY_VISIBLE * whole;
  const double share = first ? visible / (visible + whole) : 0;
  if (first) {
    Pass pass = {.service = self,
                 .source = source,
                 .settings = &settings,
                 .region = seen,
                 .fd = 2,
                 .is_visible = TRUE,
                 .reports_rows = TRUE,
                 .to = share};
    MsJob job = {.log = NULL};
    const gboolean good = run_pass_into(&pass, &job, error);
    ms_job_clear(&job);
    if (!good)
      return FALSE;
  }
  Pass pass = {.service = self,
               .source = source,
               .settings = &settings,
               .fd = 1,
               .region = ms_image_get_extent(source),
               .reports_rows = !first && visible > 0,
               .from = share,
               .to = 1};
  return run_whole(self, &pass, error);
}

/* Statistics */

static gboolean
run_statistics(Service *self, GError **error)
{
  const MsDeviceRun run = {ms_engine_get_context(self->engine), NULL, self->request->cancellable};
  g_autofree MsImageStatistics *numbers = g_new0(MsImageStatistics, 2);
  g_autofree MsImageComparison *comparison = g_new0(MsImageComparison, 1);
  guint wanted;

  g_variant_get_child(self->request->content, 2, "u", &wanted);
  g_autoptr(MsImage) before = map_image(self, 0, error);
  g_autoptr(MsImage) after = before ? map_image(self, 1, error) : NULL;
  if (!after || ((wanted & MS_WANTED_BEFORE) && !ms_image_statistics(&run, before, &numbers[0], error)) ||
      ((wanted & MS_WANTED_AFTER) && !ms_image_statistics(&run, after, &numbers[1], error)) ||
      ((wanted & MS_WANTED_COMPARISON) && !ms_image_comparison(before, after, comparison, error)))
    return FALSE;
  answer(self, MS_ANSWER_STATISTICS,
         g_variant_new("(@ay@ay@ay)", ms_service_bytes(&numbers[0], wanted & MS_WANTED_BEFORE ? sizeof *numbers : 0),
                       ms_service_bytes(&numbers[1], wanted & MS_WANTED_AFTER ? sizeof *numbers : 0),
                       ms_service_bytes(comparison, wanted & MS_WANTED_COMPARISON ? sizeof *comparison : 0)),
         NULL);
  return TRUE;
}

/* Regions */

static void
report_rows_of_modes(int done, int total, gpointer data)
{
  report_share(data, (double)done / MAX(total, 1));
}

/* What differs between all blocks of shared memory that the system has made so far; 0 for no block. */
static guint64
number_of(int fd)
{
  struct stat info;

  return fstat(fd, &info) == 0 ? (guint64)info.st_ino : 0;
}

/* Takes the modes that are known, unless they are of another source or other settings. */
static void
take_modes(Service *self, guint64 source, const MsSettings *settings, MsRegionSearch *search)
{
  Modes *known = &self->modes;

  if (known->source == source && ms_settings_equal(&known->settings, settings)) {
    search->filtered = g_steal_pointer(&known->filtered);
    search->modes = g_steal_pointer(&known->modes);
  }
  forget_modes(self);
}

static void
keep_modes(Service *self, guint64 source, const MsSettings *settings, MsRegionSearch *search)
{
  self->modes = (Modes){search->filtered ? source : 0, *settings, g_steal_pointer(&search->filtered),
                        g_steal_pointer(&search->modes)};
}

static gboolean
answer_regions(Service *self, const MsRegionSearch *found, GError **error)
{
  const MsSegmentTable *table = found->table;

  if (found->no_data)
    ms_left_out_drop(found->no_data, found->segmentation, found->table);
  const int fd = ms_regions_answer_new(found->segmentation, table, error);
  if (fd < 0)
    return FALSE;
  answer(self, MS_ANSWER_REGIONS, g_variant_new("(ut)", table->n, (guint64)table->n_neighbours), &fd);
  close(fd);
  return TRUE;
}

static gboolean
run_regions(Service *self, GError **error)
{
  const guint64 number = number_of(self->request->message.fds[0]);
  g_autoptr(GVariant) values = NULL;
  MsSettings settings;
  MsJob job = {.settings = &settings,
               .interactive = TRUE,
               .progress = report_rows_of_modes,
               .progress_data = self,
               .cancellable = self->request->cancellable};
  MsRegionSearch search = {.engine = self->engine, .job = &job, .keeps_modes = TRUE, .keeps_filtered = TRUE};

  g_variant_get(self->request->content, "(@" MS_PICTURE_TYPE "(ud)@as)", NULL, &search.options.min_pixels,
                &search.options.range, &values);
  g_autoptr(MsImage) source = map_image(self, 0, error);
  if (!source)
    return FALSE;
  ms_settings_from_variant(values, &settings);
  job.source = source;
  take_modes(self, number, &settings, &search);
  const gboolean good = ms_region_search_run(&search, error) && answer_regions(self, &search, error);
  keep_modes(self, number, &settings, &search);
  ms_region_search_clear(&search);
  ms_job_clear(&job);
  return good;
}

/* The other requests */

/* The cache is bypassed, so that the compiler prints its messages; a failed build's log is the result. */
static gboolean
run_compile(Service *self, GError **error)
{
  MsContext *context = ms_engine_get_context(self->engine);
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new_from_variant(self->request->content);
  g_autoptr(GError) failure = NULL;
  g_autoptr(MsProgram) program = NULL;
  const char *log = _("The serial reference has no compiler.");

  if (context && spec) {
    program = ms_program_build(context->cl, context->device, spec, NULL, &failure);
    log = program ? ms_program_get_log(program) : failure->message;
  }
  g_autofree char *valid = g_utf8_make_valid(log && *log ? log : _("Compiled; the compiler printed nothing."), -1);
  answer(self, MS_ANSWER_COMPILED, g_variant_new("(s)", valid), NULL);
  return TRUE;
}

static gboolean
run_bandwidth(Service *self, GError **error)
{
  MsContext *context = ms_engine_get_context(self->engine);
  MsBandwidth bandwidth;

  if (!context) {
    ms_set_error_literal(error, MS_ERROR_NO_DEVICE, "The serial reference has no device to measure.");
    return FALSE;
  }
  if (!ms_bandwidth_get(context, NULL, &bandwidth, self->request->cancellable, error))
    return FALSE;
  answer(self, MS_ANSWER_BANDWIDTH, g_variant_new("(dd)", bandwidth.read, bandwidth.copy), NULL);
  return TRUE;
}

static gboolean (*const own[MS_N_REQUESTS])(Service *self, GError **error) = {
  [MS_REQUEST_OPEN] = run_open,       [MS_REQUEST_FILTER] = run_filter,   [MS_REQUEST_STATISTICS] = run_statistics,
  [MS_REQUEST_REGIONS] = run_regions, [MS_REQUEST_COMPILE] = run_compile, [MS_REQUEST_BANDWIDTH] = run_bandwidth,
};

/* Whether the process goes on. */
static gboolean
run_job(Service *self, const Request *job)
{
  const guint kind = job->message.kind;
  g_autoptr(GError) error = NULL;
  gboolean good = FALSE;

  if (self->further && self->further[kind])
    return self->further[kind](self->channel, job->content, self->further_data);
  self->request = job;
  if (!own[kind] || (kind != MS_REQUEST_OPEN && !self->engine))
    ms_set_error_literal(&error, MS_ERROR_NO_DEVICE, "No device has been chosen yet.");
  else if (!g_cancellable_set_error_if_cancelled(job->cancellable, &error))
    good = own[kind](self, &error);
  if (!good)
    fail(self, error);
  self->request = NULL;
  return TRUE;
}

/* The thread that reads the channel */

/* (transfer full): the request of a message, whose descriptors it takes. */
static Request *
job_new(MsMessage *message)
{
  Request *self = g_new0(Request, 1);

  self->message = *message;
  g_variant_get_child(message->payload, 0, "u", &self->number);
  self->content = g_variant_get_child_value(message->payload, 1);
  self->cancellable = g_cancellable_new();
  return self;
}

static gpointer
read_channel_in_thread(gpointer data)
{
  Service *self = data;
  GCancellable *last = NULL;
  guint32 last_number = 0;
  MsMessage message;

  while (ms_channel_wait(self->channel, &message) == MS_RECEIPT_MESSAGE) {
    g_autoptr(Request) job = job_new(&message);
    if (message.kind != MS_REQUEST_CANCEL) {
      g_set_object(&last, job->cancellable);
      last_number = job->number;
      g_async_queue_push(self->jobs, g_steal_pointer(&job));
    } else if (last && job->number == last_number) {
      g_cancellable_cancel(last);
    }
  }
  ms_message_clear(&message);
  if (last)
    g_cancellable_cancel(last);
  g_clear_object(&last);
  g_async_queue_push(self->jobs, &quit);
  g_usleep(GRACE_US);
  _exit(EXIT_FAILURE);
}

/** ms_service_is_meant: whether this process is a child that ms_service_run() makes something of. */
gboolean
ms_service_is_meant(void)
{
  const char *role = ms_child_get_role();

  return g_strcmp0(role, MS_SERVICE_ROLE) == 0 || g_strcmp0(role, MS_TRIAL_ROLE) == 0;
}

/** ms_service_run: ms_service_serve() in a child without arguments, or the trial of a driver. */
int
ms_service_run(void)
{
  if (g_str_equal(ms_child_get_role(), MS_TRIAL_ROLE))
    ms_trial_work();
  return ms_service_serve(NULL, NULL, NULL);
}

/**
 * ms_service_serve: the main function of a child that answers requests.
 * @channel: (nullable) (transfer full): of a child that was forked, %NULL for one that was started as a program
 * @further: (nullable): what is done for requests that the caller knows, by their kind
 * @data: for @further
 *
 * Returns: the status of the process
 */
int
ms_service_serve(MsChannel *channel, const MsServiceWork further[MS_N_REQUESTS], gpointer data)
{
  Service self = {.channel = channel, .further = further, .further_data = data};
  gpointer item;

  if (!channel)
    self.channel = ms_child_begin(&ms_service_requests, &ms_service_answers);
  self.jobs = g_async_queue_new();
  GThread *reader = self.channel ? g_thread_try_new("ms-requests", read_channel_in_thread, &self, NULL) : NULL;
  if (!reader)
    return EXIT_FAILURE;
  g_thread_unref(reader);
  while ((item = g_async_queue_pop(self.jobs)) != &quit) {
    g_autoptr(Request) job = item;
    if (!run_job(&self, job))
      return EXIT_SUCCESS;
  }
  forget_modes(&self);
  g_clear_pointer(&self.engine, ms_engine_unref);
  return EXIT_SUCCESS;
}
