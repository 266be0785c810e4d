/* SPDX-License-Identifier: MIT */
/*
 * Loaded with LD_PRELOAD: makes one call of the C library fail, or a write stop at a byte, and lists the calls that
 * change files.
 *
 *   MS_FAULT_CALL    what is counted: allocation, write, fsync, rename (which includes links), truncate
 *   MS_FAULT_NTH     the number of the call that fails, from 1; 0 for none
 *   MS_FAULT_ALWAYS  1: all later calls fail as well
 *   MS_FAULT_BYTE    with write: the bytes in all after which the disk is full; the write that crosses it is short
 *   MS_FAULT_CODE    the errno of the failure
 *   MS_FAULT_KILL    1: instead of failing, the call ends its process group before it has done anything
 *   MS_FAULT_BELOW   files outside of this folder are neither counted nor listed
 *   MS_FAULT_DRIVER  1: allocations of the OpenCL driver count as well
 *   MS_FAULT_NAMED   1: files without a name cannot be created, as on some file systems
 *   MS_FAULT_EXIT    a file that a process creates which ends by _exit(), two seconds later, as slow drivers end
 *   MS_FAULT_COUNT   a file of zeros that holds the counters
 *   MS_FAULT_TRACE   a file to which each successful call is appended as a line: its name, the path, and for a
 *                    rename or link the new path, with tabs between them
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "tests/faults/shared-count.h"

#define EXPORT __attribute__((visibility("default")))
#define LEAST_ALLOCATION (1 << 20)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static FaultCount *count;
static const char *call, *below;
static long nth, most_bytes = -1;
static int always, code, driver, kills, named, trace = -1;

__attribute__((constructor)) static void
set_up(void)
{
  const char *path = getenv("MS_FAULT_TRACE");

  count = fault_count_map();
  call = getenv("MS_FAULT_CALL");
  below = getenv("MS_FAULT_BELOW");
  nth = fault_number("MS_FAULT_NTH");
  always = (int)fault_number("MS_FAULT_ALWAYS");
  code = (int)fault_number("MS_FAULT_CODE");
  kills = (int)fault_number("MS_FAULT_KILL");
  driver = (int)fault_number("MS_FAULT_DRIVER");
  named = (int)fault_number("MS_FAULT_NAMED");
  if (getenv("MS_FAULT_BYTE"))
    most_bytes = fault_number("MS_FAULT_BYTE");
  if (path)
    trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

/* ---- Processes ---- */

EXPORT _Noreturn void
_exit(int status)
{
  const char *path = getenv("MS_FAULT_EXIT");

  if (path) {
    sleep(2);
    close((int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }
  for (;;)
    syscall(SYS_exit_group, status);
}

/* ---- Memory ---- */

/* Whether the code at @address is of the driver, its compiler or the C++ library that they use. */
static int
is_driver(const void *address)
{
  static const char *const names[] = {"libpocl",  "libLLVM",   "libclang", "libstdc++",
                                      "libhwloc", "libOpenCL", "ld-linux"};
  Dl_info info;

  if (!dladdr(address, &info) || !info.dli_fname)
    return 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr(info.dli_fname, names[i]))
      return 1;
  return 0;
}

static int
allocation_fails(size_t size, const void *caller)
{
  if (size < LEAST_ALLOCATION || !count || !call || strcmp(call, "allocation") != 0 || (!driver && is_driver(caller)))
    return 0;
  return fault_is_due(count, nth, always);
}

EXPORT void *
malloc(size_t size)
{
  if (!allocation_fails(size, __builtin_return_address(0)))
    return __libc_malloc(size);
  errno = ENOMEM;
  return NULL;
}

EXPORT void *
calloc(size_t n, size_t size)
{
  if (!allocation_fails(n * size, __builtin_return_address(0)))
    return __libc_calloc(n, size);
  errno = ENOMEM;
  return NULL;
}

EXPORT void *
realloc(void *old, size_t size)
{
  if (!allocation_fails(size, __builtin_return_address(0)))
    return __libc_realloc(old, size);
  errno = ENOMEM;
  return NULL;
}

EXPORT int
posix_memalign(void **block, size_t alignment, size_t size)
{
  if (allocation_fails(size, __builtin_return_address(0)))
    return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}

EXPORT void *
aligned_alloc(size_t alignment, size_t size)
{
  if (!allocation_fails(size, __builtin_return_address(0)))
    return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return NULL;
}

/* ---- Files ---- */

static int
is_below(const char *path)
{
  return !below || strncmp(path, below, strlen(below)) == 0;
}

/* The path of an open file; empty if it has none or is not counted. */
static void
path_of(int fd, char *path)
{
  char link[64];

  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX);
  path[length > 0 ? length : 0] = '\0';
  if (!is_below(path))
    path[0] = '\0';
}

static void
path_at(int folder, const char *name, char *path)
{
  path[0] = '\0';
  if (name[0] != '/' && folder != AT_FDCWD)
    path_of(folder, path);
  if (name[0] == '/' && is_below(name))
    snprintf(path, PATH_MAX, "%s", name);
  else if (path[0])
    snprintf(path + strlen(path), PATH_MAX - strlen(path), "/%s", name);
}

static int
fails(const char *name, const char *path)
{
  if (!path[0] || !count || !call || strcmp(call, name) != 0 || most_bytes >= 0 || !fault_is_due(count, nth, always))
    return 0;
  if (kills)
    kill(0, SIGKILL);
  errno = code;
  return 1;
}

/* Appends a line with the call, as one write, so that the lines of several processes never mix. */
static void
list(const char *name, const char *path, const char *to, ssize_t result)
{
  char line[2 * PATH_MAX + 64];
  int kept = errno;

  if (trace < 0 || !path[0] || result < 0)
    return;
  int length = snprintf(line, sizeof line, "%s\t%s\t%s\n", name, path, to);
  syscall(SYS_write, trace, line, length);
  errno = kept;
}

/* Bytes that may still be written of @size; counts them all. */
static size_t
bytes_left(size_t size)
{
  long end = __atomic_add_fetch(&count->bytes, (long)size, __ATOMIC_SEQ_CST);
  long left = most_bytes - (end - (long)size);

  return most_bytes < 0 || left >= (long)size ? size : left > 0 ? (size_t)left : 0;
}

EXPORT ssize_t
write(int fd, const void *data, size_t size)
{
  char path[PATH_MAX + 1] = "";

  if (count || trace >= 0)
    path_of(fd, path);
  if (fails("write", path))
    return -1;
  if (path[0] && count && call && strcmp(call, "write") == 0 && size > 0) {
    size = bytes_left(size);
    if (size == 0) {
      errno = code;
      return -1;
    }
  }
  ssize_t result = syscall(SYS_write, fd, data, size);
  list("write", path, "", result);
  return result;
}

EXPORT ssize_t
pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
  char path[PATH_MAX + 1];

  path_of(fd, path);
  if (fails("write", path))
    return -1;
  ssize_t result = syscall(SYS_pwrite64, fd, data, size, offset);
  list("write", path, "", result);
  return result;
}

EXPORT int
fsync(int fd)
{
  char path[PATH_MAX + 1];

  path_of(fd, path);
  if (fails("fsync", path))
    return -1;
  int result = (int)syscall(SYS_fsync, fd);
  list("fsync", path, "", result);
  return result;
}

EXPORT int
renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags)
{
  char old[PATH_MAX + 1], path[PATH_MAX + 1];

  path_at(from_folder, from, old);
  path_at(to_folder, to, path);
  if (fails("rename", path))
    return -1;
  int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  list("rename", old, path, result);
  return result;
}

EXPORT int
renameat(int from_folder, const char *from, int to_folder, const char *to)
{
  return renameat2(from_folder, from, to_folder, to, 0);
}

EXPORT int
rename(const char *from, const char *to)
{
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* A file without a name is linked by its path in /proc, which leads to the path that other calls are listed with. */
EXPORT int
linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
  char old[PATH_MAX + 1], path[PATH_MAX + 1];

  if (strncmp(from, "/proc/self/fd/", 14) == 0)
    path_of(atoi(from + 14), old);
  else
    path_at(from_folder, from, old);
  path_at(to_folder, to, path);
  if (fails("rename", path))
    return -1;
  int result = (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
  list("link", old, path, result);
  return result;
}

EXPORT int
mkdirat(int folder, const char *name, mode_t mode)
{
  char path[PATH_MAX + 1];

  path_at(folder, name, path);
  int result = (int)syscall(SYS_mkdirat, folder, name, mode);
  list("mkdir", path, "", result);
  return result;
}

EXPORT int
mkdir(const char *path, mode_t mode)
{
  return mkdirat(AT_FDCWD, path, mode);
}

EXPORT int
posix_fallocate64(int fd, off64_t offset, off64_t length)
{
  char path[PATH_MAX + 1];

  path_of(fd, path);
  if (fails("truncate", path))
    return code;
  return syscall(SYS_fallocate, fd, 0, offset, length) == 0 ? 0 : errno;
}

EXPORT int
ftruncate64(int fd, off64_t length)
{
  char path[PATH_MAX + 1];

  path_of(fd, path);
  return fails("truncate", path) ? -1 : (int)syscall(SYS_ftruncate, fd, length);
}

EXPORT int
openat64(int folder, const char *name, int flags, ...)
{
  static int (*next)(int, const char *, int, ...);
  va_list arguments;

  va_start(arguments, flags);
  int mode = va_arg(arguments, int);
  va_end(arguments);
  if (named && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  if (!next)
    next = dlsym(RTLD_NEXT, "openat64");
  return next(folder, name, flags, mode);
}
