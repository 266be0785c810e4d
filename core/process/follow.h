/* SPDX-License-Identifier: MIT */
/* What happens to a child while it works, and the limits that end it: for a thread that waits, and for a main loop. */
#pragma once

#include "core/process/child.h"

/** MsChildTake: takes a message from the child; returns whether the child has said that its work is done. */
typedef gboolean (*MsChildTake)(MsMessage *message, gpointer data);

/**
 * MsFollower: the state of following a child.
 * @cancellable: (nullable): %NULL once it has been cancelled
 * @heard_us: when its last message came, or it was asked something
 * @grace_us: when it is killed; 0 while it is not asked to end
 * @reason: why it was asked to end
 */
typedef struct {
  MsChild *child;
  const MsChildWatch *watch;
  MsChildTake take;
  gpointer data;
  GCancellable *cancellable;
  gint64 began_us;
  gint64 heard_us;
  gint64 grace_us;
  MsChildEnd reason;
} MsFollower;

void ms_follower_begin(MsFollower *self, MsChild *child, const MsChildWatch *watch, MsChildTake take, gpointer data,
                       GCancellable *cancellable);
gboolean ms_follower_look(MsFollower *self, int ms, MsChildEnd *end);
MsChildEnd ms_child_follow(MsChild *self, const MsChildWatch *watch, MsChildTake take, gpointer data,
                           GCancellable *cancellable);
