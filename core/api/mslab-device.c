/* SPDX-License-Identifier: MIT */
#include "mslab-device.h"

#include "core/opencl/device.h"

/**
 * MslabDevice:
 *
 * An OpenCL device of this machine. It is immutable, so threads may share it.
 */
struct _MslabDevice {
  GObject parent_instance;
  MsDevice *device;
};

G_DEFINE_FINAL_TYPE(MslabDevice, mslab_device, G_TYPE_OBJECT)

static void
mslab_device_finalize(GObject *object)
{
  g_clear_pointer(&MSLAB_DEVICE(object)->device, ms_device_unref);
  G_OBJECT_CLASS(mslab_device_parent_class)->finalize(object);
}

static void
mslab_device_class_init(MslabDeviceClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = mslab_device_finalize;
}

static void
mslab_device_init(MslabDevice *self)
{
}

static MslabDevice *
device_new(MsDevice *device)
{
  MslabDevice *self = g_object_new(MSLAB_TYPE_DEVICE, NULL);

  self->device = ms_device_ref(device);
  return self;
}

/**
 * mslab_device_list:
 * @error: set to %MSLAB_ERROR_NO_DEVICE where there is no OpenCL device
 *
 * Lists the OpenCL devices of this machine in the order of their platforms.
 *
 * Returns: (transfer container) (element-type MslabDevice): the devices, or %NULL with @error set
 */
GPtrArray *
mslab_device_list(GError **error)
{
  g_autoptr(GPtrArray) devices = ms_device_enumerate(error);
  GPtrArray *list = devices ? g_ptr_array_new_with_free_func(g_object_unref) : NULL;

  for (guint i = 0; list && i < devices->len; i++)
    g_ptr_array_add(list, device_new(g_ptr_array_index(devices, i)));
  return list;
}

/**
 * mslab_device_get_address:
 * @self: a device
 *
 * Gets the number of the platform and of the device in it, as in `0:1`. mslab_engine_open() takes it.
 *
 * Returns: (transfer none): the address
 */
const char *
mslab_device_get_address(MslabDevice *self)
{
  g_return_val_if_fail(MSLAB_IS_DEVICE(self), NULL);
  return self->device->address;
}

/**
 * mslab_device_get_name:
 * @self: a device
 *
 * Gets the name that the driver gives the device.
 *
 * Returns: (transfer none): the name
 */
const char *
mslab_device_get_name(MslabDevice *self)
{
  g_return_val_if_fail(MSLAB_IS_DEVICE(self), NULL);
  return self->device->name;
}

/**
 * mslab_device_get_platform:
 * @self: a device
 *
 * Gets the name of the OpenCL platform to which the device belongs.
 *
 * Returns: (transfer none): the name
 */
const char *
mslab_device_get_platform(MslabDevice *self)
{
  g_return_val_if_fail(MSLAB_IS_DEVICE(self), NULL);
  return self->device->platform;
}

/**
 * mslab_device_get_driver:
 * @self: a device
 *
 * Gets the version of the device's driver.
 *
 * Returns: (transfer none): the version
 */
const char *
mslab_device_get_driver(MslabDevice *self)
{
  g_return_val_if_fail(MSLAB_IS_DEVICE(self), NULL);
  return self->device->driver;
}

/**
 * mslab_device_get_kind:
 * @self: a device
 *
 * Gets the kind of the device: `cpu`, `gpu`, `accelerator` or `other`.
 *
 * Returns: (transfer none): the kind
 */
const char *
mslab_device_get_kind(MslabDevice *self)
{
  g_return_val_if_fail(MSLAB_IS_DEVICE(self), NULL);
  return ms_device_type_name(self->device->limits.type);
}
