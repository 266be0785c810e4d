/* SPDX-License-Identifier: MIT */
#include "app/python/failure.h"

#include <meanshift-lab.h>

/** ms_python_failure_add_types: makes the exceptions; 0, or -1 with an exception set. */
int
ms_python_failure_add_types(PyObject *module, MsPythonState *state)
{
  PyObject *bases = NULL;

  state->error =
    PyErr_NewExceptionWithDoc("meanshift_lab.Error", "What failed, in a sentence.", PyExc_RuntimeError, NULL);
  bases = state->error ? PyTuple_Pack(2, state->error, PyExc_ValueError) : NULL;
  if (!bases)
    return -1;
  state->usage_error = PyErr_NewExceptionWithDoc(
    "meanshift_lab.UsageError", "An argument or setting has a value that it cannot take.", bases, NULL);
  Py_DECREF(bases);
  if (!state->usage_error || PyModule_AddObjectRef(module, "Error", state->error) < 0)
    return -1;
  return PyModule_AddObjectRef(module, "UsageError", state->usage_error);
}

static gboolean
is_of_the_caller(const GError *error)
{
  return g_error_matches(error, MSLAB_ERROR, MSLAB_ERROR_USAGE) ||
         g_error_matches(error, MSLAB_ERROR, MSLAB_ERROR_UNSUPPORTED);
}

/** ms_python_failure_raise: sets the exception with the sentence of @error. Returns: %NULL */
PyObject *
ms_python_failure_raise(const MsPythonState *state, const GError *error)
{
  PyErr_SetString(is_of_the_caller(error) ? state->usage_error : state->error, error->message);
  return NULL;
}
