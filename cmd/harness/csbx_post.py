# SPDX-License-Identifier: Apache-2.0
"""Records as packets, and the one place that can send them.

The secret and the descriptor are local variables of a suspended generator, which runs no code of anybody else:
records are made text by functions that call nothing of the values but what is built in. The secret seals each record
and is not in it: code that takes the descriptor's place learns nothing to seal another record with.
"""
import json.encoder
import os

try:
    from _blake2 import blake2s
except ImportError:
    from hashlib import blake2s

TEXT_MAX = 16384
PACKET_MAX = 65536
SEAL_DIGITS = 32


def make_encoder():
    """encode(record) -> bytes. Exact types and subclasses of them are told as what they are made of."""
    quote, _type, _subclass = json.encoder.encode_basestring_ascii, type, issubclass
    _str, _int, _dict, _list, _tuple, _len, join = str, int, dict, list, tuple, len, ",".join
    plain, number, items, in_list, in_tuple = str.__str__, int.__repr__, dict.items, list.__iter__, tuple.__iter__
    replace, encode_text, decode, map_to, text_max = str.replace, str.encode, bytes.decode, map, TEXT_MAX

    def short(text):
        if _len(text) > text_max:
            text = text[:text_max // 2] + "..." + text[-text_max // 2:]
        return quote(replace(decode(encode_text(text, "utf-8", "replace"), "utf-8"), "\0", "\ufffd"))

    def text_of(value):
        kind = _type(value)
        if value is None:
            return "null"
        if value is True or value is False:
            return "true" if value else "false"
        if _subclass(kind, _str):
            return short(plain(value))
        if _subclass(kind, _int):
            return number(value)
        if _subclass(kind, _dict):
            return "{" + join([short(plain(k)) + ":" + text_of(v) for k, v in _list(items(value))]) + "}"
        if _subclass(kind, _list):
            return "[" + join(_list(map_to(text_of, in_list(value)))) + "]"
        if _subclass(kind, _tuple):
            return "[" + join(_list(map_to(text_of, in_tuple(value)))) + "]"
        return quote("an object")

    return lambda record: encode_text(text_of(record), "ascii")


def _post(secret, fd):
    write, getpid, _len, error, most, seal = os.write, os.getpid, len, OSError, PACKET_MAX - SEAL_DIGITS, blake2s
    key, owner, number = secret.encode("ascii"), getpid(), 0
    while True:
        data = yield
        if getpid() != owner:
            continue  # a fork that runs on is not who reports
        if _len(data) > most:
            data = b'{"t":"oversize"}'
        packet = seal(number.to_bytes(8, "little") + data, digest_size=16, key=key).hexdigest().encode("ascii") + data
        number += 1
        try:
            write(fd, packet)
        except error:
            pass  # closed by tested code or by the host, which misses its number, and believes none that follows
        data = None


def make_post(secret, fd):
    """A generator that is sent what encode() made of a record."""
    post = _post(secret, fd)
    next(post)
    return post
