/* SPDX-License-Identifier: MIT */
#include "app/python/progress.h"

/** ms_python_progress_open: @function may be None; 0, or -1 with an exception set and nothing to clear. */
int
ms_python_progress_open(MsPythonProgress *self, const MsPythonState *state, PyObject *function)
{
  *self = (MsPythonProgress){0};
  if (Py_IsNone(function))
    return 0;
  if (!PyCallable_Check(function)) {
    PyErr_SetString(state->usage_error, "progress takes a function of two numbers: rows done, and rows in all.");
    return -1;
  }
  self->function = Py_NewRef(function);
  self->cancellable = g_cancellable_new();
  return 0;
}

void
ms_python_progress_clear(MsPythonProgress *self)
{
  Py_CLEAR(self->function);
  Py_CLEAR(self->type);
  Py_CLEAR(self->value);
  Py_CLEAR(self->traceback);
  g_clear_object(&self->cancellable);
}

/** ms_python_progress_report: an #MslabProgressFunc, called without the interpreter lock; an exception cancels. */
void
ms_python_progress_report(int done, int total, gpointer data)
{
  MsPythonProgress *self = data;
  PyGILState_STATE lock;
  PyObject *result = NULL;

  if (g_cancellable_is_cancelled(self->cancellable))
    return;
  lock = PyGILState_Ensure();
  result = PyObject_CallFunction(self->function, "ii", done, total);
  if (!result) {
    PyErr_Fetch(&self->type, &self->value, &self->traceback);
    g_cancellable_cancel(self->cancellable);
  }
  Py_XDECREF(result);
  PyGILState_Release(lock);
}

/** ms_python_progress_raise: sets the exception that the function raised. Returns: %FALSE if it raised none */
gboolean
ms_python_progress_raise(MsPythonProgress *self)
{
  if (!self->type)
    return FALSE;
  PyErr_Restore(g_steal_pointer(&self->type), g_steal_pointer(&self->value), g_steal_pointer(&self->traceback));
  return TRUE;
}
