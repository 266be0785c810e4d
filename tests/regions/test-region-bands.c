/* SPDX-License-Identifier: MIT */
/*
 * Regions of pictures that are filtered in several stripes, or on two devices, against those of the serial code, label
 * by label: a region that crosses from one stripe into the next is one region.
 */
#include "core/filter/plan/plan.h"
#include "core/regions/segmentation.h"
#include "tests/support/fixture.h"

#define WIDTH 70
#define HEIGHT 120

/* Rows of a stripe, without its halo. */
#define STRIPE_ROWS 17

#define LEAST_PIXELS 12

typedef struct {
  const char *name;
  MsSpace space;
  double sr;
  int levels;
} Row;

static const Row rows[] = {{"rgb", MS_SPACE_RGB, 40, 0}, {"luv", MS_SPACE_LUV, 24, 0}, {"levels", MS_SPACE_RGB, 14, 2}};

/* A picture with its regions by the serial code. */
typedef struct {
  MsImage *source;
  MsSettings settings;
  MsSegmentation *expected;
} Case;

static void
clear_case(Case *self)
{
  g_clear_object(&self->source);
  g_clear_pointer(&self->expected, ms_segmentation_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Case, clear_case)

static Case
make_case(const Row *row)
{
  Case self = {ms_fixture_scene(WIDTH, HEIGHT, 14), ms_settings_default(), NULL};
  guint16 modes[WIDTH * HEIGHT * 2];
  g_autoptr(GError) error = NULL;

  self.settings.params.sp = 4;
  self.settings.params.sr = row->sr;
  self.settings.params.max_iterations = 3;
  self.settings.params.space = row->space;
  self.settings.params.levels = row->levels;
  g_autoptr(MsImage) filtered = ms_fixture_reference_modes(self.source, &self.settings.params, modes, &error);
  g_assert_no_error(error);
  self.expected = ms_segmentation_new(&(MsFiltered){.image = filtered, .modes = modes, .params = &self.settings.params},
                                      LEAST_PIXELS, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(self.expected->n, >, 10);
  return self;
}

/* Whether some region has pixels on both sides of the upper border of row @y. */
static gboolean
crosses(const MsSegmentation *s, int y)
{
  for (int x = 0; x < s->width; x++)
    if (s->labels[y * s->width + x] == s->labels[(y - 1) * s->width + x])
      return TRUE;
  return FALSE;
}

static void
compare(const Case *self, MsContext *context, MsImage *filtered, const guint16 *modes)
{
  const MsRegionOptions options = {LEAST_PIXELS, MS_REGION_RANGE_DEFAULT, NULL};
  const gsize bytes = WIDTH * HEIGHT * sizeof(guint32);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsSegmentation) actual =
    ms_segmentation_new_on(context, &(MsFiltered){.image = filtered, .modes = modes, .params = &self->settings.params},
                           &options, NULL, &error);

  g_assert_no_error(error);
  g_assert_cmpuint(actual->n, ==, self->expected->n);
  g_assert_cmpmem(actual->labels, bytes, self->expected->labels, bytes);
}

static MsJob
request_modes(const Case *self, guint16 *modes)
{
  return (MsJob){.source = self->source, .settings = &self->settings, .wants_modes = TRUE, .modes_into = modes};
}

/* The memory for stripes of STRIPE_ROWS rows; checks that a filter with so much cuts the picture, across regions. */
static guint64
budget_for_stripes(MsMeanShift *filter, const Case *self, guint16 *modes)
{
  MsJob request = request_modes(self, modes);
  g_autoptr(GError) error = NULL;
  guint crossed = 0;
  g_autoptr(MsPlan) whole = ms_mean_shift_plan(filter, &request, &error);

  g_assert_no_error(error);
  const guint64 budget = ms_plan_device_bytes(whole, STRIPE_ROWS) + (whole->coarser ? 3 * WIDTH * STRIPE_ROWS : 0);
  ms_mean_shift_set_memory_budget(filter, budget);
  g_autoptr(MsPlan) cut = ms_mean_shift_plan(filter, &request, &error);
  g_assert_no_error(error);
  g_assert_cmpint(cut->tile_rows, <=, STRIPE_ROWS);
  g_assert_cmpint(cut->in_tiles, ==, cut->coarser != NULL);
  for (int y = cut->tile_rows; y < HEIGHT; y += cut->tile_rows)
    crossed += crosses(self->expected, y);
  g_assert_cmpuint(crossed, >, 0);
  return budget;
}

static void
test_stripes(gconstpointer row)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  guint16 modes[WIDTH * HEIGHT * 2];
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  g_auto(Case) self = make_case(row);
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  MsJob request = request_modes(&self, modes);
  budget_for_stripes(filter, &self, modes);
  g_autoptr(MsImage) filtered = ms_fixture_filter(filter, request, &error);
  g_assert_no_error(error);
  compare(&self, context, filtered, modes);
}

/* Two contexts on one device compute a half each; where the memory is the machine's, in stripes. */
static void
test_devices(gconstpointer row)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GPtrArray) contexts = g_ptr_array_new_with_free_func((GDestroyNotify)ms_context_unref);
  guint16 modes[WIDTH * HEIGHT * 2];
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  g_auto(Case) self = make_case(row);
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  const guint64 budget = budget_for_stripes(filter, &self, modes);
  g_ptr_array_add(contexts, ms_context_ref(context));
  g_ptr_array_add(contexts, ms_context_new(context->device, &error));
  g_assert_no_error(error);
  g_autoptr(MsMeanShift) both = ms_mean_shift_new_several(contexts);
  ms_mean_shift_set_division(both, MS_DIVISION_EQUAL);
  ms_mean_shift_set_host_budget(both, 2 * budget);
  MsJob request = request_modes(&self, modes);
  g_autoptr(MsImage) filtered = ms_fixture_filter(both, request, &error);
  g_assert_no_error(error);
  g_assert_cmpint(ms_mean_shift_get_rows(both, 1), ==, HEIGHT / 2);
  compare(&self, context, filtered, modes);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *stripes = g_strdup_printf("/region-bands/stripes/%s", rows[i].name);
    g_test_add_data_func(stripes, &rows[i], test_stripes);
  }
  g_test_add_data_func("/region-bands/devices", &rows[0], test_devices);
  return g_test_run();
}
