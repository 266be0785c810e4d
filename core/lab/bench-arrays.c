/* SPDX-License-Identifier: MIT */
/* The generated arrays that reductions and sorts of one experiment share. */
#include "core/lab/bench-private.h"
#include "core/reduce/reduce-run.h"

#define ARRAY_SEED 20111

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
  return array->buffer && ms_context_upload(self->context, array->buffer, 0, bytes, array->data, NULL, error);
}

/**
 * ms_lab_bench_array:
 * @buffer: (out) (nullable): the same elements on the device; nobody may write to them
 *
 * Returns: (transfer none): @n generated elements, the same for everybody, kept until ms_lab_bench_forget()
 */
const void *
ms_lab_bench_array(MsLabBench *self, MsElementType type, guint64 n, cl_mem *buffer, GError **error)
{
  MsLabArray *array = find_array(self, type, n);

  if (!array) {
    void *data = ms_reduce_generate(type, n, ARRAY_SEED, error);
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
