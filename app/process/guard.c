/* SPDX-License-Identifier: MIT */
#include "app/process/guard.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/process/signals.h"

/**
 * Child:
 * @grace_s: the time in which it must end once it is cancelled
 * @status: of waitpid()
 * @deadline_us: when it is cancelled or, after that, killed; 0 for never
 * @is_late: whether it was cancelled because it exceeded the time limit
 */
typedef struct {
  pid_t pid;
  double grace_s;
  int status;
  gint64 deadline_us;
  gboolean is_late;
  gboolean was_cancelled;
  gboolean was_killed;
} Child;

static void
run_child(MsGuardedWork work, gpointer data, const sigset_t *mask, pid_t parent)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(MS_EXIT_INTERRUPTED);
  pthread_sigmask(SIG_SETMASK, mask, NULL);
  exit(work(TRUE, data));
}

static void
end_child(Child *child)
{
  child->was_killed = TRUE;
  kill(child->pid, SIGKILL);
}

static gint64
us_from_now(double seconds)
{
  return g_get_monotonic_time() + (gint64)(MIN(seconds, G_MAXINT) * G_USEC_PER_SEC);
}

static void
cancel_child(Child *child, int number)
{
  child->was_cancelled = TRUE;
  child->deadline_us = us_from_now(child->grace_s);
  kill(child->pid, number);
}

static void
take_deadline(Child *child)
{
  if (child->was_cancelled) {
    end_child(child);
    return;
  }
  child->is_late = TRUE;
  cancel_child(child, SIGTERM);
}

/* The first interruption is passed on, and the second ends the child. */
static void
take_signal(Child *child, int signals)
{
  struct signalfd_siginfo info;

  if (read(signals, &info, sizeof info) != sizeof info || info.ssi_signo == SIGCHLD)
    return;
  if (child->was_cancelled)
    end_child(child);
  else
    cancel_child(child, (int)info.ssi_signo);
}

static int
patience_ms(const Child *child)
{
  const gint64 left_ms = (child->deadline_us - g_get_monotonic_time()) / 1000 + 1;

  return child->deadline_us == 0 || child->was_killed ? -1 : (int)CLAMP(left_ms, 0, G_MAXINT);
}

static void
wait_for_child(Child *child, int signals)
{
  struct pollfd fd = {.fd = signals, .events = POLLIN};

  while (waitpid(child->pid, &child->status, WNOHANG) == 0)
    if (poll(&fd, 1, patience_ms(child)) == 0)
      take_deadline(child);
    else
      take_signal(child, signals);
}

static MsExitStatus
status_of(const Child *child, double timeout_s)
{
  sigset_t interrupts;

  if (WIFEXITED(child->status) && !(child->is_late && WEXITSTATUS(child->status) == MS_EXIT_INTERRUPTED))
    return WEXITSTATUS(child->status);
  if (child->is_late) {
    fprintf(stderr,
            "meanshift-lab: The command took longer than the %g s of --timeout and was ended. Allow more time, or "
            "select another device with --device.\n",
            timeout_s);
    return MS_EXIT_NO_DEVICE;
  }
  ms_signals_get_interrupts(&interrupts);
  if (child->was_killed)
    fputs(
      "meanshift-lab: The process that used OpenCL did not end by itself and was killed; finished files are kept.\n",
      stderr);
  if (child->was_killed || sigismember(&interrupts, WTERMSIG(child->status)))
    return MS_EXIT_INTERRUPTED;
  fprintf(stderr,
          "meanshift-lab: The process that used OpenCL was ended by signal %d (%s). The lines above, if any, are from "
          "its driver. Select another device with --device.\n",
          WTERMSIG(child->status), strsignal(WTERMSIG(child->status)));
  return MS_EXIT_NO_DEVICE;
}

/**
 * ms_guard_run:
 *
 * Calls @work in a child process with the standard streams of this one, which must not have created a thread. Where no
 * process can be created, @work is called here. A signal that interrupts the program is passed on to the child, which
 * is killed if it does not end within the time of grace, or at a second signal.
 *
 * Returns: what @work returned, %MS_EXIT_NO_DEVICE if a signal or the limit ended the child, or
 *   %MS_EXIT_INTERRUPTED
 */
MsExitStatus
ms_guard_run(MsGuardedWork work, gpointer data, const MsGuardLimits *limits)
{
  const pid_t parent = getpid();
  Child child = {.grace_s = limits->grace_s, .deadline_us = limits->timeout_s > 0 ? us_from_now(limits->timeout_s) : 0};
  sigset_t set, mask;

  ms_signals_get_interrupts(&set);
  sigaddset(&set, SIGCHLD);
  signal(SIGCHLD, SIG_DFL); /* an ignored one would discard the exit status */
  pthread_sigmask(SIG_BLOCK, &set, &mask);
  const int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  child.pid = signals >= 0 ? fork() : -1;
  if (child.pid == 0)
    run_child(work, data, &mask, parent);
  if (child.pid > 0)
    wait_for_child(&child, signals);
  if (signals >= 0)
    close(signals);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  return child.pid > 0 ? status_of(&child, limits->timeout_s) : work(FALSE, data);
}

static gpointer
end_after_grace(gpointer status)
{
  g_usleep(MS_GUARD_GRACE_S * G_USEC_PER_SEC);
  _exit(GPOINTER_TO_INT(status));
  return NULL;
}

/** ms_guard_end_later: ends this process with @status after MS_GUARD_GRACE_S, unless cancelled work ends it before. */
void
ms_guard_end_later(MsExitStatus status)
{
  g_thread_unref(g_thread_new("ms-end", end_after_grace, GINT_TO_POINTER(status)));
}
