/* SPDX-License-Identifier: MIT */
#include "app/process/guard.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void
run_child(MsGuardedWork work, gpointer data, const sigset_t *mask, pid_t parent)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(MS_EXIT_INTERRUPTED);
  pthread_sigmask(SIG_SETMASK, mask, NULL);
  exit(work(data));
}

/* Passes the signals of other processes on; those of the terminal reach the child as well. */
static int
wait_for_child(pid_t child, int signals)
{
  struct signalfd_siginfo info;
  int status = 0;

  while (waitpid(child, &status, WNOHANG) == 0)
    if (read(signals, &info, sizeof info) == sizeof info && info.ssi_signo != SIGCHLD && info.ssi_code <= 0)
      kill(child, (int)info.ssi_signo);
  return status;
}

static MsExitStatus
status_of(int status)
{
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  if (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGHUP)
    return MS_EXIT_INTERRUPTED;
  fprintf(stderr,
          "meanshift-lab: The process that used OpenCL was ended by signal %d (%s). The lines above, if any, are from "
          "its driver. Select another device with --device.\n",
          WTERMSIG(status), strsignal(WTERMSIG(status)));
  return MS_EXIT_NO_DEVICE;
}

/**
 * ms_guard_run:
 *
 * Calls @work in a child process with the standard streams of this one, which must not have created a thread. Where no
 * process can be created, @work is called here.
 *
 * Returns: what @work returned, or %MS_EXIT_NO_DEVICE if a signal ended the child
 */
MsExitStatus
ms_guard_run(MsGuardedWork work, gpointer data)
{
  const pid_t parent = getpid();
  sigset_t set, mask;

  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGCHLD);
  signal(SIGCHLD, SIG_DFL); /* an ignored one would discard the exit status */
  pthread_sigmask(SIG_BLOCK, &set, &mask);
  const int signals = signalfd(-1, &set, SFD_CLOEXEC);
  const pid_t child = signals >= 0 ? fork() : -1;
  if (child == 0)
    run_child(work, data, &mask, parent);
  const MsExitStatus status = child > 0 ? status_of(wait_for_child(child, signals)) : MS_EXIT_DONE;
  if (signals >= 0)
    close(signals);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  return child > 0 ? status : work(data);
}
