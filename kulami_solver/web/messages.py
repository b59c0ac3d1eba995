"""Requests and answers as JSON; a request of another form is refused in one sentence."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeVar

import msgspec

from ..errors import KulamiError, Phrase, quoted, reason

Line = Annotated[str, msgspec.Meta(max_length=4096)]
Field = Annotated[str, msgspec.Meta(max_length=16)]
Names = Annotated[list[Field], msgspec.Meta(max_length=4)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
Whole = Annotated[int, msgspec.Meta(ge=0, le=10**15)]
Threads = Annotated[int, msgspec.Meta(ge=1, le=256)]

R = TypeVar("R")

_FAILURES: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class Refused(KulamiError):  # noqa: N818  (the name says what happened to the request)
    """The refusal of a request, with its HTTP status."""

    def __init__(self, status: int, code: object = "", /, **values: object) -> None:
        super().__init__(code, **values)
        self.status: Final = status


def parsed(body: bytes, kind: type[R]) -> R:
    """Return a request's body as a value of a type.

    Raises:
        Refused: if it is not JSON, or does not fit the type.

    Examples:
        >>> from kulami_solver.web.malawi import Malawi
        >>> parsed(b'{"board": "2x3"}', Malawi).board
        '2x3'
        >>> parsed(b'{"beads": 16}', Malawi)
        Traceback (most recent call last):
        ...
        kulami_solver.web.messages.Refused: the request cannot be read: beads has to be a whole \
number from 1 to 15
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except KulamiError as error:
        raise Refused(400, error) from None
    except _FAILURES:
        raise _wrong(body, kind) from None


def _wrong(body: bytes, kind: type[Any]) -> Refused:
    """Return the refusal of a body that cannot be read."""
    try:
        said = msgspec.json.decode(body)
    except _FAILURES:
        return Refused(400, "no_json")
    return _misfit(said, kind) if isinstance(said, dict) else Refused(400, "no_object")


def _misfit(said: Mapping[str, Any], kind: type[Any]) -> Refused:
    """Return the refusal of values that do not fit a type: it names the first that does not."""
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    for name, value in said.items():
        if name not in fields:
            return Refused(400, "unknown_field", name=quoted(name)[1:-1])
        try:
            msgspec.convert(value, fields[name].type)
        except (*_FAILURES, KulamiError):
            wanted = _wanted(msgspec.inspect.type_info(fields[name].type))
            return Refused(400, "wrong_field", name=name, wanted=wanted)
    missing = [field.name for field in fields.values() if field.required and field.name not in said]
    return Refused(400, "missing_field", name=missing[0])


def _wanted(kind: Any) -> Phrase:
    """Return the words for the values that a field takes."""
    if isinstance(kind, msgspec.inspect.UnionType):
        kind = kind.types[0]
    if isinstance(kind, msgspec.inspect.IntType):
        if kind.ge is None or kind.le is None:
            return Phrase("whole_number")
        return Phrase("whole_between", least=kind.ge, most=kind.le)
    if isinstance(kind, msgspec.inspect.FloatType):
        return Phrase("number_between", least=kind.gt, most=kind.le)
    if isinstance(kind, msgspec.inspect.StrType):
        return Phrase("some_name" if kind.pattern else "some_text", most=kind.max_length)
    if isinstance(kind, msgspec.inspect.DictType):
        return Phrase("some_object")
    if isinstance(kind, msgspec.inspect.ListType):
        return Phrase("some_list", most=kind.max_length)
    if isinstance(kind, msgspec.inspect.LiteralType):
        return Phrase("one_of", names=list(kind.values))
    return Phrase("yes_or_no" if isinstance(kind, msgspec.inspect.BoolType) else "something_else")


def as_json(said: Mapping[str, Any]) -> bytes:
    """Return an answer as JSON; a `Phrase` becomes its text.

    Examples:
        >>> as_json({"ok": True})
        b'{"ok":true}'
    """
    return msgspec.json.encode(said, enc_hook=str)


def told(error: BaseException) -> dict[str, Any]:
    """Return an error's sentence, with its code and values.

    Visitors read the name of a file, but not where the server has it.

    Examples:
        >>> told(KulamiError("taken", side="red", field="d7"))["values"]
        {'side': 'red', 'field': 'd7'}
        >>> told(KulamiError("header_damaged", path="/home/anna/small.kdb"))["values"]
        {'path': 'small.kdb'}
    """
    if isinstance(error, MemoryError):
        error = KulamiError("no_memory")
    if not isinstance(error, KulamiError):
        return {"error": reason(error) if isinstance(error, OSError) else str(error)}
    if "path" in error.values:
        error = KulamiError(error)
        error.values["path"] = os.path.basename(str(error.values["path"]))
    return error.told()
