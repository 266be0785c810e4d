/* SPDX-License-Identifier: MIT */
#include "app/python/results.h"

/* (count, min, max, sum, mean, stddev, median, percentiles, nonzero, histogram): the fields of ChannelStatistics. */
static PyObject *
channel_tuple(MslabStatistics *statistics, MslabChannel channel)
{
  MslabChannelStatistics s;
  gsize n_bins = 0;
  const guint64 *counts = mslab_statistics_get_histogram(statistics, channel, &n_bins);
  PyObject *histogram = PyByteArray_FromStringAndSize((const char *)counts, (Py_ssize_t)(n_bins * sizeof *counts));

  mslab_statistics_get_channel(statistics, channel, &s);
  const double *p = s.percentiles;
  return Py_BuildValue("KIIKddd(dddddd)KN", (unsigned long long)s.count, s.min, s.max, (unsigned long long)s.sum,
                       s.mean, s.stddev, s.median, p[0], p[1], p[2], p[3], p[4], p[5], (unsigned long long)s.nonzero,
                       histogram);
}

/** ms_python_statistics_tuple: a tuple of fields for each of R, G, B, A and luma; NULL with an exception set. */
PyObject *
ms_python_statistics_tuple(MslabStatistics *statistics)
{
  PyObject *channels = PyTuple_New(MSLAB_CHANNEL_LUMA + 1);

  for (int i = 0; channels && i <= MSLAB_CHANNEL_LUMA; i++) {
    PyObject *channel = channel_tuple(statistics, (MslabChannel)i);
    if (channel)
      PyTuple_SET_ITEM(channels, i, channel);
    else
      Py_CLEAR(channels);
  }
  return channels;
}

/**
 * ms_python_reduction_value: an int, a float, a pair of them, or ((low, high), (position, position)); NULL with an
 * exception set.
 */
PyObject *
ms_python_reduction_value(MslabReduction *reduction)
{
  g_autofree char *text = mslab_reduction_get_text(reduction);
  gboolean integer = mslab_reduction_is_integer(reduction);
  PyObject *range = NULL;
  double low = 0, high = 0;
  guint64 low_at = 0, high_at = 0;

  if (!mslab_reduction_get_range(reduction, &low, &high))
    return integer ? PyLong_FromString(text, NULL, 10) : PyFloat_FromDouble(mslab_reduction_get_number(reduction));
  range = integer ? Py_BuildValue("LL", (long long)low, (long long)high) : Py_BuildValue("dd", low, high);
  return mslab_reduction_get_positions(reduction, &low_at, &high_at)
           ? Py_BuildValue("N(KK)", range, (unsigned long long)low_at, (unsigned long long)high_at)
           : range;
}

/* The fields of Region. */
static PyObject *
region_tuple(MslabRegions *regions, guint label)
{
  MslabRegion r;
  gsize n = 0;
  const guint32 *neighbours = mslab_regions_get_neighbours(regions, label, &n);
  PyObject *labels = PyTuple_New((Py_ssize_t)n);

  for (gsize i = 0; labels && i < n; i++)
    PyTuple_SET_ITEM(labels, (Py_ssize_t)i, PyLong_FromUnsignedLong(neighbours[i]));
  mslab_regions_get_region(regions, label, &r);
  return Py_BuildValue("IIiiiidd(ddd)(ddd)N", label, r.pixels, r.left, r.top, r.right, r.bottom, r.x, r.y, r.mean[0],
                       r.mean[1], r.mean[2], r.deviation[0], r.deviation[1], r.deviation[2], labels);
}

/** ms_python_region_list: a tuple of fields for each region, in the order of labels; NULL with an exception set. */
PyObject *
ms_python_region_list(MslabRegions *regions)
{
  const guint n = mslab_regions_get_count(regions);
  PyObject *list = PyList_New((Py_ssize_t)n);

  for (guint i = 0; list && i < n; i++) {
    PyObject *region = region_tuple(regions, i + 1);
    if (region)
      PyList_SET_ITEM(list, (Py_ssize_t)i, region);
    else
      Py_CLEAR(list);
  }
  return list;
}
