/* SPDX-License-Identifier: MIT */
/* The PCI address of an OpenCL device, which distinguishes two cards of the same name. */
#pragma once

#include "core/opencl/device.h"

/** MsPciAddress: domain, bus and device; the function number is ignored. */
typedef struct {
  guint domain;
  guint bus;
  guint device;
} MsPciAddress;

gboolean ms_pci_address_of_device(MsDevice *device, MsPciAddress *address);
gboolean ms_pci_address_equal(const MsPciAddress *a, const MsPciAddress *b);
