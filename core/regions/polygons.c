/* SPDX-License-Identifier: MIT */
/*
 * A region is connected over the corners of its pixels, a valid polygon is not. So each part that is connected over
 * edges becomes a polygon of its own, and a region with several parts a multipolygon, whose polygons may touch.
 *
 * The border of a part is followed along the edges of pixels with the part on the right, and turns right where two
 * parts touch in a corner, so that it stays with one. It may pass a corner twice, where a part touches itself; there it
 * is divided into rings, of which each passes a corner once. A ring around its part turns clockwise on the screen, one
 * around a hole counterclockwise.
 */
#include "core/regions/polygons.h"

#include "core/image/file/atomic-file.h"

/* A corner of pixels: column and row of the pixel to its lower right. */
typedef struct {
  guint32 x;
  guint32 y;
} Corner;

/* Corners @first to @first + @count - 1, in the order in which the border passes them. */
typedef struct {
  guint32 label;
  guint32 part;
  gboolean is_hole;
  gsize first;
  gsize count;
} Ring;

/*
 * parents: of each pixel, an earlier one of the same part, or itself for the first
 * passed: a bit for each pixel: whether its upper edge is part of a border that was followed
 * border: (element-type Corner): the corners of the border that is followed, without those of rings that were cut off
 * places: the corners at which the border may touch itself -> their places in @border
 */
typedef struct {
  const MsPolygons *what;
  guint32 *parents;
  guint8 *passed;
  GArray *corners;
  GArray *rings;
  GArray *border;
  GHashTable *places;
  MsAtomicFile *file;
} Tracing;

/* Directions in clockwise order, as steps of column and row; and the pixels ahead on the right and left of a corner. */
static const int step_x[] = {1, 0, -1, 0}, step_y[] = {0, 1, 0, -1};
static const int right_x[] = {0, -1, -1, 0}, right_y[] = {0, 0, -1, -1};
static const int left_x[] = {0, 0, -1, -1}, left_y[] = {-1, 0, 0, -1};

/** ms_polygons_is_name: whether @path ends in .geojson, as the name of a file of polygons. */
gboolean
ms_polygons_is_name(const char *path)
{
  return path && g_str_has_suffix(path, ".geojson");
}

static void
find_parts(Tracing *self)
{
  const MsSegmentation *s = self->what->segmentation;
  const guint32 width = (guint32)s->width, n = width * (guint32)s->height;

  for (guint32 i = 0; i < n; i++) {
    self->parents[i] = i;
    if (i % width > 0 && s->labels[i] == s->labels[i - 1])
      ms_sets_join(self->parents, i, i - 1);
    if (i >= width && s->labels[i] == s->labels[i - width])
      ms_sets_join(self->parents, i, i - width);
  }
}

/* 0 outside of the picture. */
static guint32
label_at(const MsSegmentation *s, gint64 x, gint64 y)
{
  return x < 0 || y < 0 || x >= s->width || y >= s->height ? 0 : s->labels[y * s->width + x];
}

/* Twice the area of the corners from @from on, positive where they turn clockwise on the screen. */
static gint64
area_of(const GArray *border, guint from)
{
  const Corner *c = (const Corner *)border->data;
  gint64 area = 0;

  for (guint i = from; i < border->len; i++) {
    const Corner *next = i + 1 < border->len ? &c[i + 1] : &c[from];
    area += (gint64)c[i].x * next->y - (gint64)next->x * c[i].y;
  }
  return area;
}

static guint64
key_of(const Corner *corner)
{
  return (guint64)corner->x << 32 | corner->y;
}

/* Takes the corners from @from on as a ring, and forgets all of them. */
static void
cut_ring(Tracing *self, guint from, guint32 pixel)
{
  const guint32 label = self->what->segmentation->labels[pixel];
  const guint count = self->border->len - from;
  const Ring ring = {label, ms_sets_find(self->parents, pixel), area_of(self->border, from) < 0, self->corners->len,
                     count};

  for (guint i = from; i < self->border->len; i++) {
    const guint64 key = key_of(&g_array_index(self->border, Corner, i));
    g_hash_table_remove(self->places, &key);
  }
  g_array_append_val(self->rings, ring);
  g_array_append_vals(self->corners, &g_array_index(self->border, Corner, from), count);
  g_array_set_size(self->border, from);
}

/* Adds a corner; one that is passed for the second time ends a ring. */
static void
add_corner(Tracing *self, Corner corner, gboolean may_touch, guint32 pixel)
{
  guint64 key = key_of(&corner);
  gpointer place = NULL;

  if (may_touch && g_hash_table_lookup_extended(self->places, &key, NULL, &place))
    cut_ring(self, GPOINTER_TO_UINT(place), pixel);
  if (may_touch)
    g_hash_table_insert(self->places, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(self->border->len));
  g_array_append_val(self->border, corner);
}

/* Follows a border from the upper edge of @pixel on, heading right, until it comes back to it. */
static void
follow(Tracing *self, guint32 pixel)
{
  const MsSegmentation *s = self->what->segmentation;
  const guint32 width = (guint32)s->width, label = s->labels[pixel];
  const Corner start = {pixel % width, pixel / width};
  Corner at = start;
  int heading = 0;

  do {
    if (heading == 0)
      self->passed[(at.y * (gsize)width + at.x) / 8] |= (guint8)(1 << (at.y * (gsize)width + at.x) % 8);
    at.x += (guint32)step_x[heading];
    at.y += (guint32)step_y[heading];
    const gboolean right = label_at(s, (gint64)at.x + right_x[heading], (gint64)at.y + right_y[heading]) == label;
    const gboolean left = label_at(s, (gint64)at.x + left_x[heading], (gint64)at.y + left_y[heading]) == label;
    if (right && !left)
      continue;
    add_corner(self, at, !right && left, pixel);
    heading = (heading + (right ? 3 : 1)) % 4;
  } while (at.x != start.x || at.y != start.y || heading != 0);
  if (self->border->len > 0)
    cut_ring(self, 0, pixel);
}

static gboolean
follow_all(Tracing *self, GError **error)
{
  const MsSegmentation *s = self->what->segmentation;
  const gsize width = (gsize)s->width;

  for (int y = 0; y < s->height; y++) {
    if (g_cancellable_set_error_if_cancelled(self->what->cancellable, error))
      return FALSE;
    for (gsize x = 0, i = (gsize)y * width; x < width; x++, i++)
      if (s->labels[i] != 0 && (y == 0 || s->labels[i] != s->labels[i - width]) && !(self->passed[i / 8] >> i % 8 & 1))
        follow(self, (guint32)i);
  }
  return TRUE;
}

/* By region, then by part, the ring around a part before those of its holes. */
static int
compare_rings(gconstpointer a, gconstpointer b)
{
  const Ring *p = a, *q = b;

  if (p->label != q->label)
    return p->label < q->label ? -1 : 1;
  if (p->part != q->part)
    return p->part < q->part ? -1 : 1;
  return p->is_hole != q->is_hole ? (p->is_hole ? 1 : -1) : (p->first > q->first) - (p->first < q->first);
}

/* ---- Text */

static void
append_number(GString *text, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.15g", value));
}

/* The ring ends where it begins, and turns counterclockwise around a part where the second coordinate grows upwards. */
static void
append_ring(GString *text, const Tracing *self, const Ring *ring)
{
  const Corner *corners = &g_array_index(self->corners, Corner, ring->first);
  double c[MS_GEO_N_COEFFICIENTS];

  ms_geo_get_transform(self->what->geo, c);
  const gboolean turns_back = c[1] * c[5] - c[2] * c[4] < 0;
  g_string_append_c(text, '[');
  for (gsize i = 0; i <= ring->count; i++) {
    const gsize k = i % ring->count;
    const Corner *at = &corners[turns_back ? (ring->count - k) % ring->count : k];
    g_string_append(text, i > 0 ? ",[" : "[");
    append_number(text, c[0] + at->x * c[1] + at->y * c[2]);
    g_string_append_c(text, ',');
    append_number(text, c[3] + at->x * c[4] + at->y * c[5]);
    g_string_append_c(text, ']');
  }
  g_string_append_c(text, ']');
}

/* @rings: (array length=n): of one region */
static void
append_geometry(GString *text, const Tracing *self, const Ring *rings, gsize n)
{
  const gboolean several = rings[0].part != rings[n - 1].part;

  g_string_append(text, several ? "{\"type\":\"MultiPolygon\",\"coordinates\":[["
                                : "{\"type\":\"Polygon\",\"coordinates\":[");
  for (gsize i = 0; i < n; i++) {
    if (i > 0)
      g_string_append(text, rings[i].part == rings[i - 1].part ? "," : "],[");
    append_ring(text, self, &rings[i]);
  }
  g_string_append(text, several ? "]]}" : "]}");
}

static void
append_column(GString *text, const char *name, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf(text, ",\"%s\":%s", name, g_ascii_formatd(digits, sizeof digits, "%.4f", value));
}

/* The columns of ms_segment_table_to_csv(). */
static void
append_properties(GString *text, guint32 label, const MsSegment *s)
{
  static const char *const means[] = {"mean_red", "mean_green", "mean_blue"}, *const deviations[] = {"deviation_red",
                                                                                                     "deviation_green",
                                                                                                     "deviation_blue"};

  g_string_append_printf(text, "{\"label\":%u,\"pixels\":%u,\"left\":%d,\"top\":%d,\"right\":%d,\"bottom\":%d", label,
                         s->pixels, s->left, s->top, s->right, s->bottom);
  append_column(text, "x", s->x);
  append_column(text, "y", s->y);
  for (int k = 0; k < 3; k++)
    append_column(text, means[k], s->mean[k]);
  for (int k = 0; k < 3; k++)
    append_column(text, deviations[k], s->deviation[k]);
  g_string_append(text, ",\"neighbours\":[");
  for (guint j = 0; j < s->n_neighbours; j++)
    g_string_append_printf(text, "%s%u", j > 0 ? "," : "", s->neighbours[j]);
  g_string_append_printf(text, "],\"perimeter\":%" G_GUINT64_FORMAT "}", s->perimeter);
}

/* Without the member, coordinates are longitudes and latitudes of WGS 84, or columns and rows. */
static void
append_start(GString *text, const MsGeo *geo)
{
  const guint16 epsg = ms_geo_get_epsg(geo);

  g_string_append(text, "{\"type\":\"FeatureCollection\",\n");
  if (epsg != 0 && epsg != 4326)
    g_string_append_printf(
      text, "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"urn:ogc:def:crs:EPSG::%u\"}},\n", epsg);
  g_string_append(text, "\"features\":[");
}

static gboolean
write_regions(const Tracing *self, GError **error)
{
  const Ring *rings = (const Ring *)self->rings->data;
  g_autoptr(GString) text = g_string_new(NULL);

  append_start(text, self->what->geo);
  for (gsize i = 0, n = 0; i < self->rings->len; i += n) {
    const guint32 label = rings[i].label;
    for (n = 1; i + n < self->rings->len && rings[i + n].label == label; n++)
      ;
    g_string_append(text,
                    i > 0 ? ",\n{\"type\":\"Feature\",\"properties\":" : "\n{\"type\":\"Feature\",\"properties\":");
    append_properties(text, label, &self->what->table->segments[label - 1]);
    g_string_append(text, ",\"geometry\":");
    append_geometry(text, self, &rings[i], n);
    g_string_append_c(text, '}');
    if (!ms_atomic_file_write(self->file, text->str, text->len, error))
      return FALSE;
    g_string_truncate(text, 0);
  }
  g_string_append(text, "]}\n");
  return ms_atomic_file_write(self->file, text->str, text->len, error);
}

static gboolean
trace_and_write(Tracing *self, GError **error)
{
  find_parts(self);
  if (!follow_all(self, error))
    return FALSE;
  g_array_sort(self->rings, compare_rings);
  return write_regions(self, error);
}

/**
 * ms_polygons_save:
 * @path: the file
 *
 * Writes a feature for each region: its polygon or multipolygon in the coordinates of the map, valid in the sense of
 * the Simple Features standard, and the columns of its table. Pixels of label 0 are in none.
 *
 * Returns: %FALSE with #MS_ERROR_MEMORY, G_IO_ERROR_CANCELLED, or as ms_atomic_file_open() does
 */
gboolean
ms_polygons_save(const MsPolygons *self, const char *path, GError **error)
{
  const gsize n = (gsize)self->segmentation->width * (gsize)self->segmentation->height;
  g_autofree guint32 *parents = g_try_new(guint32, n);
  g_autofree guint8 *passed = g_try_malloc0(n / 8 + 1);
  g_autoptr(GArray) corners = g_array_new(FALSE, FALSE, sizeof(Corner));
  g_autoptr(GArray) rings = g_array_new(FALSE, FALSE, sizeof(Ring));
  g_autoptr(GArray) border = g_array_new(FALSE, FALSE, sizeof(Corner));
  g_autoptr(GHashTable) places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

  if (!parents || !passed) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for the polygons of %zu pixels.", n);
    return FALSE;
  }
  g_autoptr(MsAtomicFile) file = ms_atomic_file_open(path, self->overwrite, self->cancellable, error);
  Tracing tracing = {self, parents, passed, corners, rings, border, places, file};
  return file && trace_and_write(&tracing, error) && ms_atomic_file_commit(file, error);
}
