/* SPDX-License-Identifier: MIT */
#include "core/opencl/program.h"

#include "core/opencl/cl-error.h"
#include "core/opencl/program-cache.h"

struct _MsProgram {
  GObject parent_instance;
  cl_program program;
  MsDevice *device;
  MsProgramSpec *spec;
  char *log;
  gboolean from_cache;
};

G_DEFINE_FINAL_TYPE(MsProgram, ms_program, G_TYPE_OBJECT)

static void
ms_program_finalize(GObject *object)
{
  MsProgram *self = MS_PROGRAM(object);

  g_clear_pointer(&self->program, clReleaseProgram);
  g_clear_object(&self->device);
  g_clear_object(&self->spec);
  g_free(self->log);
  G_OBJECT_CLASS(ms_program_parent_class)->finalize(object);
}

static void
ms_program_class_init(MsProgramClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_program_finalize;
}

static void
ms_program_init(MsProgram *self)
{
}

static char *
read_log(cl_program program, cl_device_id device)
{
  gsize size = 0;

  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS || size == 0)
    return g_strdup("");
  char *log = g_malloc0(size + 1);
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  return g_strstrip(log);
}

static cl_program
program_from_binary(cl_context context, cl_device_id device, GBytes *binary, const char *options)
{
  gsize size = 0;
  const unsigned char *data = g_bytes_get_data(binary, &size);
  cl_int status = CL_SUCCESS, accepted = CL_SUCCESS;
  g_auto(cl_program) program = clCreateProgramWithBinary(context, 1, &device, &size, &data, &accepted, &status);

  if (status != CL_SUCCESS || accepted != CL_SUCCESS)
    return NULL;
  if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS)
    return NULL;
  return g_steal_pointer(&program);
}

static GBytes *
read_binary(cl_program program)
{
  gsize size = 0;

  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) != CL_SUCCESS || size == 0)
    return NULL;
  unsigned char *data = g_malloc(size);
  if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) != CL_SUCCESS) {
    g_free(data);
    return NULL;
  }
  return g_bytes_new_take(data, size);
}

static gboolean
build_from_source(MsProgram *self, cl_context context, GError **error)
{
  g_autofree char *source = ms_program_spec_compose(self->spec);
  cl_device_id id = ms_device_get_id(self->device);
  const char *text = source;
  cl_int status = CL_SUCCESS;

  self->program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  if (!ms_cl_check(status, error, "creating a kernel program"))
    return FALSE;
  status = clBuildProgram(self->program, 1, &id, ms_program_spec_get_options(self->spec), NULL, NULL);
  self->log = read_log(self->program, id);
  if (status == CL_SUCCESS)
    return TRUE;
  ms_set_error(error, MS_ERROR_BUILD, "The kernel program did not build on %s (%s).\nOptions: %s\n%s",
               ms_device_get_name(self->device), ms_cl_status_name(status), ms_program_spec_get_options(self->spec),
               self->log);
  return FALSE;
}

static gboolean
load_from_cache(MsProgram *self, cl_context context, const char *folder, const char *key)
{
  g_autoptr(GBytes) binary = ms_program_cache_load(folder, key);

  if (!binary)
    return FALSE;
  self->program =
    program_from_binary(context, ms_device_get_id(self->device), binary, ms_program_spec_get_options(self->spec));
  if (!self->program) {
    ms_program_cache_remove(folder, key);
    return FALSE;
  }
  self->log = g_strdup("");
  self->from_cache = TRUE;
  return TRUE;
}

/* A cache that cannot be written costs only time, so its failure is only logged for debugging. */
static void
store_in_cache(MsProgram *self, const char *folder, const char *key)
{
  g_autoptr(GBytes) binary = read_binary(self->program);
  g_autoptr(GError) error = NULL;

  if (binary && !ms_program_cache_store(folder, key, binary, &error))
    g_debug("%s", error->message);
}

/**
 * ms_program_build:
 * @context: a context that holds @device
 * @cache_folder: (nullable): the folder of binaries, or %NULL to build from source and store nothing
 *
 * Builds from the cached binary if there is a valid one, else from source. A stale or damaged binary is replaced
 * without a message.
 *
 * Returns: (transfer full): the program, or %NULL with #MS_ERROR_BUILD and the whole log
 */
MsProgram *
ms_program_build(cl_context context, MsDevice *device, MsProgramSpec *spec, const char *cache_folder, GError **error)
{
  g_autoptr(MsProgram) self = g_object_new(MS_TYPE_PROGRAM, NULL);
  g_autofree char *key = cache_folder ? ms_program_cache_key(device, spec) : NULL;

  self->device = g_object_ref(device);
  self->spec = g_object_ref(spec);
  if (key && load_from_cache(self, context, cache_folder, key))
    return g_steal_pointer(&self);
  if (!build_from_source(self, context, error))
    return NULL;
  if (key)
    store_in_cache(self, cache_folder, key);
  return g_steal_pointer(&self);
}

/** ms_program_get_log: the compiler's log; empty for cached binaries. */
const char *
ms_program_get_log(MsProgram *self)
{
  return self->log;
}

gboolean
ms_program_is_from_cache(MsProgram *self)
{
  return self->from_cache;
}

/** ms_program_create_kernel: (transfer full): a new kernel object; keep it in a g_auto(cl_kernel). */
cl_kernel
ms_program_create_kernel(MsProgram *self, const char *name, GError **error)
{
  cl_int status = CL_SUCCESS;
  cl_kernel kernel = clCreateKernel(self->program, name, &status);

  return ms_cl_check(status, error, "looking up the kernel %s", name) ? kernel : NULL;
}
