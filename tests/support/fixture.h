/* SPDX-License-Identifier: MIT */
/* Shared by all tests: the device under test, generated images, and a comparison that saves an amplified difference. */
#pragma once

#include "core/filter/mean-shift.h"
#include "core/filter/plan/plan.h"
#include "core/image/common/image.h"
#include "core/lab/measure/conditions.h"
#include "core/reduce/image-statistics.h"
#include "core/reduce/sort.h"
#include "core/opencl/context.h"

/**
 * SET_UP_CONTEXT: declares @context, which is open on the device under test; returns from the test, which is skipped or
 * failed, if there is no device.
 */
#define SET_UP_CONTEXT(context)                                                                                        \
  g_autoptr(MsContext) context = ms_fixture_context();                                                                 \
  if (!context)                                                                                                        \
  return

/** MsTestForm: what runs: the suite, what CI adds to it, or everything. */
typedef enum { MS_TEST_SUITE, MS_TEST_CI, MS_TEST_LONG } MsTestForm;

MsTestForm ms_fixture_form(void);
MsContext *ms_fixture_context(void);
MsMeanShift *ms_fixture_open_several(void);
guint ms_fixture_count_descriptors(void);
gboolean ms_fixture_under_oclgrind(void);
gboolean ms_fixture_has_vectors(MsContext *context, MsKernel kernel);
MsDeviceLimits ms_fixture_limits(MsDeviceType type);

/** MsPlanCase: a job on an invented device, whose members a test changes before ms_plan_case_new(). */
typedef struct {
  MsJob job;
  MsSettings settings;
  MsDeviceShare share;
  MsDeviceLimits limits;
} MsPlanCase;

MsPlanCase ms_plan_case(const MsSettings *settings, const MsDeviceLimits *limits, int width, int height);
MsPlan *ms_plan_case_new(const MsPlanCase *self, GError **error);
char *ms_plan_case_refusal(const MsPlanCase *self);
void ms_fixture_assert_refused(const MsPlanCase *request, const char *word);
gboolean ms_fixture_sort(const MsDeviceRun *run, const MsSortRequest *request, void *keys, GError **error);
void ms_fixture_statistics(const guint8 *pixels, guint64 n_pixels, MsImageStatistics *statistics);
char *ms_fixture_nvml_library(void);
MsSensor *ms_fixture_nvml(const char *device, const MsPciAddress *address);
char *ms_fixture_picture(const char *relative);
MsImage *ms_fixture_filter(MsMeanShift *filter, MsJob job, GError **error);
MsImage *ms_fixture_reference(MsImage *source, const MsParams *params, const MsRegion *region, GError **error);
MsImage *ms_fixture_reference_modes(MsImage *source, const MsParams *params, guint16 *modes, GError **error);
MsImage *ms_fixture_noise(int width, int height, guint32 seed);
MsImage *ms_fixture_scene(int width, int height, guint32 seed);
MsImage *ms_fixture_map(int width, int height, GBytes *icc);
void ms_fixture_assert_same(MsImage *expected, MsImage *actual, const char *what);
