/* SPDX-License-Identifier: MIT */
/* What a kernel's machine code has in instructions, which only an optimising compiler makes depend on its options. */
#include <math.h>
#include <string.h>

#include "core/lab/report/environment.h"
#include "core/lab/report/report.h"
#include "tests/lab/lab-fixture.h"
#include "tests/support/fixture.h"

/* On a processor they are counted in the machine code: unrolled loops have more of them. */
static void
test_instructions(MsLabFixture *f, gconstpointer data)
{
  static const char unrolled[] = "[Experiment]\nTitle=Unrolled\nKind=mean-shift\nColumns=instructions\n"
                                 "[Axes]\nunroll=1;4\n[Fixed]\nkernel=direct\nwork-group=8x4\nsize=48x40\n";
  g_autofree char *objdump = g_find_program_in_path("objdump"), *path = g_strdup(g_getenv("PATH"));

  g_autofree char *system = ms_environment_system();
  const MsDeviceLimits *limits = &f->context->device->limits;
  if (limits->type != MS_DEVICE_TYPE_CPU || ms_device_limits_lack_vectors(limits) || !objdump ||
      !strstr(system, "x86_64")) {
    g_test_skip("There is no x86 processor as a device whose programs are machine code, or no objdump.");
    return;
  }
  g_autoptr(MsReport) report = ms_lab_fixture_run(f, unrolled, NULL, NULL);
  const MsMeasurement *m[] = {((const MsReportRow *)report->rows->pdata[0])->measurement,
                              ((const MsReportRow *)report->rows->pdata[1])->measurement};
  for (guint i = 0; i < 2; i++) {
    const MsKernelNote *note = ms_measurement_main_kernel(m[i]);
    g_assert_cmpint(note->counted_in, ==, MS_INSTRUCTIONS_MACHINE_CODE);
    g_assert_cmpfloat(note->instructions.arithmetic, >, 50);
    g_assert_cmpfloat(note->instructions.loads, >, 10);
    g_assert_cmpfloat(note->instructions.stores, >, 0);
    g_assert_cmpfloat(note->instructions.branches, >, 5);
    g_assert_cmpfloat(note->instructions.branches + note->instructions.other, <, note->instructions.total);
    g_assert_true(isnan(note->local_bytes)); /* of the other columns */
  }
  g_assert_cmpfloat(ms_measurement_main_kernel(m[1])->instructions.total, >,
                    ms_measurement_main_kernel(m[0])->instructions.total);
  g_setenv("PATH", "/nonexistent", TRUE);
  g_autoptr(MsReport) without = ms_lab_fixture_run(f, unrolled, NULL, NULL);
  g_setenv("PATH", path, TRUE);
  const MsReportRow *row = without->rows->pdata[0];
  ms_lab_fixture_assert_row(without, row);
  g_assert_cmpint(ms_measurement_main_kernel(row->measurement)->counted_in, ==, MS_INSTRUCTIONS_NO_OBJDUMP);
}

int
main(int argc, char **argv)
{
  static const MsLabTest test = {"/lab/instructions", test_instructions};

  g_test_init(&argc, &argv, NULL);
  ms_lab_fixture_add(&test);
  return g_test_run();
}
