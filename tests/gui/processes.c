/* SPDX-License-Identifier: MIT */
#include "tests/gui/processes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Adds the children of @pid, and theirs. */
static void
add_descendants(GPid pid, GArray *pids)
{
  g_autofree char *folder = g_strdup_printf("/proc/%d/task", pid);
  GDir *tasks = g_dir_open(folder, 0, NULL);

  for (const char *task; tasks && (task = g_dir_read_name(tasks));) {
    g_autofree char *path = g_build_filename(folder, task, "children", NULL);
    g_autofree char *text = NULL;
    g_auto(GStrv) words = g_file_get_contents(path, &text, NULL, NULL) ? g_strsplit(text, " ", -1) : NULL;
    for (char **word = words; word && *word; word++) {
      GPid child = atoi(*word);
      if (child <= 0)
        continue;
      g_array_append_val(pids, child);
      add_descendants(child, pids);
    }
  }
  g_clear_pointer(&tasks, g_dir_close);
}

/** processes_below: (transfer full) (element-type GPid): the children of @pid, and theirs, each before its own. */
GArray *
processes_below(GPid pid)
{
  GArray *pids = g_array_new(FALSE, FALSE, sizeof(GPid));

  add_descendants(pid, pids);
  return pids;
}

/* Whether @pid runs the program, with arguments or at all: libraries of the window start processes of their own. */
static gboolean
is_program(GPid pid, gboolean with_arguments)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/cmdline", pid);
  g_autofree char *text = NULL;
  gsize length = 0;

  return g_file_get_contents(path, &text, &length, NULL) && length > 0 && g_str_has_suffix(text, "meanshift-lab") &&
         (!with_arguments || length > strlen(text) + 1);
}

/** processes_of_program: (transfer full) (element-type GPid): those of processes_below() that run the program. */
GArray *
processes_of_program(GPid pid)
{
  GArray *pids = processes_below(pid);

  for (guint i = pids->len; i-- > 0;)
    if (!is_program(g_array_index(pids, GPid, i), FALSE))
      g_array_remove_index(pids, i);
  return pids;
}

/* (transfer full) (nullable): what the kernel says of @pid; its letter follows its name in parentheses */
static char *
status_of(GPid pid)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/stat", pid);
  char *text = NULL;

  g_file_get_contents(path, &text, NULL, NULL);
  return text;
}

static gboolean
is_alive(GPid pid)
{
  g_autofree char *text = status_of(pid);

  return text && !strstr(text, ") Z ");
}

static gboolean
is_stopped(GPid pid)
{
  g_autofree char *text = status_of(pid);

  return text && strstr(text, ") T ");
}

guint
processes_count_alive(GArray *pids)
{
  guint n = 0;

  for (guint i = 0; i < pids->len; i++)
    n += is_alive(g_array_index(pids, GPid, i));
  return n;
}

/** processes_are_stopped: whether @pid and all processes below it are stopped, as by SIGSTOP. */
gboolean
processes_are_stopped(GPid pid)
{
  g_autoptr(GArray) pids = processes_below(pid);
  gboolean all = is_stopped(pid);

  for (guint i = 0; i < pids->len; i++)
    all = all && is_stopped(g_array_index(pids, GPid, i));
  return all;
}

/**
 * processes_find_program: the program that this process has started for the Lab or the workspace Batch, which has
 * arguments, unlike the process of the window's device; 0 for none.
 */
GPid
processes_find_program(void)
{
  g_autoptr(GArray) pids = processes_below(getpid());

  for (guint i = 0; i < pids->len; i++)
    if (is_program(g_array_index(pids, GPid, i), TRUE))
      return g_array_index(pids, GPid, i);
  return 0;
}

/** processes_has_zombie: whether a child of this process has ended without having been waited for. */
gboolean
processes_has_zombie(void)
{
  siginfo_t info = {.si_pid = 0};

  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}
