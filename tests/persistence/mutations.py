"""Parts of a model file changed by chance: `random` is Python's own, or drawn by hypothesis."""

import struct

import numpy as np

LEAVES = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    300,
    2**63,
    2**64,
    -0.5,
    1e308,
    "",
    "inf",
    "x",
    "é",
    "\ud800",
)
TYPES = ("tuple", "numpy", "dict", "list", "set", "bytes", "float", "Generator", "t", "x")
NUMBERS = (0, 1, -1, 2, 127, -128, 10**6, 2**31 - 1, 2**62, np.nan, np.inf, 1e149, -1e150)
PIECES = (b"", b"[", b"{", b'"', b"\\", b"9", b"\\ud800", b"\xff", b"\0\0\0\0")


def any_json(random, depth=3):
    """A value of JSON; some look like what a parameter of a certain type is written as."""
    kind = random.randrange(6) if depth else 2
    if kind == 0:
        return [any_json(random, depth - 1) for _ in range(random.randrange(4))]
    if kind == 1:
        names = random.sample(TYPES, random.randrange(3))
        return {name: any_json(random, depth - 1) for name in names}
    return random.choice(LEAVES) if kind < 5 else random.randrange(-(2**33), 2**33)


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from places(value[index], (*path, index))


def value_at(card, path):
    for key in path:
        card = card[key]
    return card


def change_a_field(random, card):
    path = random.choice([p for p in places(card) if p])
    holder = value_at(card, path[:-1])
    action = random.choice(["replace", "replace", "drop", "copy"])
    if action == "replace":
        holder[path[-1]] = any_json(random)
    elif action == "drop":
        del holder[path[-1]]
    elif isinstance(holder, list):
        holder.append(holder[path[-1]])
    else:
        holder[random.choice(["", "x", "é"])] = holder[path[-1]]


def nudge_a_field(random, card):
    """Another value of the same kind, which is often as good as the one before."""
    leaves = [(p, v) for p in places(card) if isinstance(v := value_at(card, p), int | float)]
    path, value = random.choice(leaves)
    holder = value_at(card, path[:-1])
    holder[path[-1]] = not value if isinstance(value, bool) else value + type(value)(1)


def change_an_array(random, arrays):
    name = random.choice(sorted(arrays))
    values = arrays[name]
    if values.size and random.random() < 0.5:
        with np.errstate(all="ignore"):
            number = np.array(random.choice(NUMBERS)).astype(values.dtype)
        values.flat[random.randrange(values.size)] = number
    else:
        shape = [random.randrange(5) for _ in range(random.randrange(4))]
        arrays[name] = np.zeros(shape, random.choice(["f4", "f8", "i1", "i4", "i8"]))


def nudge_an_array(random, arrays):
    """One value halved, or that of another place."""
    filled = [name for name in sorted(arrays) if arrays[name].size]
    if not filled:
        return
    values = arrays[random.choice(filled)]
    place, other = random.randrange(values.size), random.randrange(values.size)
    values.flat[place] = values.flat[place] / 2 if place == other else values.flat[other]


def change_bytes(random, data):
    place = random.randrange(len(data) + 1)
    data[place : place + random.randrange(5)] = random.choice(
        (*PIECES, bytes([random.randrange(256)]))
    )


def nudge_a_byte(random, data):
    """One bit of the arrays, which are most of a file."""
    (length,) = struct.unpack("<Q", data[:8])
    if len(data) > 8 + length:
        data[random.randrange(8 + length, len(data))] ^= 1 << random.randrange(8)
