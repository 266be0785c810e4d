/* SPDX-License-Identifier: MIT */
/* An OpenCL layer (cl_layer.h) between program and driver. Loaded by the ICD loader through OPENCL_LAYERS. */
#include <CL/cl_layer.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/faults/shared-count.h"
#include "tests/support/fault-layer.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void ms_fault_arm(int nth);
EXPORT int ms_fault_count(void);
EXPORT void ms_fault_hang(int hang);
EXPORT void ms_fault_refuse(unsigned int query);
EXPORT void ms_fault_place(const MsFaultPlace *at);
EXPORT void ms_fault_time(unsigned long long ns);
EXPORT cl_int clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret);
EXPORT cl_int clInitLayer(cl_uint n, const cl_icd_dispatch *target, cl_uint *n_ret, const cl_icd_dispatch **layer_ret);

#define MAX_HELD 64

typedef void(CL_CALLBACK *EventCallback)(cl_event, cl_int, void *);

static struct {
  EventCallback callback;
  cl_event event;
  void *data;
} held[MAX_HELD];

static const cl_icd_dispatch *target;
static cl_icd_dispatch layer;
static const MsFaultPlace *place;
static unsigned int refused;
static unsigned long long command_ns;
static unsigned int timed_every; /* with command_ns, each command of this number keeps its times; 0: none does */
static int armed, counted, hanging, n_held;

/*
 * Environment variables select the n-th call of a whole program and its children; see tests/faults/preload.c.
 * MS_FAULT_CALL=NAME counts only the calls of that name, MS_FAULT_CALL=download those that bring bytes to the host, and
 * changes the first of them while the call succeeds. MS_FAULT_MODE says what another call does instead of returning an
 * error: it hangs, aborts, reads an invalid address (segv), or exits with status 0 or 1; with skip, a kernel does not
 * run and its launch succeeds.
 */
static FaultCount *of_program;
static long nth_of_program;
static int always;
static const char *call_of_program, *mode_of_program;

void
ms_fault_arm(int nth)
{
  armed = nth;
  counted = 0;
}

int
ms_fault_count(void)
{
  return counted;
}

void
ms_fault_hang(int hang)
{
  hanging = hang;
  for (int i = 0; !hang && i < n_held; i++) {
    held[i].callback(held[i].event, CL_COMPLETE, held[i].data);
    target->clReleaseEvent(held[i].event);
  }
  if (!hang)
    n_held = 0;
}

void
ms_fault_refuse(unsigned int query)
{
  refused = query;
}

void
ms_fault_place(const MsFaultPlace *at)
{
  place = at;
}

void
ms_fault_time(unsigned long long ns)
{
  command_ns = ns;
}

/* Does what a broken driver does; returns for the mode in which the call returns an error. */
static void
break_program(void)
{
  const struct rlimit no_core = {0, 0};

  if (!mode_of_program)
    return;
  setrlimit(RLIMIT_CORE, &no_core);
  while (!strcmp(mode_of_program, "hang"))
    pause();
  if (!strcmp(mode_of_program, "abort"))
    abort();
  if (!strcmp(mode_of_program, "segv")) {
    signal(SIGSEGV, SIG_DFL); /* drivers catch it for their own kernels */
    raise(SIGSEGV);
  }
  if (!strcmp(mode_of_program, "exit0") || !strcmp(mode_of_program, "exit1"))
    exit(mode_of_program[4] - '0');
}

/* Adds a byte to the file of MS_FAULT_STARTS for each process that loads a driver. */
static void
note_start(void)
{
  const char *path = getenv("MS_FAULT_STARTS");
  int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

  if (fd >= 0 && write(fd, "s", 1) == 1)
    close(fd);
}

/*
 * The file of MS_FAULT_LOG gets a line for each call: the process, nanoseconds of CLOCK_MONOTONIC_RAW, and the name. A
 * test counts calls by it, and the time from line to line shows where a start goes.
 */
static void
note_call(const char *name)
{
  static int fd = -2;
  struct timespec now;
  char line[128];

  if (fd == -2)
    fd = getenv("MS_FAULT_LOG") ? open(getenv("MS_FAULT_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (fd < 0)
    return;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  const int n = snprintf(line, sizeof line, "%ld %lld %s\n", (long)getpid(),
                         (long long)now.tv_sec * 1000000000 + now.tv_nsec, name);
  if (write(fd, line, (size_t)n) != n)
    fd = -1;
}

/* For calls that are only noted. */
static int
is_noted(const char *name)
{
  note_call(name);
  return 0;
}

static int
is_due_in_program(const char *name)
{
  const int is_counted = of_program && (!call_of_program || !strcmp(call_of_program, name));
  const int due = is_counted && fault_is_due(of_program, nth_of_program, always);

  if (due)
    break_program();
  return due;
}

static int
fails_in_program(const char *name)
{
  note_call(name);
  return is_due_in_program(name);
}

/* For calls that only MS_FAULT_CALL counts, since tests rely on the numbers of the others. */
static int
fails_if_named(const char *name)
{
  note_call(name);
  return call_of_program && is_due_in_program(name);
}

static int
fails(const char *name)
{
  note_call(name);
  return ++counted == armed || is_due_in_program(name);
}

/* Whether a download that would succeed is to be a wrong one. */
static int
is_falsified(size_t size)
{
  return size > 0 && call_of_program && is_due_in_program("download");
}

/* A wrapper for calls that return a status, and one for calls that return an object and the status by pointer. */
#define STATUS_CALL_IF(fails, name, parameters, arguments, status)                                                     \
  static cl_int CL_API_CALL layer_##name parameters                                                                    \
  {                                                                                                                    \
    return fails(#name) ? (status) : target->name arguments;                                                           \
  }

#define OBJECT_CALL_IF(fails, type, name, parameters, arguments, status)                                               \
  static type CL_API_CALL layer_##name parameters                                                                      \
  {                                                                                                                    \
    if (!fails(#name))                                                                                                 \
      return target->name arguments;                                                                                   \
    if (ret)                                                                                                           \
      *ret = (status);                                                                                                 \
    return NULL;                                                                                                       \
  }

/* A lost device writes no more, so its commands count as ended when a wait fails for good. */
#define WAIT_CALL(name, parameters, arguments, status)                                                                 \
  static cl_int CL_API_CALL layer_##name parameters                                                                    \
  {                                                                                                                    \
    if (!fails(#name))                                                                                                 \
      return target->name arguments;                                                                                   \
    if (always)                                                                                                        \
      (void)target->name arguments;                                                                                    \
    return status;                                                                                                     \
  }

#define STATUS_CALL(...) STATUS_CALL_IF(fails, __VA_ARGS__)
#define OBJECT_CALL(...) OBJECT_CALL_IF(fails, __VA_ARGS__)

/*
 * MS_FAULT_DEVICE makes other devices of those that are there, by words with commas between: "stranger" hides who made
 * the driver, "no-doubles" that it computes with doubles, "no-atomics" that it has atomic operations on 64 bits, and
 * "gpu" says that it is one. The limits below stand with numbers, as in "group=64"; a call beyond one fails.
 */
static int
device_is(const char *word)
{
  const char *words = getenv("MS_FAULT_DEVICE");

  return words && strstr(words, word);
}

static const struct {
  const char *word;
  cl_device_info what;
  size_t bytes;
} limits[] = {
  {"images=", CL_DEVICE_IMAGE_SUPPORT, sizeof(cl_bool)},
  {"group=", CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)},
  {"local=", CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong)},
  {"buffer=", CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong)},
};

/* Whether @n exceeds the limit of that word. */
static int
exceeds(const char *word, unsigned long n)
{
  const char *words = getenv("MS_FAULT_DEVICE"), *at = words ? strstr(words, word) : NULL;

  return at && n > strtoul(at + strlen(word), NULL, 10);
}

STATUS_CALL_IF(is_noted, clGetPlatformIDs, (cl_uint n, cl_platform_id *p, cl_uint *n_ret), (n, p, n_ret),
               CL_INVALID_VALUE)
STATUS_CALL_IF(fails_if_named, clGetDeviceIDs,
               (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d, cl_uint *n_ret), (p, t, n, d, n_ret),
               CL_INVALID_VALUE)
OBJECT_CALL(cl_context, clCreateContext,
            (const cl_context_properties *p, cl_uint n, const cl_device_id *d,
             void(CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *u, cl_int *ret),
            (p, n, d, f, u, ret), CL_OUT_OF_HOST_MEMORY)
OBJECT_CALL(cl_command_queue, clCreateCommandQueue,
            (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *ret), (c, d, p, ret),
            CL_OUT_OF_RESOURCES)
#define FAILS_BEYOND_BUFFER(name) (exceeds("buffer=", s) || fails(name))
#define FAILS_WITHOUT_IMAGES(name) (exceeds("images=", 1) || fails(name))
#define FAILS_BEYOND_LOCAL(name) ((!v && exceeds("local=", s)) || fails(name))
OBJECT_CALL_IF(FAILS_BEYOND_BUFFER, cl_mem, clCreateBuffer,
               (cl_context c, cl_mem_flags f, size_t s, void *h, cl_int *ret), (c, f, s, h, ret),
               CL_MEM_OBJECT_ALLOCATION_FAILURE)
OBJECT_CALL_IF(FAILS_WITHOUT_IMAGES, cl_mem, clCreateImage,
               (cl_context c, cl_mem_flags f, const cl_image_format *i, const cl_image_desc *d, void *h, cl_int *ret),
               (c, f, i, d, h, ret), CL_MEM_OBJECT_ALLOCATION_FAILURE)
OBJECT_CALL(cl_program, clCreateProgramWithSource,
            (cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *ret), (c, n, s, l, ret),
            CL_OUT_OF_HOST_MEMORY)
OBJECT_CALL(cl_kernel, clCreateKernel, (cl_program p, const char *n, cl_int *ret), (p, n, ret), CL_OUT_OF_RESOURCES)
STATUS_CALL(clBuildProgram,
            (cl_program p, cl_uint n, const cl_device_id *d, const char *o, void(CL_CALLBACK *f)(cl_program, void *),
             void *u),
            (p, n, d, o, f, u), CL_BUILD_PROGRAM_FAILURE)
STATUS_CALL_IF(FAILS_BEYOND_LOCAL, clSetKernelArg, (cl_kernel k, cl_uint i, size_t s, const void *v), (k, i, s, v),
               CL_INVALID_ARG_VALUE)
static cl_int CL_API_CALL
layer_clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,
                             const size_t *l, cl_uint n, const cl_event *w, cl_event *e)
{
  if (l && exceeds("group=", l[0] * (d > 1 ? l[1] : 1) * (d > 2 ? l[2] : 1)))
    return CL_INVALID_WORK_GROUP_SIZE;
  if (!fails("clEnqueueNDRangeKernel"))
    return target->clEnqueueNDRangeKernel(q, k, d, o, g, l, n, w, e);
  if (mode_of_program && !strcmp(mode_of_program, "skip"))
    return target->clEnqueueMarkerWithWaitList(q, n, w, e);
  return CL_OUT_OF_RESOURCES;
}

STATUS_CALL(clEnqueueWriteBuffer,
            (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, const void *p, cl_uint n, const cl_event *w,
             cl_event *e),
            (q, m, b, o, s, p, n, w, e), CL_MEM_OBJECT_ALLOCATION_FAILURE)
static cl_int CL_API_CALL
layer_clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, void *p, cl_uint n,
                          const cl_event *w, cl_event *e)
{
  if (fails("clEnqueueReadBuffer"))
    return CL_OUT_OF_RESOURCES;
  if (!is_falsified(s))
    return target->clEnqueueReadBuffer(q, m, b, o, s, p, n, w, e);
  const cl_int status = target->clEnqueueReadBuffer(q, m, CL_TRUE, o, s, p, n, w, e);
  if (status == CL_SUCCESS)
    *(unsigned char *)p ^= 1;
  return status;
}

STATUS_CALL(clEnqueueWriteImage,
            (cl_command_queue q, cl_mem m, cl_bool b, const size_t *o, const size_t *r, size_t rp, size_t sp,
             const void *p, cl_uint n, const cl_event *w, cl_event *e),
            (q, m, b, o, r, rp, sp, p, n, w, e), CL_OUT_OF_RESOURCES)
STATUS_CALL(clEnqueueFillBuffer,
            (cl_command_queue q, cl_mem m, const void *p, size_t ps, size_t o, size_t s, cl_uint n, const cl_event *w,
             cl_event *e),
            (q, m, p, ps, o, s, n, w, e), CL_OUT_OF_RESOURCES)
STATUS_CALL(clFlush, (cl_command_queue q), (q), CL_OUT_OF_HOST_MEMORY)
WAIT_CALL(clFinish, (cl_command_queue q), (q), CL_OUT_OF_RESOURCES)
WAIT_CALL(clWaitForEvents, (cl_uint n, const cl_event *e), (n, e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
static cl_int CL_API_CALL
layer_clGetEventProfilingInfo(cl_event e, cl_profiling_info i, size_t s, void *v, size_t *r)
{
  if (fails("clGetEventProfilingInfo"))
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  static unsigned int asked;
  if (!command_ns || i != CL_PROFILING_COMMAND_END || (timed_every > 0 && ++asked % timed_every == 0))
    return target->clGetEventProfilingInfo(e, i, s, v, r);
  const cl_int status = target->clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, s, v, r);
  if (status == CL_SUCCESS)
    *(cl_ulong *)v += command_ns;
  return status;
}

/* These calls are counted only for a whole program, since other tests rely on the numbers of the calls above. */
OBJECT_CALL_IF(fails_in_program, cl_program, clCreateProgramWithBinary,
               (cl_context c, cl_uint n, const cl_device_id *d, const size_t *l, const unsigned char **b, cl_int *s,
                cl_int *ret),
               (c, n, d, l, b, s, ret), CL_INVALID_BINARY)
STATUS_CALL_IF(fails_in_program, clEnqueueCopyBuffer,
               (cl_command_queue q, cl_mem a, cl_mem b, size_t ao, size_t bo, size_t s, cl_uint n, const cl_event *w,
                cl_event *e),
               (q, a, b, ao, bo, s, n, w, e), CL_OUT_OF_RESOURCES)
STATUS_CALL_IF(fails_in_program, clEnqueueCopyBufferToImage,
               (cl_command_queue q, cl_mem a, cl_mem b, size_t o, const size_t *bo, const size_t *r, cl_uint n,
                const cl_event *w, cl_event *e),
               (q, a, b, o, bo, r, n, w, e), CL_OUT_OF_RESOURCES)
/* Memory that is mapped for writing too is pinned memory, which holds no result yet. */
static void *CL_API_CALL
layer_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, size_t o, size_t s, cl_uint n,
                         const cl_event *w, cl_event *e, cl_int *ret)
{
  if (fails_in_program("clEnqueueMapBuffer")) {
    *ret = CL_MAP_FAILURE;
    return NULL;
  }
  if (f != CL_MAP_READ || !is_falsified(s))
    return target->clEnqueueMapBuffer(q, m, b, f, o, s, n, w, e, ret);
  unsigned char *bytes = target->clEnqueueMapBuffer(q, m, CL_TRUE, f, o, s, n, w, e, ret);
  if (bytes)
    *bytes ^= 1;
  return bytes;
}

STATUS_CALL_IF(fails_in_program, clEnqueueUnmapMemObject,
               (cl_command_queue q, cl_mem m, void *p, cl_uint n, const cl_event *w, cl_event *e), (q, m, p, n, w, e),
               CL_OUT_OF_RESOURCES)
STATUS_CALL_IF(fails_in_program, clEnqueueMarkerWithWaitList,
               (cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e), (q, n, w, e), CL_OUT_OF_RESOURCES)
STATUS_CALL_IF(fails_in_program, clGetProgramInfo, (cl_program p, cl_program_info i, size_t s, void *v, size_t *r),
               (p, i, s, v, r), CL_OUT_OF_RESOURCES)
STATUS_CALL_IF(fails_in_program, clGetProgramBuildInfo,
               (cl_program p, cl_device_id d, cl_program_build_info i, size_t s, void *v, size_t *r),
               (p, d, i, s, v, r), CL_OUT_OF_RESOURCES)

STATUS_CALL_IF(fails_if_named, clReleaseMemObject, (cl_mem m), (m), CL_INVALID_MEM_OBJECT)
STATUS_CALL_IF(fails_if_named, clReleaseKernel, (cl_kernel k), (k), CL_INVALID_KERNEL)
STATUS_CALL_IF(fails_if_named, clReleaseProgram, (cl_program p), (p), CL_INVALID_PROGRAM)
STATUS_CALL_IF(fails_if_named, clReleaseCommandQueue, (cl_command_queue q), (q), CL_INVALID_COMMAND_QUEUE)
STATUS_CALL_IF(fails_if_named, clReleaseContext, (cl_context c), (c), CL_INVALID_CONTEXT)

static cl_int CL_API_CALL
layer_clSetEventCallback(cl_event event, cl_int type, EventCallback callback, void *data)
{
  if (fails_in_program("clSetEventCallback"))
    return CL_OUT_OF_HOST_MEMORY;
  if (!hanging || n_held == MAX_HELD)
    return target->clSetEventCallback(event, type, callback, data);
  target->clRetainEvent(event);
  held[n_held].callback = callback;
  held[n_held].event = event;
  held[n_held++].data = data;
  return CL_SUCCESS;
}

static cl_int
give_words(const unsigned int *words, size_t n, size_t size, void *value, size_t *size_ret)
{
  if (size < n * sizeof *words)
    return CL_INVALID_VALUE;
  memcpy(value, words, n * sizeof *words);
  *size_ret = n * sizeof *words;
  return CL_SUCCESS;
}

static cl_int
give_bytes(const void *bytes, size_t n, size_t size, void *value, size_t *size_ret)
{
  if (value && size < n)
    return CL_INVALID_VALUE;
  if (value)
    memcpy(value, bytes, n);
  if (size_ret)
    *size_ret = n;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL
layer_clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *value, size_t *size_ret)
{
  static const char name[] = "Stranger";

  if (device_is("stranger") && (what == CL_PLATFORM_NAME || what == CL_PLATFORM_VENDOR))
    return give_bytes(name, sizeof name, size, value, size_ret);
  return target->clGetPlatformInfo(platform, what, size, value, size_ret);
}

/* NVIDIA's own queries. */
#define FIRST_NVIDIA 0x4000
#define LAST_NVIDIA 0x400A

static cl_int CL_API_CALL
layer_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
  if (refused != 0 && what == refused)
    return CL_INVALID_VALUE;
  if (place && what == 0x410F)
    return place->has_khr ? give_words(place->khr, 4, size, value, size_ret) : CL_INVALID_VALUE;
  if (place && what >= 0x4008 && what <= 0x400A)
    return place->has_nvidia ? give_words(&place->nvidia[what - 0x4008], 1, size, value, size_ret) : CL_INVALID_VALUE;
  if (device_is("stranger") && what >= FIRST_NVIDIA && what <= LAST_NVIDIA)
    return CL_INVALID_VALUE;
  if (device_is("no-doubles") && what == CL_DEVICE_DOUBLE_FP_CONFIG)
    return give_bytes(&(cl_device_fp_config){0}, sizeof(cl_device_fp_config), size, value, size_ret);
  if (device_is("gpu") && what == CL_DEVICE_TYPE)
    return give_bytes(&(cl_device_type){CL_DEVICE_TYPE_GPU}, sizeof(cl_device_type), size, value, size_ret);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (what == limits[i].what && device_is(limits[i].word)) {
      const unsigned long long number =
        strtoull(strstr(getenv("MS_FAULT_DEVICE"), limits[i].word) + strlen(limits[i].word), NULL, 10);
      return give_bytes(&number, limits[i].bytes, size, value, size_ret);
    }
  const cl_int status = target->clGetDeviceInfo(device, what, size, value, size_ret);
  char *atomics = status == CL_SUCCESS && what == CL_DEVICE_EXTENSIONS && value && device_is("no-atomics")
                    ? strstr(value, "cl_khr_int64")
                    : NULL;
  for (; atomics; atomics = strstr(atomics, "cl_khr_int64"))
    memcpy(atomics, "cl_not", 6);
  return status;
}

cl_int
clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret)
{
  static const char title[] = "Meanshift Lab fault layer";
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const void *answer = name == CL_LAYER_NAME ? (const void *)title : (const void *)&version;
  size_t answer_size = name == CL_LAYER_NAME ? sizeof title : sizeof version;

  if (name != CL_LAYER_NAME && name != CL_LAYER_API_VERSION)
    return CL_INVALID_VALUE;
  if (value && size < answer_size)
    return CL_INVALID_VALUE;
  if (value)
    memcpy(value, answer, answer_size);
  if (size_ret)
    *size_ret = answer_size;
  return CL_SUCCESS;
}

#define HOOK(name) layer.name = layer_##name

cl_int
clInitLayer(cl_uint n, const cl_icd_dispatch *below, cl_uint *n_ret, const cl_icd_dispatch **layer_ret)
{
  if (n < sizeof layer / sizeof(void *))
    return CL_INVALID_VALUE;
  target = below;
  of_program = fault_count_map();
  nth_of_program = fault_number("MS_FAULT_NTH");
  always = (int)fault_number("MS_FAULT_ALWAYS");
  note_start();
  call_of_program = getenv("MS_FAULT_CALL");
  mode_of_program = getenv("MS_FAULT_MODE");
  if (getenv("MS_FAULT_EVENT_NS"))
    command_ns = (unsigned long long)fault_number("MS_FAULT_EVENT_NS");
  if (getenv("MS_FAULT_TIMED_EVERY"))
    timed_every = (unsigned int)fault_number("MS_FAULT_TIMED_EVERY");
  layer = *below;
  HOOK(clGetPlatformIDs);
  HOOK(clGetPlatformInfo);
  HOOK(clGetDeviceIDs);
  HOOK(clCreateContext);
  HOOK(clCreateCommandQueue);
  HOOK(clCreateBuffer);
  HOOK(clCreateImage);
  HOOK(clCreateProgramWithSource);
  HOOK(clCreateKernel);
  HOOK(clBuildProgram);
  HOOK(clSetKernelArg);
  HOOK(clEnqueueNDRangeKernel);
  HOOK(clEnqueueWriteBuffer);
  HOOK(clEnqueueReadBuffer);
  HOOK(clEnqueueWriteImage);
  HOOK(clEnqueueFillBuffer);
  HOOK(clFlush);
  HOOK(clFinish);
  HOOK(clWaitForEvents);
  HOOK(clGetEventProfilingInfo);
  HOOK(clCreateProgramWithBinary);
  HOOK(clEnqueueCopyBuffer);
  HOOK(clEnqueueCopyBufferToImage);
  HOOK(clEnqueueMapBuffer);
  HOOK(clEnqueueUnmapMemObject);
  HOOK(clEnqueueMarkerWithWaitList);
  HOOK(clGetProgramInfo);
  HOOK(clGetProgramBuildInfo);
  HOOK(clSetEventCallback);
  HOOK(clReleaseMemObject);
  HOOK(clReleaseKernel);
  HOOK(clReleaseProgram);
  HOOK(clReleaseCommandQueue);
  HOOK(clReleaseContext);
  HOOK(clGetDeviceInfo);
  *n_ret = sizeof layer / sizeof(void *);
  *layer_ret = &layer;
  return CL_SUCCESS;
}
