/* SPDX-License-Identifier: MIT */
/* Calls a Python function during a run, and ends the run when that function raises an exception. */
#pragma once

#include "app/python/failure.h"

#include <gio/gio.h>

/**
 * MsPythonProgress: the Python function that gets the progress of one run.
 * @function: (nullable): a reference to the Python function; %NULL for none
 * @cancellable: (nullable): ends the run; %NULL without @function
 * @type, @value, @traceback: (nullable): the exception that @function raised
 */
typedef struct {
  PyObject *function;
  GCancellable *cancellable;
  PyObject *type;
  PyObject *value;
  PyObject *traceback;
} MsPythonProgress;

int ms_python_progress_open(MsPythonProgress *self, const MsPythonState *state, PyObject *function);
void ms_python_progress_clear(MsPythonProgress *self);
void ms_python_progress_report(int done, int total, gpointer data);
gboolean ms_python_progress_raise(MsPythonProgress *self);
