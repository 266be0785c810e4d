/* SPDX-License-Identifier: MIT */
/* What the module owns, and how a GError becomes one of its exceptions. */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <glib.h>

/** MsPythonState: what the module owns: its exceptions and its type. */
typedef struct {
  PyObject *error;
  PyObject *usage_error;
  PyObject *engine_type;
} MsPythonState;

PyObject *ms_python_module_raise(const MsPythonState *state, const GError *error);
