/* SPDX-License-Identifier: MIT */
/*
 * core/opencl on a real device: limits, choice, composition, build failures, and the cache of binaries with damaged
 * files.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "core/opencl/device-clock.h"
#include "core/opencl/cl.h"
#include "core/opencl/device-choice.h"
#include "core/opencl/driver-cache.h"
#include "core/opencl/program.h"
#include "core/opencl/kept-memory.h"
#include "core/opencl/transfers.h"
#include "tests/support/fixture.h"

static void
test_status_names(void)
{
  g_autoptr(GError) error = NULL;

  g_assert_cmpstr(ms_cl_status_name(CL_OUT_OF_RESOURCES), ==, "CL_OUT_OF_RESOURCES");
  g_assert_cmpstr(ms_cl_status_name(-9999), ==, "unknown OpenCL status");
  g_assert_true(ms_cl_check(CL_SUCCESS, &error, "resting"));
  g_assert_no_error(error);
  g_assert_false(ms_cl_check(CL_MEM_OBJECT_ALLOCATION_FAILURE, &error, "allocating %d bytes", 7));
  g_assert_error(error, MS_ERROR, MS_ERROR_MEMORY);
  g_assert_nonnull(strstr(error->message, "allocating 7 bytes: CL_MEM_OBJECT_ALLOCATION_FAILURE"));
}

static void
test_limits_are_read(void)
{
  SET_UP_CONTEXT(context);
  MsDevice *device = context->device;
  const MsDeviceLimits *limits = &device->limits;
  g_assert_cmpuint(strlen(device->name), >, 0);
  g_assert_cmpuint(strlen(device->driver), >, 0);
  g_assert_cmpuint(limits->compute_units, >, 0);
  g_assert_cmpuint(limits->global_memory, >, 1 << 20);
  g_assert_cmpuint(limits->max_allocation, >, 1 << 20);
  g_assert_cmpuint(limits->max_work_group, >=, 1);
  g_assert_cmpuint(limits->max_work_item[0], >=, 1);
  g_assert_cmpuint(limits->opencl_version, >=, 110);
  g_assert_true(ms_device_matches(device, "auto"));
  g_assert_true(ms_device_matches(device, device->address));
  g_assert_true(ms_device_matches(device, device->name));
  g_assert_true(ms_device_matches(device, device->title));
  g_assert_false(ms_device_matches(device, "99:99"));
}

/* Names that drivers give, and those that people know. */
static void
test_short_names(void)
{
  static const char pocl[] = "Portable Computing Language", intel[] = "Intel(R) OpenCL", nvidia[] = "NVIDIA CUDA",
                    amd[] = "AMD Accelerated Parallel Processing";
  static const char *const cases[][3] = {
    {"pthread-haswell-Intel(R) Xeon(R) Processor @ 2.10GHz", pocl, "Intel Xeon (PoCL)"},
    {"pthread-Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", pocl, "Intel Xeon Platinum 8481C (PoCL)"},
    {"cpu-skylake-avx512-Intel(R) Core(TM) i7-1260P", pocl, "Intel Core i7-1260P (PoCL)"},
    {"cpu-sapphirerapids-Intel(R) Xeon(R) Platinum 8480+", pocl, "Intel Xeon Platinum 8480+ (PoCL)"},
    {"pthread-znver2-AMD EPYC 7B12 64-Core Processor", pocl, "AMD EPYC 7B12 (PoCL)"},
    {"cpu-znver3-AMD Ryzen 7 5800H with Radeon Graphics", pocl, "AMD Ryzen 7 5800H (PoCL)"},
    {"pthread-cortex-a72", pocl, "cortex-a72 (PoCL)"},
    {"cpu-neoverse-n1-0xd0c", pocl, "neoverse-n1 (PoCL)"},
    {"cpu-apple-m1-Apple M1", pocl, "Apple M1 (PoCL)"},
    {"basic-", pocl, "basic- (PoCL)"},
    {"NVIDIA H200", pocl, "NVIDIA H200 (PoCL)"},
    {"NVIDIA H200", nvidia, "NVIDIA H200"},
    {"NVIDIA H100 80GB HBM3", nvidia, "NVIDIA H100"},
    {"GeForce GTX 1080 Ti", nvidia, "NVIDIA GeForce GTX 1080 Ti"},
    {"Tesla V100-SXM2-16GB", nvidia, "NVIDIA Tesla V100-SXM2-16GB"},
    {"gfx1030", amd, "AMD gfx1030"},
    {"gfx90a:sramecc+:xnack-", amd, "AMD gfx90a"},
    {"AMD Radeon RX 6800 (radeonsi, navi21, LLVM 15.0.7, DRM 3.49)", "rusticl", "AMD Radeon RX 6800 (rusticl)"},
    {"Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "rusticl", "Intel UHD Graphics 620 (rusticl)"},
    {"Intel(R) Xeon(R) CPU E5-2670 v3 @ 2.30GHz", intel, "Intel Xeon E5-2670 v3"},
    {"12th Gen Intel(R) Core(TM) i5-1240P", intel, "12th Gen Intel Core i5-1240P"},
    {"Intel(R) UHD Graphics 770 [0x4680]", "Intel(R) OpenCL Graphics", "Intel UHD Graphics 770"},
    {"Intel(R) Gen9 HD Graphics NEO", "Intel(R) OpenCL HD Graphics", "Intel Gen9 HD Graphics"},
    {"Apple M2 Pro", "Apple", "Apple M2 Pro"},
    {"AMD Radeon Pro 560X Compute Engine", "Apple", "AMD Radeon Pro 560X"},
    {"Oclgrind Simulator", "Oclgrind", "Oclgrind Simulator"},
    {"cpu-like name", intel, "cpu-like name"},
    {"CPU", intel, "CPU"},
    {"", "", ""},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *name = ms_device_short_name(cases[i][0], cases[i][1]);
    g_assert_cmpstr(name, ==, cases[i][2]);
  }
}

/* (transfer full): a device of which only the title is known */
static MsDevice *
titled(const char *title)
{
  MsDeviceLimits limits = {0};
  const char *const texts[] = {"", "", "", "", "", "", "", title};

  g_autoptr(GVariant) snapshot =
    g_variant_ref_sink(g_variant_new("(@as@ay)", g_variant_new_strv(texts, G_N_ELEMENTS(texts)),
                                     g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, &limits, sizeof limits, 1)));
  return ms_device_new_from_snapshot(snapshot);
}

static void
test_equal_devices_are_numbered(void)
{
  static const char *const titles[][2] = {
    {"NVIDIA H200", "NVIDIA H200 #1"}, {"Intel Xeon", "Intel Xeon"}, {"NVIDIA H200", "NVIDIA H200 #2"}};
  g_autoptr(GPtrArray) devices = g_ptr_array_new_with_free_func((GDestroyNotify)ms_device_unref);

  for (guint i = 0; i < G_N_ELEMENTS(titles); i++)
    g_ptr_array_add(devices, titled(titles[i][0]));
  ms_device_number_titles(devices);
  for (guint i = 0; i < G_N_ELEMENTS(titles); i++)
    g_assert_cmpstr(((MsDevice *)devices->pdata[i])->title, ==, titles[i][1]);
}

static void
test_unknown_device(void)
{
  g_autoptr(MsContext) present = ms_fixture_context();
  g_autoptr(GError) error = NULL;

  if (!present)
    return;
  g_autoptr(MsContext) context = ms_device_choose("no such device", NULL, &error);
  g_assert_null(context);
  g_assert_error(error, MS_ERROR, MS_ERROR_NO_DEVICE);
  g_assert_nonnull(strstr(error->message, "no such device"));
  g_assert_nonnull(strstr(error->message, present->device->name));
}

static void
test_build_failure_carries_the_log(void)
{
  static const char broken[] = "__kernel void broken(__global int *x) { *x = mean_of(*x); }\n";
  g_autoptr(GBytes) source = g_bytes_new_static(broken, sizeof broken - 1);
  SET_UP_CONTEXT(context);
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  g_autoptr(GError) error = NULL;

  ms_program_spec_add_source(spec, "broken.cl", source);
  g_assert_null(ms_context_build(context, spec, NULL, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_BUILD);
  g_assert_nonnull(strstr(error->message, "mean_of"));
}

static MsProgramSpec *
probe_spec(void)
{
  MsProgramSpec *spec = ms_program_spec_new();

  ms_program_spec_add_part(spec, "probe.cl");
  ms_program_spec_define_int(spec, "SALT", 12345);
  return spec;
}

static void
assert_builds(MsContext *context, MsProgramSpec *spec, const char *folder, gboolean from_cache)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsProgram) program = ms_program_build(context->cl, context->device, spec, folder, &error);

  g_assert_no_error(error);
  g_assert_true(ms_program_is_from_cache(program) == from_cache);
  g_auto(cl_kernel) kernel = ms_program_create_kernel(program, "probe", &error);
  g_assert_no_error(error);
}

/* Truncates a file to @size bytes, or to half of its size if it is not longer. */
static void
truncate_file(const char *path, gsize size)
{
  g_autofree char *data = NULL;
  gsize length;

  g_assert_true(g_file_get_contents(path, &data, &length, NULL));
  g_assert_true(g_file_set_contents(path, data, (gssize)(size < length ? size : length / 2), NULL));
}

static void
flip_byte(const char *path)
{
  g_autofree char *data = NULL;
  gsize length;

  g_assert_true(g_file_get_contents(path, &data, &length, NULL));
  data[length - 1] = (char)~data[length - 1];
  g_assert_true(g_file_set_contents(path, data, (gssize)length, NULL));
}

static void
test_cache_survives_damage(void)
{
  SET_UP_CONTEXT(context);
  g_autoptr(MsProgramSpec) spec = probe_spec();
  g_autofree char *folder = g_dir_make_tmp("ms-cache-XXXXXX", NULL);

  g_autofree char *key = ms_program_cache_key(context->device, spec);
  g_autofree char *name = g_strconcat(key, ".bin", NULL);
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_setenv("CUDA_CACHE_DISABLE", "1", TRUE); /* else NVIDIA's own cache serves */
  assert_builds(context, spec, folder, FALSE);
  assert_builds(context, spec, folder, TRUE);
  static const gsize sizes[] = {0, 5, 100, 136, 137, 1000};
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    truncate_file(path, sizes[i]);
    assert_builds(context, spec, folder, FALSE);
    assert_builds(context, spec, folder, TRUE);
  }
  flip_byte(path);
  assert_builds(context, spec, folder, FALSE);
  g_unsetenv("CUDA_CACHE_DISABLE");
  g_unlink(path);
  g_rmdir(folder);
}

/* NVIDIA's driver keeps programs by their source, in a folder that is there from its first program on. */
static void
test_cache_of_the_driver(void)
{
  g_autofree char *folder = g_dir_make_tmp("ms-cache-XXXXXX", NULL);
  g_autofree char *known = g_strdup(g_getenv("CUDA_CACHE_PATH"));

  g_setenv("CUDA_CACHE_PATH", folder, TRUE);
  g_assert_true(ms_driver_cache_keeps_sources(90));
  g_assert_false(ms_driver_cache_keeps_sources(0));
  g_setenv("CUDA_CACHE_DISABLE", "1", TRUE);
  g_assert_false(ms_driver_cache_keeps_sources(90));
  g_unsetenv("CUDA_CACHE_DISABLE");
  g_rmdir(folder);
  g_assert_false(ms_driver_cache_keeps_sources(90));
  if (known)
    g_setenv("CUDA_CACHE_PATH", known, TRUE);
  else
    g_unsetenv("CUDA_CACHE_PATH");
}

static void
test_cache_key_tells_programs_apart(void)
{
  SET_UP_CONTEXT(context);
  g_autoptr(MsProgramSpec) a = probe_spec();
  g_autoptr(MsProgramSpec) b = probe_spec();

  g_autofree char *same_a = ms_program_cache_key(context->device, a);
  g_autofree char *same_b = ms_program_cache_key(context->device, b);
  g_assert_cmpstr(same_a, ==, same_b);
  ms_program_spec_define_int(b, "OTHER", 1);
  g_autofree char *other = ms_program_cache_key(context->device, b);
  g_assert_cmpstr(same_a, !=, other);
}

static void
test_unwritable_cache_costs_only_time(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsProgramSpec) spec = probe_spec();

  if (context)
    assert_builds(context, spec, "/proc/no-such-folder", FALSE);
}

static void
test_composition(void)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();

  ms_program_spec_add_part(spec, "prelude/types.cl");
  ms_program_spec_add_part(spec, "probe.cl");
  ms_program_spec_define_int(spec, "SP", 5);
  ms_program_spec_define_text(spec, "NAME", "value");
  g_autofree char *text = ms_program_spec_compose(spec);
  const char *first = strstr(text, "#line 1 \"prelude/types.cl\"");
  const char *second = strstr(text, "#line 1 \"probe.cl\"");
  g_assert_true(first && second && first < second);
  g_assert_nonnull(strstr(ms_program_spec_get_options(spec), "-DSP=5 -DNAME=value"));
}

/* Listing the devices is enough to give PoCL another folder, so that the window and the library get it as well. */
static void
test_unwritable_driver_cache(void)
{
  g_autoptr(MsContext) context = g_test_subprocess() ? NULL : ms_fixture_context();

  if (g_test_subprocess()) {
    g_setenv("POCL_CACHE_DIR", "/proc/none", TRUE);
    g_setenv("XDG_RUNTIME_DIR", g_test_get_dir(G_TEST_BUILT), TRUE);
    g_autoptr(GPtrArray) devices = ms_device_enumerate(NULL);
    g_assert_nonnull(devices);
    g_assert_nonnull(strstr(ms_driver_cache_prepare(), "'/proc/none'"));
    g_assert_true(g_str_has_prefix(g_getenv("POCL_CACHE_DIR"), g_test_get_dir(G_TEST_BUILT)));
    return;
  }
  if (!context)
    return;
  if (!strstr(context->device->platform, "Portable")) {
    g_test_skip("This needs PoCL.");
    return;
  }
  g_test_trap_subprocess(NULL, 0, 0);
  g_test_trap_assert_passed();
}

static void
test_probe(void)
{
  SET_UP_CONTEXT(context);
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_context_probe(context, &error));
  g_assert_true(ms_context_finish(context, &error));
  g_assert_no_error(error);
}

/* A buffer that is borrowed again is the same one; a device in the host's memory does not keep a large one. */
static void
test_buffers_are_borrowed(void)
{
  SET_UP_CONTEXT(context);
  const gsize sizes[] = {100, 1 << 20, 70, 5 << 20, 1 << 19, 1 << 20};
  cl_mem last = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    gsize bytes = 0;
    cl_mem buffer = ms_context_borrow_buffer(context, sizes[i], NULL);
    g_assert_nonnull(buffer);
    g_assert_cmpint(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL), ==, CL_SUCCESS);
    g_assert_cmpuint(bytes, >=, sizes[i]);
    if (i > 2 && sizes[i] <= 1 << 20)
      g_assert_cmpuint(bytes, ==, 1 << 20);
    ms_context_return_buffer(context, buffer);
    last = buffer;
  }
  cl_mem again = ms_context_borrow_buffer(context, 1 << 20, NULL);
  g_assert_true(again == last);
  ms_context_return_buffer(context, again);

  g_auto(cl_mem) large = ms_context_borrow_buffer(context, 65 << 20, NULL);
  cl_uint references = 0;
  clRetainMemObject(large);
  ms_context_return_buffer(context, large);
  g_assert_cmpint(clGetMemObjectInfo(large, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL), ==,
                  CL_SUCCESS);
  g_assert_cmpuint(references, ==, ms_device_has_own_memory(context->device) ? 2 : 1);
}

/* The smallest kept buffer with enough bytes serves, none that is far too large, and the oldest beyond the limit go. */
static void
test_kept_buffers(void)
{
  SET_UP_CONTEXT(context);
  const gsize sizes[] = {1 << 20, 3 << 20, 2 << 20};
  cl_mem buffers[G_N_ELEMENTS(sizes)];
  MsKeptBuffers kept;

  ms_kept_buffers_init(&kept);
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    buffers[i] = ms_context_create_buffer(context, CL_MEM_READ_WRITE, sizes[i], NULL, NULL);
    ms_kept_buffers_add(&kept, buffers[i], 5 << 20);
  }
  g_assert_cmpuint(kept.buffers->len, ==, 2); /* all three have 6 MiB */
  g_assert_null(ms_kept_buffers_take(&kept, (3 << 20) + 1));
  g_assert_null(ms_kept_buffers_take(&kept, 1 << 18));
  cl_mem taken = ms_kept_buffers_take(&kept, 1 << 20);
  g_assert_true(taken == buffers[2]);
  g_assert_true(ms_kept_buffers_take(&kept, 1 << 20) == buffers[1]);
  g_assert_cmpuint(kept.buffers->len, ==, 0);
  clReleaseMemObject(buffers[1]);
  ms_kept_buffers_add(&kept, taken, 0);
  g_assert_cmpuint(kept.buffers->len, ==, 0);
  ms_kept_buffers_clear(&kept);
}

/* (transfer full): a program of one part, whose text is @body. */
static MsProgramSpec *
spec_of(const char *name, const char *body, int number)
{
  MsProgramSpec *spec = ms_program_spec_new();
  g_autoptr(GBytes) source = g_bytes_new(body, strlen(body));

  ms_program_spec_add_source(spec, name, source);
  ms_program_spec_define_int(spec, "NUMBER", number);
  return spec;
}

/* A context builds a program once, and another one for another text, name or constant. */
static void
test_built_once(void)
{
  static const char *const bodies[] = {"__kernel void f(__global int *p) { *p = NUMBER; }\n",
                                       "__kernel void f(__global int *p) { *p = -NUMBER; }\n"};
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GPtrArray) specs = g_ptr_array_new_with_free_func((GDestroyNotify)ms_program_spec_unref);
  g_autoptr(GHashTable) programs = g_hash_table_new(NULL, NULL);
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  g_ptr_array_add(specs, spec_of("a.cl", bodies[0], 1));
  g_ptr_array_add(specs, spec_of("a.cl", bodies[1], 1));
  g_ptr_array_add(specs, spec_of("b.cl", bodies[0], 1));
  g_ptr_array_add(specs, spec_of("a.cl", bodies[0], 2));
  for (int turn = 0; turn < 2; turn++)
    for (guint i = 0; i < specs->len; i++) {
      MsProgram *program = ms_context_build(context, specs->pdata[i], NULL, &error);
      g_assert_no_error(error);
      g_hash_table_add(programs, program);
    }
  g_assert_cmpuint(g_hash_table_size(programs), ==, specs->len);
}

/* Times that are equal, run backwards, or are far from those of the clock say nothing. */
static void
test_clocks_agree(void)
{
  static const struct {
    guint64 started_ns;
    guint64 ended_ns;
    double wall_ns;
    gboolean agrees;
  } cases[] = {
    {1000, 5001000, 5e6, TRUE}, {1000, 3501000, 5e6, TRUE},   {1000, 2001000, 5e6, FALSE},
    {1000, 9001000, 5e6, TRUE}, {1000, 11001000, 5e6, FALSE}, {1000, 1000, 5e6, FALSE},
    {1000, 1001, 5e6, FALSE},   {5001000, 1000, 5e6, FALSE},  {0, 0, 5e6, FALSE},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    g_assert_cmpint(ms_device_clock_agrees(cases[i].started_ns, cases[i].ended_ns, cases[i].wall_ns), ==,
                    cases[i].agrees);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/opencl/status-names", test_status_names);
  g_test_add_func("/opencl/limits-are-read", test_limits_are_read);
  g_test_add_func("/opencl/short-names", test_short_names);
  g_test_add_func("/opencl/equal-devices-are-numbered", test_equal_devices_are_numbered);
  g_test_add_func("/opencl/unknown-device", test_unknown_device);
  g_test_add_func("/opencl/build-failure-carries-the-log", test_build_failure_carries_the_log);
  g_test_add_func("/opencl/cache-survives-damage", test_cache_survives_damage);
  g_test_add_func("/opencl/cache-key-tells-programs-apart", test_cache_key_tells_programs_apart);
  g_test_add_func("/opencl/unwritable-cache-costs-only-time", test_unwritable_cache_costs_only_time);
  g_test_add_func("/opencl/composition", test_composition);
  g_test_add_func("/opencl/unwritable-driver-cache", test_unwritable_driver_cache);
  g_test_add_func("/opencl/cache-of-the-driver", test_cache_of_the_driver);
  g_test_add_func("/opencl/probe", test_probe);
  g_test_add_func("/opencl/buffers-are-borrowed", test_buffers_are_borrowed);
  g_test_add_func("/opencl/kept-buffers", test_kept_buffers);
  g_test_add_func("/opencl/built-once", test_built_once);
  g_test_add_func("/opencl/clocks-agree", test_clocks_agree);
  return g_test_run();
}
