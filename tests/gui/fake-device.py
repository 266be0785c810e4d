#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Stands in for the process that has the window's device, and answers with what MS_FAKE_DEVICE names."""
import os
import socket
import struct
import sys
import time


def header(kind, in_memory=0):
    return struct.pack('=II', kind, in_memory)


def main():
    channel = socket.socket(fileno=3)
    request = channel.recv(1 << 16)
    number = request[8:12]
    what = os.environ['MS_FAKE_DEVICE']
    if what == 'garbage':
        channel.send(bytes(range(256)) * 4)
    elif what == 'kind':
        channel.send(header(0xffffffff) + number)
    elif what == 'short':
        channel.send(b'\0')
    elif what == 'number':
        channel.send(header(0) + b'\xff\xff\xff\xff' + b'\0' * 4 + b'\0' * 8)
    elif what == 'devices':
        # An answer of all zeros: no devices, and the index of the first.
        channel.send(header(3) + number + b'\0' * 60)
    elif what == 'flood':
        for _ in range(1 << 12):
            sys.stderr.write('x' * (1 << 14))
    elif what == 'closed':
        channel.close()
    time.sleep(60)


main()
