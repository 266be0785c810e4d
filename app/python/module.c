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
  g_autoptr(GPtrArray) devices = NULL;
  PyObject *list = NULL;

  Py_BEGIN_ALLOW_THREADS;
  devices = mslab_device_list(&error);
  Py_END_ALLOW_THREADS;
  if (!devices)
    return ms_python_module_raise(PyModule_GetState(module), error);
  list = PyList_New(0);
  for (guint i = 0; list && i < devices->len; i++) {
    MslabDevice *d = g_ptr_array_index(devices, i);
    if (append(list,
               Py_BuildValue("sssss", mslab_device_get_address(d), mslab_device_get_name(d),
                             mslab_device_get_platform(d), mslab_device_get_driver(d), mslab_device_get_kind(d))) < 0)
      Py_CLEAR(list);
  }
  return list;
}

static PyObject *
list_settings(PyObject *module, PyObject *unused)
{
  g_auto(GStrv) names = mslab_settings_list_names();
  PyObject *list = PyList_New(0);

  for (gsize i = 0; list && names[i]; i++)
    if (append(list, PyUnicode_FromString(names[i])) < 0)
      Py_CLEAR(list);
  return list;
}

static PyMethodDef functions[] = {
  {"devices", list_devices, METH_NOARGS, "A tuple of address, name, platform, driver and kind for each device."},
  {"setting_names", list_settings, METH_NOARGS, "The names of the filter's settings."},
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
