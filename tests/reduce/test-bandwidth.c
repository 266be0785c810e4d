/* SPDX-License-Identifier: MIT */
/* The kernels that measure the bandwidth move every byte that is counted. */
#include <string.h>

#include "core/opencl/transfers.h"
#include "core/reduce/bandwidth.h"
#include "tests/support/fixture.h"

/* With this exclusive or of all that a work-item has read, it stores the sum. */
#define MARK 0x9e3779b9u

/* No multiple of the loads of a step, of a work-group or of all work-items. */
#define VECTORS 23

#define GROUPS 2
#define MOST_WORDS (VECTORS * 16)

/* As processors and as graphics processors run them. */
typedef struct {
  guint width;
  guint group;
  const char *range;
} Form;

static const Form forms[] = {{16, 1, "block_stride"}, {4, 4, "global_stride"}};

typedef struct {
  MsContext *context;
  const Form *form;
  cl_mem source;
  cl_mem out;
} Bench;

static cl_mem
new_buffer(MsContext *context)
{
  cl_mem buffer = ms_context_create_buffer(context, CL_MEM_READ_WRITE, 4 * MOST_WORDS, NULL, NULL);

  g_assert_nonnull(buffer);
  return buffer;
}

/* Runs a kernel of that name over @words; @out receives what it has stored. */
static void
run(const Bench *bench, const char *name, const guint32 *words, guint32 *out)
{
  const Form *form = bench->form;
  const MsBufferRange source = {bench->source, 0, 4 * MOST_WORDS}, target = {bench->out, 0, 4 * MOST_WORDS};
  const cl_int n = VECTORS, times = (cl_int)((VECTORS + GROUPS * form->group - 1) / (GROUPS * form->group));
  const MsKernelArg args[] = {MS_ARG_OF(bench->source), MS_ARG_OF(n), MS_ARG_OF(times), MS_ARG_OF(bench->out)};
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  g_autoptr(GError) error = NULL;

  ms_program_spec_define_text(spec, "ELEM", "uint");
  ms_program_spec_define_int(spec, "GROUP", form->group);
  ms_program_spec_define_int(spec, "WIDTH", form->width);
  ms_program_spec_define_text(spec, "ITEM_RANGE", form->range);
  ms_program_spec_add_part(spec, "prelude/names.cl");
  ms_program_spec_add_part(spec, "reduce/load/lanes.cl");
  ms_program_spec_add_part(spec, "reduce/load/stride.cl");
  ms_program_spec_add_part(spec, "bandwidth/bandwidth.cl");
  g_auto(cl_kernel) kernel = ms_kernel_new(bench->context, spec, name, NULL, &error);
  g_assert_no_error(error);
  memset(out, 0, 4 * MOST_WORDS);
  g_assert_true(ms_context_upload(bench->context, &source, words, NULL, NULL));
  g_assert_true(ms_context_upload(bench->context, &target, out, NULL, NULL));
  g_assert_true(ms_kernel_set_args(kernel, name, args, G_N_ELEMENTS(args), NULL));
  g_assert_true(ms_context_launch(
    bench->context, &(MsLaunch){kernel, name, ms_nd_range_of_groups(GROUPS, form->group), 0}, NULL, NULL));
  g_assert_true(ms_context_download(bench->context, &target, out, NULL, NULL));
}

static void
check_copy(const Bench *bench)
{
  const guint n = VECTORS * bench->form->width;
  guint32 words[MOST_WORDS], out[MOST_WORDS];

  for (guint i = 0; i < MOST_WORDS; i++)
    words[i] = i + 1;
  run(bench, "bandwidth_copy", words, out);
  g_assert_cmpmem(out, 4 * n, words, 4 * n);
}

/* One vector after the other has a mark, which the work-item that reads it stores. */
static void
check_read(const Bench *bench)
{
  for (guint vector = 0; vector < VECTORS; vector++) {
    guint32 words[MOST_WORDS] = {0}, out[MOST_WORDS];
    guint found = 0;
    words[vector * bench->form->width + vector % bench->form->width] = MARK;
    run(bench, "bandwidth_read", words, out);
    for (guint i = 0; i < GROUPS * bench->form->group; i++)
      found += out[i] == MARK;
    g_assert_cmpuint(found, ==, 1);
  }
}

static void
test_kernels(void)
{
  SET_UP_CONTEXT(context);
  for (guint i = 0; i < G_N_ELEMENTS(forms); i++) {
    Bench bench = {context, &forms[i], new_buffer(context), new_buffer(context)};
    check_copy(&bench);
    check_read(&bench);
    clReleaseMemObject(bench.source);
    clReleaseMemObject(bench.out);
  }
}

static void
write_slow_peak(const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);

  g_assert_true(g_file_set_contents(path, "[bandwidth]\nread=0.001\ncopy=0.001\n", -1, NULL));
}

/* A stored peak that a pass exceeds was measured while the machine was busy; the oracle is the benchmark itself. */
static void
test_exceeded_peak(void)
{
  SET_UP_CONTEXT(context);
  g_autofree char *first = g_dir_make_tmp("bandwidth-XXXXXX", NULL), *second = g_dir_make_tmp("bandwidth-XXXXXX", NULL);
  MsBandwidth measured, stale, kept;

  g_assert_true(ms_bandwidth_get(context, first, &measured, NULL, NULL));
  g_autoptr(GDir) folder = g_dir_open(first, 0, NULL);
  write_slow_peak(second, g_dir_read_name(folder));
  g_assert_true(ms_bandwidth_get(context, second, &stale, NULL, NULL));
  g_assert_cmpfloat(stale.read, ==, 0.001);
  ms_bandwidth_confirm(context, second, 0.0005, &stale, NULL);
  g_assert_cmpfloat(stale.read, ==, 0.001);
  ms_bandwidth_confirm(context, second, 0.002, &stale, NULL);
  g_assert_cmpfloat(stale.read, >, 0.01);
  g_assert_true(ms_bandwidth_load(context, second, &kept));
  g_assert_cmpfloat(kept.read, >, 0.01);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/bandwidth/kernels", test_kernels);
  g_test_add_func("/bandwidth/exceeded-peak", test_exceeded_peak);
  return g_test_run();
}
