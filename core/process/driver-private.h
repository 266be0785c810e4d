/* SPDX-License-Identifier: MIT */
/* What driver.c, which decides, and driver-loop.c, which watches from a main loop, share. */
#pragma once

#include "core/process/driver.h"

/* A process that a main loop watches. */
typedef struct MsDriverProcess MsDriverProcess;

struct _MsDriver {
  MsDriverUser user;
  MsDriverState state;
  MsChild *child;           /* (nullable) */
  MsDriverProcess *process; /* (nullable): that of the child, where a main loop watches it */
  char *cache;              /* (nullable): an empty cache, where the usual one may have caused a death */
  char *last_death;         /* (nullable): how the last process ended */
  MsChildWatch watch;       /* of the present process */
  gint64 began_us;
  gint64 heard_us; /* when the last message came */
  guint started;
  GCancellable *cancellable; /* (nullable): of the run */
  gboolean has_finished;     /* the present process */
  gboolean is_idle;          /* the same: it waits for more work */
  gboolean found_culprits;   /* while it loaded the drivers */
};

gboolean ms_driver_spawn(MsDriver *self, GError **error);
void ms_driver_note_event(MsDriver *self, MsDriverEvent event);
void ms_driver_note_wait(MsDriver *self, MsWait what);
MsDriverAction ms_driver_take_death(MsDriver *self, MsChild *child, MsChildEnd end, gboolean found_culprits);
