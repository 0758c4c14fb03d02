"""A position's schema: one class of annotated fields gives the NumPy record and the types that mypy checks."""

from types import SimpleNamespace
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

# A field of a position. `u1` is a whole number from 0 to 255, `u2` one to 65535; in compiled code both widen to 64
# bits as soon as they are calculated with.
u1 = Annotated[int, "u1"]
u2 = Annotated[int, "u2"]

Array: TypeAlias = NDArray[Any]
#: An array of position records; nearly everywhere it has one element.
Positions: TypeAlias = NDArray[np.void]

_ONE = (1,)


def room_for(record: np.dtype[np.void]) -> Positions:
    """An array of one blank record; five times as quick as np.zeros, which is slow with records."""
    return np.ndarray(_ONE, record, bytearray(record.itemsize))


def copy_of(position: Positions) -> Positions:
    return np.ndarray(_ONE, position.dtype, bytearray(position.tobytes()))


def plain(position: Positions) -> Any:
    """The fields of a position as whole numbers and lists, to be read by name: much quicker than one by one."""
    values = zip(position.dtype.names or (), position.tolist()[0], strict=True)
    return SimpleNamespace(**{name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in values})


def record_of(schema: type) -> np.dtype[np.void]:
    """The packed NumPy record with the fields of `schema`, in their order.

    A field is annotated `u1`, `u2`, or `Annotated[Array, "u1", (rows, columns)]`.
    """
    fields: list[Any] = []
    for name, hint in get_type_hints(schema, include_extras=True).items():
        if get_origin(hint) is not Annotated:
            raise TypeError(f"field {name} of {schema.__name__} must be annotated with its NumPy type")
        _, *facts = get_args(hint)
        fields.append((name, *facts))
    return np.dtype(fields)
