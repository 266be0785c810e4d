/* SPDX-License-Identifier: MIT */
/* The type Engine of the module: an open device. */
#pragma once

#include "app/python/module.h"

int ms_python_engine_add_type(PyObject *module, MsPythonState *state);
