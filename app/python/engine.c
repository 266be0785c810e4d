/* SPDX-License-Identifier: MIT */
#include "app/python/engine.h"

#include <string.h>

#include "app/python/pixels.h"

typedef struct {
  PyObject_HEAD MslabEngine *engine;
  GMutex turn;      /* one call at a time uses @engine, whose progress function is that of the call */
  GThread *running; /* the thread that holds @turn */
} Engine;

/**
 * Progress: the Python function that gets the progress of one run.
 * @function: (nullable): a reference to the Python function; %NULL for none
 * @cancellable: (nullable): ends the run; %NULL without @function
 * @type, @value, @traceback: (nullable): the exception that @function raised
 */
typedef struct {
  PyObject *function;
  GCancellable *cancellable;
  PyObject *type;
  PyObject *value;
  PyObject *traceback;
} Progress;

/* @function may be None; 0, or -1 with an exception set and nothing to clear. */
static int
progress_open(Progress *self, const MsPythonState *state, PyObject *function)
{
  *self = (Progress){0};
  if (Py_IsNone(function))
    return 0;
  if (!PyCallable_Check(function)) {
    PyErr_SetString(state->usage_error, "progress takes a function of two numbers: rows done, and rows in all.");
    return -1;
  }
  self->function = Py_NewRef(function);
  self->cancellable = g_cancellable_new();
  return 0;
}

static void
progress_clear(Progress *self)
{
  Py_CLEAR(self->function);
  Py_CLEAR(self->type);
  Py_CLEAR(self->value);
  Py_CLEAR(self->traceback);
  g_clear_object(&self->cancellable);
}

/* Called without the interpreter lock; an exception cancels. */
static void
on_python_progress(int done, int total, gpointer data)
{
  Progress *self = data;
  PyGILState_STATE lock;
  PyObject *result = NULL;

  if (g_cancellable_is_cancelled(self->cancellable))
    return;
  lock = PyGILState_Ensure();
  result = PyObject_CallFunction(self->function, "ii", done, total);
  if (!result) {
    PyErr_Fetch(&self->type, &self->value, &self->traceback);
    g_cancellable_cancel(self->cancellable);
  }
  Py_XDECREF(result);
  PyGILState_Release(lock);
}

/* Sets the exception that the function raised; FALSE if it raised none. */
static gboolean
progress_raise(Progress *self)
{
  if (!self->type)
    return FALSE;
  PyErr_Restore(g_steal_pointer(&self->type), g_steal_pointer(&self->value), g_steal_pointer(&self->traceback));
  return TRUE;
}

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

/* A tuple of fields for each of R, G, B, A and luma; NULL with an exception set. */
static PyObject *
statistics_tuple(MslabStatistics *statistics)
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

/* None where every element is NaN, so that none is the least. */
static PyObject *
position_or_none(guint64 position)
{
  return position == G_MAXUINT64 ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(position);
}

/* An int, a float, a pair of them, or ((low, high), (position, position)); NULL with an exception set. */
static PyObject *
reduction_value(MslabReduction *reduction)
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
           ? Py_BuildValue("N(NN)", range, position_or_none(low_at), position_or_none(high_at))
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
  return Py_BuildValue("IIiiiidd(ddd)(ddd)NK", label, r.pixels, r.left, r.top, r.right, r.bottom, r.x, r.y, r.mean[0],
                       r.mean[1], r.mean[2], r.deviation[0], r.deviation[1], r.deviation[2], labels,
                       (unsigned long long)r.perimeter);
}

/* A tuple of fields for each region, in the order of labels; NULL with an exception set. */
static PyObject *
region_list(MslabRegions *regions)
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

static const MsPythonState *
state_of(PyObject *self)
{
  return PyType_GetModuleState(Py_TYPE(self));
}

static PyObject *
engine_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  const char *device = NULL;
  g_autoptr(GError) error = NULL;
  MslabEngine *engine = NULL;
  Engine *self = NULL;

  if (!PyArg_ParseTuple(args, "s", &device))
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  engine = mslab_engine_open(device, &error);
  Py_END_ALLOW_THREADS;
  if (!engine)
    return ms_python_module_raise(PyType_GetModuleState(type), error);
  self = (Engine *)type->tp_alloc(type, 0);
  if (self) {
    self->engine = engine;
    g_mutex_init(&self->turn);
  } else {
    g_object_unref(engine);
  }
  return (PyObject *)self;
}

static void
engine_dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);

  g_clear_object(&((Engine *)self)->engine);
  g_mutex_clear(&((Engine *)self)->turn);
  type->tp_free(self);
  Py_DECREF(type);
}

/* The function that a run calls must not wait for the end of that run. */
static gboolean
may_run(PyObject *self)
{
  if (g_atomic_pointer_get(&((Engine *)self)->running) != g_thread_self())
    return TRUE;
  PyErr_SetString(state_of(self)->usage_error,
                  "The function for progress cannot use the device whose progress it is told.");
  return FALSE;
}

/* Waits without the interpreter lock, which the running thread may need. */
static void
begin_turn(Engine *self, Progress *progress)
{
  g_mutex_lock(&self->turn);
  g_atomic_pointer_set(&self->running, g_thread_self());
  if (progress && progress->function)
    mslab_engine_set_progress(self->engine, on_python_progress, progress, NULL);
}

static void
end_turn(Engine *self)
{
  mslab_engine_set_progress(self->engine, NULL, NULL, NULL);
  g_atomic_pointer_set(&self->running, NULL);
  g_mutex_unlock(&self->turn);
}

/* NULL with an exception set for what is no text, or holds a null character, behind which the library reads nothing. */
static const char *
as_text(const MsPythonState *state, PyObject *object)
{
  Py_ssize_t length = 0;
  const char *text = PyUnicode_AsUTF8AndSize(object, &length);

  if (!text || strlen(text) == (gsize)length)
    return text;
  PyErr_Format(state->usage_error, "A setting cannot hold a null character, as %R does.", object);
  return NULL;
}

/* Takes a dict of text to text. */
static MslabSettings *
read_settings(const MsPythonState *state, PyObject *values)
{
  g_autoptr(MslabSettings) settings = mslab_settings_new();
  g_autoptr(GError) error = NULL;
  PyObject *key = NULL, *value = NULL;
  Py_ssize_t position = 0;

  while (PyDict_Next(values, &position, &key, &value)) {
    const char *name = as_text(state, key);
    const char *text = name ? as_text(state, value) : NULL;
    if (!text)
      return NULL;
    if (!mslab_settings_set(settings, name, text, &error)) {
      ms_python_module_raise(state, error);
      return NULL;
    }
  }
  return g_steal_pointer(&settings);
}

/* The array holds the rows of an image of @image_height rows from @first_row on, or the whole image. */
typedef struct {
  MslabSettings *settings;
  gboolean is_band;
  int first_row;
  int image_height;
  Progress progress;
} Request;

static gboolean
filter_into(Engine *self, const MsPythonPixels *source, Request *request, const Py_buffer *result, GError **error)
{
  GCancellable *cancellable = request->progress.cancellable;
  g_autoptr(MslabImage) image = NULL;

  begin_turn(self, &request->progress);
  image = request->is_band ? mslab_engine_filter_band(self->engine, source->image, request->first_row,
                                                      request->image_height, request->settings, cancellable, error)
                           : mslab_engine_filter(self->engine, source->image, request->settings, cancellable, error);
  end_turn(self);
  if (image)
    ms_python_pixels_copy_result(image, result);
  return image != NULL;
}

static PyObject *
filter_pixels(PyObject *self, MsPythonPixels *source, Request *request, const Py_buffer *result)
{
  g_autoptr(GError) error = NULL;
  gboolean done = FALSE;

  if (ms_python_pixels_check_result(source, state_of(self), result) < 0)
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  done = filter_into((Engine *)self, source, request, result, &error);
  Py_END_ALLOW_THREADS;
  if (progress_raise(&request->progress))
    return NULL;
  if (!done)
    return ms_python_module_raise(state_of(self), error);
  Py_RETURN_NONE;
}

static PyObject *
filter_array(PyObject *self, PyObject *array, PyObject *into, Request *request)
{
  PyObject *answer = NULL;
  MsPythonPixels source;
  Py_buffer result;

  if (ms_python_pixels_open(&source, state_of(self), array) < 0)
    return NULL;
  if (PyObject_GetBuffer(into, &result, PyBUF_STRIDED | PyBUF_FORMAT) == 0) {
    answer = filter_pixels(self, &source, request, &result);
    PyBuffer_Release(&result);
  }
  ms_python_pixels_clear(&source);
  return answer;
}

static PyObject *
engine_filter(PyObject *self, PyObject *args)
{
  PyObject *array = NULL, *into = NULL, *values = NULL, *progress = NULL, *answer = NULL;
  g_autoptr(MslabSettings) settings = NULL;
  Request request = {0};

  if (!PyArg_ParseTuple(args, "OOO!piiO", &array, &into, &PyDict_Type, &values, &request.is_band, &request.first_row,
                        &request.image_height, &progress) ||
      !may_run(self) || progress_open(&request.progress, state_of(self), progress) < 0)
    return NULL;
  request.settings = settings = read_settings(state_of(self), values);
  if (settings)
    answer = filter_array(self, array, into, &request);
  progress_clear(&request.progress);
  return answer;
}

static PyObject *
engine_statistics(PyObject *self, PyObject *array)
{
  MsPythonPixels source;
  g_autoptr(MslabStatistics) statistics = NULL;
  g_autoptr(GError) error = NULL;

  if (!may_run(self) || ms_python_pixels_open(&source, state_of(self), array) < 0)
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  begin_turn((Engine *)self, NULL);
  statistics = mslab_engine_get_statistics(((Engine *)self)->engine, source.image, NULL, &error);
  end_turn((Engine *)self);
  Py_END_ALLOW_THREADS;
  ms_python_pixels_clear(&source);
  return statistics ? statistics_tuple(statistics) : ms_python_module_raise(state_of(self), error);
}

static PyObject *
engine_reduce(PyObject *self, PyObject *args)
{
  Py_buffer elements;
  const char *type = NULL, *operation = NULL;
  g_autoptr(MslabReduction) reduction = NULL;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(GError) error = NULL;

  if (!may_run(self) || !PyArg_ParseTuple(args, "y*ss", &elements, &type, &operation))
    return NULL;
  bytes = g_bytes_new_static(elements.buf, (gsize)elements.len);
  Py_BEGIN_ALLOW_THREADS;
  begin_turn((Engine *)self, NULL);
  reduction = mslab_engine_reduce(((Engine *)self)->engine, operation, type, bytes, NULL, &error);
  end_turn((Engine *)self);
  Py_END_ALLOW_THREADS;
  PyBuffer_Release(&elements);
  return reduction ? reduction_value(reduction) : ms_python_module_raise(state_of(self), error);
}

/* The arrays that receive the label of each pixel and the image in mean colours. */
typedef struct {
  MslabSettings *settings;
  guint min_pixels;
  Py_buffer labels;
  Py_buffer means;
  Progress progress;
} RegionRequest;

static void
copy_regions(MslabRegions *regions, const RegionRequest *request, const MsPythonPixels *source)
{
  g_autoptr(GBytes) labels = mslab_regions_get_labels(regions);
  g_autoptr(MslabImage) means = mslab_regions_get_means(regions);

  memcpy(request->labels.buf, g_bytes_get_data(labels, NULL), g_bytes_get_size(labels));
  mslab_image_copy_rows(means, request->means.buf, (gsize)source->view.shape[1] * source->channels, source->channels);
}

static MslabRegions *
run_regions(Engine *self, const MsPythonPixels *source, RegionRequest *request, GError **error)
{
  MslabRegions *regions = NULL;

  begin_turn(self, &request->progress);
  regions = mslab_engine_find_regions(self->engine, source->image, request->settings, request->min_pixels,
                                      request->progress.cancellable, error);
  end_turn(self);
  if (regions)
    copy_regions(regions, request, source);
  return regions;
}

static PyObject *
find_regions(PyObject *self, const MsPythonPixels *source, RegionRequest *request)
{
  const Py_ssize_t n = source->view.shape[0] * source->view.shape[1];
  g_autoptr(MslabRegions) regions = NULL;
  g_autoptr(GError) error = NULL;

  if (request->labels.len != n * (Py_ssize_t)sizeof(guint32) || request->means.len != n * source->channels) {
    PyErr_SetString(state_of(self)->usage_error, "The arrays for the results do not have the size of the image.");
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS;
  regions = run_regions((Engine *)self, source, request, &error);
  Py_END_ALLOW_THREADS;
  if (progress_raise(&request->progress))
    return NULL;
  return regions ? region_list(regions) : ms_python_module_raise(state_of(self), error);
}

static PyObject *
engine_regions(PyObject *self, PyObject *args)
{
  PyObject *array = NULL, *values = NULL, *progress = NULL, *answer = NULL;
  g_autoptr(MslabSettings) settings = NULL;
  RegionRequest request = {0};
  MsPythonPixels source;

  if (!may_run(self) || !PyArg_ParseTuple(args, "Ow*w*O!IO", &array, &request.labels, &request.means, &PyDict_Type,
                                          &values, &request.min_pixels, &progress))
    return NULL;
  request.settings = settings = read_settings(state_of(self), values);
  if (settings && progress_open(&request.progress, state_of(self), progress) == 0) {
    if (ms_python_pixels_open(&source, state_of(self), array) == 0) {
      answer = find_regions(self, &source, &request);
      ms_python_pixels_clear(&source);
    }
    progress_clear(&request.progress);
  }
  PyBuffer_Release(&request.labels);
  PyBuffer_Release(&request.means);
  return answer;
}

static PyObject *
engine_name(PyObject *self, void *unused)
{
  const char *name = NULL;

  if (!may_run(self))
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  name = mslab_engine_get_name(((Engine *)self)->engine);
  Py_END_ALLOW_THREADS;
  return PyUnicode_FromString(name);
}

static PyObject *
engine_notes(PyObject *self, void *unused)
{
  g_auto(GStrv) notes = mslab_engine_get_notes(((Engine *)self)->engine);
  PyObject *list = PyList_New(0);

  for (gsize i = 0; list && notes[i]; i++) {
    PyObject *note = PyUnicode_FromString(notes[i]);
    if (!note || PyList_Append(list, note) < 0)
      Py_CLEAR(list);
    Py_XDECREF(note);
  }
  return list;
}

static PyMethodDef methods[] = {
  {"filter", engine_filter, METH_VARARGS,
   "filter(image, result, settings, is_band, first_row, image_height, progress): filters into result."},
  {"statistics", engine_statistics, METH_O, "statistics(image): a tuple for each of R, G, B, A and luma."},
  {"regions", engine_regions, METH_VARARGS,
   "regions(image, labels, means, settings, min_pixels, progress): fills labels and means; a tuple for each region."},
  {"reduce", engine_reduce, METH_VARARGS,
   "reduce(elements, type, operation): a number, a pair, or a pair and its positions."},
  {NULL},
};

static PyGetSetDef members[] = {
  {"name", engine_name, NULL, "The device's name."},
  {"notes", engine_notes, NULL, "A sentence for each device that was rejected or replaced."},
  {NULL},
};

static PyType_Slot slots[] = {
  {Py_tp_new, engine_new},
  {Py_tp_dealloc, engine_dealloc},
  {Py_tp_methods, methods},
  {Py_tp_getset, members},
  {Py_tp_doc, "Engine(device): an open device. Threads may share it; their calls run one after another."},
  {0, NULL},
};

static PyType_Spec spec = {
  .name = "meanshift_lab._core.Engine", .basicsize = sizeof(Engine), .flags = Py_TPFLAGS_DEFAULT, .slots = slots};

/** ms_python_engine_add_type: makes the type; 0, or -1 with an exception set. */
int
ms_python_engine_add_type(PyObject *module, MsPythonState *state)
{
  state->engine_type = PyType_FromModuleAndSpec(module, &spec, NULL);
  return state->engine_type ? PyModule_AddObjectRef(module, "Engine", state->engine_type) : -1;
}
