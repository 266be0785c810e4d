/* SPDX-License-Identifier: MIT */
/*
 * try-confined LAYERS WHAT FILE: confines this process as a loader (LAYERS is an MsConfinement as a number) and prints
 * whether WHAT is still possible, for FILE that this user may read and remove; status 77 where the system lacks a
 * layer.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/image/loader/confine.h"

static gboolean
try_read(const char *path)
{
  return open(path, O_RDONLY | O_CLOEXEC) >= 0;
}

static gboolean
try_write(const char *path)
{
  return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0;
}

static gboolean
try_remove(const char *path)
{
  return unlink(path) == 0;
}

static gboolean
try_socket(const char *path)
{
  return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0 || socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) >= 0;
}

static gboolean
try_connect(const char *path)
{
  const char address[16] = {AF_INET, 0, 0, 1, 127, 0, 0, 1};
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  return fd >= 0 && (connect(fd, (const struct sockaddr *)address, sizeof address) == 0 || errno == ECONNREFUSED);
}

/* A program that runs takes the place of this one and ends with status 0. */
static gboolean
try_execute(const char *path)
{
  execl("/bin/true", "true", NULL);
  return FALSE;
}

static gboolean
try_fork(const char *path)
{
  const pid_t pid = fork();

  if (pid == 0)
    _exit(0);
  return pid > 0;
}

static gboolean
try_trace(const char *path)
{
  return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0;
}

static gboolean
try_kill(const char *path)
{
  return kill(getppid(), 0) == 0;
}

static gboolean
try_code(const char *path)
{
  return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static void *
do_nothing(void *data)
{
  return data;
}

/* What modules need stays possible. */
static gboolean
try_thread(const char *path)
{
  pthread_t thread;

  return pthread_create(&thread, NULL, do_nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

int
main(int argc, char **argv)
{
  static const struct {
    const char *name;
    gboolean (*try)(const char *path);
  } rows[] = {{"read", try_read},       {"write", try_write},   {"remove", try_remove},  {"socket", try_socket},
              {"connect", try_connect}, {"fork", try_fork},     {"trace", try_trace},    {"kill", try_kill},
              {"code", try_code},       {"thread", try_thread}, {"execute", try_execute}};

  if (argc != 4)
    return EXIT_FAILURE;
  const guint asked = (guint)g_ascii_strtoull(argv[1], NULL, 10);
  if (ms_confine((MsConfinement)asked) != (MsConfinement)asked)
    return 77;
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    if (strcmp(argv[2], rows[i].name) == 0) {
      const char *line = rows[i].try(argv[3]) ? "possible\n" : "denied\n";
      return write(STDOUT_FILENO, line, strlen(line)) > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
  return EXIT_FAILURE;
}
