/* SPDX-License-Identifier: MIT */
/*
 * Times transfers between ordinary host memory and a device by the host's clock:
 * bench-transfer REPEAT MIB THREADSxKIB...
 * One line of JSON a shape, 0x0 standing for the driver's plain transfer: the first upload, including pinning, a second
 * upload, a download into used memory, and one into new memory. The downloaded bytes are compared with the uploaded
 * ones before any time is printed.
 */
#include <stdio.h>
#include <string.h>

#include "core/opencl/transfers.h"
#include "core/opencl/staging.h"
#include "tests/support/fixture.h"

typedef struct {
  MsContext *context;
  MsStaging *staging; /* (nullable): the plain form */
  guint threads;
  cl_mem device;
  gsize bytes;
  guint8 *sent;
  guint8 *back;
} Bench;

static void
check(gboolean good, const char *what, GError *error)
{
  if (good)
    return;
  g_printerr("%s: %s\n", what, error ? error->message : "the bytes differ");
  exit(1);
}

static double
move_up(Bench *self)
{
  g_autoptr(GError) error = NULL;
  gint64 start = g_get_monotonic_time();
  gboolean good =
    self->staging
      ? ms_staging_move(self->staging, TRUE, self->threads, &(MsStagedPart){self->device, 0, self->bytes, self->sent},
                        NULL, &error)
      : ms_context_upload(self->context, &(MsBufferRange){self->device, 0, self->bytes}, self->sent, NULL, &error);

  check(good, "up", error);
  return (g_get_monotonic_time() - start) / 1e3;
}

static double
move_down(Bench *self, guint8 *into)
{
  g_autoptr(GError) error = NULL;
  gint64 start = g_get_monotonic_time();
  gboolean good = self->staging ? ms_staging_move(self->staging, FALSE, self->threads,
                                                  &(MsStagedPart){self->device, 0, self->bytes, into}, NULL, &error)
                                : ms_context_download(self->context, &(MsBufferRange){self->device, 0, self->bytes},
                                                      into, NULL, &error);

  check(good, "down", error);
  return (g_get_monotonic_time() - start) / 1e3;
}

static double
move_down_anew(Bench *self)
{
  guint8 *fresh = g_malloc(self->bytes);
  double ms = move_down(self, fresh);

  g_free(fresh);
  return ms;
}

static int
compare(gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return x < y ? -1 : x > y;
}

static void
print_median(const char *name, double *ms, int n, const char *after)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  qsort(ms, n, sizeof *ms, compare);
  g_print("\"%s\": %s%s", name, g_ascii_formatd(text, sizeof text, "%.4f", ms[n / 2]), after);
}

static void
measure(Bench *self, int repeat, guint threads, guint kib)
{
  g_autofree double *up = g_new0(double, repeat), *down = g_new0(double, repeat), *anew = g_new0(double, repeat);
  g_autoptr(GError) error = NULL;
  gint64 start = g_get_monotonic_time();

  self->threads = threads;
  if (threads > 0) {
    self->staging = ms_staging_new(self->context->cl, self->context->queue, (gsize)kib << 10, &error);
    check(self->staging != NULL, "pinning", error);
  }
  move_up(self);
  double first = (g_get_monotonic_time() - start) / 1e3;
  memset(self->back, 0x5a, self->bytes);
  move_down(self, self->back);
  check(memcmp(self->sent, self->back, self->bytes) == 0, "comparing", NULL);
  for (int i = 0; i < repeat; i++) {
    up[i] = move_up(self);
    down[i] = move_down(self, self->back);
    anew[i] = move_down_anew(self);
  }
  g_print("{\"threads\": %u, \"chunk_kib\": %u, \"bytes\": %" G_GSIZE_FORMAT ", ", threads, kib, self->bytes);
  print_median("first_up_ms", &first, 1, ", ");
  print_median("up_ms", up, repeat, ", ");
  print_median("down_ms", down, repeat, ", ");
  print_median("down_new_ms", anew, repeat, "}\n");
  g_clear_pointer(&self->staging, ms_staging_free);
}

int
main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  Bench self = {.context = ms_fixture_context()};

  if (!self.context)
    return 77;
  if (argc < 4) {
    g_printerr("bench-transfer REPEAT MIB THREADSxKIB...\n");
    return 2;
  }
  self.context->transfer_form = MS_TRANSFER_PLAIN;
  self.bytes = (gsize)atoi(argv[2]) << 20;
  self.sent = g_malloc(self.bytes);
  self.back = g_malloc(self.bytes);
  for (gsize i = 0; i < self.bytes; i++)
    self.sent[i] = (guint8)((i * 2654435761u) >> 24);
  self.device = ms_context_create_buffer(self.context, CL_MEM_READ_WRITE, self.bytes, NULL, &error);
  check(self.device != NULL, "allocating", error);
  for (int i = 3; i < argc; i++) {
    guint threads = 0, kib = 0;
    check(sscanf(argv[i], "%ux%u", &threads, &kib) == 2, argv[i], NULL);
    measure(&self, atoi(argv[1]), threads, kib);
  }
  clReleaseMemObject(self.device);
  ms_context_unref(self.context);
  g_free(self.sent);
  g_free(self.back);
  return 0;
}
