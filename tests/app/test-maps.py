#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Pictures with a place on a map, by running the program: GDAL writes the scenes and reads what becomes of them."""

import csv
import json
import os
import subprocess
import sys
import unittest

try:
    import numpy
    from osgeo import gdal, ogr, osr
except ImportError:
    print("python3-gdal is not installed, so that nothing reads what the program writes for maps.", file=sys.stderr)
    sys.exit(1 if os.environ.get("CI") else 77)

from headless import FORM, HeadlessCase, PROGRAM, SOURCE

gdal.UseExceptions()
ogr.UseExceptions()
PLACE = (600000.5, 10.0, 0.0, 5200000.25, 0.0, -10.0)


def make_scene(path, width=70, height=50, no_data=0, bands=3, seed=1, place=PLACE):
    """Fields with noise; no data in a corner, in a hole, and in single pixels. Returns the pixels."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:height, :width]
    fields = ((x // 17 * 37 + y // 13 * 53) % 200 + 20)[..., None] + numpy.array([0, 10, 20])[:bands]
    pixels = (fields + random.integers(0, 9, fields.shape)).astype(numpy.uint8)
    if no_data is not None:
        absent = (x + 2 * y < 40) | ((x - 45) ** 2 + (y - 30) ** 2 < 40) | (random.random((height, width)) < 0.01)
        pixels[absent] = no_data
    file = gdal.GetDriverByName("GTiff").Create(str(path), width, height, bands, gdal.GDT_Byte, ["TILED=YES"])
    system = osr.SpatialReference()
    system.ImportFromEPSG(32632)
    file.SetProjection(system.ExportToWkt())
    file.SetGeoTransform(place)
    file.SetMetadataItem("SENSOR", "made")
    for i in range(bands):
        file.GetRasterBand(i + 1).WriteArray(pixels[..., i])
        if no_data is not None:
            file.GetRasterBand(i + 1).SetNoDataValue(no_data)
    return pixels


def mean(total, n):
    return int(numpy.rint(total * (1.0 / n)))


def filtered_pixel(pixels, absent, x, y, sp, sr):
    """The rule of the manual page for one pixel, with windows that count no pixel without data."""
    height, width = absent.shape
    colour = pixels[y, x].astype(int)
    for _ in range(5):
        top, left = max(y - sp, 0), max(x - sp, 0)
        window = pixels[top:min(y + sp, height - 1) + 1, left:min(x + sp, width - 1) + 1].astype(int)
        near = ((window - colour) ** 2).sum(axis=2) <= sr * sr
        near &= ~absent[top:top + window.shape[0], left:left + window.shape[1]]
        n = int(near.sum())
        if n == 0:
            break
        rows, columns = numpy.nonzero(near)
        new_y, new_x = mean(int(rows.sum()) + n * top, n), mean(int(columns.sum()) + n * left, n)
        new = numpy.array([mean(int(window[..., k][near].sum()), n) for k in range(3)])
        change = abs(new_x - x) + abs(new_y - y) + int(((new - colour) ** 2).sum())
        still = (new_x, new_y) == (x, y)
        x, y, colour = new_x, new_y, new
        if still or change <= 1:
            break
    return colour


class Maps(HeadlessCase):
    def scene(self, name="scene.tif", **options):
        path = self.src / name
        return path, make_scene(path, **options)

    def read(self, path):
        """The pixels of a file in GDAL's eyes, rows x columns, or rows x columns x bands."""
        file = gdal.Open(str(path))
        array = file.ReadAsArray()
        return array if array.ndim == 2 else array.transpose(1, 2, 0)

    def test_the_place_passes_through(self):
        north_up = self.scene()[0]
        turned = self.scene("turned.tif", place=(600000.5, 8.0, 6.0, 5200000.25, 6.0, -8.0))[0]
        large = self.scene("large.tif", width=1000, height=700, no_data=255)[0]
        limit = ["--memory-limit", "56M"]
        for source, *more in ((north_up,), (turned,), (large, *limit)):
            target = self.out / source.name
            self.run_program(source, "-o", target, "--sp", "1", "--device", "reference", *more)
            before, after = gdal.Open(str(source)), gdal.Open(str(target))
            self.assertEqual(after.GetGeoTransform(), before.GetGeoTransform())
            self.assertTrue(after.GetSpatialRef().IsSame(before.GetSpatialRef()))
            self.assertEqual(after.GetMetadataItem("SENSOR"), "made")
            self.assertEqual(after.GetRasterBand(1).GetNoDataValue(), before.GetRasterBand(1).GetNoDataValue())
            self.assertEqual(after.GetMetadataItem("AREA_OR_POINT"), "Area")

    def test_formats_without_a_place_say_so(self):
        image, = self.report(self.scene()[0], "-o", self.out / "a.png", "--device", "reference")["images"]
        self.assertIn("the place on the map could not be kept", image["note"])
        grey = self.scene("grey.tif", bands=1)[0]
        image, = self.report(grey, "-o", self.out / "grey.tif", "--device", "reference")["images"]
        self.assertNotIn("note", {k for k, v in image.items() if v})

    def test_windows_leave_out_pixels_without_data(self):
        source, pixels = self.scene(width=40, height=30)
        absent = (pixels == 0).all(axis=2)
        self.run_program(source, "-o", self.out / "a.tif", "--sp", "3", "--sr", "30", "--device", "reference")
        result = self.read(self.out / "a.tif")
        for y in range(30):
            for x in range(40):
                wanted = pixels[y, x] if absent[y, x] else filtered_pixel(pixels, absent, x, y, 3, 30)
                self.assertEqual(list(result[y, x]), list(wanted), (x, y))

    def test_every_way_gives_the_same_picture(self):
        source = self.scene(width=90, height=80, no_data=60)[0]
        settings = [], ["--space", "luv", "--levels", "1"], ["--rule", "replicate"]
        for i, given in enumerate(settings[:2] if FORM == "suite" else settings):
            common = [source, "--sp", "3", "--sr", "40", *given]
            self.run_program(*common, "-o", self.out / f"r{i}.tif", "--device", "reference")
            wanted = self.read(self.out / f"r{i}.tif")
            self.assertTrue(((wanted == 60).all(axis=2) | ~(self.read(source) == 60).all(axis=2)).all())
            ways = [["--device", "cpu"], ["--devices", "0:0,0:1", "--split", "equal", "--kernel", "direct"]]
            for way in ways if not given else ways[:1]:
                self.run_program(*common, "-o", self.out / "w.tif", "--on-conflict", "overwrite", "--verify", *way,
                                 env={"POCL_DEVICES": "pthread basic"})
                self.assertTrue(numpy.array_equal(self.read(self.out / "w.tif"), wanted), (given, way))

    def test_statistics_leave_out_pixels_without_data(self):
        for width, height, *way in ((150, 90, "--device", "cpu"), (150, 90, "--device", "reference"),
                                    (1000, 700, "--device", "reference", "--memory-limit", "56M")):
            source, pixels = self.scene(width=width, height=height, no_data=255)
            data = pixels[~(pixels == 255).all(axis=2)]
            image, = self.report(source, "-o", self.out / "a.tif", "--on-conflict", "overwrite", "--sp", "1",
                                 "--stats", "--histogram", *way)["images"]
            red = image["source_statistics"]["r"]
            self.assertEqual((red["count"], red["min"], red["max"], red["sum"]),
                             (len(data), data[:, 0].min(), data[:, 0].max(), data[:, 0].sum()))
            self.assertEqual(image["change"]["pixels"], len(data))
            result = self.read(self.out / "a.tif")
            kept = result[~(result == 255).all(axis=2)]
            for i, channel in enumerate("rgb"):
                self.assertEqual(image["histogram"][channel], numpy.bincount(kept[:, i], minlength=256).tolist())

    def regions(self, source, *arguments):
        """Finds regions; returns the array of labels, the features and the rows of the table."""
        labels, polygons, table = (self.out / name for name in ("labels.tif", "regions.geojson", "regions.csv"))
        self.run_program(source, "--regions", "--labels", labels, "--outlines", polygons, "--csv", table,
                         "--on-conflict", "overwrite", *arguments)
        with open(table, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return self.read(labels), json.loads(polygons.read_text())["features"], rows

    def burnt(self, like):
        """The polygons as GDAL fills them, with their labels."""
        model = gdal.Open(str(like))
        filled = gdal.GetDriverByName("MEM").Create("", model.RasterXSize, model.RasterYSize, 1, gdal.GDT_UInt32)
        filled.SetGeoTransform(model.GetGeoTransform())
        filled.SetProjection(model.GetProjection())
        polygons = ogr.Open(str(self.out / "regions.geojson"))
        gdal.RasterizeLayer(filled, [1], polygons.GetLayer(), options=["ATTRIBUTE=label"])
        return filled.ReadAsArray()

    def check_regions(self, source, *arguments):
        labels, features, rows = self.regions(source, *arguments)
        self.assertTrue(numpy.array_equal(self.burnt(self.out / "labels.tif"), labels))
        self.assertEqual([f["properties"]["label"] for f in features], list(range(1, labels.max() + 1)))
        self.assertEqual(len(rows), len(features))
        for row, feature in zip(rows, features):
            shape = ogr.CreateGeometryFromJson(json.dumps(feature["geometry"]))
            self.assertTrue(shape.IsValid(), row["label"])
            self.assertEqual(int(row["pixels"]), (labels == int(row["label"])).sum())
            given = feature["properties"]
            self.assertEqual(list(given), list(row))
            self.assertEqual([int(n) for n in row["neighbours"].split()], given["neighbours"])
            self.assertEqual({k: float(v) for k, v in row.items() if k != "neighbours"},
                             {k: float(v) for k, v in given.items() if k != "neighbours"})
        return labels, features

    def test_regions_lie_on_the_map(self):
        for place in (PLACE, (600000.5, 8.0, 6.0, 5200000.25, 6.0, -8.0), (0.25, 0.5, 0.0, -7.0, 0.0, 0.25)):
            source, pixels = self.scene(place=place)
            labels, features = self.check_regions(source, "--sp", "3", "--sr", "12", "--device", "reference")
            self.assertTrue(numpy.array_equal(labels == 0, (pixels == 0).all(axis=2)))
            area = sum(ogr.CreateGeometryFromJson(json.dumps(f["geometry"])).Area() for f in features)
            pixel = abs(place[1] * place[5] - place[2] * place[4])
            self.assertAlmostEqual(area / pixel, (labels > 0).sum(), places=5)
            file = gdal.Open(str(self.out / "labels.tif"))
            band = file.GetRasterBand(1)
            self.assertEqual((band.DataType, band.GetNoDataValue(), band.GetBlockSize()),
                             (gdal.GDT_UInt32, 0, [256, 256]))
            self.assertEqual(file.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE"), "DEFLATE")
            self.assertEqual(file.GetGeoTransform(), place)
            polygons = ogr.Open(str(self.out / "regions.geojson"))
            self.assertTrue(polygons.GetLayer().GetSpatialRef().IsSame(file.GetSpatialRef()))

    def test_small_regions_join_none_without_data(self):
        source, pixels = self.scene()
        labels, _ = self.check_regions(source, "--sp", "3", "--sr", "5", "--device", "reference", "--min-region", "30")
        absent = (pixels == 0).all(axis=2)
        self.assertTrue(numpy.array_equal(labels == 0, absent))
        counts = numpy.bincount(labels.ravel())
        for label in numpy.nonzero(counts[1:] < 30)[0] + 1:
            around = numpy.zeros_like(absent)
            for y, x in zip(*numpy.nonzero(labels == label)):
                around[max(y - 1, 0):y + 2, max(x - 1, 0):x + 2] = True
            self.assertTrue((absent | (labels == label))[around].all(), "a small region has a neighbour")

    def test_regions_that_touch_in_corners_and_have_holes(self):
        """Noise, in which nearly every region has parts that touch in corners, and holes in holes."""
        for seed in range(3):
            random = numpy.random.default_rng(seed)
            path = self.src / f"noise{seed}.tif"
            file = gdal.GetDriverByName("GTiff").Create(str(path), 61, 47, 3, gdal.GDT_Byte)
            pixels = random.integers(0, 3, (47, 61)) * 100
            for i in range(3):
                file.GetRasterBand(i + 1).WriteArray(pixels)
            file = None
            _, features = self.check_regions(path, "--sp", "1", "--sr", "3", "--device", "reference")
            kinds = {f["geometry"]["type"] for f in features}
            self.assertEqual(kinds, {"Polygon", "MultiPolygon"})
            self.assertTrue(any(len(part) > 1 for f in features if f["geometry"]["type"] == "MultiPolygon"
                                for part in f["geometry"]["coordinates"]))

    def test_devices_find_the_same_regions(self):
        source = self.scene(width=90, height=80, no_data=60)[0]
        results = []
        for device in ("reference", "cpu"):
            self.regions(source, "--sp", "3", "--sr", "20", "--device", device, "--modes", self.out / "modes.npy",
                         "--min-region", "20")
            results.append([(self.out / name).read_bytes() for name in self.names()])
        self.assertEqual(results[0], results[1])

    def test_what_cannot_be_is_refused(self):
        source = self.scene()[0]
        for arguments, part in ((["--labels", self.out / "l.jpg"], ".tif"), (["--modes", self.out / "m.tif"], ".npy"),
                                (["--outlines", self.out / "p.geojson", "--quality", "9"], "--quality")):
            _, error = self.run_program(source, "--regions", "--device", "reference", *arguments, status=2)
            self.sentence(error, part)
        self.assertEqual(self.names(), [])

    def test_the_manual_from_a_scene_to_polygons(self):
        """Runs the commands of the manual page's section as they stand there."""
        page = (SOURCE / "data" / "meanshift-lab.1").read_text()
        section = page.split('.SH "FROM A SATELLITE SCENE TO POLYGONS"')[1].split("\n.SH ")[0]
        commands = [line.replace("\\-", "-") for block in section.split("\n.EX\n")[1:]
                    for line in block.split("\n.EE")[0].splitlines()]
        self.assertGreater(len(commands), 3)
        make_scene(self.dir / "scene.tif")
        tools = self.dir / "tools"
        tools.mkdir()
        (tools / "meanshift-lab").symlink_to(PROGRAM)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        for command in commands:
            subprocess.run(command, shell=True, check=True, cwd=self.dir, env=environment, capture_output=True,
                           timeout=600)
        package = ogr.Open(str(self.dir / "regions.gpkg"))
        self.assertGreater(package.GetLayer().GetFeatureCount(), 10)


if __name__ == "__main__":
    unittest.main(verbosity=2)
