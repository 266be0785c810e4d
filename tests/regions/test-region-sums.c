/* SPDX-License-Identifier: MIT */
/* The table of regions as integers, and which regions touch: by kernels and by the serial code, against plain loops. */
#include <string.h>

#include "core/regions/region-sums.h"
#include "core/regions/segment-table.h"
#include "tests/support/fixture.h"

/* Gives each pixel of a segmentation a label; the greatest label is the number of regions. */
typedef guint32 (*LabelFunc)(int x, int y, int width);

static guint32
label_whole(int x, int y, int width)
{
  return 1;
}

static guint32
label_each(int x, int y, int width)
{
  return (guint32)(y * width + x) + 1;
}

/* Stripes of rows, so that spans of pixels hold several rows of one region. */
static guint32
label_rows(int x, int y, int width)
{
  return (guint32)(y / 3) + 1;
}

/* A region that ends rows, and two that alternate from pixel to pixel. */
static guint32
label_mixed(int x, int y, int width)
{
  return x == width - 1 ? 1 : (guint32)(x + y) % 2 + 2;
}

/* Four regions whose pixels touch only those of others, so that there are far more pairs than at first expected. */
static guint32
label_four(int x, int y, int width)
{
  return (guint32)(MIN(width, 2) * (y % 2) + x % 2) + 1;
}

static const LabelFunc patterns[] = {label_whole, label_each, label_rows, label_mixed, label_four};

static MsSegmentation *
make_segmentation(int width, int height, LabelFunc label_of)
{
  MsSegmentation *self = g_new(MsSegmentation, 1);

  *self = (MsSegmentation){.width = width, .height = height, .labels = g_new(guint32, (gsize)width * height)};
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const guint32 label = label_of(x, y, width);
      self->labels[y * width + x] = label;
      self->n = MAX(self->n, label);
    }
  return self;
}

/* Whether the pixel in this direction is of another region, or there is none. */
static guint64
is_border(const MsSegmentation *s, int x, int y, int dx, int dy)
{
  return x + dx < 0 || x + dx >= s->width || y + dy < 0 || y + dy >= s->height ||
         s->labels[(y + dy) * s->width + x + dx] != s->labels[y * s->width + x];
}

/* The serial sums as a plain loop over all pixels. */
static void
add_up(const MsSegmentation *s, MsImage *image, MsRegionSums *sums)
{
  const guint8 *p = ms_image_get_pixels(image);

  for (int i = 0; i < s->width * s->height; i++, p += 4) {
    MsRegionSums *own = &sums[s->labels[i] - 1];
    const int x = i % s->width, y = i / s->width;
    own->left = own->pixels > 0 ? MIN(own->left, x) : x;
    own->top = own->pixels > 0 ? own->top : y;
    own->right = MAX(own->right, x);
    own->bottom = y;
    own->pixels++;
    own->x += (guint64)x;
    own->y += (guint64)y;
    own->perimeter +=
      is_border(s, x, y, -1, 0) + is_border(s, x, y, 1, 0) + is_border(s, x, y, 0, -1) + is_border(s, x, y, 0, 1);
    for (int k = 0; k < 3; k++) {
      own->sums[k] += p[k];
      own->squares[k] += (guint64)p[k] * p[k];
    }
  }
}

static void
assert_same(const MsRegionSums *a, const MsRegionSums *b)
{
  g_assert_cmpuint(a->pixels, ==, b->pixels);
  g_assert_cmpuint(a->x, ==, b->x);
  g_assert_cmpuint(a->y, ==, b->y);
  g_assert_cmpuint(a->perimeter, ==, b->perimeter);
  g_assert_cmpint(a->left, ==, b->left);
  g_assert_cmpint(a->top, ==, b->top);
  g_assert_cmpint(a->right, ==, b->right);
  g_assert_cmpint(a->bottom, ==, b->bottom);
  g_assert_cmpmem(a->sums, sizeof a->sums, b->sums, sizeof b->sums);
  g_assert_cmpmem(a->squares, sizeof a->squares, b->squares, sizeof b->squares);
}

static guint64
in_order(guint32 a, guint32 b)
{
  return (guint64)MIN(a, b) << 32 | MAX(a, b);
}

static gboolean
touch(const MsSegmentation *s, int a, int b)
{
  return ABS(a % s->width - b % s->width) <= 1 && ABS(a / s->width - b / s->width) <= 1;
}

/* Each label has those that touch it as neighbours, in order and once. @distinct: whether no pair was found twice */
static void
check_borders(const MsSegmentation *s, const MsBorders *borders, gboolean distinct)
{
  g_autoptr(GHashTable) pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  const int n = s->width * s->height;

  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < MIN(n, a + s->width + 2); b++)
      if (touch(s, a, b) && s->labels[a] != s->labels[b]) {
        const guint64 pair = in_order(s->labels[a], s->labels[b]);
        g_hash_table_add(pairs, g_memdup2(&pair, sizeof pair));
      }
  for (guint32 i = 0; i < s->n; i++)
    for (gsize k = borders->starts[i]; k < borders->starts[i + 1]; k++) {
      const guint64 pair = in_order(i + 1, borders->neighbours[k]);
      g_assert_true(g_hash_table_contains(pairs, &pair));
      g_assert_true(k == borders->starts[i] || borders->neighbours[k - 1] < borders->neighbours[k]);
    }
  g_assert_cmpuint(borders->starts[s->n], ==, 2 * g_hash_table_size(pairs));
  g_assert_true(!distinct || borders->n == g_hash_table_size(pairs));
}

/* The tables of host and device, whose neighbours are in order and each there once. */
static void
compare_tables(MsContext *context, MsImage *image, const MsSegmentation *s)
{
  const MsDeviceRun run = {context, NULL, NULL};
  g_autoptr(MsSegmentTable) host = ms_segment_table_new_on(NULL, s, image, NULL);
  g_autoptr(MsSegmentTable) device = ms_segment_table_new_on(&run, s, image, NULL);

  g_assert_cmpuint(host->n_neighbours, ==, device->n_neighbours);
  for (guint32 i = 0; i < s->n; i++) {
    const MsSegment *a = &host->segments[i], *b = &device->segments[i];
    g_assert_cmpuint(a->pixels, ==, b->pixels);
    g_assert_cmpmem(a->neighbours, a->n_neighbours * sizeof(guint32), b->neighbours, b->n_neighbours * sizeof(guint32));
    for (guint k = 0; k < a->n_neighbours; k++)
      g_assert_true(a->neighbours[k] != i + 1 && (k == 0 || a->neighbours[k - 1] < a->neighbours[k]));
  }
}

static void
compare_with(MsContext *context, MsImage *image, LabelFunc label_of)
{
  g_autoptr(MsSegmentation) s = make_segmentation(ms_image_get_width(image), ms_image_get_height(image), label_of);
  g_autofree MsRegionSums *expected = g_new0(MsRegionSums, s->n), *host = g_new(MsRegionSums, s->n);
  g_autofree MsRegionSums *device = g_new(MsRegionSums, s->n);
  g_auto(MsBorders) host_borders = {NULL}, device_borders = {NULL};
  g_autoptr(GError) error = NULL;

  add_up(s, image, expected);
  ms_region_sums_find(s, image, host);
  g_assert_true(ms_borders_find(&host_borders, s) && ms_borders_order(&host_borders, s->n));
  check_borders(s, &host_borders, FALSE);
  g_assert_true(ms_region_sums_fit(context, s));
  ms_region_sums_find_on(&(MsDeviceRun){context, NULL, NULL}, s, image, device, &device_borders, &error);
  g_assert_no_error(error);
  check_borders(s, &device_borders, TRUE);
  compare_tables(context, image, s);
  for (guint32 i = 0; i < s->n; i++) {
    assert_same(&expected[i], &host[i]);
    assert_same(&expected[i], &device[i]);
  }
}

/* With and without atomic operations on 64 bits. */
static void
compare(MsContext *context, MsImage *image, LabelFunc label_of)
{
  const gboolean has_int64_atomics = context->device->limits.int64_atomics;

  compare_with(context, image, label_of);
  context->device->limits.int64_atomics = FALSE;
  compare_with(context, image, label_of);
  context->device->limits.int64_atomics = has_int64_atomics;
}

static void
test_patterns(void)
{
  static const int sizes[][2] = {{1, 1}, {1, 70}, {131, 1}, {64, 4}, {37, 23}, {129, 65}};
  const gsize n = ms_fixture_under_oclgrind() ? 5 : G_N_ELEMENTS(sizes);
  g_autoptr(MsContext) context = ms_fixture_context();

  for (gsize i = 0; context && i < n; i++) {
    g_autoptr(MsImage) image = ms_fixture_noise(sizes[i][0], sizes[i][1], 14 + (guint32)i);
    for (gsize k = 0; k < G_N_ELEMENTS(patterns); k++)
      compare(context, image, patterns[k]);
  }
}

/* Squares of white pixels whose sum takes more than 32 bits, so that their halves carry. */
static void
test_wide_sums(void)
{
  const int width = 300, height = 230;
  g_autoptr(MsContext) context = ms_fixture_context();
  guint8 *pixels = g_malloc((gsize)width * height * 4);

  memset(pixels, 255, (gsize)width * height * 4);
  g_autoptr(MsImage) image = ms_image_new_take(width, height, pixels, NULL);
  g_assert_cmpuint((guint64)width * height * 255 * 255, >, G_MAXUINT32);
  if (context)
    compare(context, image, label_whole);
}

static void
test_cancelled(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(MsImage) image = ms_fixture_noise(20, 10, 1);
  g_autoptr(MsSegmentation) s = make_segmentation(20, 10, label_whole);
  g_autoptr(GError) error = NULL;
  g_auto(MsBorders) borders = {NULL};
  MsRegionSums sums = {0};

  if (!context)
    return;
  g_cancellable_cancel(cancellable);
  g_assert_false(ms_region_sums_find_on(&(MsDeviceRun){context, NULL, cancellable}, s, image, &sums, &borders, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/region-sums/patterns", test_patterns);
  g_test_add_func("/region-sums/wide-sums", test_wide_sums);
  g_test_add_func("/region-sums/cancelled", test_cancelled);
  return g_test_run();
}
