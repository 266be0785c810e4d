/* SPDX-License-Identifier: MIT */
#include "core/image/jpeg/jpeg-coefficients.h"

#include <jerror.h>

/*
 * An array of blocks, to which libjpeg has an opaque pointer. All of it is in a temporary file; @rows are the pointers
 * of one access.
 */
struct jvirt_barray_control {
  JBLOCK *blocks;
  JDIMENSION columns;
  JBLOCKROW *rows;
};

static MsJpegInput *
input_of(j_common_ptr cinfo)
{
  return (MsJpegInput *)((j_decompress_ptr)cinfo)->src;
}

/* The blocks of a new file are zero, whether @zero asks for it or not. */
static jvirt_barray_ptr
request(j_common_ptr cinfo, int pool, boolean zero, JDIMENSION columns, JDIMENSION n_rows, JDIMENSION most_rows)
{
  MsJpegInput *input = input_of(cinfo);
  jvirt_barray_ptr self = cinfo->mem->alloc_small(cinfo, pool, sizeof *self);

  self->columns = columns;
  self->rows = cinfo->mem->alloc_small(cinfo, pool, most_rows * sizeof *self->rows);
  self->blocks = ms_scratch_file_map(input->scratch, (gsize)columns * n_rows * sizeof(JBLOCK), &input->error);
  if (!self->blocks)
    ERREXIT1(cinfo, JERR_OUT_OF_MEMORY, 0);
  return self;
}

static JBLOCKARRAY
access_rows(j_common_ptr cinfo, jvirt_barray_ptr self, JDIMENSION first, JDIMENSION n, boolean writable)
{
  ms_scratch_file_touch(input_of(cinfo)->scratch, (gsize)n * self->columns * sizeof(JBLOCK));
  for (JDIMENSION i = 0; i < n; i++)
    self->rows[i] = self->blocks + (gsize)(first + i) * self->columns;
  return self->rows;
}

/**
 * ms_jpeg_coefficients_use_scratch:
 * @cinfo: whose source manager is an #MsJpegInput with a scratch; before jpeg_start_decompress()
 *
 * Replaces libjpeg's arrays of coefficients, which have 3 to 8 bytes a pixel.
 */
void
ms_jpeg_coefficients_use_scratch(j_decompress_ptr cinfo)
{
  cinfo->mem->request_virt_barray = request;
  cinfo->mem->access_virt_barray = access_rows;
}
