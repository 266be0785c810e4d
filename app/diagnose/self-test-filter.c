/* SPDX-License-Identifier: MIT */
#include "app/diagnose/self-test.h"

#include "core/filter/mean-shift.h"
#include "core/regions/device-labels.h"
#include "core/regions/segmentation.h"

/* Sides that are no multiple of any work-group, so that the kernels meet the borders of the image. */
#define WIDTH 97
#define HEIGHT 61
#define RADIUS 4

/** Variant: what a test changes in the default settings. */
typedef struct {
  const char *name;
  MsKernel kernel;
  int memory;
  int schedule;
  int levels;
  MsSpace space;
} Variant;

/* The settings tested beside each kernel's default: the program parts that defaults leave out. */
static const Variant variants[] = {
  {"direct, image objects", MS_KERNEL_DIRECT, .memory = MS_MEMORY_IMAGE},
  {"direct, refill", MS_KERNEL_DIRECT, .schedule = MS_SCHEDULE_REFILL},
  {"pyramid levels", .levels = 2},
  {"L*u*v*", .space = MS_SPACE_LUV},
  {"L*a*b*", .space = MS_SPACE_LAB},
};

static MsImage *
new_image(void)
{
  gsize n = (gsize)WIDTH * HEIGHT * 4;
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  guint8 *pixels = g_malloc(n);

  for (gsize i = 0; i < n; i++)
    pixels[i] = (guint8)(i % 4 == 3 ? 255 : (i / 16 + (gsize)g_rand_int_range(random, 0, 40)) % 256);
  return ms_image_new_take(WIDTH, HEIGHT, pixels, NULL);
}

static MsSettings
settings_of(const Variant *variant)
{
  MsSettings settings = ms_settings_default();

  settings.params.sp = RADIUS;
  settings.params.levels = variant->levels;
  settings.params.space = variant->space;
  settings.options.kernel = variant->kernel;
  settings.options.memory = variant->memory;
  settings.options.schedule = variant->schedule;
  return settings;
}

static void
test_variant(MsSelfTest *self, MsMeanShift *filter, MsImage *source, const Variant *variant)
{
  const MsSettings settings = settings_of(variant);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) result =
    ms_mean_shift_run(filter, &(MsFilterRequest){.source = source, .settings = &settings}, &error);
  g_autoptr(MsImage) reference = result ? ms_reference_run(source, &settings.params, NULL, &error) : NULL;

  ms_self_test_add(self, variant->name, reference ? ms_image_compare(result, reference).mismatched_pixels : 0, error);
}

static guint64
count_different(const guint32 *a, const guint32 *b, gsize n)
{
  guint64 different = 0;

  for (gsize i = 0; i < n; i++)
    different += a[i] != b[i];
  return different;
}

/* The kernels that number regions, on the modes of the serial code. */
static void
test_labels(MsSelfTest *self, const MsFiltered *filtered)
{
  const MsLabelRequest request = {.closeness = ms_segmentation_closeness(filtered, MS_REGION_RANGE_DEFAULT)};
  g_autofree guint32 *memory = g_new0(guint32, WIDTH * HEIGHT);
  MsLabels labels = {.of_pixel = memory};
  g_autoptr(GError) error = NULL;
  g_autoptr(MsSegmentation) serial = ms_segmentation_new(filtered, 0, NULL, &error);
  guint64 different = 0;

  if (serial && ms_device_labels_find(self->context, &request, &labels, &error))
    different = count_different(memory, serial->labels, WIDTH * HEIGHT) + (labels.count != serial->n);
  ms_self_test_add(self, "labels of regions", different, error);
}

static void
test_modes(MsSelfTest *self, MsMeanShift *filter, MsImage *source)
{
  const MsSettings settings = settings_of(&(Variant){0});
  g_autofree guint16 *found = g_new0(guint16, 2 * WIDTH * HEIGHT), *serial = g_new0(guint16, 2 * WIDTH * HEIGHT);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) reference = ms_reference_run_with_modes(source, &settings.params, serial, NULL, &error);
  g_autoptr(MsImage) result =
    reference
      ? ms_mean_shift_run(filter, &(MsFilterRequest){.source = source, .settings = &settings, .modes = found}, &error)
      : NULL;

  ms_self_test_add(self, "modes", result ? count_different((guint32 *)found, (guint32 *)serial, WIDTH * HEIGHT) : 0,
                   error);
  if (!reference)
    return;
  test_labels(self, &(MsFiltered){reference, serial, &settings.params});
}

/** ms_self_test_filter: tests the kernels of the filter, of colour spaces and of regions. */
void
ms_self_test_filter(MsSelfTest *self)
{
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(self->context);
  g_autoptr(MsImage) source = new_image();

  for (int i = MS_KERNEL_AUTO + 1; ms_filter_kernel_names[i]; i++)
    test_variant(self, filter, source, &(Variant){ms_filter_kernel_names[i], (MsKernel)i});
  for (guint i = 0; i < G_N_ELEMENTS(variants); i++)
    test_variant(self, filter, source, &variants[i]);
  test_modes(self, filter, source);
}
