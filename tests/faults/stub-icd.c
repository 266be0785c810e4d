/* SPDX-License-Identifier: MIT */
/*
 * An OpenCL driver that is broken: as MS_STUB_ICD says, a process that loads it hangs, aborts, or exits with status 0.
 * The file of MS_STUB_LOADS gets a byte for each process that loads it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Called by the loader of OpenCL; a driver without functions has no platform. */
__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name);

void *
clGetExtensionFunctionAddress(const char *name)
{
  return name[0] == '\0' ? (void *)name : NULL;
}

static void
note_load(void)
{
  const char *path = getenv("MS_STUB_LOADS");
  const int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

  if (fd >= 0 && write(fd, "l", 1) == 1)
    close(fd);
}

__attribute__((constructor)) static void
begin(void)
{
  const char *what = getenv("MS_STUB_ICD");
  const struct rlimit no_core = {0, 0};

  note_load();
  setrlimit(RLIMIT_CORE, &no_core);
  if (what && !strcmp(what, "abort"))
    abort();
  if (what && !strcmp(what, "exit"))
    _exit(0);
  while (what && !strcmp(what, "hang"))
    pause();
}
