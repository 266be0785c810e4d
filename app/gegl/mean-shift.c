/* SPDX-License-Identifier: MIT */
/* The operation meanshift-lab:mean-shift of GEGL, which GIMP offers, too: the library's filter in tiles. */
#include <gegl.h>
#include <gegl-plugin.h>
#include <meanshift-lab.h>

#define CHANNELS 4

typedef struct {
  GeglOperationFilter parent_instance;
  double sp;
  double sr;
  int iterations;
  int levels;
  int space; /* index into the values of get_space_type() */
  char *device;
  MslabDevice *open; /* opened by the first run, NULL until then and after a change of @device */
} MeanShift;

typedef struct {
  GeglOperationFilterClass parent_class;
} MeanShiftClass;

typedef enum {
  PROP_SP = 1,
  PROP_SR,
  PROP_ITERATIONS,
  PROP_DEVICE,
  PROP_LEVELS,
  PROP_SPACE,
} Property;

G_MODULE_EXPORT const GeglModuleInfo *gegl_module_query(GTypeModule *module);
G_MODULE_EXPORT gboolean gegl_module_register(GTypeModule *module);

GType mean_shift_get_type(void);
G_DEFINE_DYNAMIC_TYPE(MeanShift, mean_shift, GEGL_TYPE_OPERATION_FILTER)

/* The colour spaces; the short names are those of the setting "space". */
static GType
get_space_type(void)
{
  static const GEnumValue values[] = {{0, "R'G'B'", "rgb"}, {1, "CIE L*u*v*", "luv"}, {2, "CIE L*a*b*", "lab"}, {0}};
  static GType type = 0;

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("MeanShiftSpace", values));
  return type;
}

/* (transfer full): the settings as the library takes them. */
static char *
get_settings(const MeanShift *self)
{
  char sp[G_ASCII_DTOSTR_BUF_SIZE], sr[G_ASCII_DTOSTR_BUF_SIZE];
  GEnumClass *spaces = g_type_class_ref(get_space_type());
  char *settings = g_strdup_printf("sp=%s,sr=%s,max-iterations=%d,levels=%d,space=%s",
                                   g_ascii_dtostr(sp, sizeof sp, self->sp), g_ascii_dtostr(sr, sizeof sr, self->sr),
                                   self->iterations, self->levels, g_enum_get_value(spaces, self->space)->value_nick);

  g_type_class_unref(spaces);
  return settings;
}

/* Rows above and below a row that can influence it. */
static int
get_halo(const MeanShift *self)
{
  g_autofree char *settings = get_settings(self);

  return mslab_halo(settings, NULL);
}

/* Filters the rows of @band where they lie. */
static gboolean
filter_band(MeanShift *self, const GeglRectangle *extent, const GeglRectangle *band, guint8 *pixels, GError **error)
{
  const MslabBand place = {band->y - extent->y, extent->height};
  g_autofree char *settings = get_settings(self);
  const MslabJob job = {.settings = settings, .band = &place};
  MslabImage image = {pixels, band->width, band->height, (gsize)band->width * CHANNELS, CHANNELS, NULL};

  if (!self->open)
    self->open = mslab_open(self->device, error);
  return self->open && mslab_filter(self->open, &image, &job, &image, error);
}

/* All columns of the tile's rows and of the halo around them. */
static GeglRectangle
get_band(const MeanShift *self, const GeglRectangle *extent, const GeglRectangle *tile, int halo)
{
  GeglRectangle band = {extent->x, tile->y - halo, extent->width, tile->height + 2 * halo};

  gegl_rectangle_intersect(&band, &band, extent);
  return band;
}

static gboolean
process(GeglOperation *operation, GeglBuffer *input, GeglBuffer *output, const GeglRectangle *tile, int level)
{
  MeanShift *self = (MeanShift *)operation;
  const Babl *format = gegl_operation_get_format(operation, "output");
  const GeglRectangle *extent = gegl_buffer_get_extent(input);
  const GeglRectangle band = get_band(self, extent, tile, get_halo(self));
  const gsize stride = (gsize)band.width * CHANNELS;
  g_autofree guint8 *pixels = g_malloc_n(stride, (gsize)band.height);
  const guint8 *first = pixels + (gsize)(tile->y - band.y) * stride + (gsize)(tile->x - band.x) * CHANNELS;
  g_autoptr(GError) error = NULL;

  gegl_buffer_get(input, &band, 1.0, format, pixels, (int)stride, GEGL_ABYSS_NONE);
  if (filter_band(self, extent, &band, pixels, &error))
    gegl_buffer_set(output, tile, 0, format, first, (int)stride);
  else
    g_warning("%s", error->message);
  return !error;
}

static void
prepare_operation(GeglOperation *operation)
{
  const Babl *space = gegl_operation_get_source_space(operation, "input");
  const Babl *format = babl_format_with_space("R'G'B'A u8", space);

  gegl_operation_set_format(operation, "input", format);
  gegl_operation_set_format(operation, "output", format);
}

static GeglRectangle
get_rows(GeglOperation *operation, const GeglRectangle *tile, int halo)
{
  GeglRectangle *extent = gegl_operation_source_get_bounding_box(operation, "input");

  return extent ? get_band((MeanShift *)operation, extent, tile, halo) : *tile;
}

static GeglRectangle
get_required(GeglOperation *operation, const char *pad, const GeglRectangle *tile)
{
  return get_rows(operation, tile, get_halo((MeanShift *)operation));
}

/* Tiles beside each other need the same rows, so they are computed at once. */
static GeglRectangle
get_cached(GeglOperation *operation, const GeglRectangle *tile)
{
  return get_rows(operation, tile, 0);
}

static GeglRectangle
get_invalidated(GeglOperation *operation, const char *pad, const GeglRectangle *changed)
{
  return get_rows(operation, changed, get_halo((MeanShift *)operation));
}

static void
set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  MeanShift *self = (MeanShift *)object;

  switch ((Property)id) {
  case PROP_SP:
    self->sp = g_value_get_double(value);
    break;
  case PROP_SR:
    self->sr = g_value_get_double(value);
    break;
  case PROP_ITERATIONS:
    self->iterations = g_value_get_int(value);
    break;
  case PROP_LEVELS:
    self->levels = g_value_get_int(value);
    break;
  case PROP_SPACE:
    self->space = g_value_get_enum(value);
    break;
  case PROP_DEVICE:
    g_free(self->device);
    self->device = g_value_dup_string(value);
    g_clear_pointer(&self->open, mslab_close);
    break;
  }
}

static void
get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  MeanShift *self = (MeanShift *)object;

  switch ((Property)id) {
  case PROP_SP:
    g_value_set_double(value, self->sp);
    break;
  case PROP_SR:
    g_value_set_double(value, self->sr);
    break;
  case PROP_ITERATIONS:
    g_value_set_int(value, self->iterations);
    break;
  case PROP_LEVELS:
    g_value_set_int(value, self->levels);
    break;
  case PROP_SPACE:
    g_value_set_enum(value, self->space);
    break;
  case PROP_DEVICE:
    g_value_set_string(value, self->device);
    break;
  }
}

static void
finalize(GObject *object)
{
  MeanShift *self = (MeanShift *)object;

  g_clear_pointer(&self->open, mslab_close);
  g_free(self->device);
  G_OBJECT_CLASS(mean_shift_parent_class)->finalize(object);
}

static void
add_properties(GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_CONSTRUCT | GEGL_PARAM_PAD_INPUT;

  g_object_class_install_property(
    klass, PROP_SP, g_param_spec_double("sp", "Spatial radius", "Window radius in pixels", 1, 64, 10, flags));
  g_object_class_install_property(
    klass, PROP_SR,
    g_param_spec_double("sr", "Colour radius", "Colours up to this distance take part in the mean", 0, 510, 20, flags));
  g_object_class_install_property(
    klass, PROP_ITERATIONS,
    g_param_spec_int("iterations", "Max iterations", "Mean-shift steps a pixel may take", 1, 100, 5, flags));
  g_object_class_install_property(klass, PROP_DEVICE,
                                  g_param_spec_string("device", "Device",
                                                      "auto, cpu, gpu, a part of a name, an address or reference",
                                                      "auto", flags));
  g_object_class_install_property(
    klass, PROP_LEVELS,
    g_param_spec_int("levels", "Pyramid levels", "Halved copies that are filtered first", 0, 8, 0, flags));
  g_object_class_install_property(
    klass, PROP_SPACE,
    g_param_spec_enum("space", "Colour space", "Where colours are compared", get_space_type(), 0, flags));
}

static void
mean_shift_class_init(MeanShiftClass *klass)
{
  GeglOperationClass *operation = GEGL_OPERATION_CLASS(klass);
  GObjectClass *object = G_OBJECT_CLASS(klass);

  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  add_properties(object);
  operation->prepare = prepare_operation;
  operation->get_required_for_output = get_required;
  operation->get_cached_region = get_cached;
  operation->get_invalidated_by_change = get_invalidated;
  operation->threaded = FALSE;
  GEGL_OPERATION_FILTER_CLASS(klass)->process = process;
  gegl_operation_class_set_keys(operation, "name", "meanshift-lab:mean-shift", "title", "Mean Shift", "categories",
                                "enhance:noise-reduction", "description",
                                "Smooth areas of similar colour and keep their edges", "gimp:menu-path",
                                "<Image>/Filters/Enhance", "gimp:menu-label", "Mean Shift...", NULL);
}

static void
mean_shift_class_finalize(MeanShiftClass *klass)
{
}

static void
mean_shift_init(MeanShift *self)
{
}

const GeglModuleInfo *
gegl_module_query(GTypeModule *module)
{
  static const GeglModuleInfo info = {GEGL_MODULE_ABI_VERSION};

  return &info;
}

gboolean
gegl_module_register(GTypeModule *module)
{
  mean_shift_register_type(module);
  return TRUE;
}
