/* SPDX-License-Identifier: MIT */
/* What reports tell of kernels: occupancy by NVIDIA's rules, and the optional columns. */
#include <math.h>
#include <string.h>

#include "core/lab/measure/occupancy.h"
#include "core/lab/report/report.h"
#include "tests/lab/report-fixture.h"
#include "tests/support/json-schema.h"

/* Of NVIDIA's guides and calculator: groups and warps that a multiprocessor holds at once. */
static const struct {
  guint capability;
  MsKernelNeeds needs;
  guint groups;
  double percent;
  int limit;
} published[] = {
  /* "CUDA C++ Best Practices Guide", 11.1, for capability 7.0: 37 registers */
  {70, {37, 0, 128}, 12, 75, MS_LIMIT_REGISTERS},
  {70, {37, 0, 320}, 4, 62.5, MS_LIMIT_REGISTERS},
  {70, {32, 0, 1024}, 2, 100, MS_LIMIT_WARPS},
  {70, {255, 0, 256}, 1, 12.5, MS_LIMIT_REGISTERS},
  {52, {32, 0, 256}, 8, 100, MS_LIMIT_WARPS},
  {52, {40, 0, 256}, 6, 75, MS_LIMIT_REGISTERS},
  {52, {16, 48 << 10, 256}, 2, 25, MS_LIMIT_LOCAL_MEMORY},
  {52, {16, 0, 32}, 32, 50, MS_LIMIT_GROUPS},
  {75, {64, 0, 256}, 4, 100, MS_LIMIT_WARPS},
  {75, {16, 0, 32}, 16, 50, MS_LIMIT_GROUPS},
  {75, {16, 32 << 10, 512}, 2, 100, MS_LIMIT_WARPS},
  {80, {32, 0, 256}, 8, 100, MS_LIMIT_WARPS},
  {80, {16, 32 << 10, 128}, 4, 25, MS_LIMIT_LOCAL_MEMORY}, /* 1 KiB of each group is the driver's */
  {80, {128, 0, 256}, 2, 25, MS_LIMIT_REGISTERS},
  {86, {40, 0, 256}, 6, 100, MS_LIMIT_WARPS},
  {86, {32, 0, 1024}, 1, 200 / 3.0, MS_LIMIT_WARPS},
  {86, {16, 40000, 64}, 2, 200 / 24.0, MS_LIMIT_LOCAL_MEMORY},
  {90, {64, 0, 1024}, 1, 50, MS_LIMIT_REGISTERS},
  {90, {32, 48 << 10, 256}, 4, 50, MS_LIMIT_LOCAL_MEMORY},
  {90, {32, 0, 33}, 32, 100, MS_LIMIT_WARPS}, /* a started warp counts as a whole one */
  {20, {21, 0, 128}, 8, 200 / 3.0, MS_LIMIT_GROUPS},
  {20, {32, 0, 512}, 2, 200 / 3.0, MS_LIMIT_REGISTERS},
  {70, {255, 0, 1024}, 0, 0, MS_LIMIT_REGISTERS}, /* does not fit at all */
};

static void
test_occupancy(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(published); i++) {
    MsOccupancyLimits limits;
    g_assert_true(ms_occupancy_limits_of_nvidia(published[i].capability, &limits));
    const MsOccupancy found = ms_occupancy_compute(&limits, &published[i].needs);
    g_test_message("%u: %u registers, %u items", published[i].capability, published[i].needs.registers,
                   (guint)published[i].needs.group_size);
    g_assert_cmpuint(found.groups, ==, published[i].groups);
    g_assert_cmpfloat_with_epsilon(found.percent, published[i].percent, 1e-9);
    g_assert_cmpint(found.limit, ==, published[i].limit);
  }
}

static void
test_unknown_capability(void)
{
  MsOccupancyLimits limits;

  g_assert_false(ms_occupancy_limits_of_nvidia(0, &limits));
  g_assert_false(ms_occupancy_limits_of_nvidia(990, &limits));
}

/* As NVIDIA's driver prints it. */
static const char usage[] = "ptxas info    : 0 bytes gmem\n"
                            "ptxas info    : Compiling entry function 'prepare' for 'sm_90'\n"
                            "ptxas info    : Function properties for prepare\n"
                            "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                            "ptxas info    : Used 12 registers, 380 bytes cmem[0]\n"
                            "ptxas info    : Compiling entry function 'prepare_all' for 'sm_90'\n"
                            "ptxas info    : Function properties for prepare_all\n"
                            "    16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
                            "ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem, 400 bytes cmem[0]\n"
                            "ptxas info    : Compiling entry function 'cut' for 'sm_90'\n";

static void
test_registers(void)
{
  g_assert_cmpuint(ms_occupancy_find_registers(usage, "prepare"), ==, 12);
  g_assert_cmpuint(ms_occupancy_find_registers(usage, "prepare_all"), ==, 40);
  g_assert_cmpuint(ms_occupancy_find_registers(usage, "cut"), ==, 0);
  g_assert_cmpuint(ms_occupancy_find_registers(usage, "other"), ==, 0);
  g_assert_cmpuint(ms_occupancy_find_registers("", "prepare"), ==, 0);
  /* the registers of the kernel after it are not its own */
  g_assert_cmpuint(ms_occupancy_find_registers("Compiling entry function 'a' for 'sm_90'\n"
                                               "Compiling entry function 'b' for 'sm_90'\n: Used 7 registers",
                                               "a"),
                   ==, 0);
}

static void
add_note(const MsReportRow *row, const char *name, double registers, double occupancy)
{
  MsKernelNote *note = ms_kernel_note_new(name);

  note->registers = registers;
  note->occupancy = occupancy;
  note->local_bytes = 2048;
  g_ptr_array_add(row->measurement->kernels, note);
}

/* A report without notes has none of their columns; with them it has those that have a value, in every form. */
static void
test_columns(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autofree char *plain = ms_report_to_text(report), *plain_csv = ms_report_to_csv(report);
  g_autofree char *plain_json = ms_report_to_json(report), *plain_latex = ms_report_to_latex(report);
  const MsReportRow *row = ms_report_fixture_row(report, 0);

  g_assert_null(strstr(plain, "registers"));
  g_assert_null(strstr(plain_csv, "registers"));
  g_assert_null(strstr(plain_json, "\"kernels\""));
  g_assert_null(strstr(plain_latex, "registers"));
  add_note(row, "other", 99, 12.5);
  add_note(row, "mean_shift", 40, 62.5);
  MsStageSeries *stage = ms_measurement_stage(row->measurement, "kernel", "mean_shift");
  g_array_append_vals(stage->ns, &(double){1e6}, 1);
  g_autofree char *text = ms_report_to_text(report), *csv = ms_report_to_csv(report);
  g_autofree char *markdown = ms_report_to_markdown(report), *latex = ms_report_to_latex(report);
  g_assert_nonnull(strstr(text, "registers  local B  occupancy %"));
  g_assert_null(strstr(text, "groups at once")); /* of which nothing is known */
  g_assert_nonnull(strstr(text, "       40     2048         62.5  "));
  g_assert_nonnull(strstr(markdown, "| registers | local B | occupancy % |"));
  g_assert_nonnull(strstr(csv, ",throttling,registers,local_bytes,occupancy\r\n"));
  g_assert_nonnull(strstr(csv, ",40,2048,62.5\r\n"));
  g_assert_nonnull(strstr(latex, "configuration & {registers} & {local B} & {occupancy \\%}"));
  g_assert_nonnull(strstr(latex, " & 40 & 2048 & 62.5 \\\\"));
}

static void
test_json(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autoptr(GError) error = NULL;

  add_note(ms_report_fixture_row(report, 0), "mean_shift", 40, NAN);
  g_autoptr(JsonNode) node = ms_report_to_json_node(report);
  g_autofree char *violation = ms_test_schema_violation("report.schema.json", node);
  g_assert_cmpstr(violation, ==, NULL);
  g_autofree char *text = ms_report_to_json(report);
  g_autoptr(MsReport) copy = ms_report_from_json(text, -1, &error);
  g_assert_no_error(error);
  g_autofree char *again = ms_report_to_json(copy);
  g_assert_cmpstr(text, ==, again);
  const MsKernelNote *note = ms_report_fixture_row(copy, 0)->measurement->kernels->pdata[0];
  g_assert_cmpstr(note->name, ==, "mean_shift");
  g_assert_cmpfloat(note->registers, ==, 40);
  g_assert_true(isnan(note->occupancy));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/lab/kernels/occupancy", test_occupancy);
  g_test_add_func("/lab/kernels/unknown-capability", test_unknown_capability);
  g_test_add_func("/lab/kernels/registers", test_registers);
  g_test_add_func("/lab/kernels/columns", test_columns);
  g_test_add_func("/lab/kernels/json", test_json);
  return g_test_run();
}
