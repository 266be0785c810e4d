/* SPDX-License-Identifier: MIT */
/* A counter in a file, which the supervisor and its workers share: the n-th call of all of them is one call. */
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/**
 * FaultCount:
 * @calls: counted so far
 * @bytes: written so far
 */
typedef struct {
  long calls;
  long bytes;
} FaultCount;

/* The number in an environment variable, 0 where it is not set. */
static inline long
fault_number(const char *name)
{
  const char *text = getenv(name);

  return text ? strtol(text, NULL, 10) : 0;
}

/* Maps the file that MS_FAULT_COUNT names; NULL where it names none. Calls the system, since open() is interposed. */
static inline FaultCount *
fault_count_map(void)
{
  const char *path = getenv("MS_FAULT_COUNT");
  int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
  void *page = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(FaultCount), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  if (fd >= 0)
    syscall(SYS_close, fd);
  return page == MAP_FAILED ? NULL : page;
}

/* Counts a call; whether it is to fail: the MS_FAULT_NTH-th alone, or also all that follow with MS_FAULT_ALWAYS=1. */
static inline int
fault_is_due(FaultCount *count, long nth, int always)
{
  long number = count ? __atomic_add_fetch(&count->calls, 1, __ATOMIC_SEQ_CST) : 0;

  return nth > 0 && (number == nth || (always && number > nth));
}
