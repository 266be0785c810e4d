/* SPDX-License-Identifier: MIT */
/*
 * Transfers through pinned memory: the same bytes for any length, offset and number of threads, and no hang after a
 * failure.
 */
#include <string.h>
#include <sys/mman.h>

#include "core/opencl/transfers.h"
#include "core/opencl/staging.h"
#include "tests/support/fixture.h"

#define CHUNK 4096
#define ROOM (24 * CHUNK) /* of the device buffer and of host memory */
#define GUARD 0xa5

typedef struct {
  MsContext *context;
  MsStaging *staging;
  cl_mem device;
  guint8 sent[ROOM];
  guint8 back[ROOM];
} Fixture;

static Fixture *
set_up(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GError) error = NULL;

  if (!context)
    return NULL;
  Fixture *self = g_new0(Fixture, 1);
  self->context = g_steal_pointer(&context);
  self->staging = ms_staging_new(self->context->cl, self->context->queue, CHUNK, &error);
  g_assert_no_error(error);
  self->device = ms_context_create_buffer(self->context, CL_MEM_READ_WRITE, ROOM, NULL, &error);
  g_assert_no_error(error);
  for (gsize i = 0; i < ROOM; i++)
    self->sent[i] = (guint8)((i * 2654435761u) >> 24);
  return self;
}

static void
tear_down(Fixture *self)
{
  ms_staging_free(self->staging);
  clReleaseMemObject(self->device);
  ms_context_unref(self->context);
  g_free(self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Fixture, tear_down)

/* Uploads and downloads to another place of the host, with guard bytes around both buffers. */
static void
round_trip(Fixture *self, guint threads, gsize offset, gsize bytes)
{
  g_autoptr(GError) error = NULL;
  g_autofree guint8 *around = g_malloc(ROOM);

  memset(around, GUARD, ROOM);
  memset(self->back, GUARD, ROOM);
  g_assert_true(ms_context_upload(self->context, &(MsBufferRange){self->device, 0, ROOM}, around, NULL, &error));
  g_assert_true(ms_staging_move(self->staging, TRUE, threads, &(MsStagedPart){self->device, offset, bytes, self->sent},
                                NULL, &error));
  g_assert_true(ms_context_download(self->context, &(MsBufferRange){self->device, 0, ROOM}, around, NULL, &error));
  g_assert_cmpmem(around + offset, bytes, self->sent, bytes);
  for (gsize i = 0; i < ROOM; i++)
    if (i < offset || i >= offset + bytes)
      g_assert_cmphex(around[i], ==, GUARD);
  g_assert_true(ms_staging_move(self->staging, FALSE, threads,
                                &(MsStagedPart){self->device, offset, bytes, self->back + 5}, NULL, &error));
  g_assert_no_error(error);
  g_assert_cmpmem(self->back + 5, bytes, self->sent, bytes);
  g_assert_cmphex(self->back[4], ==, GUARD);
  g_assert_cmphex(self->back[5 + bytes], ==, GUARD);
}

static void
test_round_trips(void)
{
  static const guint threads[] = {1, 2, 5, 8, 100};
  static const gsize lengths[] = {1, CHUNK - 1, CHUNK, CHUNK + 1, 10 * CHUNK + 17, 23 * CHUNK};
  g_autoptr(Fixture) self = set_up();

  if (!self)
    return;
  for (gsize l = 0; l < G_N_ELEMENTS(threads); l++)
    for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
      round_trip(self, threads[l], 0, lengths[i]);
      round_trip(self, threads[l], 12, lengths[i]);
    }
}

static void
test_one_row(void)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(Fixture) self = set_up();
  const gsize bytes = 9 * CHUNK + 1;

  if (!self)
    return;
  g_assert_true(
    ms_staging_move(self->staging, TRUE, 3, &(MsStagedPart){self->device, 0, bytes, self->sent}, log, &error));
  g_assert_true(
    ms_staging_move(self->staging, FALSE, 3, &(MsStagedPart){self->device, 0, bytes, self->back}, log, &error));
  g_assert_true(ms_timing_log_resolve(log, &error));
  g_assert_cmpuint(ms_timing_log_get_length(log), ==, 2);
  for (guint i = 0; i < 2; i++) {
    const MsTiming *row = ms_timing_log_get(log, i);
    g_assert_cmpint(row->stage, ==, i == 0 ? MS_STAGE_UPLOAD : MS_STAGE_DOWNLOAD);
    g_assert_cmpuint(row->bytes, ==, bytes);
    g_assert_cmpuint(row->queued_ns, <=, row->started_ns);
    g_assert_cmpuint(row->started_ns, <, row->ended_ns);
  }
  g_assert_cmpuint(ms_timing_log_get(log, 0)->ended_ns, <=, ms_timing_log_get(log, 1)->ended_ns);
}

/* A failed OpenCL call is reported by its name. */
static void
test_beyond_the_end(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(Fixture) self = set_up();

  if (!self)
    return;
  g_assert_false(ms_staging_move(self->staging, TRUE, 3,
                                 &(MsStagedPart){self->device, ROOM - CHUNK, 4 * CHUNK, self->sent}, NULL, &error));
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, "CL_INVALID_VALUE"));
  g_clear_error(&error);
  g_assert_false(
    ms_staging_move(self->staging, FALSE, 3, &(MsStagedPart){self->device, ROOM, 1, self->back}, NULL, &error));
  g_assert_nonnull(error);
  round_trip(self, 3, 0, 10 * CHUNK);
}

static gpointer
move_many_times(gpointer data)
{
  Fixture *self = data;
  g_autofree guint8 *mine = g_malloc(8 * CHUNK);
  g_autoptr(GError) error = NULL;

  for (int i = 0; i < 50; i++) {
    g_assert_true(
      ms_staging_move(self->staging, TRUE, 2, &(MsStagedPart){self->device, 0, 8 * CHUNK, self->sent}, NULL, &error));
    g_assert_true(
      ms_staging_move(self->staging, FALSE, 2, &(MsStagedPart){self->device, 0, 8 * CHUNK, mine}, NULL, &error));
    g_assert_cmpmem(mine, 8 * CHUNK, self->sent, 8 * CHUNK);
  }
  return NULL;
}

static void
test_two_callers(void)
{
  g_autoptr(Fixture) self = set_up();

  if (!self)
    return;
  GThread *other = g_thread_new("other", move_many_times, self);
  move_many_times(self);
  g_thread_join(other);
}

#define PARTS 3

typedef struct {
  MsStagedPart part[PARTS];
  guint questions[PARTS + 1]; /* for each part, what it is */
  guint asked[PARTS];         /* for each part, whether it is ready */
  guint enqueued;
  guint refused; /* the part that is given up, or PARTS */
  guint unknown; /* the part of which nothing becomes known, or PARTS */
} Parts;

/* A part becomes known at the second question, or when the transfer waits for it. */
static MsStagedNext
next_part(guint index, gboolean wait, MsStagedPart *part, gpointer data)
{
  Parts *parts = data;

  if (parts->questions[index]++ == 0 && !wait)
    return MS_STAGED_LATER;
  if (index == PARTS)
    return MS_STAGED_END;
  if (index == parts->unknown)
    return MS_STAGED_GIVEN_UP;
  *part = parts->part[index];
  return MS_STAGED_PART;
}

/* A part is ready at the second question, or when the transfer waits for it. */
static gboolean
is_ready(guint part, gboolean wait, cl_event *after, gpointer data)
{
  Parts *parts = data;

  return part != parts->refused && (parts->asked[part]++ > 0 || wait);
}

static void
count_part(guint part, cl_event marker, gpointer data)
{
  Parts *parts = data;

  g_assert_cmpuint(part, ==, parts->enqueued++);
  g_assert_cmpint(clWaitForEvents(1, &marker), ==, CL_SUCCESS);
}

static gboolean
move_parts(Fixture *self, gboolean upload, guint8 *host, Parts *state, GError **error)
{
  for (guint i = 0; i < PARTS; i++)
    state->part[i] = (MsStagedPart){self->device, (gsize)i * 8 * CHUNK, 7 * CHUNK + 3, host + (gsize)i * 7 * CHUNK};
  const MsStagedWork work = {.upload = upload,
                             .host = host,
                             .bytes = ROOM,
                             .most_bytes = 7 * CHUNK + 3,
                             .most_parts = PARTS,
                             .next = next_part,
                             .ready = upload ? NULL : is_ready,
                             .enqueued = upload ? count_part : NULL,
                             .data = state};
  MsStagedTransfer *transfer = ms_staging_start(self->staging, 2, &work);
  g_assert_nonnull(transfer);
  return ms_staged_transfer_end(transfer, NULL, error);
}

/* Parts of more blocks than are pinned, some of which are not known or not ready when they are first asked for. */
static void
test_parts(void)
{
  g_autoptr(Fixture) self = set_up();
  g_autoptr(GError) error = NULL;

  if (!self)
    return;
  for (guint i = 0; i < 2 * PARTS + 1; i++) {
    Parts up = {.refused = PARTS, .unknown = PARTS}, down = up;
    *(i < PARTS ? &down.refused : &down.unknown) = i < PARTS ? i : 2 * PARTS - i;
    memset(self->back, GUARD, ROOM);
    g_assert_true(move_parts(self, TRUE, self->sent, &up, &error));
    g_assert_cmpuint(up.enqueued, ==, PARTS);
    const gboolean good = move_parts(self, FALSE, self->back, &down, &error);
    g_assert_true(good == (i == PARTS));
    if (good)
      g_assert_cmpmem(self->back, PARTS * 7 * CHUNK + 3, self->sent, PARTS * 7 * CHUNK + 3);
    else
      g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_clear_error(&error);
  }
}

/* A result that has no pages yet, and where it lies on the device. */
#define LARGE ((gsize)65 << 20)
#define LARGE_AT 12

/* The last page of the result is there before the device sends any part of it. */
static gboolean
is_provided(guint part, gboolean wait, cl_event *after, gpointer data)
{
  guint8 *last = ((MsStagedPart *)data)->host + LARGE - CHUNK;
  const gint64 until = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;
  unsigned char is_there = 0;

  while (!(is_there & 1) && g_get_monotonic_time() < until) {
    g_usleep(1000);
    g_assert_cmpint(mincore(last, CHUNK, &is_there), ==, 0);
  }
  g_assert_true(is_there & 1);
  return TRUE;
}

static MsStagedNext
next_of_one(guint index, gboolean wait, MsStagedPart *part, gpointer data)
{
  *part = *(MsStagedPart *)data;
  return index == 0 ? MS_STAGED_PART : MS_STAGED_END;
}

static void
test_provided_pages(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsStaging) staging = context ? ms_staging_new(context->cl, context->queue, (gsize)4 << 20, NULL) : NULL;
  g_auto(cl_mem) device = NULL;
  g_autofree guint8 *sent = g_malloc(LARGE);
  guint8 *result = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  g_assert_true(result != MAP_FAILED);
  if (madvise(result, CHUNK, MADV_POPULATE_WRITE) != 0) {
    g_test_skip("Linux before 5.14 provides no pages");
    return;
  }
  if (!context)
    return;
  for (gsize i = 0; i < LARGE; i++)
    sent[i] = (guint8)((i * 2654435761u) >> 24);
  device = ms_context_create_buffer(context, CL_MEM_READ_WRITE, LARGE_AT + LARGE, NULL, NULL);
  g_assert_true(ms_context_upload(context, &(MsBufferRange){device, LARGE_AT, LARGE}, sent, NULL, NULL));
  MsStagedPart part = {device, LARGE_AT, LARGE, result};
  const MsStagedWork work = {.host = result,
                             .bytes = LARGE,
                             .most_bytes = LARGE,
                             .most_parts = 1,
                             .next = next_of_one,
                             .ready = is_provided,
                             .data = &part};
  MsStagedTransfer *transfer = ms_staging_start(staging, 3, &work);
  g_assert_true(ms_staged_transfer_end(transfer, NULL, NULL));
  g_assert_cmpmem(result, LARGE, sent, LARGE);
  munmap(result, LARGE);
}

static guint
threads_for(MsDeviceType type, gboolean unified, guint processors, gsize mib)
{
  const MsDeviceLimits limits = {.type = type, .host_unified = unified};

  return ms_staging_threads_for(&limits, processors, mib << 20);
}

static void
test_rule(void)
{
  g_assert_cmpuint(threads_for(MS_DEVICE_TYPE_GPU, FALSE, 16, 26), ==, 6);
  g_assert_cmpuint(threads_for(MS_DEVICE_TYPE_GPU, FALSE, 16, 200), ==, 8);
  g_assert_cmpuint(threads_for(MS_DEVICE_TYPE_GPU, FALSE, 4, 200), ==, 2);
  g_assert_cmpuint(threads_for(MS_DEVICE_TYPE_GPU, FALSE, 16, 4), ==, 3);
  g_assert_cmpuint(threads_for(MS_DEVICE_TYPE_GPU, FALSE, 16, 3), ==, 0);
  g_assert_cmpuint(threads_for(MS_DEVICE_TYPE_GPU, FALSE, 2, 200), ==, 0);
  g_assert_cmpuint(threads_for(MS_DEVICE_TYPE_GPU, TRUE, 16, 200), ==, 0);
  g_assert_cmpuint(threads_for(MS_DEVICE_TYPE_CPU, FALSE, 16, 200), ==, 0);
}

/* A whole filter run with every transfer staged against the plain one. */
static void
test_filter(void)
{
  SET_UP_CONTEXT(context);
  g_autoptr(MsImage) scene = ms_fixture_scene(301, 203, 4);
  const MsSettings settings = ms_settings_default();
  g_autoptr(MsImage) plain = NULL;
  g_autoptr(GError) error = NULL;

  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  for (MsTransferForm form = MS_TRANSFER_PLAIN; form <= MS_TRANSFER_STAGED; form++) {
    context->transfer_form = form;
    g_autoptr(MsImage) result = ms_fixture_filter(filter, (MsJob){.source = scene, .settings = &settings}, &error);
    g_assert_no_error(error);
    if (!plain)
      plain = g_object_ref(result);
    ms_fixture_assert_same(plain, result, "staged");
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/staging/rule", test_rule);
  g_test_add_func("/staging/round-trips", test_round_trips);
  g_test_add_func("/staging/one-row", test_one_row);
  g_test_add_func("/staging/beyond-the-end", test_beyond_the_end);
  g_test_add_func("/staging/parts", test_parts);
  g_test_add_func("/staging/provided-pages", test_provided_pages);
  g_test_add_func("/staging/two-callers", test_two_callers);
  g_test_add_func("/staging/filter", test_filter);
  return g_test_run();
}
