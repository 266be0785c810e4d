/* SPDX-License-Identifier: MIT */
/* Regions within a budget of memory: a refusal says what is needed, and the result does not depend on the budget. */
#include <string.h>

#include "core/regions/region-plan.h"
#include "core/regions/segment-table.h"
#include "tests/support/fixture.h"

#define WIDTH 301
#define HEIGHT 233
#define PIXELS ((guint64)WIDTH * HEIGHT)

static void
test_plan(void)
{
  MsRegionPlanRequest request = {.width = 1000, .height = 100, .params = ms_settings_default().params};
  MsRegionPlan plan = ms_region_plan(&request);

  /* The picture with its decoder; with result and modes; and with labels in addition. */
  g_assert_cmpuint(plan.reading, ==, 12 * 100000);
  g_assert_cmpuint(plan.filtering, ==, 12 * 100000);
  g_assert_cmpuint(plan.finding, ==, 12 * 100000);
  g_assert_cmpuint(plan.writing, ==, 8 * 100000);
  g_assert_cmpuint(plan.least, ==, 16 * 100000);
  request.paints = TRUE;
  g_assert_cmpuint(ms_region_plan(&request).least, ==, 20 * 100000);
  request.keeps_modes = TRUE;
  g_assert_cmpuint(ms_region_plan(&request).least, ==, 24 * 100000);
  request.params.levels = 2;
  g_assert_cmpuint(ms_region_plan(&request).filtering, >=, (12 + 16 / 4 + 16 / 16) * 100000);
  request.params.space = MS_SPACE_LUV;
  g_assert_cmpuint(ms_region_plan(&request).filtering, >=, (16 + 16 / 4 + 16 / 16) * 100000);
  request.width = request.height = 1 << 30;
  g_assert_cmpuint(ms_region_plan(&request).least, >, (guint64)1 << 62);
}

static void
test_budget(void)
{
  MsMemoryBudget budget = {.most = 100};
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_memory_budget_take(NULL, G_MAXUINT64));
  g_assert_false(ms_memory_budget_fail(NULL, &error));
  g_assert_true(ms_memory_budget_take(&budget, 60));
  const guint64 mark = ms_memory_budget_mark(&budget);
  g_assert_true(ms_memory_budget_take(&budget, 40));
  g_assert_false(ms_memory_budget_fail(&budget, &error));
  g_assert_false(ms_memory_budget_take(&budget, 1));
  ms_memory_budget_return(&budget, mark);
  g_assert_false(ms_memory_budget_take(&budget, 50));
  g_assert_cmpuint(budget.held, ==, 60);
  g_assert_cmpuint(budget.needed, ==, 101);
  g_assert_true(ms_memory_budget_fail(&budget, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_TOO_LARGE);
}

/* A filtered picture with many regions of all sizes. */
typedef struct {
  MsImage *image;
  guint16 *modes;
  MsSettings settings;
  MsFiltered filtered;
} Scene;

static void
scene_clear(Scene *self)
{
  g_clear_object(&self->image);
  g_clear_pointer(&self->modes, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Scene, scene_clear)

static void
scene_init(Scene *self)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(5);
  guint8 *pixels = g_malloc(PIXELS * 4);

  for (guint64 i = 0; i < PIXELS; i++)
    memset(pixels + 4 * i, 40 * g_rand_int_range(random, 0, 3), 4);
  self->image = ms_image_new_take(WIDTH, HEIGHT, pixels, NULL);
  self->modes = g_new0(guint16, 2 * PIXELS);
  self->settings = ms_settings_default();
  self->filtered = (MsFiltered){.image = self->image, .modes = self->modes, .params = &self->settings.params};
}

static char *
find(MsContext *context, const Scene *scene, guint min_pixels, MsMemoryBudget *budget, GError **error)
{
  const MsRegionOptions options = {min_pixels, MS_REGION_RANGE_DEFAULT, budget};
  g_autoptr(MsSegmentation) found = ms_segmentation_new_on(context, &scene->filtered, &options, NULL, error);
  const guint64 held = budget ? budget->held : 0;

  if (!found)
    return NULL;
  g_assert_cmpuint(held, ==, budget ? PIXELS * 4 : 0);
  const MsDeviceRun run = {context, NULL, NULL};
  g_autoptr(MsSegmentTable) table =
    ms_segment_table_new_within(context ? &run : NULL, found, scene->image, budget, error);
  if (budget)
    g_assert_cmpuint(budget->held - held, ==,
                     table ? table->n * sizeof(MsSegment) + table->n_neighbours * sizeof(guint32) : 0);
  return table ? ms_segment_table_to_csv(table) : NULL;
}

/*
 * Every refusal asks for more than there was, and several stages refuse, until the budget suffices.
 */
static void
check_budgets(MsContext *context, const Scene *scene, guint min_pixels, guint least_refusals)
{
  g_autofree char *expected = find(context, scene, min_pixels, NULL, NULL);
  g_autofree char *actual = NULL;
  guint64 most = 1;
  guint refusals = 0;

  while (!actual) {
    MsMemoryBudget budget = {.most = most};
    g_autoptr(GError) error = NULL;
    actual = find(context, scene, min_pixels, &budget, &error);
    if (actual)
      break;
    g_assert_error(error, MS_ERROR, MS_ERROR_TOO_LARGE);
    g_assert_cmpuint(budget.needed, >, most);
    most = budget.needed;
    refusals++;
  }
  g_test_message("%u refusals", refusals);
  g_assert_cmpuint(refusals, >=, least_refusals);
  g_assert_cmpstr(actual, ==, expected);
}

static void
test_refusals(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_auto(Scene) scene = {NULL};

  scene_init(&scene);
  check_budgets(NULL, &scene, 1, 3);
  check_budgets(NULL, &scene, 30, 4);
  if (!context)
    return;
  check_budgets(context, &scene, 1, 3);
  check_budgets(context, &scene, 30, 2);
}

/* The buffers of a device that uses the machine's memory count: colours, modes, parents and labels, and the host's. */
static void
test_shared_memory(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GError) error = NULL;
  g_auto(Scene) scene = {NULL};
  MsMemoryBudget budget = {.most = 5 * 4 * PIXELS};

  if (!context || ms_device_has_own_memory(context->device))
    return;
  scene_init(&scene);
  g_assert_null(find(context, &scene, 1, &budget, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_TOO_LARGE);
  g_assert_cmpuint(budget.needed, >, budget.most);
  g_assert_cmpuint(budget.needed, <, budget.most + PIXELS);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/region-memory/plan", test_plan);
  g_test_add_func("/region-memory/budget", test_budget);
  g_test_add_func("/region-memory/refusals", test_refusals);
  g_test_add_func("/region-memory/shared-memory", test_shared_memory);
  return g_test_run();
}
