#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Paints harbour.png, the sample picture: a harbour in the evening, with gradients, texture, sharp edges and grain as a
photograph has them. Needs nothing but Python; the same pixels come out every time.

    python3 make-harbour.py [harbour.png]
"""
import math
import struct
import sys
import zlib

WIDTH, HEIGHT = 640, 480
HORIZON = 232
WATERLINE = 284
SUN = (452.0, 196.0)
SUBROWS = 4


# ---- noise ---------------------------------------------------------------------------------------------------------

def hashed(x, y, seed):
    """A number in [0, 1) that depends on nothing but its arguments."""
    n = (x * 374761393 + y * 668265263 + seed * 2147483647) & 0xFFFFFFFF
    n = ((n ^ (n >> 13)) * 1274126177) & 0xFFFFFFFF
    n = ((n ^ (n >> 16)) * 2246822519) & 0xFFFFFFFF
    return (n ^ (n >> 15)) / 4294967296.0


def smooth_noise(x, y, seed):
    """Hashed values at whole places, blended in between."""
    x0, y0 = math.floor(x), math.floor(y)
    u, v = x - x0, y - y0
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    top = hashed(x0, y0, seed) * (1 - u) + hashed(x0 + 1, y0, seed) * u
    bottom = hashed(x0, y0 + 1, seed) * (1 - u) + hashed(x0 + 1, y0 + 1, seed) * u
    return top * (1 - v) + bottom * v


def clouds_at(x, y, seed, octaves=4):
    """Noise at several scales, 0 to 1."""
    total, weight = 0.0, 0.0
    for octave in range(octaves):
        scale = 2.0 ** octave
        total += smooth_noise(x * scale, y * scale, seed + octave) / scale
        weight += 1 / scale
    return total / weight


# ---- colours -------------------------------------------------------------------------------------------------------

def mix(a, b, t):
    return tuple(p + (q - p) * t for p, q in zip(a, b))


def shade(colour, factor):
    return tuple(c * factor for c in colour)


def clamp(t, low=0.0, high=1.0):
    return min(max(t, low), high)


# ---- the canvas ----------------------------------------------------------------------------------------------------

class Canvas:
    """Rows of RGB colours as floats, and polygons with soft edges on them."""

    def __init__(self):
        self.rows = [[(0.0, 0.0, 0.0)] * WIDTH for _ in range(HEIGHT)]

    def blend(self, x, y, colour, opacity):
        if 0 <= x < WIDTH and 0 <= y < HEIGHT:
            self.rows[y][x] = mix(self.rows[y][x], colour, opacity)

    def polygon(self, points, paint, opacity=1.0):
        """Fills a polygon with a colour or a function of x and y. Edges are soft: coverage weighs the paint."""
        top = max(0, math.floor(min(y for _, y in points)))
        bottom = min(HEIGHT - 1, math.floor(max(y for _, y in points)))
        for y in range(top, bottom + 1):
            for x, part in row_coverage(points, y).items():
                self.blend(x, y, paint(x, y) if callable(paint) else paint, min(part, 1.0) * opacity)

    def rectangle(self, x0, y0, x1, y1, paint, opacity=1.0):
        self.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], paint, opacity)

    def line(self, x0, y0, x1, y1, width, paint, opacity=1.0):
        length = math.hypot(x1 - x0, y1 - y0)
        dx, dy = (y1 - y0) / length * width / 2, (x0 - x1) / length * width / 2
        self.polygon([(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)], paint, opacity)


def row_coverage(points, y):
    """How much of each pixel of row y a polygon covers."""
    covered = {}
    for sub in range(SUBROWS):
        at = y + (sub + 0.5) / SUBROWS
        crossings = []
        for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1]):
            if (y0 <= at) != (y1 <= at):
                crossings.append(x0 + (at - y0) / (y1 - y0) * (x1 - x0))
        crossings.sort()
        for left, right in zip(crossings[::2], crossings[1::2]):
            for x in range(max(0, math.floor(left)), min(WIDTH - 1, math.floor(right)) + 1):
                part = min(right, x + 1) - max(left, x)
                covered[x] = covered.get(x, 0.0) + part / SUBROWS
    return covered


# ---- sky and land --------------------------------------------------------------------------------------------------

SKY = [(0.00, (62, 104, 168)), (0.35, (118, 160, 205)), (0.65, (198, 200, 205)),
       (0.85, (246, 205, 158)), (1.00, (250, 184, 128))]


def sky_colour(height):
    for (h0, c0), (h1, c1) in zip(SKY, SKY[1:]):
        if height <= h1:
            return mix(c0, c1, (height - h0) / (h1 - h0))
    return SKY[-1][1]


def paint_sky(canvas):
    for y in range(WATERLINE):
        base = sky_colour(clamp(y / HORIZON))
        for x in range(WIDTH):
            distance = math.hypot(x - SUN[0], (y - SUN[1]) * 1.25)
            colour = mix(base, (255, 226, 170), 0.75 * math.exp(-distance / 70))
            cover = clouds_at(x / 150, y / 38, 11)
            cloud = clamp((cover - 0.50) * 4.0) * clamp((HORIZON - y) / 120)
            lit = mix((226, 214, 216), (255, 205, 160), clamp(y / HORIZON))
            colour = mix(colour, lit, 0.65 * cloud)
            canvas.rows[y][x] = mix(colour, (255, 247, 222), clamp(16.5 - math.hypot(x - SUN[0], y - SUN[1])))


def paint_hills(canvas):
    for seed, base, height, colour in ((21, 226, 46, (140, 150, 178)), (22, 238, 34, (104, 116, 134)),
                                       (23, 250, 22, (84, 98, 88))):
        ridge = [base - height * clouds_at(x / 120, 0, seed) for x in range(WIDTH + 1)]
        outline = [(x, ridge[x]) for x in range(0, WIDTH + 1, 4)] + [(WIDTH, WATERLINE), (0, WATERLINE)]

        def paint(x, y, colour=colour, seed=seed):
            wood = clouds_at(x / 6, y / 4, seed + 50, 3) - 0.5
            return shade(colour, 1 + 0.35 * wood + 0.06 * (y - HORIZON) / 30)

        canvas.polygon(outline, paint)


# ---- the town ------------------------------------------------------------------------------------------------------

FACADES = [(206, 152, 92), (186, 82, 62), (232, 220, 196), (120, 148, 164), (222, 186, 110),
           (168, 100, 82), (236, 206, 178), (142, 158, 120)]
ROOFS = [(122, 62, 50), (92, 70, 66), (138, 76, 56), (78, 80, 92)]
QUAY = 270


def plaster(colour, seed):
    """A wall in the low light: streaks, stains, lighter towards the sun."""
    def paint(x, y):
        stain = clouds_at(x / 7, y / 13, seed, 3) - 0.5
        return shade(colour, 0.93 + 0.26 * stain + 0.10 * (x % 40) / 40)
    return paint


def tiles(colour, seed):
    def paint(x, y):
        row = 0.10 if y % 3 == 0 else 0.0
        return shade(colour, 1.0 - row + 0.30 * (hashed(x // 3, y // 3, seed) - 0.5))
    return paint


def paint_window(canvas, x, y, width, height, seed):
    lit = hashed(seed, 7, 3) > 0.62
    glass = (255, 214, 130) if lit else mix((52, 60, 76), (150, 160, 178), 0.5 * hashed(seed, 1, 9))
    canvas.rectangle(x - 1, y - 1, x + width + 1, y + height + 1, (238, 232, 218))
    canvas.rectangle(x, y, x + width, y + height, glass)
    canvas.rectangle(x + width / 2 - 0.4, y, x + width / 2 + 0.4, y + height, (238, 232, 218))
    canvas.rectangle(x, y + height / 2 - 0.4, x + width, y + height / 2 + 0.4, (238, 232, 218))


def paint_house(canvas, x, width, height, index):
    wall, roof = FACADES[index % len(FACADES)], ROOFS[(index * 3) % len(ROOFS)]
    top = QUAY - height
    peak = top - width * 0.42
    canvas.rectangle(x, top, x + width, QUAY, plaster(wall, 100 + index))
    canvas.polygon([(x - 2, top + 1), (x + width / 2, peak), (x + width + 2, top + 1)], tiles(roof, 200 + index))
    canvas.rectangle(x + width * 0.68, peak + 2, x + width * 0.68 + 5, peak + 14, (120, 78, 66))
    canvas.line(x, top + 0.5, x + width, top + 0.5, 1.6, (70, 52, 46), 0.7)
    columns = max(2, int(width // 14))
    for row in range(int((height - 14) // 15)):
        for column in range(columns):
            paint_window(canvas, x + width * (column + 0.5) / columns - 3, top + 6 + row * 15, 6, 8.5,
                         index * 31 + row * 7 + column)
    door = x + width * (0.30 + 0.4 * hashed(index, 2, 5))
    canvas.rectangle(door - 3.5, QUAY - 13, door + 3.5, QUAY, shade(ROOFS[index % len(ROOFS)], 0.75))
    canvas.rectangle(x + width - 1.2, top, x + width, QUAY, shade(wall, 0.55), 0.8)


def paint_church(canvas):
    canvas.rectangle(151, 140, 173, QUAY, plaster((190, 178, 160), 140))
    canvas.polygon([(148, 141), (162, 92), (176, 141)], tiles((74, 92, 96), 141))
    canvas.rectangle(159, 152, 165, 165, (60, 56, 60))
    canvas.line(162, 82, 162, 94, 1.4, (60, 56, 60))


def paint_town(canvas):
    paint_church(canvas)
    x, index = -8.0, 0
    while x < 372:
        width = 30 + math.floor(20 * hashed(index, 0, 77))
        paint_house(canvas, x, width, 40 + math.floor(34 * hashed(index, 1, 78)), index)
        x += width
        index += 1


def paint_lighthouse(canvas):
    canvas.polygon([(540, WATERLINE), (552, 262), (636, 258), (660, WATERLINE)], tiles((112, 106, 102), 300))
    for step in range(6):
        y0, y1 = 262 - step * 19, 262 - (step + 1) * 19
        half0, half1 = 15 - step * 1.25, 15 - (step + 1) * 1.25
        colour = (196, 58, 48) if step % 2 == 0 else (240, 234, 224)

        def paint(x, y, colour=colour):
            return shade(colour, 1.08 - 0.42 * clamp((x - 580) / 30) + 0.08 * (hashed(x, y // 2, 310) - 0.5))

        canvas.polygon([(595 - half1, y1), (595 + half1, y1), (595 + half0, y0), (595 - half0, y0)], paint)
    canvas.rectangle(584, 145, 606, 149, (62, 60, 66))
    canvas.rectangle(588, 131, 602, 145, (255, 232, 164))
    for x in (588, 594.5, 601):
        canvas.rectangle(x, 131, x + 1.2, 145, (62, 60, 66))
    canvas.polygon([(585, 132), (595, 119), (605, 132)], (160, 46, 42))


def paint_quay(canvas):
    def stone(x, y):
        course = (y - QUAY) // 5
        joint = (y - QUAY) % 5 == 0 or (x + 7 * (course % 2)) % 15 == 0
        colour = shade((142, 130, 116), 0.88 + 0.24 * hashed((x + 7 * (course % 2)) // 15, course, 400))
        wet = 0.60 if y > WATERLINE - 5 else 1.0
        return shade(colour, (0.72 if joint else 1.0) * wet * (0.95 + 0.10 * hashed(x, y, 401)))

    canvas.rectangle(0, QUAY, 398, WATERLINE, stone)
    canvas.rectangle(0, QUAY - 1.5, 399, QUAY + 1, (178, 166, 148))
    for x in range(14, 390, 47):
        canvas.rectangle(x, QUAY - 6, x + 4, QUAY, (48, 46, 50))


# ---- boats ---------------------------------------------------------------------------------------------------------

class Boat:
    """A boat whose parts can be painted upright or mirrored in the water."""

    def __init__(self, x, y, scale, hull, mast, sail=None, cabin=None):
        self.x, self.y, self.scale = x, y, scale
        self.hull, self.mast, self.sail, self.cabin = hull, mast, sail, cabin

    def place(self, points, mirrored):
        sign = -1 if mirrored else 1
        return [(self.x + px * self.scale, self.y + sign * py * self.scale) for px, py in points]

    def paint(self, canvas, mirrored=False):
        opacity = 0.62 if mirrored else 1.0

        def part(points, paint):
            canvas.polygon(self.place(points, mirrored), paint, opacity)

        def planks(x, y):
            depth = abs(y - self.y) / self.scale
            seam = 0.85 if int(depth * 1.1) % 3 == 0 else 1.0
            return shade(self.hull, (0.74 + 0.022 * depth) * seam * (0.94 + 0.12 * hashed(x // 3, y, 500)))

        part([(-36, -13), (40, -16), (30, 2), (-29, 2)], planks)
        part([(-36, -13), (40, -16), (40, -13.6), (-36.6, -10.6)], (240, 232, 214))
        part([(-30, -1), (31.6, -1), (30, 2), (-29, 2)], (124, 44, 40))
        if self.cabin:
            part([(-24, -13), (-24, -27), (0, -27), (3, -14)], self.cabin)
            part([(-26, -27), (-26, -29), (2, -29), (2, -27)], shade(self.cabin, 0.6))
            for wx in (-21, -14, -7):
                part([(wx, -24), (wx + 5, -24), (wx + 5, -19), (wx, -19)], (66, 84, 104))
        self.paint_rigging(part)

    def paint_rigging(self, part):
        top = -self.mast
        part([(5, -14), (7, -14), (6.6, top), (5.4, top)], (92, 66, 46))
        part([(5.6, top + 2), (39.6, -16), (40, -15.6), (6, top + 3)], (70, 62, 58))
        part([(5.6, top + 2), (-35.4, -13), (-35.0, -12.6), (6, top + 3)], (70, 62, 58))
        if self.sail:
            part([(4, top + 6), (4, -22), (-28, -20)],
                 lambda x, y: shade(self.sail, 0.90 + 0.14 * smooth_noise(x / 9, y / 22, 510)))
            part([(8, top + 12), (9, -22), (34, -19)],
                 lambda x, y: shade(self.sail, 0.82 + 0.14 * smooth_noise(x / 9, y / 22, 511)))


BOATS = [
    Boat(428, 294, 0.55, (60, 84, 104), 74, sail=(232, 214, 184)),
    Boat(96, 322, 0.95, (44, 92, 96), 88, cabin=(232, 224, 206)),
    Boat(262, 352, 1.30, (150, 58, 44), 108, sail=(244, 232, 206)),
    Boat(508, 392, 1.55, (38, 62, 104), 96, cabin=(214, 178, 120)),
]


# ---- the water -----------------------------------------------------------------------------------------------------

def paint_water(canvas):
    """The scene above, mirrored, darkened towards the viewer, with the boats in it; then moved about by waves."""
    for y in range(WATERLINE, HEIGHT):
        depth = (y - WATERLINE) / (HEIGHT - WATERLINE)
        source = canvas.rows[max(0, WATERLINE - 1 - int((y - WATERLINE) * 1.38))]
        for x in range(WIDTH):
            canvas.rows[y][x] = mix(shade(source[x], 0.86), (34, 66, 88), 0.22 + 0.42 * depth)
    for boat in BOATS:
        boat.paint(canvas, mirrored=True)
    still = [row[:] for row in canvas.rows]
    for y in range(WATERLINE, HEIGHT):
        near = (y - WATERLINE) / (HEIGHT - WATERLINE)
        for x in range(WIDTH):
            canvas.rows[y][x] = wave_colour(still, x, y, near)


def wave_colour(still, x, y, near):
    size = 0.30 + near
    wave = (smooth_noise(x / (26 * size), y / (3.2 * size), 600)
            + 0.5 * smooth_noise(x / (9 * size), y / (1.7 * size), 601) - 0.75)
    sx = clamp(x + wave * (3 + 16 * near), 0, WIDTH - 1)
    sy = clamp(y + wave * (3 + 13 * near), WATERLINE, HEIGHT - 1)
    colour = still[int(sy)][int(sx)]
    slope = smooth_noise(x / (15 * size), y / (2.0 * size), 602) - 0.5
    colour = mix(colour, (214, 220, 224) if slope > 0 else (20, 46, 66), abs(slope) * (0.20 + 0.26 * near))
    path = math.exp(-((x - SUN[0]) / (16 + 62 * near)) ** 2)
    glint = clamp((smooth_noise(x / (7 * size), y / (1.5 * size), 603) - 0.56) * 5)
    return mix(colour, (255, 226, 168), path * glint * 0.85)


# ---- the foreground ------------------------------------------------------------------------------------------------

def timber(colour, seed):
    def paint(x, y):
        grain = clouds_at(x / 1.6, y / 26, seed, 3) - 0.5
        return shade(colour, 1.0 + 0.75 * grain)
    return paint


def paint_foreground(canvas):
    for index, (x, top) in enumerate(((22, 378), (66, 398), (118, 424))):
        canvas.rectangle(x, top, x + 17, HEIGHT, timber((74, 56, 44), 700 + index))
        canvas.rectangle(x, top, x + 4, HEIGHT, (176, 128, 86), 0.28)
        canvas.polygon([(x - 1, top + 3), (x + 3, top - 3), (x + 14, top - 3), (x + 18, top + 3)],
                       timber((112, 90, 70), 710 + index))
    canvas.polygon([(0, 428), (150, 452), (150, 463), (0, 441)], timber((98, 74, 56), 720))
    canvas.line(0, 428, 150, 452, 2, (190, 150, 108), 0.8)
    previous = (38.0, 386.0)
    for step in range(1, 25):
        t = step / 24
        point = (38 + 36 * t, 386 + 18 * t + 60 * t * (1 - t))
        canvas.line(*previous, *point, 2.4, (196, 176, 138))
        previous = point
    for x, y, span in ((300, 70, 13), (338, 92, 9), (268, 104, 7), (82, 60, 8)):
        canvas.line(x - span, y - span * 0.35, x, y, 1.8, (70, 74, 84))
        canvas.line(x, y, x + span, y - span * 0.42, 1.8, (70, 74, 84))


# ---- the photograph ------------------------------------------------------------------------------------------------

def developed(canvas):
    """Bytes of the picture, with the grain of a sensor: stronger in the shadows, a little different in each channel."""
    for y, row in enumerate(canvas.rows):
        line = bytearray()
        for x, colour in enumerate(row):
            common = hashed(x, y, 900) + hashed(x, y, 901) + hashed(x, y, 902) - 1.5
            strength = 7.5 - 3.0 * clamp(sum(colour) / 765)
            for channel in range(3):
                own = hashed(x, y, 910 + channel) + hashed(x, y, 920 + channel) - 1.0
                line.append(int(clamp(colour[channel] + strength * (common + 0.6 * own) + 0.5, 0, 255)))
        yield bytes(line)


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def png(lines):
    """A PNG file of RGB rows, each stored as the difference from the row above (filter 2)."""
    above, raw = bytes(WIDTH * 3), bytearray()
    for line in lines:
        raw.append(2)
        raw += bytes((a - b) & 255 for a, b in zip(line, above))
        above = line
    header = struct.pack('>IIBBBBB', WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    density = struct.pack('>IIB', 3780, 3780, 1)
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'pHYs', density) +
            chunk(b'IDAT', zlib.compress(bytes(raw), 9)) + chunk(b'IEND', b''))


def main():
    canvas = Canvas()
    paint_sky(canvas)
    paint_hills(canvas)
    paint_town(canvas)
    paint_lighthouse(canvas)
    paint_quay(canvas)
    paint_water(canvas)
    for boat in BOATS:
        boat.paint(canvas)
    paint_foreground(canvas)
    with open(sys.argv[1] if len(sys.argv) > 1 else 'harbour.png', 'wb') as file:
        file.write(png(developed(canvas)))


if __name__ == '__main__':
    main()
