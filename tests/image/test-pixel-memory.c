/* SPDX-License-Identifier: MIT */
/* The memory of a freed image serves the next one of its size, and no other. */
#include <malloc.h>
#include <string.h>

#include "core/image/common/pixel-memory.h"
#include "tests/support/cases.h"

#define WIDTH 4096
#define LARGE 2100 /* rows of an image whose memory is kept */
#define SMALL 64

/* (transfer full): an image in memory for @height rows */
static MsImage *
take_image(MsPixelMemory *memory, int height)
{
  g_autoptr(GBytes) bytes = ms_pixel_memory_take(memory, WIDTH, height, NULL);

  g_assert_nonnull(bytes);
  return ms_image_new(WIDTH, height, bytes, NULL);
}

/* Fills an image of @height rows, which is freed at once; returns its address. */
static gconstpointer
use_once(MsPixelMemory *memory, int height)
{
  g_autoptr(MsImage) image = take_image(memory, height);
  gpointer pixels = (gpointer)ms_image_get_pixels(image);

  g_assert_cmpuint(malloc_usable_size(pixels), >=, (gsize)WIDTH * height * 4);
  memset(pixels, 1, (gsize)WIDTH * height * 4);
  return pixels;
}

/* A block of the same size, which the allocator could otherwise place where the freed image was. */
static void
test_same_size(void)
{
  g_autoptr(MsPixelMemory) memory = ms_pixel_memory_new();
  gconstpointer first = use_once(memory, LARGE);
  g_autofree guint8 *other = g_malloc((gsize)WIDTH * LARGE * 4);

  g_assert_true(use_once(memory, LARGE) == first);
  g_assert_cmpuint(ms_pixel_memory_kept_bytes(memory), ==, (gsize)WIDTH * LARGE * 4);
}

static void
test_other_size(void)
{
  g_autoptr(MsPixelMemory) memory = ms_pixel_memory_new();

  use_once(memory, LARGE);
  use_once(memory, 2 * LARGE);
  g_assert_cmpuint(ms_pixel_memory_kept_bytes(memory), ==, (gsize)WIDTH * 2 * LARGE * 4);
  use_once(memory, LARGE);
  g_assert_cmpuint(ms_pixel_memory_kept_bytes(memory), ==, (gsize)WIDTH * LARGE * 4);
  /* What another size does not use is freed before new memory is taken. */
  use_once(memory, SMALL);
  g_assert_cmpuint(ms_pixel_memory_kept_bytes(memory), ==, 0);
}

/* Two images at once have memory of their own; that of one of them is kept. */
static void
test_two_images(void)
{
  g_autoptr(MsPixelMemory) memory = ms_pixel_memory_new();
  MsImage *images[2];

  for (int i = 0; i < 2; i++)
    images[i] = take_image(memory, LARGE);
  g_assert_true(ms_image_get_pixels(images[0]) != ms_image_get_pixels(images[1]));
  for (int i = 0; i < 2; i++)
    g_object_unref(images[i]);
  g_assert_cmpuint(ms_pixel_memory_kept_bytes(memory), ==, (gsize)WIDTH * LARGE * 4);
}

static void
test_keeps_nothing(void)
{
  g_autoptr(MsPixelMemory) memory = ms_pixel_memory_new();

  use_once(memory, LARGE);
  ms_pixel_memory_set_keeps(memory, FALSE);
  g_assert_cmpuint(ms_pixel_memory_kept_bytes(memory), ==, 0);
  use_once(memory, LARGE);
  g_assert_cmpuint(ms_pixel_memory_kept_bytes(memory), ==, 0);
}

/* An image may outlive the filter that made it; it is then freed by another thread. */
static gpointer
free_image(gpointer image)
{
  g_assert_cmphex(ms_image_get_pixels(image)[0], ==, 7);
  g_object_unref(image);
  return NULL;
}

static void
test_image_outlives(void)
{
  MsPixelMemory *memory = ms_pixel_memory_new();
  MsImage *image = take_image(memory, LARGE);

  ((guint8 *)ms_image_get_pixels(image))[0] = 7;
  ms_pixel_memory_free(memory);
  g_thread_join(g_thread_new("other", free_image, image));
}

void
ms_test_pixel_memory(void)
{
  g_test_add_func("/pixel-memory/same-size", test_same_size);
  g_test_add_func("/pixel-memory/other-size", test_other_size);
  g_test_add_func("/pixel-memory/two-images", test_two_images);
  g_test_add_func("/pixel-memory/keeps-nothing", test_keeps_nothing);
  g_test_add_func("/pixel-memory/image-outlives", test_image_outlives);
}
