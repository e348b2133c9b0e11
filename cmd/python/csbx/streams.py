# SPDX-License-Identifier: Apache-2.0
"""Where a program's output goes: a descriptor that csbx writes to, or an object with `write` that is fed from here."""
from __future__ import annotations

import codecs
import io
from typing import IO, Any, Callable, Optional, Protocol, Union


class Writer(Protocol):
    def write(self, data: Any) -> Any: ...


Stream = Union[None, int, IO[Any], Writer]
KEPT_BYTES = 1 << 20  # of each stream that a callback gets, as csbx keeps of each in JSON
CHUNK_BYTES = 1 << 16


def descriptor(stream: Any) -> Optional[int]:
    """The descriptor that csbx may write to in the stream's place, or None: the object has to be called.

    The standard streams of a notebook have a descriptor too, which is that of the server's terminal: only files of the
    standard library are believed.
    """
    if isinstance(stream, int):
        return stream
    inner = getattr(stream, "file", stream)  # that of a tempfile
    if hasattr(inner, "write") and not isinstance(inner, (io.TextIOWrapper, io.BufferedIOBase, io.RawIOBase)):
        return None
    try:
        fd: int = inner.fileno()
    except (AttributeError, OSError):  # io.UnsupportedOperation is an OSError
        if not hasattr(stream, "write"):
            raise TypeError(f"{stream!r:.80} takes no output: a descriptor, a file, or an object with write()") from None
        return None
    if hasattr(inner, "flush"):
        inner.flush()  # what the caller wrote comes before what the program writes
    return fd


class Sink:
    """Takes the bytes of one stream: for a writer of text or of bytes, or for a callback, which also keeps them."""

    def __init__(self, stream: Optional[Writer] = None, callback: Optional[Callable[[str], Any]] = None,
                 keep_bytes: int = 0) -> None:
        self._decoder = None if stream is not None and _is_binary(stream) else codecs.getincrementaldecoder("utf-8")("replace")
        self._give = callback if callback is not None else None if stream is None else stream.write
        self._half = keep_bytes // 2
        self._head, self._tail, self.size = bytearray(), bytearray(), 0

    def feed(self, data: bytes, final: bool = False) -> Any:
        """Returns what the callback returned, for asyncio to await."""
        self._keep(data)
        text: Any = data if self._decoder is None else self._decoder.decode(data, final)
        return self._give(text) if text and self._give else None

    def _keep(self, data: bytes) -> None:
        self.size += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        del self._tail[:max(0, len(self._tail) - self._half)]

    @property
    def kept(self) -> bytes:
        """The head and the tail, all of it where it is not longer than both."""
        return bytes(self._head + self._tail)

    @property
    def truncated(self) -> bool:
        return bool(self._half) and self.size > 2 * self._half


def output(stream: Stream) -> Union[None, int, Sink]:
    """What a call is given for stdout= or stderr=."""
    if stream is None:
        return None
    fd = descriptor(stream)
    return Sink(stream) if fd is None else fd  # type: ignore[arg-type]


def _is_binary(stream: Any) -> bool:
    return isinstance(stream, (io.RawIOBase, io.BufferedIOBase)) or "b" in str(getattr(stream, "mode", ""))


def callback_sink(callback: Optional[Callable[[str], Any]]) -> Sink:
    """The sink of on_stdout and on_stderr: the result has the text as well, as csbx keeps it."""
    if callback is not None and not callable(callback):
        raise TypeError(f"on_stdout, on_stderr: {callback!r:.80} cannot be called")
    return Sink(callback=callback, keep_bytes=KEPT_BYTES)
