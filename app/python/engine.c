/* SPDX-License-Identifier: MIT */
#include "app/python/engine.h"

#include <string.h>

#include "app/python/pixels.h"

typedef struct {
  PyObject_HEAD MslabDevice *device;
  GMutex turn;      /* one call at a time uses @device */
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
channel_tuple(const MslabStatistics *statistics, int channel)
{
  const MslabChannelStatistics *s = &statistics->channels[channel];
  const double *p = s->percentiles;
  PyObject *histogram = PyByteArray_FromStringAndSize((const char *)statistics->histograms[channel],
                                                      sizeof statistics->histograms[channel]);

  return Py_BuildValue("KIIKddd(dddddd)KN", (unsigned long long)s->count, s->min, s->max, (unsigned long long)s->sum,
                       s->mean, s->stddev, s->median, p[0], p[1], p[2], p[3], p[4], p[5],
                       (unsigned long long)s->nonzero, histogram);
}

/* A tuple of fields for each of R, G, B, A and luma; NULL with an exception set. */
static PyObject *
statistics_tuple(const MslabStatistics *statistics)
{
  PyObject *channels = PyTuple_New(MSLAB_N_CHANNELS);

  for (int i = 0; channels && i < MSLAB_N_CHANNELS; i++) {
    PyObject *channel = channel_tuple(statistics, i);
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
reduction_value(const MslabReduction *r)
{
  PyObject *range = NULL;

  if (r->n_numbers == 1)
    return r->is_integer ? PyLong_FromString(r->text, NULL, 10) : PyFloat_FromDouble(r->numbers[0]);
  range = r->is_integer ? Py_BuildValue("LL", (long long)r->numbers[0], (long long)r->numbers[1])
                        : Py_BuildValue("dd", r->numbers[0], r->numbers[1]);
  return r->has_positions
           ? Py_BuildValue("N(NN)", range, position_or_none(r->positions[0]), position_or_none(r->positions[1]))
           : range;
}

/* The fields of Region. */
static PyObject *
region_tuple(const MslabRegion *r, guint label)
{
  PyObject *labels = PyTuple_New((Py_ssize_t)r->n_neighbours);

  for (guint i = 0; labels && i < r->n_neighbours; i++)
    PyTuple_SET_ITEM(labels, (Py_ssize_t)i, PyLong_FromUnsignedLong(r->neighbours[i]));
  return Py_BuildValue("IIiiiidd(ddd)(ddd)NK", label, r->pixels, r->left, r->top, r->right, r->bottom, r->x, r->y,
                       r->mean[0], r->mean[1], r->mean[2], r->deviation[0], r->deviation[1], r->deviation[2], labels,
                       (unsigned long long)r->perimeter);
}

/* A tuple of fields for each region, in the order of labels; NULL with an exception set. */
static PyObject *
region_list(const MslabRegions *regions)
{
  PyObject *list = PyList_New((Py_ssize_t)regions->n);

  for (guint i = 0; list && i < regions->n; i++) {
    PyObject *region = region_tuple(&regions->regions[i], i + 1);
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
  const char *selector = NULL;
  g_autoptr(GError) error = NULL;
  MslabDevice *device = NULL;
  Engine *self = NULL;

  if (!PyArg_ParseTuple(args, "s", &selector))
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  device = mslab_open(selector, &error);
  Py_END_ALLOW_THREADS;
  if (!device)
    return ms_python_module_raise(PyType_GetModuleState(type), error);
  self = (Engine *)type->tp_alloc(type, 0);
  if (self) {
    self->device = device;
    g_mutex_init(&self->turn);
  } else {
    mslab_close(device);
  }
  return (PyObject *)self;
}

static void
engine_dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);

  g_clear_pointer(&((Engine *)self)->device, mslab_close);
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
begin_turn(Engine *self)
{
  g_mutex_lock(&self->turn);
  g_atomic_pointer_set(&self->running, g_thread_self());
}

static void
end_turn(Engine *self)
{
  g_atomic_pointer_set(&self->running, NULL);
  g_mutex_unlock(&self->turn);
}

static MslabJob
make_job(const char *settings, Progress *progress)
{
  return (MslabJob){.settings = settings,
                    .cancellable = progress->cancellable,
                    .progress = progress->function ? on_python_progress : NULL,
                    .progress_data = progress};
}

static gboolean
filter_into(Engine *self, const MslabImage *source, const MslabJob *job, const Py_buffer *into, GError **error)
{
  MslabImage result = ms_python_pixels_get_result(into);
  const gboolean copies = !result.pixels;
  gboolean done = FALSE;

  begin_turn(self);
  done = mslab_filter(self->device, source, job, &result, error);
  end_turn(self);
  if (done && copies)
    ms_python_pixels_copy_result(&result, into);
  mslab_image_clear(&result);
  return done;
}

static PyObject *
filter_pixels(PyObject *self, const MsPythonPixels *source, const MslabJob *job, const Py_buffer *into)
{
  g_autoptr(GError) error = NULL;
  gboolean done = FALSE;

  if (ms_python_pixels_check_result(source, state_of(self), into) < 0)
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  done = filter_into((Engine *)self, &source->image, job, into, &error);
  Py_END_ALLOW_THREADS;
  if (progress_raise(job->progress_data))
    return NULL;
  if (!done)
    return ms_python_module_raise(state_of(self), error);
  Py_RETURN_NONE;
}

static PyObject *
filter_array(PyObject *self, PyObject *array, PyObject *into, const MslabJob *job)
{
  PyObject *answer = NULL;
  MsPythonPixels source;
  Py_buffer result;

  if (ms_python_pixels_open(&source, state_of(self), array) < 0)
    return NULL;
  if (PyObject_GetBuffer(into, &result, PyBUF_STRIDED | PyBUF_FORMAT) == 0) {
    answer = filter_pixels(self, &source, job, &result);
    PyBuffer_Release(&result);
  }
  ms_python_pixels_clear(&source);
  return answer;
}

static PyObject *
engine_filter(PyObject *self, PyObject *args)
{
  PyObject *array = NULL, *into = NULL, *function = NULL, *answer = NULL;
  const char *settings = NULL;
  int is_band = FALSE;
  MslabBand band = {0};
  Progress progress;

  if (!PyArg_ParseTuple(args, "OOspiiO", &array, &into, &settings, &is_band, &band.first_row, &band.image_height,
                        &function) ||
      !may_run(self) || progress_open(&progress, state_of(self), function) < 0)
    return NULL;
  MslabJob job = make_job(settings, &progress);
  job.band = is_band ? &band : NULL;
  answer = filter_array(self, array, into, &job);
  progress_clear(&progress);
  return answer;
}

static PyObject *
engine_statistics(PyObject *self, PyObject *array)
{
  MsPythonPixels source;
  MslabStatistics statistics;
  g_autoptr(GError) error = NULL;

  if (!may_run(self) || ms_python_pixels_open(&source, state_of(self), array) < 0)
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  begin_turn((Engine *)self);
  mslab_statistics(((Engine *)self)->device, &source.image, NULL, &statistics, &error);
  end_turn((Engine *)self);
  Py_END_ALLOW_THREADS;
  ms_python_pixels_clear(&source);
  return error ? ms_python_module_raise(state_of(self), error) : statistics_tuple(&statistics);
}

static PyObject *
engine_reduce(PyObject *self, PyObject *args)
{
  Py_buffer elements;
  const char *type = NULL, *operation = NULL;
  MslabReduction reduction;
  g_autoptr(GError) error = NULL;

  if (!may_run(self) || !PyArg_ParseTuple(args, "y*ss", &elements, &type, &operation))
    return NULL;
  const MslabArray array = {type, elements.buf, (gsize)elements.len};
  Py_BEGIN_ALLOW_THREADS;
  begin_turn((Engine *)self);
  mslab_reduce(((Engine *)self)->device, operation, &array, NULL, &reduction, &error);
  end_turn((Engine *)self);
  Py_END_ALLOW_THREADS;
  PyBuffer_Release(&elements);
  return error ? ms_python_module_raise(state_of(self), error) : reduction_value(&reduction);
}

/* @labels and @means are arrays in C order; @means has the channels of the image. */
static PyObject *
find_regions(PyObject *self, const MsPythonPixels *source, const MslabJob *job, Py_buffer *labels, Py_buffer *means)
{
  const int width = source->image.width, height = source->image.height, channels = (int)source->view.shape[2];
  const Py_ssize_t n = (Py_ssize_t)width * height;
  MslabImage painted = {means->buf, width, height, (gsize)width * (gsize)channels, channels, NULL};
  Engine *engine = (Engine *)self;
  g_autoptr(MslabRegions) regions = NULL;
  g_autoptr(GError) error = NULL;

  if (labels->len != n * (Py_ssize_t)sizeof(guint32) || means->len != n * channels) {
    PyErr_SetString(state_of(self)->usage_error, "The arrays for the results do not have the size of the image.");
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS;
  begin_turn(engine);
  regions = mslab_regions(engine->device, &source->image, job, &painted, &error);
  end_turn(engine);
  if (regions)
    memcpy(labels->buf, regions->labels, (gsize)labels->len);
  Py_END_ALLOW_THREADS;
  if (progress_raise(job->progress_data))
    return NULL;
  return regions ? region_list(regions) : ms_python_module_raise(state_of(self), error);
}

static PyObject *
engine_regions(PyObject *self, PyObject *args)
{
  PyObject *array = NULL, *function = NULL, *answer = NULL;
  const char *settings = NULL;
  guint min_pixels = 0;
  Py_buffer labels, means;
  Progress progress;
  MsPythonPixels source;

  if (!may_run(self) || !PyArg_ParseTuple(args, "Ow*w*sIO", &array, &labels, &means, &settings, &min_pixels, &function))
    return NULL;
  if (progress_open(&progress, state_of(self), function) == 0) {
    MslabJob job = make_job(settings, &progress);
    job.min_pixels = min_pixels;
    if (ms_python_pixels_open(&source, state_of(self), array) == 0) {
      answer = find_regions(self, &source, &job, &labels, &means);
      ms_python_pixels_clear(&source);
    }
    progress_clear(&progress);
  }
  PyBuffer_Release(&labels);
  PyBuffer_Release(&means);
  return answer;
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

static PyType_Slot slots[] = {
  {Py_tp_new, engine_new},
  {Py_tp_dealloc, engine_dealloc},
  {Py_tp_methods, methods},
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
