/* SPDX-License-Identifier: MIT */
#include "core/opencl/program.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "core/file.h"
#include "core/folder.h"
#include "core/opencl/cl.h"
#include "core/opencl/driver-cache.h"
#include "core/opencl/wait.h"
#include "ms-kernels.h"

#define STANDARD "-cl-std=CL1.2"
/*
 * All functions of a program are compiled together, so it does not matter how a processor passes vectors that are wider
 * than its registers between separately compiled ones. Runtimes built on clang print the number of such warnings;
 * older ones do not know them.
 */
#define NO_WARNINGS_ABOUT_WIDE_VECTORS                                                                                 \
  "#ifdef __has_warning\n#if __has_warning(\"-Wpsabi\")\n#pragma clang diagnostic ignored \"-Wpsabi\"\n"               \
  "#endif\n#endif\n"
/* Makes NVIDIA's assembler print the registers of each kernel; the code that it makes stays the same. */
#define NV_VERBOSE " -cl-nv-verbose"
#define KERNEL_PREFIX "/io/github/meanshift_lab/MeanshiftLab/kernels/"

struct _MsProgramSpec {
  GPtrArray *parts;    /* interned names */
  GHashTable *sources; /* texts of the parts that are not files of kernels/, by name */
  GString *options;
};

/** ms_program_spec_new: a spec without parts, for OpenCL C 1.2. */
MsProgramSpec *
ms_program_spec_new(void)
{
  MsProgramSpec *self = g_atomic_rc_box_new0(MsProgramSpec);

  self->parts = g_ptr_array_new();
  self->sources = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_bytes_unref);
  self->options = g_string_new(STANDARD);
  return self;
}

MsProgramSpec *
ms_program_spec_ref(MsProgramSpec *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
clear_spec(gpointer data)
{
  MsProgramSpec *self = data;

  g_ptr_array_unref(self->parts);
  g_hash_table_unref(self->sources);
  g_string_free(self->options, TRUE);
}

void
ms_program_spec_unref(MsProgramSpec *self)
{
  g_atomic_rc_box_release_full(self, clear_spec);
}

/**
 * ms_program_spec_add_part:
 * @part: a file of kernels/ by its path there, as in "prelude/types.cl"; parts are compiled in the order they are added
 */
void
ms_program_spec_add_part(MsProgramSpec *self, const char *part)
{
  g_ptr_array_add(self->parts, (gpointer)g_intern_string(part));
}

/** ms_program_spec_add_parts: adds the parts of a table in their order; %NULL stands for one that is left out. */
void
ms_program_spec_add_parts(MsProgramSpec *self, const char *const *parts, guint n_parts)
{
  for (guint i = 0; i < n_parts; i++)
    if (parts[i])
      ms_program_spec_add_part(self, parts[i]);
}

/** ms_program_spec_add_source: adds a part that is not a file of kernels/; build logs show it as @name. */
void
ms_program_spec_add_source(MsProgramSpec *self, const char *name, GBytes *source)
{
  ms_program_spec_add_part(self, name);
  g_hash_table_replace(self->sources, (gpointer)g_intern_string(name), g_bytes_ref(source));
}

/** ms_program_spec_replace_part: compiles @source in place of the file @part of kernels/; %FALSE if it is no part. */
gboolean
ms_program_spec_replace_part(MsProgramSpec *self, const char *part, GBytes *source)
{
  const char *name = g_intern_string(part);

  if (!g_ptr_array_find(self->parts, name, NULL))
    return FALSE;
  g_hash_table_replace(self->sources, (gpointer)name, g_bytes_ref(source));
  return TRUE;
}

void
ms_program_spec_define_int(MsProgramSpec *self, const char *name, gint64 value)
{
  g_string_append_printf(self->options, " -D%s=%" G_GINT64_FORMAT, name, value);
}

/**
 * ms_program_spec_define_text: adds -DNAME=TEXT; @text must not contain blanks or quotes, which drivers split
 * differently.
 */
void
ms_program_spec_define_text(MsProgramSpec *self, const char *name, const char *text)
{
  g_return_if_fail(strpbrk(text, " \t\"'\\") == NULL);

  g_string_append_printf(self->options, " -D%s=%s", name, text);
}

/** ms_program_spec_set_standard: chooses the version of OpenCL C, as in "CL3.0", instead of 1.2. */
void
ms_program_spec_set_standard(MsProgramSpec *self, const char *standard)
{
  g_string_erase(self->options, 0, strlen(STANDARD));
  g_string_prepend(self->options, standard);
  g_string_prepend(self->options, "-cl-std=");
}

/**
 * ms_program_spec_require_images:
 * @opencl_version: the device's, times 100
 *
 * Image objects are a feature of OpenCL C 3.0 where a device has that; PoCL 7 declares their functions for no earlier
 * version.
 */
void
ms_program_spec_require_images(MsProgramSpec *self, guint opencl_version)
{
  if (opencl_version >= 300)
    ms_program_spec_set_standard(self, "CL3.0");
}

guint
ms_program_spec_get_n_parts(MsProgramSpec *self)
{
  return self->parts->len;
}

const char *
ms_program_spec_get_part(MsProgramSpec *self, guint index)
{
  return g_ptr_array_index(self->parts, index);
}

/* (transfer full): the text of a part; a part that does not exist is a programming error. */
static GBytes *
part_source(MsProgramSpec *self, guint index)
{
  GBytes *own = g_hash_table_lookup(self->sources, ms_program_spec_get_part(self, index));
  g_autofree char *path = g_strconcat(KERNEL_PREFIX, ms_program_spec_get_part(self, index), NULL);
  g_autoptr(GError) error = NULL;
  GBytes *source = own ? g_bytes_ref(own)
                       : g_resource_lookup_data(ms_kernels_get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE, &error);

  if (error)
    g_error("Kernel part %s is not embedded: %s", path, error->message);
  return source;
}

/** ms_program_spec_to_variant: (transfer floating): for another process of this program. */
GVariant *
ms_program_spec_to_variant(MsProgramSpec *self)
{
  GVariantBuilder parts;

  g_variant_builder_init(&parts, G_VARIANT_TYPE("a(sms)"));
  for (guint i = 0; i < self->parts->len; i++) {
    const char *name = ms_program_spec_get_part(self, i);
    GBytes *own = g_hash_table_lookup(self->sources, name);
    g_autofree char *text = own ? g_strndup(g_bytes_get_data(own, NULL), g_bytes_get_size(own)) : NULL;
    g_variant_builder_add(&parts, "(sms)", name, text);
  }
  return g_variant_new("(sa(sms))", self->options->str, &parts);
}

static gboolean
is_embedded(const char *part)
{
  g_autofree char *path = g_strconcat(KERNEL_PREFIX, part, NULL);

  return g_resource_get_info(ms_kernels_get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL, NULL, NULL);
}

/** ms_program_spec_new_from_variant: (transfer full) (nullable): %NULL if it names a part that does not exist. */
MsProgramSpec *
ms_program_spec_new_from_variant(GVariant *variant)
{
  g_autoptr(MsProgramSpec) self = ms_program_spec_new();
  g_autoptr(GVariantIter) parts = NULL;
  const char *options, *name, *text;

  g_variant_get(variant, "(&sa(sms))", &options, &parts);
  g_string_assign(self->options, options);
  while (g_variant_iter_next(parts, "(&sm&s)", &name, &text)) {
    g_autoptr(GBytes) source = text ? g_bytes_new(text, strlen(text)) : NULL;
    if (source)
      ms_program_spec_add_source(self, name, source);
    else if (is_embedded(name))
      ms_program_spec_add_part(self, name);
    else
      return NULL;
  }
  return g_steal_pointer(&self);
}

/** ms_program_spec_get_options: the options as the compiler gets them. */
const char *
ms_program_spec_get_options(MsProgramSpec *self)
{
  return self->options->str;
}

/**
 * ms_program_spec_compose:
 *
 * Returns: (transfer full): the whole program as the device compiles it. A #line before each part makes the build log
 *   name the part's own file and line.
 */
char *
ms_program_spec_compose(MsProgramSpec *self)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < self->parts->len; i++) {
    g_autoptr(GBytes) source = part_source(self, i);
    g_string_append_printf(text, "#line 1 \"%s\"\n", ms_program_spec_get_part(self, i));
    g_string_append_len(text, g_bytes_get_data(source, NULL), (gssize)g_bytes_get_size(source));
    g_string_append_c(text, '\n');
  }
  return g_string_free(text, FALSE);
}

/**
 * ms_program_spec_identify:
 *
 * Returns: (transfer full): text that differs between all specs of one run of this program. It is made without reading
 *   the files of kernels/, whose checksum would take as long as a short kernel.
 */
char *
ms_program_spec_identify(MsProgramSpec *self)
{
  GString *text = g_string_new(self->options->str);

  for (guint i = 0; i < self->parts->len; i++) {
    const char *name = ms_program_spec_get_part(self, i);
    GBytes *own = g_hash_table_lookup(self->sources, name);
    g_string_append_printf(text, "\n%s", name);
    if (own) {
      g_string_append_printf(text, "\n%" G_GSIZE_FORMAT "\n", g_bytes_get_size(own));
      g_string_append_len(text, g_bytes_get_data(own, NULL), (gssize)g_bytes_get_size(own));
    }
  }
  return g_string_free(text, FALSE);
}

/** ms_program_spec_hash: (transfer full): SHA-256 in hex over sources and options. */
char *
ms_program_spec_hash(MsProgramSpec *self)
{
  g_autofree char *source = ms_program_spec_compose(self);
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

  g_checksum_update(sum, (const guchar *)source, -1);
  g_checksum_update(sum, (const guchar *)"", 1);
  g_checksum_update(sum, (const guchar *)self->options->str, -1);
  return g_strdup(g_checksum_get_string(sum));
}

/*
 * A file is: magic, the key (64 hex digits), the SHA-256 of the binary (64 hex digits), the binary. Some runtimes abort
 * the process on a truncated binary, so a binary with a wrong checksum is never loaded.
 */
#define MAGIC "MSLABPC1"
#define MAGIC_SIZE 8
#define DIGEST_SIZE 64
#define HEADER_SIZE (MAGIC_SIZE + 2 * DIGEST_SIZE)

/**
 * ms_program_cache_key:
 *
 * Returns: (transfer full): SHA-256 in hex over platform, device, driver, sources and options
 */
char *
ms_program_cache_key(MsDevice *device, MsProgramSpec *spec)
{
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autofree char *hash = ms_program_spec_hash(spec);
  const char *const fields[] = {
    device->platform, device->vendor, device->name, device->driver, device->version, hash,
  };

  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
    g_checksum_update(sum, (const guchar *)fields[i], (gssize)strlen(fields[i]) + 1);
  return g_strdup(g_checksum_get_string(sum));
}

/** ms_program_cache_folder: (transfer full): the folder of the binaries. */
char *
ms_program_cache_folder(void)
{
  return g_build_filename(g_get_user_cache_dir(), "meanshift-lab", "programs", NULL);
}

/* (transfer full): the file of a program, ".bin" of its binary, ".usage" of what the assembler said. */
static char *
cache_path(const char *folder, const char *key, const char *ending)
{
  g_autofree char *name = g_strconcat(key, ending, NULL);

  return g_build_filename(folder, name, NULL);
}

static gboolean
has_binary(const char *folder, const char *key)
{
  g_autofree char *path = cache_path(folder, key, ".bin");

  return g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

/** ms_program_is_cached: whether the folder of the binaries has a file for the program. */
gboolean
ms_program_is_cached(MsDevice *device, MsProgramSpec *spec)
{
  g_autofree char *folder = ms_program_cache_folder();
  g_autofree char *key = ms_program_cache_key(device, spec);

  return has_binary(folder, key);
}

static gboolean
header_agrees(const char *data, gsize size, const char *key)
{
  if (size <= HEADER_SIZE || memcmp(data, MAGIC, MAGIC_SIZE) != 0)
    return FALSE;
  if (memcmp(data + MAGIC_SIZE, key, DIGEST_SIZE) != 0)
    return FALSE;
  g_autofree char *digest =
    g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)data + HEADER_SIZE, size - HEADER_SIZE);
  return memcmp(data + MAGIC_SIZE + DIGEST_SIZE, digest, DIGEST_SIZE) == 0;
}

/* (transfer full) (nullable): the binary, or NULL when there is none with a valid checksum */
static GBytes *
load_binary(const char *folder, const char *key)
{
  g_autofree char *path = cache_path(folder, key, ".bin");
  gsize size = 0;
  g_autofree char *data = ms_file_text_load(path, G_MAXINT32, &size, NULL);

  if (!data)
    return NULL;
  if (!header_agrees(data, size, key)) {
    g_unlink(path);
    return NULL;
  }
  return g_bytes_new(data + HEADER_SIZE, size - HEADER_SIZE);
}

/* Writes a binary under a temporary name and renames it, so that readers see all of it or none. */
static gboolean
store_binary(const char *folder, const char *key, GBytes *binary, GError **error)
{
  g_autofree char *path = cache_path(folder, key, ".bin");
  g_autofree char *digest = g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, binary);
  g_autoptr(GByteArray) file = g_byte_array_new();

  if (!ms_folder_make(folder, MS_FOLDER_PRIVATE, error))
    return FALSE;
  g_byte_array_append(file, (const guint8 *)MAGIC, MAGIC_SIZE);
  g_byte_array_append(file, (const guint8 *)key, DIGEST_SIZE);
  g_byte_array_append(file, (const guint8 *)digest, DIGEST_SIZE);
  g_byte_array_append(file, g_bytes_get_data(binary, NULL), (guint)g_bytes_get_size(binary));
  return g_file_set_contents_full(path, (const char *)file->data, file->len, G_FILE_SET_CONTENTS_CONSISTENT, 0600,
                                  error);
}

struct _MsProgram {
  cl_program program;
  MsDevice *device;
  MsProgramSpec *spec;
  char *log;
  char *usage;      /* (nullable): what NVIDIA's assembler said of registers */
  char *usage_path; /* (nullable): where it is kept beside the binary */
  gboolean from_cache;
};

void
ms_program_free(MsProgram *self)
{
  g_clear_pointer(&self->program, clReleaseProgram);
  g_clear_pointer(&self->device, ms_device_unref);
  g_clear_pointer(&self->spec, ms_program_spec_unref);
  g_free(self->log);
  g_free(self->usage);
  g_free(self->usage_path);
  g_free(self);
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

/* Whether it is a line of NVIDIA's assembler or of what calls it, which -cl-nv-verbose makes them print. */
static gboolean
is_usage(const char *line)
{
  return g_str_has_prefix(line, "ptxas info") || g_str_has_prefix(line, ": ") || strstr(line, " bytes stack frame, ");
}

/**
 * ms_program_split_log:
 * @text: a compiler's log
 * @log: (out): what the compiler says of the source
 * @usage: (out) (nullable): what NVIDIA's assembler says of registers; %NULL where it says nothing of them, as of a
 *   program that the driver keeps from an earlier build
 */
void
ms_program_split_log(const char *text, char **log, char **usage)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_autoptr(GString) source = g_string_new(NULL), registers = g_string_new(NULL);

  for (char **line = lines; *line; line++)
    g_string_append_printf(is_usage(*line) ? registers : source, "%s\n", *line);
  *log = g_strstrip(g_string_free(g_steal_pointer(&source), FALSE));
  *usage = strstr(registers->str, " registers") ? g_strdup(registers->str) : NULL;
}

static gboolean
build_from_source(MsProgram *self, cl_context context, GError **error)
{
  g_autofree char *source = ms_program_spec_compose(self->spec);
  /* The pragma above has no effect in PoCL 7, whose compiler prints the number of its warnings. */
  const gboolean silence = ms_device_is_pocl(self->device) && g_hash_table_size(self->spec->sources) == 0 &&
                           g_ascii_strtoull(self->device->driver, NULL, 10) >= 7;
  const gboolean verbose = self->device->limits.nvidia_capability > 0;
  g_autofree char *options =
    g_strconcat(ms_program_spec_get_options(self->spec), silence ? " -w" : "", verbose ? NV_VERBOSE : "", NULL);
  cl_device_id id = self->device->id;
  const char *texts[] = {NO_WARNINGS_ABOUT_WIDE_VECTORS, source};
  cl_int status = CL_SUCCESS;

  self->program = clCreateProgramWithSource(context, G_N_ELEMENTS(texts), texts, NULL, &status);
  if (!ms_cl_check(status, error, "creating a kernel program"))
    return FALSE;
  const MsWait before = ms_wait_begin(MS_WAIT_COMPILER);
  status = clBuildProgram(self->program, 1, &id, options, NULL, NULL);
  ms_wait_end(before);
  g_autofree char *log = read_log(self->program, id);
  ms_program_split_log(log, &self->log, &self->usage);
  if (self->log[0])
    g_debug("compiler: %s", self->log);
  if (status == CL_SUCCESS)
    return TRUE;
  ms_set_error(error, MS_ERROR_BUILD, "The kernel program did not build on %s (%s).\nOptions: %s\n%s",
               self->device->name, ms_cl_status_name(status), ms_program_spec_get_options(self->spec), self->log);
  return FALSE;
}

static gboolean
load_from_cache(MsProgram *self, cl_context context, const char *folder, const char *key)
{
  g_autoptr(GBytes) binary = load_binary(folder, key);

  if (!binary)
    return FALSE;
  self->program = program_from_binary(context, self->device->id, binary, ms_program_spec_get_options(self->spec));
  if (!self->program) {
    /* The driver rejected it. */
    g_autofree char *path = cache_path(folder, key, ".bin");
    g_unlink(path);
    return FALSE;
  }
  self->log = g_strdup("");
  self->from_cache = TRUE;
  return TRUE;
}

static void
store_usage(const MsProgram *self)
{
  if (self->usage && self->usage_path)
    g_file_set_contents_full(self->usage_path, self->usage, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL);
}

/*
 * A cache that cannot be written costs only time, so its failure is only logged for debugging. The file also says that
 * the driver has compiled the program, where the driver's own cache serves instead of it.
 */
static void
store_in_cache(MsProgram *self, const char *folder, const char *key)
{
  g_autoptr(GBytes) binary = read_binary(self->program);
  g_autoptr(GError) error = NULL;

  if (binary && !store_binary(folder, key, binary, &error))
    g_debug("cache: %s", error->message);
  store_usage(self);
}

/**
 * ms_program_build:
 * @context: a context that holds @device
 * @cache_folder: (nullable): the folder of binaries, or %NULL to build from source and store nothing
 *
 * Builds from the cached binary if there is a valid one, else from source. A stale or damaged binary is replaced
 * without a message. Where the driver keeps machine code, building from source takes milliseconds, while the binary
 * that it hands out may have to be translated again, as NVIDIA's PTX.
 *
 * Returns: (transfer full): the program, or %NULL with #MS_ERROR_BUILD and the whole log
 */
MsProgram *
ms_program_build(cl_context context, MsDevice *device, MsProgramSpec *spec, const char *cache_folder, GError **error)
{
  g_autoptr(MsProgram) self = g_new0(MsProgram, 1);
  g_autofree char *key = cache_folder ? ms_program_cache_key(device, spec) : NULL;

  self->usage_path = key ? cache_path(cache_folder, key, ".usage") : NULL;
  self->device = ms_device_ref(device);
  self->spec = ms_program_spec_ref(spec);
  g_debug("program: %u parts, the last %s, with %s", self->spec->parts->len,
          ms_program_spec_get_part(spec, self->spec->parts->len - 1), ms_program_spec_get_options(spec));
  const gboolean driver_keeps = ms_driver_cache_keeps_sources(device->limits.nvidia_capability);
  if (key && !driver_keeps && load_from_cache(self, context, cache_folder, key)) {
    g_debug("cache: %s/%s.bin is used", cache_folder, key);
    return g_steal_pointer(&self);
  }
  const char *why = !key ? "it is off" : driver_keeps ? "the driver has its own" : "there is no binary";
  g_debug("cache: %s, so the program is built from source", why);
  if (!build_from_source(self, context, error))
    return NULL;
  if (key && !(driver_keeps && has_binary(cache_folder, key)))
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

/** ms_program_get_spec: (transfer none): what it was built from. */
MsProgramSpec *
ms_program_get_spec(MsProgram *self)
{
  return self->spec;
}

/** ms_program_dup_binary: (transfer full) (nullable): what the driver compiled, if it hands that out. */
GBytes *
ms_program_dup_binary(MsProgram *self)
{
  return read_binary(self->program);
}

/** ms_program_hash_binary: (transfer full) (nullable): SHA-256 of what the driver compiled, if it hands that out. */
char *
ms_program_hash_binary(MsProgram *self)
{
  g_autoptr(GBytes) binary = read_binary(self->program);

  return binary ? g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, binary) : NULL;
}

/** ms_program_has_kernel: whether @kernel is of this program. */
gboolean
ms_program_has_kernel(MsProgram *self, cl_kernel kernel)
{
  cl_program program = NULL;

  return clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL) == CL_SUCCESS &&
         program == self->program;
}

/*
 * Builds the program again for what the assembler prints. It prints nothing of a program that the driver keeps from an
 * earlier build, so that a kernel with a name of its own is added.
 */
static void
build_for_usage(MsProgram *self, cl_context context)
{
  g_autofree char *source = ms_program_spec_compose(self->spec);
  g_autofree char *other =
    g_strdup_printf("__kernel void unused_%08x(__global int *to) { *to = %u; }\n", g_random_int(), g_random_int());
  g_autofree char *options = g_strconcat(ms_program_spec_get_options(self->spec), NV_VERBOSE, NULL);
  cl_device_id id = self->device->id;
  const char *texts[] = {source, other};
  g_auto(cl_program) program = clCreateProgramWithSource(context, G_N_ELEMENTS(texts), texts, NULL, NULL);

  if (!program || clBuildProgram(program, 1, &id, options, NULL, NULL) != CL_SUCCESS)
    return;
  self->usage = read_log(program, id);
  store_usage(self);
}

/**
 * ms_program_find_usage: what NVIDIA's assembler says of the registers of each kernel, kept since the program was built
 * from source, or from another build now; empty on other devices.
 */
const char *
ms_program_find_usage(MsProgram *self, cl_context context)
{
  if (!self->usage && self->usage_path)
    self->usage = ms_file_text_load(self->usage_path, G_MAXINT32, NULL, NULL);
  if (!self->usage && self->device->limits.nvidia_capability > 0)
    build_for_usage(self, context);
  self->usage = self->usage ? self->usage : g_strdup("");
  return self->usage;
}
