/* SPDX-License-Identifier: MIT */
#include "core/process/memory-cap.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/threads.h"

/* Blocks of this size and more are returned to the system when they are freed. */
#define LARGE_BLOCK (256 << 10)

/* Each arena keeps freed blocks that other threads cannot use. */
#define MOST_ARENAS 2

/**
 * ms_memory_cap_usual:
 *
 * Returns: what images may take together if no limit is given, which is a quarter of the machine's memory, or of the
 *   addresses that the system allows this process (ulimit -v) if these are fewer
 */
guint64
ms_memory_cap_usual(void)
{
  gint64 pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  guint64 memory = pages > 0 && page > 0 ? (guint64)pages * (guint64)page : G_GUINT64_CONSTANT(4) << 30;

  return MIN(memory, ms_address_limit()) / 4;
}

/**
 * ms_memory_cap_share:
 * @limit: bytes that the process may take
 * @runtime: bytes of the program, the driver and its compiler, 0 where the limit is for images alone
 *
 * Returns: what images may take together, which is half of the rest; the other half is for the buffers of a device that
 *   shares the machine's memory
 */
guint64
ms_memory_cap_share(guint64 limit, guint64 runtime)
{
  if (runtime == 0)
    return limit;
  return limit > runtime ? (limit - runtime) / 2 : 0;
}

/** ms_memory_cap_needed: the smallest limit whose share for images has @bytes. */
guint64
ms_memory_cap_needed(guint64 bytes, guint64 runtime)
{
  return runtime == 0 ? bytes : runtime + 2 * bytes;
}

/** ms_memory_cap_prepare: makes the C library return freed memory to the system; to be called before threads start. */
void
ms_memory_cap_prepare(void)
{
  mallopt(M_ARENA_MAX, MOST_ARENAS);
  mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
  mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK);
}

/* Reads how much memory a process has, and how much it may write to without another call of the system. */
static gboolean
read_usage(GPid pid, guint64 *resident, guint64 *writable)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/statm", (int)pid);
  g_autofree char *text = NULL;
  guint64 page = (guint64)sysconf(_SC_PAGESIZE);
  gboolean good = g_file_get_contents(path, &text, NULL, NULL) &&
                  sscanf(text, "%*u %" G_GUINT64_FORMAT " %*u %*u %*u %" G_GUINT64_FORMAT, resident, writable) == 2;

  *resident *= page;
  *writable *= page;
  return good;
}

/** ms_memory_cap_resident: bytes of a process that are in memory, 0 where the system does not say. */
guint64
ms_memory_cap_resident(GPid pid)
{
  guint64 resident = 0, writable = 0;

  return read_usage(pid, &resident, &writable) ? resident : 0;
}

static guint64
stack_bytes(void)
{
  pthread_attr_t attributes;
  size_t size = 0;

  if (pthread_getattr_default_np(&attributes) != 0)
    return 0;
  pthread_attr_getstacksize(&attributes, &size);
  pthread_attr_destroy(&attributes);
  return size;
}

/**
 * ms_memory_cap_hold:
 * @limit: bytes that the process may take
 * @threads: the number of threads that may still be started
 *
 * Sets RLIMIT_DATA so that allocations fail once the process has about @limit bytes in memory. Call it after the OpenCL
 * driver was loaded: RLIMIT_DATA counts reserved addresses, of which a driver uses few, so the present reservation
 * counts with its resident part alone. Stacks of new threads are not counted either. Does nothing if the process is
 * over @limit already or the system has no such limit.
 */
void
ms_memory_cap_hold(guint64 limit, guint threads)
{
  guint64 resident = 0, writable = 0;
  struct rlimit data;

  if (!read_usage(getpid(), &resident, &writable) || resident >= limit || getrlimit(RLIMIT_DATA, &data) != 0)
    return;
  data.rlim_cur = MIN(data.rlim_max, writable + (limit - resident) + threads * stack_bytes());
  setrlimit(RLIMIT_DATA, &data);
}
