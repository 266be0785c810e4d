/* SPDX-License-Identifier: MIT */
#include "app/process/signals.h"

#include <signal.h>
#include <unistd.h>

#include "app/process/exit-status.h"

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

/* The first signal cancels; the second ends the process at once, because a driver may be stuck in a call. */
static gpointer
wait_for_interrupt(gpointer data)
{
  GCancellable *cancellable = data;
  sigset_t set;
  int number = 0;

  sigemptyset(&set);
  for (gsize i = 0; i < G_N_ELEMENTS(interrupts); i++)
    sigaddset(&set, interrupts[i]);
  sigwait(&set, &number);
  g_cancellable_cancel(cancellable);
  sigwait(&set, &number);
  _exit(MS_EXIT_INTERRUPTED);
  return NULL;
}

static gboolean
is_ignored(int number)
{
  struct sigaction action;

  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/** ms_signals_fail_writes: makes a write to a closed pipe or beyond the limit of file size fail. */
void
ms_signals_fail_writes(void)
{
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/**
 * ms_signals_cancel_on_interrupt:
 *
 * Must be called before any other thread is created, so that all inherit the mask and one thread receives the signals.
 * Signals that the program was started with ignored, as under nohup, stay ignored.
 */
void
ms_signals_cancel_on_interrupt(GCancellable *cancellable)
{
  sigset_t set;

  sigemptyset(&set);
  for (gsize i = 0; i < G_N_ELEMENTS(interrupts); i++)
    if (!is_ignored(interrupts[i]))
      sigaddset(&set, interrupts[i]);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  g_thread_unref(g_thread_new("ms-signals", wait_for_interrupt, g_object_ref(cancellable)));
}
