/* SPDX-License-Identifier: MIT */
#include "core/process/follow.h"

#include <poll.h>

#include "core/process/memory-cap.h"

/* How often the memory of a child is compared with the limit, and its caller is asked whether it is overdue. */
#define LOOK_MS 100

/*
 * The longest wait at once. A wait that took much longer shows that this process was stopped, as by Ctrl-Z, and most
 * likely the child with it; that time does not count.
 */
#define WAIT_MS 1000
#define STOPPED_US (500 * 1000)

static gint64
us_from(gint64 start, double seconds)
{
  return start + (gint64)(MIN(seconds, G_MAXINT) * G_USEC_PER_SEC);
}

/* The time at which something is due, the earliest of the limits; G_MAXINT64 for never. */
static gint64
next_deadline(const MsFollower *f)
{
  gint64 due = G_MAXINT64;

  if (f->grace_us > 0)
    return f->grace_us;
  if (f->watch->silence_s > 0)
    due = MIN(due, us_from(f->heard_us, f->watch->silence_s));
  if (f->watch->limit_s > 0)
    due = MIN(due, us_from(f->began_us, f->watch->limit_s));
  return due;
}

static int
patience_ms(const MsFollower *f)
{
  const gint64 due = next_deadline(f);

  const gboolean looks = f->watch->memory > 0 || f->watch->seconds_left;

  if (due == G_MAXINT64 && !looks && !f->watch->waits)
    return -1;
  return (int)CLAMP((due - g_get_monotonic_time() + 999) / 1000, 0, looks ? LOOK_MS : WAIT_MS);
}

/* Asks the child to end; it is killed when the time of grace is over. */
static void
ask_to_end(MsFollower *f, MsChildEnd reason)
{
  f->reason = reason;
  f->grace_us = us_from(g_get_monotonic_time(), f->watch->grace_s);
  ms_child_signal(f->child, SIGTERM);
}

/* Takes all messages that are there; whether the child is followed on. */
static gboolean
take_messages(MsFollower *f, MsChildEnd *end)
{
  while (TRUE) {
    g_auto(MsMessage) message;
    switch (ms_child_receive(f->child, &message)) {
    case MS_RECEIPT_MESSAGE:
      f->heard_us = g_get_monotonic_time();
      *end = f->grace_us > 0 && f->reason == MS_CHILD_END_LATE ? MS_CHILD_END_LATE : MS_CHILD_END_FINISHED;
      if (f->take(&message, f->data))
        return FALSE;
      break;
    case MS_RECEIPT_NOTHING:
      return TRUE;
    case MS_RECEIPT_CLOSED:
      *end = f->grace_us > 0 ? f->reason : MS_CHILD_END_DIED;
      return FALSE;
    case MS_RECEIPT_BROKEN:
      *end = MS_CHILD_END_BROKEN;
      return FALSE;
    }
  }
}

/* Looks at the limits; whether the child is followed on. */
static gboolean
check_limits(MsFollower *f, MsChildEnd *end)
{
  const gint64 now = g_get_monotonic_time();

  *end = MS_CHILD_END_TOO_LARGE;
  if (f->watch->memory > 0 && ms_memory_cap_resident(ms_child_get_pid(f->child)) > f->watch->memory)
    return FALSE;
  *end = MS_CHILD_END_OVERDUE;
  if (f->watch->seconds_left && f->watch->seconds_left(f->watch->data) <= 0)
    return FALSE;
  const MsWait what = f->watch->waits ? ms_child_find_long_wait(f->child) : MS_WAIT_NONE;
  if (what != MS_WAIT_NONE && !f->watch->waits(what, f->watch->data))
    return FALSE;
  if (now < next_deadline(f))
    return TRUE;
  *end = f->grace_us > 0 ? f->reason : MS_CHILD_END_SILENT;
  if (f->grace_us > 0 || f->watch->limit_s <= 0 || now < us_from(f->began_us, f->watch->limit_s))
    return FALSE;
  ask_to_end(f, MS_CHILD_END_LATE);
  return TRUE;
}

/* Waits for an event, for at most @ms; time in which this process was stopped moves all deadlines. */
static void
wait_for_event(MsFollower *f, struct pollfd fds[3], int ms)
{
  const gint64 start = g_get_monotonic_time();

  poll(fds, 3, ms);
  const gint64 excess = g_get_monotonic_time() - start - (gint64)ms * 1000;
  if (ms < 0 || excess < STOPPED_US)
    return;
  f->began_us += excess;
  f->heard_us += excess;
  f->grace_us += f->grace_us > 0 ? excess : 0;
}

/**
 * ms_follower_begin:
 * @watch: may change between two messages, so that a limit can follow what was seen
 * @take: gets each message
 * @cancellable: (nullable): cancelling it asks the child to end, with SIGTERM
 */
void
ms_follower_begin(MsFollower *self, MsChild *child, const MsChildWatch *watch, MsChildTake take, gpointer data,
                  GCancellable *cancellable)
{
  const gint64 now = g_get_monotonic_time();

  *self = (MsFollower){child, watch, take, data, cancellable, now, now, 0, MS_CHILD_END_CANCELLED};
}

/**
 * ms_follower_look: handles what has happened, after a wait of at most @ms for something to happen.
 *
 * Returns: whether the child is followed on; else @end is why not
 */
gboolean
ms_follower_look(MsFollower *f, int ms, MsChildEnd *end)
{
  GPollFD cancel = {.fd = -1};
  gboolean has_fd = f->cancellable && g_cancellable_make_pollfd(f->cancellable, &cancel);
  struct pollfd fds[3] = {{.fd = ms_channel_get_fd(ms_child_get_channel(f->child)), .events = POLLIN},
                          {.fd = ms_child_get_stderr(f->child), .events = POLLIN},
                          {.fd = cancel.fd, .events = POLLIN}};

  wait_for_event(f, fds, ms);
  if (has_fd)
    g_cancellable_release_fd(f->cancellable);
  if (fds[1].revents && !ms_child_read_stderr(f->child)) {
    *end = MS_CHILD_END_FLOODED;
    return FALSE;
  }
  if (fds[0].revents && !take_messages(f, end))
    return FALSE;
  if (f->cancellable && g_cancellable_is_cancelled(f->cancellable)) {
    f->cancellable = NULL;
    if (f->grace_us == 0)
      ask_to_end(f, MS_CHILD_END_CANCELLED);
  }
  return check_limits(f, end);
}

/**
 * ms_child_follow:
 * @watch, @take, @data, @cancellable: see ms_follower_begin()
 *
 * Follows the child until @take says that its work is done, or it ends, or a limit is exceeded. The child may still run
 * afterwards; ms_child_end() ends it.
 *
 * Returns: the reason
 */
MsChildEnd
ms_child_follow(MsChild *self, const MsChildWatch *watch, MsChildTake take, gpointer data, GCancellable *cancellable)
{
  MsFollower follower;
  MsChildEnd end = MS_CHILD_END_DIED;

  ms_follower_begin(&follower, self, watch, take, data, cancellable);
  while (ms_follower_look(&follower, patience_ms(&follower), &end))
    ;
  return end;
}
