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

TEXT_MAX = 16384  # bytes of UTF-8
ID_KEPT = 16000
QUOTED_MAX = 30000  # two such texts and the rest of a record are a packet
PACKET_MAX = 65536
SEAL_DIGITS = 32


def make_names():
    """name_of(id): the id, of which a long one is cut; what is left out stands there as a hash, so that another id is another name."""
    quote, _len, encode_text, decode, plain, digest = json.encoder.encode_basestring_ascii, len, str.encode, bytes.decode, str.__str__, blake2s
    kept, most, quoted_most = ID_KEPT, TEXT_MAX, QUOTED_MAX

    def name_of(text):
        data = encode_text(text, "utf-8", "replace")
        if _len(data) <= most // 6 or _len(data) <= most and _len(quote(text)) <= quoted_most:
            return text
        head = decode(data[:kept], "utf-8", "ignore")
        if _len(quote(head)) > quoted_most:
            head = decode(data[:most // 4], "utf-8", "ignore")
        return head + "..." + digest(data, digest_size=16).hexdigest()
    return lambda text: name_of(plain(text))


def make_encoder():
    """encode(record) -> bytes. Exact types and subclasses of them are told as what they are made of."""
    quote, _type, _subclass = json.encoder.encode_basestring_ascii, type, issubclass
    _str, _int, _dict, _list, _tuple, _len, join = str, int, dict, list, tuple, len, ",".join
    plain, number, items, in_list, in_tuple = str.__str__, int.__repr__, dict.items, list.__iter__, tuple.__iter__
    replace, encode_text, decode, map_to, text_max, quoted_max = str.replace, str.encode, bytes.decode, map, TEXT_MAX, QUOTED_MAX
    name_of, of_ids = make_names(), ("id", "alt")

    def cut(text, half):
        data = encode_text(text, "utf-8")
        return text if _len(data) <= 2 * half else decode(data[:half - 2], "utf-8", "ignore") + "..." + decode(data[2 - half:], "utf-8", "ignore")

    def short(text):
        text = replace(decode(encode_text(text, "utf-8", "replace"), "utf-8"), "\0", "\ufffd")
        told = quote(cut(text, text_max // 2))
        return told if _len(told) <= quoted_max else quote(cut(text, quoted_max // 12))

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
            return "{" + join([short(plain(k)) + ":" + text_of(name_of(v) if k in of_ids and v is not None else v)
                               for k, v in _list(items(value))]) + "}"
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
