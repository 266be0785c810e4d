/* SPDX-License-Identifier: MIT */
/* The public library: each function, with pixels compared with the serial reference and numbers counted here. */
#include <glib/gstdio.h>
#include <meanshift-lab.h>
#include <string.h>

#define WIDTH 61
#define HEIGHT 43

static guint8 pixels[HEIGHT][WIDTH][4];
static guint8 blocks[HEIGHT][WIDTH][4]; /* of 8x8 pixels in different colours, with some single pixels of another one */

static void
fill_pixels(void)
{
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      guint8 sample[4] = {(guint8)(x * 2), (guint8)(y * 2), (guint8)((x * 7919 + y * 104729) % 31), 255};
      memcpy(pixels[y][x], sample, 4);
      for (int k = 0; k < 4; k++)
        blocks[y][x][k] = (x * 5 + y * 7) % 61 == 0 ? 255 : (guint8)((x / 8 * 37 + y / 8 * 61 + k * 29) % 200);
    }
}

static MslabImage
image_of(gpointer samples, int rows)
{
  return (MslabImage){samples, WIDTH, rows, WIDTH * 4, 4, NULL};
}

static MslabDevice *
open_device(const char *selector)
{
  g_autoptr(GError) error = NULL;
  MslabDevice *device = mslab_open(selector, &error);

  g_assert_no_error(error);
  return device;
}

static void
filter(MslabDevice *device, const MslabImage *image, const MslabJob *job, MslabImage *result)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(mslab_filter(device, image, job, result, &error));
  g_assert_no_error(error);
}

static void
assert_rows(const MslabImage *a, int first_a, const MslabImage *b, int first_b, int n)
{
  for (int y = 0; y < n; y++)
    g_assert_cmpmem(a->pixels + (first_a + y) * a->stride, WIDTH * 4, b->pixels + (first_b + y) * b->stride, WIDTH * 4);
}

static void
on_progress(int done, int total, gpointer data)
{
  g_assert_cmpint(total, ==, HEIGHT);
  g_atomic_int_set((int *)data, done);
}

static void
test_version(void)
{
  g_assert_true(g_regex_match_simple("^1\\.[0-9]+\\.[0-9]+$", mslab_version(), 0, 0));
}

/* The same pixels with gaps behind rows, with three channels, in place and in memory of the library. */
static void
test_layouts(void)
{
  g_autoptr(MslabDevice) device = open_device("cpu");
  MslabImage image = image_of(pixels, HEIGHT);
  g_auto(MslabImage) expected = {0};
  guint8 wide[HEIGHT][WIDTH * 4 + 5] = {0}, narrow[HEIGHT][WIDTH * 3 + 7] = {0}, own[HEIGHT][WIDTH][4];
  MslabImage gaps = {&wide[0][0], WIDTH, HEIGHT, sizeof wide[0], 4, NULL};
  MslabImage three = {&narrow[0][0], WIDTH, HEIGHT, sizeof narrow[0], 3, NULL};
  MslabImage plain = image_of(own, HEIGHT);

  filter(device, &image, NULL, &expected);
  g_assert_cmpint(expected.channels, ==, 4);
  for (int y = 0; y < HEIGHT; y++) {
    memcpy(wide[y], pixels[y], WIDTH * 4);
    for (int x = 0; x < WIDTH; x++)
      memcpy(&narrow[y][x * 3], pixels[y][x], 3);
  }
  filter(device, &gaps, NULL, &plain);
  assert_rows(&plain, 0, &expected, 0, HEIGHT);
  memset(own, 0, sizeof own);
  filter(device, &three, NULL, &plain); /* every alpha is 255 */
  assert_rows(&plain, 0, &expected, 0, HEIGHT);
  filter(device, &gaps, NULL, &gaps);
  assert_rows(&gaps, 0, &expected, 0, HEIGHT);
  filter(device, &three, NULL, &three);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      g_assert_cmpmem(&narrow[y][x * 3], 3, expected.pixels + y * expected.stride + x * 4, 3);
  g_assert_cmpuint(wide[HEIGHT - 1][WIDTH * 4] | narrow[0][WIDTH * 3], ==, 0);
}

/*
 * The device takes so large an image tile by tile, and must not make rows where it reads those of the next tile. One
 * step in a window of 3x3 pixels that holds every colour is the mean of nine samples, which never lies between two.
 */
static void
test_in_place(void)
{
  enum { SIDE = 3700, STRIDE = SIDE * 4 };
  const MslabJob job = {.settings = "sp=1,sr=500,max-iterations=1,kernel=direct"};
  g_autoptr(MslabDevice) device = open_device("cpu");
  g_autofree guint8 *samples = g_malloc(SIDE * STRIDE), *before = g_malloc(SIDE * STRIDE);
  MslabImage image = {samples, SIDE, SIDE, STRIDE, 4, NULL};

  for (guint i = 0; i < SIDE * STRIDE; i++)
    samples[i] = (guint8)((i * 7919 + i / STRIDE * 104729) % 251);
  memcpy(before, samples, SIDE * STRIDE);
  filter(device, &image, &job, &image);
  for (gsize y = 1; y < SIDE - 1; y++)
    for (gsize x = 4; x < STRIDE - 4; x += 23) {
      guint sum = 0;
      for (gsize k = 0; k < 9; k++)
        sum += before[(y + k / 3 - 1) * STRIDE + x + k % 3 * 4 - 4];
      g_assert_cmpuint(samples[y * STRIDE + x], ==, x % 4 == 3 ? before[y * STRIDE + x] : (sum + 4) / 9);
    }
}

/* What a file has beside its pixels reaches the file of the result: here the pixels a metre of a PNG. */
static void
test_files(void)
{
  static const guint8 physical[] = "\0\0\0\x09pHYs\0\0\x0b\x13\0\0\x0b\x13\1\0\x9a\x9c\x18";
  g_autofree char *folder = g_dir_make_tmp("ms-api-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "a.png", NULL), *other = g_build_filename(folder, "b.png", NULL);
  g_autofree char *file = NULL;
  gsize size = 0;
  g_autoptr(MslabDevice) device = open_device("cpu");
  MslabImage image = image_of(pixels, HEIGHT);
  g_auto(MslabImage) loaded = {0}, result = {0}, again = {0};
  g_autoptr(GError) error = NULL;

  g_assert_true(mslab_save(path, &image, NULL, &error));
  g_assert_true(g_file_get_contents(path, &file, &size, NULL));
  g_assert_null(memmem(file, size, "pHYs", 4));
  g_autofree char *marked = g_malloc(size + sizeof physical - 1);
  memcpy(marked, file, 33); /* the signature and IHDR */
  memcpy(marked + 33, physical, sizeof physical - 1);
  memcpy(marked + 33 + sizeof physical - 1, file + 33, size - 33);
  g_assert_true(g_file_set_contents(path, marked, (gssize)(size + sizeof physical - 1), NULL));
  g_assert_true(mslab_load(path, NULL, &loaded, &error));
  assert_rows(&loaded, 0, &image, 0, HEIGHT);
  filter(device, &loaded, NULL, &result);
  g_assert_true(mslab_save(other, &result, NULL, &error));
  g_clear_pointer(&file, g_free);
  g_assert_true(g_file_get_contents(other, &file, &size, NULL));
  g_assert_nonnull(memmem(file, size, physical + 4, 13));
  g_assert_true(mslab_load(other, NULL, &again, &error));
  assert_rows(&again, 0, &result, 0, HEIGHT);
  g_remove(path);
  g_remove(other);
  g_assert_false(mslab_load(path, NULL, &again, &error));
  g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_IO);
  g_assert_null(again.pixels);
  g_remove(folder);
}

/* A file that a process of its own decodes, also for a program that is none of this project. */
static void
test_gif(void)
{
  static const char gif[] = "GIF89a\2\0\2\0\x80\0\0\xff\0\0\0\0\xff,\0\0\0\0\2\0\2\0\0\2\3\x44\2\5\0;";
  g_autofree char *folder = g_dir_make_tmp("ms-api-XXXXXX", NULL), *path = g_build_filename(folder, "a.gif", NULL);
  g_auto(MslabImage) image = {0};
  g_autoptr(GError) error = NULL;

  g_assert_true(g_file_set_contents(path, gif, sizeof gif - 1, NULL));
  mslab_load(path, NULL, &image, &error);
  g_remove(path);
  g_remove(folder);
  if (g_error_matches(error, MSLAB_ERROR, MSLAB_ERROR_UNSUPPORTED)) {
    g_test_skip(error->message);
    return;
  }
  g_assert_no_error(error);
  g_assert_cmpint(image.width, ==, 2);
  g_assert_cmpint(image.height, ==, 2);
}

static void
test_refusals(void)
{
  const MslabImage images[] = {{pixels[0][0], 0, 5, 20, 4}, {pixels[0][0], 5, 0, 20, 4}, {pixels[0][0], 5, 5, 19, 4},
                               {pixels[0][0], 5, 5, 20, 2}, {NULL, 5, 5, 20, 4},         {pixels[0][0], -5, 5, 20, 4}};
  static const char *const settings[] = {"sp=99", "rule=none", "nothing=1", "sp", "sp=4,,sr=3", "rule=truncate,sp=2.5"};
  g_autoptr(MslabDevice) device = open_device("reference");
  MslabImage good = image_of(pixels, HEIGHT), small = image_of(pixels, HEIGHT - 1);
  g_auto(MslabImage) result = {0};

  for (guint i = 0; i < G_N_ELEMENTS(images) + G_N_ELEMENTS(settings) + 1; i++) {
    const gboolean is_image = i < G_N_ELEMENTS(images), is_last = i >= G_N_ELEMENTS(images) + G_N_ELEMENTS(settings);
    const MslabJob job = {.settings = is_image || is_last ? NULL : settings[i - G_N_ELEMENTS(images)]};
    g_autoptr(GError) error = NULL;
    g_assert_false(mslab_filter(device, is_image ? &images[i] : &good, &job, is_last ? &small : &result, &error));
    g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE);
    g_assert_true(g_str_has_suffix(error->message, "."));
    g_assert_null(result.pixels);
  }
}

static void
test_devices(void)
{
  gsize n = 0;
  g_autoptr(GError) error = NULL;
  g_autofree MslabDeviceInfo *devices = mslab_list_devices(&n, &error);

  g_assert_no_error(error);
  g_assert_cmpuint(n, >, 0);
  for (gsize i = 0; i < n; i++) {
    const char *texts[] = {devices[i].address, devices[i].name, devices[i].platform, devices[i].driver,
                           devices[i].kind};
    g_assert_nonnull(strchr(texts[0], ':'));
    for (guint k = 0; k < G_N_ELEMENTS(texts); k++) {
      g_assert_cmpstr(texts[k], !=, "");
      for (guint other = 0; other < k; other++)
        g_assert_cmpstr(texts[k], !=, texts[other]);
    }
  }
  g_assert_null(mslab_open("no such device", &error));
  g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_NO_DEVICE);
}

static void
test_filter(void)
{
  g_autoptr(MslabDevice) device = open_device("cpu");
  g_autoptr(MslabDevice) serial = open_device("reference");
  g_autofree char *notes = mslab_notes(serial);
  MslabImage image = image_of(pixels, HEIGHT);
  g_auto(MslabImage) a = {0}, b = {0}, usual = {0};
  g_autoptr(GCancellable) cancelled = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  int rows = 0;

  g_assert_cmpstr(mslab_name(serial), ==, "reference");
  g_assert_cmpstr(mslab_name(device), !=, "reference");
  g_assert_cmpstr(notes, ==, "");
  filter(device, &image, &(MslabJob){.settings = "sp=5,sr=30", .progress = on_progress, .progress_data = &rows}, &a);
  g_assert_cmpint(rows, ==, HEIGHT);
  filter(serial, &image, &(MslabJob){.settings = "sp=5,sr=30"}, &b);
  assert_rows(&a, 0, &b, 0, HEIGHT);
  filter(device, &image, NULL, &usual);
  g_assert_cmpint(memcmp(a.pixels, usual.pixels, WIDTH * HEIGHT * 4), !=, 0);
  g_cancellable_cancel(cancelled);
  mslab_image_clear(&a);
  g_assert_false(mslab_filter(device, &image, &(MslabJob){.cancellable = cancelled}, &a, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Frames of a camera come one after the other in the same memory. */
static void
test_frames(void)
{
  static guint8 frame[HEIGHT][WIDTH][4], shown[HEIGHT][WIDTH][4];
  g_autoptr(MslabDevice) device = open_device("cpu");
  g_autoptr(MslabDevice) serial = open_device("reference");
  MslabImage source = image_of(frame, HEIGHT), result = image_of(shown, HEIGHT);

  for (int i = 0; i < 4; i++) {
    g_auto(MslabImage) expected = {0};
    for (int y = 0; y < HEIGHT; y++)
      memcpy(frame[y], pixels[(y + 5 * i) % HEIGHT], sizeof frame[y]);
    filter(device, &source, NULL, &result);
    filter(serial, &source, NULL, &expected);
    assert_rows(&result, 0, &expected, 0, HEIGHT);
  }
}

/* Rows that have the halo around them are those of the whole image; the halo is what the header says it is. */
static void
test_band(gconstpointer selector)
{
  const char *settings = "sp=2,max-iterations=2";
  g_autoptr(MslabDevice) device = open_device(selector);
  MslabImage image = image_of(pixels, HEIGHT);
  g_auto(MslabImage) whole = {0};
  g_autoptr(GError) error = NULL;

  g_assert_cmpint(mslab_halo(settings, NULL), ==, 6);
  g_assert_cmpint(mslab_halo(NULL, NULL), ==, 60);
  /* A row of the level above is two of the image. */
  g_assert_cmpint(mslab_halo("sp=16,max-iterations=2,levels=1", NULL), >=, 16 * 3 + 2 * 8 * 3);
  filter(device, &image, &(MslabJob){.settings = settings}, &whole);
  for (int first = 0; first <= HEIGHT - 20; first++) {
    const MslabBand place = {first, HEIGHT};
    MslabImage band = image_of(pixels[first], 20);
    g_auto(MslabImage) result = {0};
    filter(device, &band, &(MslabJob){.settings = settings, .band = &place}, &result);
    assert_rows(&result, 6, &whole, first + 6, 8);
  }
  /* The last of them lies past what an int holds, and the message says none of it. */
  const int outside[] = {1, -1, HEIGHT, G_MAXINT, G_MININT};
  for (gsize i = 0; i < G_N_ELEMENTS(outside); i++) {
    const MslabBand place = {outside[i], HEIGHT};
    g_autofree char *expected =
      g_strdup_printf("The %d rows from row %d on do not lie in an image of %d rows.", HEIGHT, outside[i], HEIGHT);
    g_assert_false(mslab_filter(device, &image, &(MslabJob){.band = &place}, &whole, &error));
    g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE);
    g_assert_cmpstr(error->message, ==, expected);
    g_clear_error(&error);
  }
  g_assert_cmpint(mslab_halo("sp=0", &error), ==, -1);
  g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE);
}

/* A band with its halo through all levels gives the rows of the whole image. */
static void
test_band_of_levels(void)
{
  enum { ROWS = 400, MIDDLE = 40 };
  static guint8 tall[ROWS][WIDTH][4];
  static const char *const settings[] = {"sp=1,levels=3,max-iterations=3", "sp=3,levels=2,max-iterations=3"};
  g_autoptr(MslabDevice) device = open_device("cpu");
  MslabImage image = image_of(tall, ROWS);

  for (int y = 0; y < ROWS; y++)
    for (int x = 0; x < WIDTH; x++)
      memcpy(tall[y][x], pixels[(y * 5) % HEIGHT][(x + y / 7) % WIDTH], 4);
  for (gsize i = 0; i < G_N_ELEMENTS(settings); i++) {
    const int halo = mslab_halo(settings[i], NULL), first = (ROWS - MIDDLE) / 2 - halo;
    const MslabBand place = {first, ROWS};
    g_auto(MslabImage) whole = {0}, result = {0};
    g_assert_cmpint(first, >, 0);
    filter(device, &image, &(MslabJob){.settings = settings[i]}, &whole);
    MslabImage band = image_of(tall[first], MIDDLE + 2 * halo);
    filter(device, &band, &(MslabJob){.settings = settings[i], .band = &place}, &result);
    assert_rows(&result, halo, &whole, first + halo, MIDDLE);
  }
}

typedef struct {
  MslabDevice *device;
  MslabImage result;
} OnThread;

static gpointer
filter_in_thread(gpointer data)
{
  OnThread *self = data;
  MslabImage image = image_of(pixels, HEIGHT);

  filter(self->device, &image, NULL, &self->result);
  return NULL;
}

static void
test_threads(void)
{
  g_autoptr(MslabDevice) device = open_device("cpu");
  g_autoptr(MslabDevice) another = open_device("cpu");
  OnThread alone = {device}, together[4];
  GThread *threads[G_N_ELEMENTS(together)];

  filter_in_thread(&alone);
  for (guint i = 0; i < G_N_ELEMENTS(together); i++) {
    together[i] = (OnThread){i < 3 ? device : another};
    threads[i] = g_thread_new(NULL, filter_in_thread, &together[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS(together); i++) {
    g_thread_join(threads[i]);
    assert_rows(&together[i].result, 0, &alone.result, 0, HEIGHT);
    mslab_image_clear(&together[i].result);
  }
  mslab_image_clear(&alone.result);
}

/* Compares the numbers of a region with counts over the labels. */
static void
check_region(const MslabRegions *found, guint label)
{
  const MslabRegion *r = &found->regions[label - 1];
  guint64 n = 0, sum_x = 0, red = 0;

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      if (found->labels[y * WIDTH + x] == label) {
        g_assert_true(x >= r->left && x <= r->right && y >= r->top && y <= r->bottom);
        n++;
        sum_x += (guint64)x;
        red += blocks[y][x][0];
      }
  g_assert_cmpuint(r->pixels, ==, n);
  g_assert_cmpfloat_with_epsilon(r->x, (double)sum_x / (double)n, 1e-9);
  g_assert_cmpfloat_with_epsilon(r->mean[0], (double)red / (double)n, 1e-9);
  for (guint i = 0; i < r->n_neighbours; i++) {
    const MslabRegion *other = &found->regions[r->neighbours[i] - 1];
    gboolean mutual = FALSE;
    for (guint k = 0; k < other->n_neighbours; k++)
      mutual = mutual || other->neighbours[k] == label;
    g_assert_true(mutual && other != r);
  }
}

static void
test_regions(void)
{
  g_autoptr(MslabDevice) device = open_device("cpu");
  g_autoptr(MslabDevice) serial = open_device("reference");
  MslabImage image = image_of(blocks, HEIGHT);
  g_auto(MslabImage) means = {0};
  int done[2] = {0};
  MslabJob job = {.settings = "sp=4"};
  g_autoptr(MslabRegions) all = mslab_regions(serial, &image, &job, NULL, NULL);
  job.min_pixels = 12;
  job.progress = on_progress;
  job.progress_data = &done[0];
  g_autoptr(MslabRegions) expected = mslab_regions(serial, &image, &job, NULL, NULL);
  job.progress_data = &done[1];
  g_autoptr(MslabRegions) found = mslab_regions(device, &image, &job, &means, NULL);

  g_assert_true(all && expected && found);
  g_assert_cmpint(done[0], ==, HEIGHT);
  g_assert_cmpint(done[1], ==, HEIGHT);
  g_assert_cmpmem(found->labels, WIDTH * HEIGHT * 4, expected->labels, WIDTH * HEIGHT * 4);
  g_assert_cmpuint(found->n, ==, expected->n);
  g_assert_true(found->n > 1 && found->n < all->n);
  for (guint label = 1; label <= found->n; label++)
    check_region(found, label);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    g_assert_cmpuint(means.pixels[i * 4 + 1], ==, (guint)(found->regions[found->labels[i] - 1].mean[1] + 0.5));
}

static void
test_region_refusals(gconstpointer selector)
{
  MslabImage image = image_of(blocks, HEIGHT);
  g_autoptr(MslabDevice) device = open_device(selector);
  g_autoptr(GError) error = NULL;

  g_assert_null(mslab_regions(device, &image, &(MslabJob){.settings = "rule=replicate"}, NULL, &error));
  g_assert_nonnull(error);
  g_assert_true(g_str_has_suffix(error->message, "."));
}

static void
test_statistics(gconstpointer selector)
{
  MslabImage image = image_of(pixels, HEIGHT);
  g_autoptr(MslabDevice) device = open_device(selector);
  g_autoptr(GError) error = NULL;
  MslabStatistics statistics;
  guint64 sum = 0, counted = 0;

  g_assert_true(mslab_statistics(device, &image, NULL, &statistics, &error));
  g_assert_no_error(error);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      sum += pixels[y][x][1];
  g_assert_cmpuint(statistics.channels[MSLAB_CHANNEL_G].sum, ==, sum);
  g_assert_cmpuint(statistics.channels[MSLAB_CHANNEL_G].count, ==, WIDTH * HEIGHT);
  g_assert_cmpuint(statistics.channels[MSLAB_CHANNEL_A].min, ==, 255);
  for (int i = 0; i < 256; i++)
    counted += statistics.histograms[MSLAB_CHANNEL_LUMA][i];
  g_assert_cmpuint(counted, ==, WIDTH * HEIGHT);
}

static MslabReduction
reduce(MslabDevice *device, const char *operation, gconstpointer numbers, gsize size)
{
  const MslabArray array = {"int", numbers, size};
  MslabReduction result;
  g_autoptr(GError) error = NULL;

  g_assert_true(mslab_reduce(device, operation, &array, NULL, &result, &error));
  g_assert_no_error(error);
  return result;
}

static void
test_reduce(gconstpointer selector)
{
  static const gint32 numbers[] = {3, -7, 2147483647, 2147483647, 12};
  g_autoptr(MslabDevice) device = open_device(selector);
  MslabReduction sum = reduce(device, "sum", numbers, sizeof numbers);
  MslabReduction range = reduce(device, "minMax-positions", numbers, sizeof numbers);

  g_assert_cmpstr(sum.text, ==, "4294967302");
  g_assert_cmpfloat(sum.numbers[0], ==, 4294967302.0);
  g_assert_cmpuint(sum.n_numbers, ==, 1);
  g_assert_cmpuint(range.n_numbers, ==, 2);
  g_assert_cmpfloat(range.numbers[0], ==, -7);
  g_assert_cmpfloat(range.numbers[1], ==, 2147483647);
  g_assert_true(range.has_positions);
  g_assert_cmpuint(range.positions[0], ==, 1);
  g_assert_cmpuint(range.positions[1], ==, 2);
}

/* The names of all operations, from the message that refuses another one: "…; it takes one of: sum, min, …." */
static char **
list_operations(MslabDevice *device)
{
  const MslabArray array = {"uchar", pixels, 6};
  MslabReduction result;
  g_autoptr(GError) error = NULL;

  g_assert_false(mslab_reduce(device, "product", &array, NULL, &result, &error));
  char *list = strrchr(error->message, ':');
  g_assert_nonnull(list);
  list[strlen(list) - 1] = '\0';
  return g_strsplit(list + 2, ", ", -1);
}

/* Every operation: its numbers are what its text says: "6", "-7 3", or "-7 at 1, 3 at 0". */
static void
test_reduce_shapes(gconstpointer selector)
{
  static const gint32 numbers[] = {3, -7, 120, 120, 12};
  g_autoptr(MslabDevice) device = open_device(selector);
  g_auto(GStrv) operations = list_operations(device);

  g_assert_cmpuint(g_strv_length(operations), >=, 11);
  for (guint i = 0; operations[i]; i++) {
    MslabReduction r = reduce(device, operations[i], numbers, sizeof numbers);
    char first[G_ASCII_DTOSTR_BUF_SIZE], second[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(first, sizeof first, r.numbers[0]);
    g_ascii_dtostr(second, sizeof second, r.numbers[1]);
    g_autofree char *again = r.has_positions ? g_strdup_printf("%s at %" G_GUINT64_FORMAT ", %s at %" G_GUINT64_FORMAT,
                                                               first, r.positions[0], second, r.positions[1])
                                             : g_strconcat(first, r.n_numbers == 2 ? " " : NULL, second, NULL);
    g_test_message("%s: %s", operations[i], r.text);
    g_assert_cmpstr(again, ==, r.text);
    g_assert_true(!r.is_integer || !strpbrk(r.text, ".en"));
  }
  g_assert_false(reduce(device, "mean", numbers, sizeof numbers).is_integer);
  g_assert_true(reduce(device, "count-nonzero", numbers, sizeof numbers).is_integer);
}

static void
test_reduce_refusals(void)
{
  g_autoptr(MslabDevice) device = open_device("reference");
  static const struct {
    const char *operation;
    MslabArray array;
  } rows[] = {{"sum", {"int", pixels, 6}},
              {"product", {"uchar", pixels, 6}},
              {"sum", {"complex", pixels, 6}},
              {"sum", {"uchar", pixels, 0}}};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    MslabReduction result;
    g_autoptr(GError) error = NULL;
    g_assert_false(mslab_reduce(device, rows[i].operation, &rows[i].array, NULL, &result, &error));
    g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE);
  }
}

int
main(int argc, char **argv)
{
  static const char *const both[] = {"cpu", "reference"};

  g_test_init(&argc, &argv, NULL);
  fill_pixels();
  g_test_add_func("/api/version", test_version);
  g_test_add_func("/api/layouts", test_layouts);
  if (g_strcmp0(g_getenv("MS_TEST_FORM"), "suite") != 0)
    g_test_add_func("/api/in-place", test_in_place);
  g_test_add_func("/api/files", test_files);
  g_test_add_func("/api/files/gif", test_gif);
  g_test_add_func("/api/refusals", test_refusals);
  g_test_add_func("/api/devices", test_devices);
  g_test_add_func("/api/filter", test_filter);
  g_test_add_func("/api/filter/frames", test_frames);
  g_test_add_func("/api/filter/threads", test_threads);
  g_test_add_func("/api/filter/band/levels", test_band_of_levels);
  g_test_add_func("/api/regions", test_regions);
  g_test_add_func("/api/reduce/refusals", test_reduce_refusals);
  for (guint i = 0; i < G_N_ELEMENTS(both); i++) {
    static const struct {
      const char *path;
      GTestDataFunc run;
    } rows[] = {{"filter/band", test_band},
                {"regions/refusals", test_region_refusals},
                {"statistics", test_statistics},
                {"reduce", test_reduce},
                {"reduce/shapes", test_reduce_shapes}};
    for (guint k = 0; k < G_N_ELEMENTS(rows); k++) {
      g_autofree char *path = g_strdup_printf("/api/%s/on-%s", rows[k].path, both[i]);
      g_test_add_data_func(path, both[i], rows[k].run);
    }
  }
  return g_test_run();
}
