/* SPDX-License-Identifier: MIT */
/* Where a device sits on the PCI bus, as OpenCL tells it: what tells two cards of one name apart. */
#pragma once

#include "core/opencl/device.h"

G_BEGIN_DECLS

/** MsPciAddress: domain, bus and the device on it; functions of a card are one here. */
typedef struct {
  guint domain;
  guint bus;
  guint device;
} MsPciAddress;

gboolean ms_pci_address_of_device(MsDevice *device, MsPciAddress *address);
gboolean ms_pci_address_equal(const MsPciAddress *a, const MsPciAddress *b);

G_END_DECLS
