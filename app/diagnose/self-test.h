/* SPDX-License-Identifier: MIT */
/* Runs the kernels of one device on small inputs and compares their results with the serial code. */
#pragma once

#include "core/opencl/context.h"

/**
 * MsSelfTest: the tests of one device.
 * @text: receives a line for each test
 * @agrees: %FALSE once a kernel failed or gave another result than the serial code
 */
typedef struct {
  MsContext *context;
  const char *address;
  GString *text;
  gboolean agrees;
} MsSelfTest;

void ms_self_test_add(MsSelfTest *self, const char *name, guint64 differences, const GError *error);
void ms_self_test_filter(MsSelfTest *self);
void ms_self_test_reduce(MsSelfTest *self);
gboolean ms_self_test_run(MsDevice *device, GString *text);
