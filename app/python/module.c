/* SPDX-License-Identifier: MIT */
/* The extension module meanshift_lab._core: the library for the Python code beside it. */
#include "app/python/module.h"

#include "app/python/engine.h"

#include <meanshift-lab.h>

PyMODINIT_FUNC PyInit__core(void);

/* Makes the exceptions; 0, or -1 with an exception set. */
static int
add_exceptions(PyObject *module, MsPythonState *state)
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

/** ms_python_module_raise: sets the exception with the sentence of @error. Returns: %NULL */
PyObject *
ms_python_module_raise(const MsPythonState *state, const GError *error)
{
  PyErr_SetString(is_of_the_caller(error) ? state->usage_error : state->error, error->message);
  return NULL;
}

static int
append(PyObject *list, PyObject *item)
{
  int result = item ? PyList_Append(list, item) : -1;

  Py_XDECREF(item);
  return result;
}

static PyObject *
list_devices(PyObject *module, PyObject *unused)
{
  g_autoptr(GError) error = NULL;
  g_autofree MslabDeviceInfo *devices = NULL;
  PyObject *list = NULL;
  gsize n = 0;

  Py_BEGIN_ALLOW_THREADS;
  devices = mslab_list_devices(&n, &error);
  Py_END_ALLOW_THREADS;
  if (!devices)
    return ms_python_module_raise(PyModule_GetState(module), error);
  list = PyList_New(0);
  for (gsize i = 0; list && i < n; i++) {
    const MslabDeviceInfo *d = &devices[i];
    if (append(list, Py_BuildValue("sssss", d->address, d->name, d->platform, d->driver, d->kind)) < 0)
      Py_CLEAR(list);
  }
  return list;
}

static PyObject *
get_halo(PyObject *module, PyObject *settings)
{
  g_autoptr(GError) error = NULL;
  const char *text = PyUnicode_AsUTF8(settings);
  const int rows = text ? mslab_halo(text, &error) : 0;

  if (!text || error)
    return error ? ms_python_module_raise(PyModule_GetState(module), error) : NULL;
  return PyLong_FromLong(rows);
}

static PyMethodDef functions[] = {
  {"devices", list_devices, METH_NOARGS, "A tuple of address, name, platform, driver and kind for each device."},
  {"halo", get_halo, METH_O, "halo(settings): the rows on each side that can influence a row."},
  {NULL},
};

static int
execute(PyObject *module)
{
  MsPythonState *state = PyModule_GetState(module);

  return add_exceptions(module, state) < 0 ? -1 : ms_python_engine_add_type(module, state);
}

static int
clear(PyObject *module)
{
  MsPythonState *state = PyModule_GetState(module);

  Py_CLEAR(state->error);
  Py_CLEAR(state->usage_error);
  Py_CLEAR(state->engine_type);
  return 0;
}

static int
traverse(PyObject *module, visitproc visit, void *arg)
{
  MsPythonState *state = PyModule_GetState(module);

  Py_VISIT(state->error);
  Py_VISIT(state->usage_error);
  Py_VISIT(state->engine_type);
  return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "meanshift_lab._core",
                                        .m_doc = "The library meanshift-lab-1.",
                                        .m_size = sizeof(MsPythonState),
                                        .m_methods = functions,
                                        .m_slots = slots,
                                        .m_traverse = traverse,
                                        .m_clear = clear};

PyMODINIT_FUNC
PyInit__core(void)
{
  return PyModuleDef_Init(&definition);
}
