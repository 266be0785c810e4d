/* SPDX-License-Identifier: MIT */
/* The exceptions of the module, and how a GError becomes one. */
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

int ms_python_failure_add_types(PyObject *module, MsPythonState *state);
PyObject *ms_python_failure_raise(const MsPythonState *state, const GError *error);
