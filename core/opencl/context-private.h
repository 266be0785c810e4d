/* SPDX-License-Identifier: MIT */
/* The fields of MsContext, shared by context.c and context-transfer.c. */
#pragma once

#include "core/opencl/context.h"
#include "core/opencl/staging.h"

struct _MsContext {
  GObject parent_instance;
  MsDevice *device;
  cl_context context;
  cl_command_queue queue;
  MsContext *root;      /* (nullable): the context whose programs a sibling shares */
  GHashTable *programs; /* hash of the spec -> MsProgram */
  GMutex build_lock;    /* guards @programs: siblings build from several threads */
  GMutex kernel_lock;   /* held by the sibling whose kernels run */
  char *cache_folder;
  guint processors; /* processors of the host, which bound the threads of a large transfer */
  MsTransferForm transfer_form;
  MsStaging *staging; /* (nullable): created by the first transfer that uses it */
  gboolean cannot_stage;
};
