/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/pci-address.h"

/* From cl_khr_pci_bus_info and cl_nv_device_attribute_query; older headers lack these constants. */
#define PCI_BUS_INFO_KHR 0x410F
#define PCI_BUS_ID_NV 0x4008
#define PCI_SLOT_ID_NV 0x4009
#define PCI_DOMAIN_ID_NV 0x400A

static gboolean
ask(MsDevice *device, cl_device_info what, void *value, gsize size)
{
  gsize written = 0;

  return clGetDeviceInfo(ms_device_get_id(device), what, size, value, &written) == CL_SUCCESS && written == size;
}

static gboolean
ask_khr(MsDevice *device, MsPciAddress *address)
{
  struct {
    cl_uint domain;
    cl_uint bus;
    cl_uint device;
    cl_uint function;
  } info;

  if (!ask(device, PCI_BUS_INFO_KHR, &info, sizeof info))
    return FALSE;
  *address = (MsPciAddress){info.domain, info.bus, info.device};
  return TRUE;
}

/* NVIDIA's slot holds the function in its lowest three bits. Drivers without the domain query use domain 0. */
static gboolean
ask_nvidia(MsDevice *device, MsPciAddress *address)
{
  cl_uint domain = 0, bus, slot;

  if (!ask(device, PCI_BUS_ID_NV, &bus, sizeof bus) || !ask(device, PCI_SLOT_ID_NV, &slot, sizeof slot))
    return FALSE;
  if (!ask(device, PCI_DOMAIN_ID_NV, &domain, sizeof domain))
    domain = 0;
  *address = (MsPciAddress){domain, bus, slot >> 3};
  return TRUE;
}

/** ms_pci_address_of_device: %FALSE where the device does not report it, as processors do not. */
gboolean
ms_pci_address_of_device(MsDevice *device, MsPciAddress *address)
{
  return ask_khr(device, address) || ask_nvidia(device, address);
}

gboolean
ms_pci_address_equal(const MsPciAddress *a, const MsPciAddress *b)
{
  return a->domain == b->domain && a->bus == b->bus && a->device == b->device;
}
