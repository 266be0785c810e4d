/* SPDX-License-Identifier: MIT */
#include "app/process/signals.h"

#include <unistd.h>

#include "app/process/exit-status.h"

static gboolean
is_ignored(int number)
{
  struct sigaction action;

  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* SIGINT, SIGTERM and SIGHUP, without those that the program was started with ignored, as under nohup */
static void
get_interrupts(sigset_t *set)
{
  static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

  sigemptyset(set);
  for (gsize i = 0; i < G_N_ELEMENTS(interrupts); i++)
    if (!is_ignored(interrupts[i]))
      sigaddset(set, interrupts[i]);
}

static void
cancel_on_next(GCancellable *cancellable)
{
  sigset_t set;
  int number = 0;

  get_interrupts(&set);
  sigwait(&set, &number);
  g_cancellable_cancel(cancellable);
}

/* The second signal ends the process at once, because a driver may be stuck in a call. */
static gpointer
cancel_then_exit(gpointer cancellable)
{
  cancel_on_next(cancellable);
  cancel_on_next(cancellable);
  _exit(MS_EXIT_INTERRUPTED);
  return NULL;
}

/* One signal to the process group arrives twice here: from its sender, and from the process that watches this one. */
static gpointer
cancel_each_time(gpointer cancellable)
{
  while (TRUE)
    cancel_on_next(cancellable);
  return NULL;
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
 * @is_watched: whether another process ends this one if it does not end by itself
 *
 * Must be called before any other thread is created, so that all inherit the mask and one thread receives the signals.
 */
void
ms_signals_cancel_on_interrupt(GCancellable *cancellable, gboolean is_watched)
{
  sigset_t set;

  get_interrupts(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  g_thread_unref(
    g_thread_new("ms-signals", is_watched ? cancel_each_time : cancel_then_exit, g_object_ref(cancellable)));
}
