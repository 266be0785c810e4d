/* SPDX-License-Identifier: MIT */
/* Python objects of the library's results: the fields of the named tuples that the Python code of the package makes. */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <meanshift-lab.h>

PyObject *ms_python_statistics_tuple(MslabStatistics *statistics);
PyObject *ms_python_reduction_value(MslabReduction *reduction);
PyObject *ms_python_region_list(MslabRegions *regions);
