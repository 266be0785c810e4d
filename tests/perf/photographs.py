# SPDX-License-Identifier: MIT
"""Shared by benchmarks over photographs: the pictures at one size, and the command line."""
import json
import os
import tempfile

import cv2


def load(path, size):
    """The picture scaled so that its shorter side is SIZE, cut to a square."""
    image = cv2.imread(path, cv2.IMREAD_COLOR)
    height, width = image.shape[:2]
    scale = size / min(height, width)
    how = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
    return cv2.resize(image, (max(size, round(width * scale)), max(size, round(height * scale))),
                      interpolation=how)[:size, :size]


def run(parser, measure):
    """Calls measure(args, path, folder) for each picture, and writes the rows that it yields."""
    parser.add_argument("program")
    parser.add_argument("pictures", nargs="*")
    parser.add_argument("--size", type=int, default=1280)
    parser.add_argument("--json")
    args = parser.parse_intermixed_args()
    folder = os.path.join(os.environ.get("MS_TEST_IMAGES", ""), "photographs")
    pictures = args.pictures or [os.path.join(folder, name) for name in ("astronaut.png", "coffee.png", "retina.jpg")]
    with tempfile.TemporaryDirectory() as scratch:
        rows = [row for path in pictures for row in measure(args, path, scratch)]
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"opencv": cv2.__version__, "results": rows}, file, indent=1)
