/* SPDX-License-Identifier: MIT */
#include "core/lab/kinds/bench-arrays.h"

#include <inttypes.h>

#include "core/lab/kinds/bench-private.h"
#include "core/error.h"
#include "core/opencl/context-transfer.h"

#define ARRAY_SEED G_GUINT64_CONSTANT(20111)
#define LARGEST_REAL 1000.0

/* splitmix64 of the index alone, so that every machine generates the same array. */
static guint64
random_bits(guint64 index)
{
  guint64 z = (index + ARRAY_SEED) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void
fill_whole_numbers(guint64 *words, gsize bytes)
{
  for (gsize i = 0; i < bytes / 8; i++)
    words[i] = random_bits(i);
}

/* Positive, so that the terms of a sum do not cancel and its relative tolerance is meaningful. */
static void
fill_real_numbers(void *data, MsElementType type, guint64 n)
{
  for (guint64 i = 0; i < n; i++) {
    double value = (double)(random_bits(i) >> 11) * (LARGEST_REAL / 9007199254740992.0);
    if (type == MS_ELEMENT_FLOAT)
      ((float *)data)[i] = (float)value;
    else
      ((double *)data)[i] = value;
  }
}

static void *
generate(MsElementType type, guint64 n, GError **error)
{
  gsize size = ms_element_type_size(type), bytes = ((gsize)n * size + 7) / 8 * 8;
  void *data = n <= G_MAXSIZE / 2 / size ? g_try_malloc(bytes) : NULL;

  if (!data) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for %" PRIu64 " elements.", n);
    return NULL;
  }
  if (ms_element_type_is_real(type))
    fill_real_numbers(data, type, n);
  else
    fill_whole_numbers(data, bytes);
  return data;
}

static MsLabArray *
find_array(MsLabBench *self, MsElementType type, guint64 n)
{
  for (guint i = 0; i < self->arrays->len; i++) {
    MsLabArray *array = self->arrays->pdata[i];
    if (array->type == type && array->n == n)
      return array;
  }
  return NULL;
}

static gboolean
upload_array(MsLabBench *self, MsLabArray *array, GError **error)
{
  gsize bytes = (gsize)array->n * ms_element_type_size(array->type);

  array->buffer = ms_context_create_buffer(self->context, CL_MEM_READ_WRITE, bytes, NULL, error);
  return array->buffer &&
         ms_context_upload(self->context, &(MsBufferRange){array->buffer, 0, bytes}, array->data, NULL, error);
}

/**
 * ms_lab_bench_array:
 * @buffer: (out) (nullable): the same elements on the device, read-only
 *
 * Returns: (transfer none): @n generated elements, shared by all subjects, kept until ms_lab_bench_forget()
 */
const void *
ms_lab_bench_array(MsLabBench *self, MsElementType type, guint64 n, cl_mem *buffer, GError **error)
{
  MsLabArray *array = find_array(self, type, n);

  if (!array) {
    void *data = generate(type, n, error);
    if (!data)
      return NULL;
    array = g_new0(MsLabArray, 1);
    *array = (MsLabArray){type, n, data, NULL};
    g_ptr_array_add(self->arrays, array);
  }
  if (buffer && !array->buffer && !upload_array(self, array, error))
    return NULL;
  if (buffer)
    *buffer = array->buffer;
  return array->data;
}
