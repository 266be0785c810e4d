/* SPDX-License-Identifier: MIT */
#include "tests/batch/fake-engine.h"

#include "core/filter/reference.h"

static MsImage *
one_pixel_off(MsImage *image)
{
  gsize size = ms_image_get_byte_size(image);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(image), size);

  pixels[size / 2] ^= 8;
  return ms_image_new_take(ms_image_get_width(image), ms_image_get_height(image), pixels, ms_image_get_metadata(image));
}

/* Each run waits a little for another, so that concurrent lanes are counted. */
static void
meet(FakeEngine *root)
{
  int now = g_atomic_int_add(&root->meeting, 1) + 1;

  for (int most = g_atomic_int_get(&root->most_meeting); now > most; most = g_atomic_int_get(&root->most_meeting))
    g_atomic_int_compare_and_exchange(&root->most_meeting, most, now);
  for (int i = 0; i < 50 && g_atomic_int_get(&root->meeting) < (int)root->stand_in.images; i++)
    g_usleep(1000);
  g_atomic_int_add(&root->meeting, -1);
}

static MsEngine *
fake_engine_new_sibling(gpointer data, GError **error)
{
  FakeEngine *root = data, *lane = fake_engine_new();

  lane->root = root;
  lane->behaviour = root->behaviour;
  return lane->base;
}

static void
count_run(FakeEngine *self)
{
  self->runs++;
  if (self->cancel_after_first && self->runs == 1)
    g_cancellable_cancel(self->cancel_after_first);
}

/* A stream whose rows are counted, or made wrong, on their way to another one. */
typedef struct {
  FakeEngine *engine;
  MsRowStream *to;
  int width;
} Interposed;

static gboolean
read_through(int end, gpointer data, GError **error)
{
  const Interposed *self = data;

  return self->to->read(end, self->to->data, error);
}

static gboolean
write_through(guint8 *pixels, MsRows rows, gpointer data, GError **error)
{
  const Interposed *self = data;

  if (self->engine->behaviour == WRONG_ENGINE)
    pixels[(gsize)self->width * rows.count * 2] ^= 8;
  const gboolean good = self->to->write(pixels, rows, self->to->data, error);
  count_run(self->engine);
  return good;
}

static MsImage *
run_stream(FakeEngine *self, MsJob *job, GError **error)
{
  Interposed interposed = {self, job->stream, ms_image_get_width(job->source)};
  MsRowStream stream = *job->stream;

  stream.read = read_through;
  stream.write = write_through;
  stream.data = &interposed;
  job->stream = &stream;
  MsImage *result = ms_reference_run(job, error);
  job->stream = interposed.to;
  job->stream->written = stream.written;
  job->stream->failed = stream.failed;
  return result;
}

static MsImage *
fake_engine_run(gpointer data, MsJob *job, GError **error)
{
  FakeEngine *self = data;
  g_autoptr(MsImage) result = NULL;

  if (self->root)
    g_atomic_int_inc(&self->root->lane_runs);
  meet(self->root ? self->root : self);
  if (self->root && self->behaviour == FAILING_LANES) {
    g_set_error(error, MS_ERROR, MS_ERROR_DEVICE, "This lane is out of order.");
    return NULL;
  }
  if (self->behaviour == FAILING_ENGINE && ms_image_get_width(job->source) == 17) {
    g_set_error(error, MS_ERROR, MS_ERROR_DEVICE, "The device does not like a width of 17.");
    return NULL;
  }
  result = job->stream ? run_stream(self, job, error) : ms_reference_run(job, error);
  if (result)
    ms_timing_log_add_host(job->log, MS_STAGE_KERNEL, "test", 0, g_get_monotonic_time() - 1000);
  if (!job->stream)
    count_run(self);
  if (result && !job->stream && self->behaviour == WRONG_ENGINE)
    return one_pixel_off(result);
  return g_steal_pointer(&result);
}

FakeEngine *
fake_engine_new(void)
{
  FakeEngine *self = g_new0(FakeEngine, 1);

  self->stand_in = (MsEngineStandIn){.info = {.name = "test", .platform = "test", .driver = "1", .type = "other"},
                                     .run = fake_engine_run,
                                     .new_sibling = fake_engine_new_sibling};
  self->base = ms_engine_new_stand_in(&self->stand_in, self, g_free);
  return self;
}
