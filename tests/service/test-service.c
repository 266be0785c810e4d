/* SPDX-License-Identifier: MIT */
/* What the window reads from the process of its device, right and damaged: no length, label or index is trusted. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/filter/settings/settings.h"
#include "core/opencl/device.h"
#include "core/opencl/program.h"
#include "core/opencl/timing.h"
#include "core/process/channel.h"
#include "core/service/protocol.h"
#include "core/service/shared-image.h"
#include "tests/support/fixture.h"
#include "tests/support/profiles.h"

/* Four columns in two regions of two columns each. */
#define WIDTH 4
#define HEIGHT 3
#define N 2

typedef struct {
  MsImage *image;
  guint32 labels[WIDTH * HEIGHT];
  MsSegmentation segmentation;
  MsSegmentTable *table;
} Fixture;

/* @image: (transfer full) */
static void
set_up_with(Fixture *f, MsImage *image)
{
  f->image = image;
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    f->labels[i] = i % WIDTH < WIDTH / 2 ? 1 : 2;
  f->segmentation = (MsSegmentation){.width = WIDTH, .height = HEIGHT, .n = N, .labels = f->labels};
  f->table = ms_segment_table_new_on(NULL, &f->segmentation, f->image, NULL);
  g_assert_cmpuint(f->table->n_neighbours, ==, 2);
}

static void
set_up(Fixture *f)
{
  set_up_with(f, ms_fixture_scene(WIDTH, HEIGHT, 1));
}

static void
tear_down(Fixture *f)
{
  ms_segment_table_free(f->table);
  g_object_unref(f->image);
}

/* Sends the regions of @f with these numbers and reads them; whether they make sense. */
static gboolean
read_back(Fixture *f, guint32 n, guint64 n_neighbours)
{
  g_autoptr(MsSegmentation) segmentation = NULL;
  g_autoptr(MsSegmentTable) table = NULL;
  g_autoptr(GVariant) content = g_variant_ref_sink(g_variant_new("(ut)", n, n_neighbours));
  const int fd = ms_regions_answer_new(&f->segmentation, f->table, NULL);
  const gboolean good = ms_regions_answer_read(content, fd, f->image, &segmentation, &table);

  close(fd);
  if (good) {
    g_assert_cmpmem(segmentation->labels, sizeof f->labels, f->labels, sizeof f->labels);
    g_assert_cmpuint(table->segments[0].neighbours[0], ==, 2);
    g_assert_cmpuint(table->segments[1].neighbours[0], ==, 1);
  }
  return good;
}

static void
test_numbers(void)
{
  Fixture f;

  set_up(&f);
  g_assert_true(read_back(&f, N, 2));
  g_assert_false(read_back(&f, 0, 2));
  g_assert_false(read_back(&f, N + 1, 2));
  g_assert_false(read_back(&f, G_MAXUINT32, 2));
  g_assert_false(read_back(&f, N, 0));
  g_assert_false(read_back(&f, N, 3));
  g_assert_false(read_back(&f, N, G_MAXUINT64 / 4));
  tear_down(&f);
}

static void
test_contents(void)
{
  Fixture f;

  set_up(&f);
  int *const fields[] = {&f.table->segments[0].left, &f.table->segments[1].right, &f.table->segments[0].top,
                         &f.table->segments[1].bottom};
  static const int wrong[] = {-1, WIDTH, G_MININT, G_MAXINT};
  for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
    for (guint j = 0; j < G_N_ELEMENTS(wrong); j++) {
      const int right = *fields[i];
      *fields[i] = wrong[j];
      g_assert_false(read_back(&f, N, 2));
      *fields[i] = right;
    }
  f.labels[5] = 0;
  g_assert_false(read_back(&f, N, 2));
  f.labels[5] = N + 1;
  g_assert_false(read_back(&f, N, 2));
  f.labels[5] = 1;
  f.table->neighbours[1] = N + 1;
  g_assert_false(read_back(&f, N, 2));
  f.table->neighbours[1] = 1;
  f.table->segments[1].n_neighbours = 2;
  g_assert_false(read_back(&f, N, 2));
  f.table->segments[1].n_neighbours = 1;
  g_assert_true(read_back(&f, N, 2));
  tear_down(&f);
}

/* Only where a picture has a value for pixels without data may a pixel belong to no region, even every one. */
static void
test_no_data(void)
{
  Fixture f;

  set_up_with(&f, ms_fixture_map(WIDTH, HEIGHT, NULL));
  f.labels[0] = 0;
  g_assert_true(read_back(&f, N, 2));
  f.table->neighbours[0] = 0;
  g_assert_false(read_back(&f, N, 2));
  memset(f.labels, 0, sizeof f.labels);
  f.table->n = 0;
  f.table->n_neighbours = 0;
  g_autoptr(GVariant) none = g_variant_ref_sink(g_variant_new("(ut)", 0, (guint64)0));
  const int fd = ms_regions_answer_new(&f.segmentation, f.table, NULL);
  g_autoptr(MsSegmentation) segmentation = NULL;
  g_autoptr(MsSegmentTable) table = NULL;
  g_assert_true(ms_regions_answer_read(none, fd, f.image, &segmentation, &table));
  g_assert_cmpmem(segmentation->labels, sizeof f.labels, f.labels, sizeof f.labels);
  close(fd);
  tear_down(&f);
}

/* A picture arrives with its profile and value without data; memory of another size is refused. */
static void
test_picture(void)
{
  static const int wrong[][2] = {{WIDTH + 1, HEIGHT}, {WIDTH, 0}, {-WIDTH, -HEIGHT}, {G_MAXINT, G_MAXINT}};
  g_autoptr(GBytes) icc = ms_test_profile_wide(2.2);
  g_autoptr(MsImage) map = ms_fixture_map(WIDTH, HEIGHT, icc);
  g_autoptr(MsImage) plain = ms_fixture_scene(WIDTH, HEIGHT, 1);
  g_autoptr(MsSharedPixels) pixels = ms_shared_image_get(map, NULL);
  const int fd = ms_shared_pixels_get_fd(pixels);
  g_autoptr(GVariant) sent = g_variant_ref_sink(ms_service_picture(map));
  g_autoptr(GVariant) bare = g_variant_ref_sink(ms_service_picture(plain));

  g_autoptr(MsImage) back = ms_service_take_picture(sent, fd, NULL);
  const MsMetadata *metadata = ms_image_get_metadata(back);
  guint8 value = 1;
  ms_fixture_assert_same(map, back, "sent");
  g_assert_true(g_bytes_equal(metadata->icc, icc));
  g_assert_true(ms_geo_get_no_data(metadata->geo, &value));
  g_assert_cmpuint(value, ==, 0);
  g_autoptr(MsImage) none = ms_service_take_picture(bare, fd, NULL);
  g_assert_null(ms_image_get_metadata(none)->icc);
  g_assert_null(ms_image_get_metadata(none)->geo);
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GVariant) other = g_variant_ref_sink(
      g_variant_new("(ii@ay@ay)", wrong[i][0], wrong[i][1], ms_service_bytes("x", 1), ms_service_bytes("0", 1)));
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_service_take_picture(other, fd, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_MEMORY);
  }
}

static void
test_settings(void)
{
  MsSettings settings = ms_settings_default(), back;
  const char *const wrong[] = {"1", "2", NULL};

  settings.params.sr = 1.0 / 3 + 20;
  settings.options.kernel = MS_KERNEL_PACKED;
  g_autoptr(GVariant) values = g_variant_ref_sink(ms_settings_to_variant(&settings));
  g_assert_true(ms_settings_from_variant(values, &back));
  g_assert_true(ms_settings_equal(&settings, &back));
  g_assert_true(settings.params.sr == back.params.sr);
  g_autoptr(GVariant) few = g_variant_ref_sink(g_variant_new_strv(wrong, -1));
  g_assert_false(ms_settings_from_variant(few, &back));
  g_autofree const char **texts = g_variant_get_strv(values, NULL);
  texts[0] = "1e99";
  g_autoptr(GVariant) large = g_variant_ref_sink(g_variant_new_strv(texts, -1));
  g_assert_false(ms_settings_from_variant(large, &back));
}

static GVariant *
parse(const char *type, const char *text)
{
  g_autoptr(GError) error = NULL;
  GVariant *value = g_variant_parse(G_VARIANT_TYPE(type), text, NULL, NULL, &error);

  g_assert_no_error(error);
  return value;
}

static void
test_program(void)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  g_autoptr(GBytes) own = g_bytes_new_static("int x;", 6);

  ms_program_spec_add_part(spec, "prelude/types.cl");
  ms_program_spec_add_source(spec, "mine.cl", own);
  ms_program_spec_define_int(spec, "N", 3);
  g_autoptr(GVariant) sent = g_variant_ref_sink(ms_program_spec_to_variant(spec));
  g_autoptr(MsProgramSpec) back = ms_program_spec_new_from_variant(sent);
  g_autofree char *before = ms_program_spec_hash(spec), *after = ms_program_spec_hash(back);
  g_assert_cmpstr(before, ==, after);
  g_autoptr(GVariant) unknown = parse(MS_PROGRAM_SPEC_TYPE, "('', [('no-such-part.cl', nothing)])");
  g_assert_null(ms_program_spec_new_from_variant(unknown));
}

static void
test_timings(void)
{
  g_autoptr(GVariant) good =
    parse(MS_TIMING_LOG_TYPE, "[(3, 'filter', 1, 2, 3, 4, 5, true), (2, nothing, 0, 0, 0, 0, 0, false)]");
  g_autoptr(GVariant) bad = parse(MS_TIMING_LOG_TYPE, "[(6, nothing, 0, 0, 0, 0, 0, false)]");
  g_autoptr(MsTimingLog) log = ms_timing_log_new_from_variant(good);

  g_autoptr(GVariant) back = g_variant_ref_sink(ms_timing_log_to_variant(log));
  g_assert_true(g_variant_equal(good, back));
  g_assert_null(ms_timing_log_new_from_variant(bad));
}

static GVariant *
snapshot_of(const MsDeviceLimits *limits, gsize size, guint n_texts)
{
  const char *const texts[] = {"a", "b", "c", "d", "e", "f", "0:0", "title"};

  return g_variant_ref_sink(g_variant_new("(@as@ay)", g_variant_new_strv(texts, (gssize)n_texts),
                                          g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, limits, size, 1)));
}

static void
test_device(void)
{
  MsDeviceLimits limits = ms_fixture_limits(MS_DEVICE_TYPE_GPU);
  g_autoptr(GVariant) right = snapshot_of(&limits, sizeof limits, 8);
  g_autoptr(GVariant) short_one = snapshot_of(&limits, sizeof limits - 1, 8);
  g_autoptr(GVariant) few_texts = snapshot_of(&limits, sizeof limits, 7);
  g_autoptr(MsDevice) device = ms_device_new_from_snapshot(right);

  g_assert_cmpstr(device->address, ==, "0:0");
  g_assert_true(ms_device_is_sane(device));
  g_autoptr(GVariant) back = g_variant_ref_sink(ms_device_to_snapshot(device));
  g_assert_true(g_variant_equal(right, back));
  g_assert_null(ms_device_new_from_snapshot(short_one));
  g_assert_null(ms_device_new_from_snapshot(few_texts));
  limits.max_work_group = 0;
  g_autoptr(GVariant) idle = snapshot_of(&limits, sizeof limits, 8);
  g_autoptr(MsDevice) listed = ms_device_new_from_snapshot(idle);
  g_assert_false(ms_device_is_sane(listed));
  limits.type = (MsDeviceType)77;
  g_autoptr(GVariant) untyped = snapshot_of(&limits, sizeof limits, 8);
  g_assert_null(ms_device_new_from_snapshot(untyped));
}

/* An image that was moved has the same pixels and needs no other copy. */
static void
test_shared_image(void)
{
  g_autoptr(MsImage) source = ms_fixture_scene(WIDTH, HEIGHT, 1);
  g_autoptr(MsImage) moved = ms_shared_image_move(g_object_ref(source));
  g_autoptr(MsSharedPixels) first = ms_shared_image_get(moved, NULL);
  g_autoptr(MsSharedPixels) second = ms_shared_image_get(moved, NULL);

  ms_fixture_assert_same(source, moved, "moved");
  g_assert_true(moved != source);
  g_assert_true(first == second);
  g_autoptr(GBytes) pixels = ms_shared_pixels_map(first, NULL);
  g_assert_true(g_bytes_equal(pixels, ms_image_get_bytes(source)));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/service/regions/numbers", test_numbers);
  g_test_add_func("/service/regions/contents", test_contents);
  g_test_add_func("/service/regions/no-data", test_no_data);
  g_test_add_func("/service/picture", test_picture);
  g_test_add_func("/service/settings", test_settings);
  g_test_add_func("/service/program", test_program);
  g_test_add_func("/service/timings", test_timings);
  g_test_add_func("/service/device", test_device);
  g_test_add_func("/service/shared-image", test_shared_image);
  return g_test_run();
}
