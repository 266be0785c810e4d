# SPDX-License-Identifier: MIT
"""Uses the library from Python through its introspection data, which tests the annotations."""

import unittest

import gi

gi.require_version("MeanshiftLab", "1")
from gi.repository import GLib, MeanshiftLab as Lab  # noqa: E402

WIDTH, HEIGHT = 9, 7
PIXELS = bytes((7 * i) % 256 if i % 4 < 3 else 255 for i in range(WIDTH * HEIGHT * 4))


class IntrospectionTest(unittest.TestCase):
    def setUp(self):
        self.image = Lab.Image.new(GLib.Bytes.new(PIXELS), WIDTH, HEIGHT, WIDTH * 4, 4)
        self.engine = Lab.Engine.open("reference")

    def test_filter(self):
        rows = []
        settings = Lab.Settings.new()
        settings.set("sr", "200")
        self.engine.set_progress(lambda done, total: rows.append((done, total)))
        result = self.engine.filter(self.image, settings, None)
        self.assertEqual((result.get_width(), result.get_height()), (WIDTH, HEIGHT))
        self.assertEqual(len(result.get_pixels().get_data()), len(PIXELS))
        self.assertNotEqual(result.get_pixels().get_data(), PIXELS)
        self.assertEqual(rows[-1], (HEIGHT, HEIGHT))

    def test_errors_have_the_domain_of_the_library(self):
        with self.assertRaises(GLib.Error) as caught:
            Lab.Settings.new().set("sp", "-1")
        self.assertTrue(caught.exception.matches(Lab.error_quark(), Lab.Error.USAGE))

    def test_statistics_and_reduction(self):
        statistics = self.engine.get_statistics(self.image, None)
        numbers = statistics.get_channel(Lab.Channel.R)
        self.assertEqual(numbers.sum, sum(PIXELS[0::4]))
        self.assertEqual(sum(statistics.get_histogram(Lab.Channel.A)), WIDTH * HEIGHT)
        reduction = self.engine.reduce("minMax", "uchar", GLib.Bytes.new(PIXELS), None)
        self.assertEqual(reduction.get_range(), (True, min(PIXELS), max(PIXELS)))

    def test_regions(self):
        regions = self.engine.find_regions(self.image, None, 10, None)
        count = regions.get_count()
        labels = memoryview(regions.get_labels().get_data()).cast("I")
        self.assertEqual(set(labels), set(range(1, count + 1)))
        numbers = [regions.get_region(label) for label in range(1, count + 1)]
        self.assertEqual(sum(region.pixels for region in numbers), WIDTH * HEIGHT)
        self.assertEqual(len(numbers[0].mean), 3)
        if count > 1:
            self.assertTrue(set(regions.get_neighbours(1)) <= set(range(2, count + 1)))


if __name__ == "__main__":
    unittest.main()
