"""A file that is damaged or not ours is refused by a message of its own, and never used."""

import gzip
import io
import json
import os
import pickle
import struct
import zipfile
import zlib
from pathlib import Path

import joblib
import numpy as np
import pytest

from persistence.families import SMALL, sample
from persistence.forging import closed, forged, header_of, opened, parsed, signed, with_header
from rosenblatt import Perceptron, load
from rosenblatt.errors import ModelFileError, RosenblattError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# ---------------------------------------------------------------------- damage


@pytest.mark.parametrize("name", SMALL)
def test_a_file_cut_off_at_any_byte_is_refused(name, folder):
    data = sample(name, folder)
    for size in range(len(data)):
        with pytest.raises(ModelFileError, match=r"truncated|empty|this is text"):
            parsed(data[:size])


@pytest.mark.parametrize("name", SMALL[1:])
def test_any_byte_that_changes_is_noticed(name, folder):
    data = sample(name, folder)
    for place in range(0, len(data), 5):
        with pytest.raises(ModelFileError):
            parsed(data[:place] + bytes([data[place] ^ (1 << place % 8)]) + data[place + 1 :])


def test_any_single_bit_that_flips_is_noticed(small):
    data = bytearray(small)
    for place in range(len(data)):
        for bit in range(8):
            data[place] ^= 1 << bit
            with pytest.raises(ModelFileError):
                parsed(bytes(data))
            data[place] ^= 1 << bit
    assert parsed(bytes(data)).card.learner == "Perceptron"


def test_a_flipped_bit_in_the_weights_is_called_damage(small, refused):
    data = bytearray(small)
    data[-3] ^= 1
    assert refused(bytes(data)) == (
        "damaged: the SHA-256 of its bytes is not the one it was written with. Copy it again or go "
        "back to an older file."
    )


def test_a_file_that_claims_a_terabyte_is_refused_without_reading_it(small, tmp_path):
    path = tmp_path / "model.rbt"
    path.write_bytes(small)
    os.truncate(path, 1 << 40)  # takes no room on the disk
    with pytest.raises(ModelFileError, match=f"{(1 << 40) - len(small):,} bytes too many"):
        load(path)


def test_a_truncated_file_says_how_much_of_it_is_there(small, refused):
    size = len(small)
    assert refused(small[:-8]) == (
        f"truncated: {size - 8:,} of {size:,} bytes. Copy or save it again."
    )
    assert refused(small[:100]).startswith("truncated: 100 of ")
    assert refused(small[:5]) == "truncated: 5 bytes, which is not even the length of a header."
    assert refused(b"") == "the file is empty."


def test_bytes_after_the_end_are_refused(small, refused):
    size = len(small)
    assert refused(signed(small + b"more")) == (
        f"4 bytes too many: the model ends after {size:,} of {size + 4:,} bytes."
    )


@pytest.mark.parametrize("length", [0, 1 << 62, (1 << 64) - 1, 100_000_001, 1 << 31])
def test_a_header_that_lies_about_its_length_allocates_nothing(length, small, refused):
    message = refused(signed(struct.pack("<Q", length) + small[8:]))
    assert message == (
        f"the header says it is {length:,} bytes long; 1 to 100,000,000 are allowed."
    )


def test_a_header_longer_or_shorter_than_it_says_is_refused(small, refused):
    (length,) = struct.unpack("<Q", small[:8])
    for change in (-9, -1, 1, 5, 8):
        assert refused(signed(struct.pack("<Q", length + change) + small[8:]))
    assert refused(signed(struct.pack("<Q", 50_000) + small[8:])).startswith("truncated")


# ---------------------------------------------------------------------- files of others


PICKLE = (
    "this is a pickle; rosenblatt does not load pickles, because loading one can run any code that "
    "is in it. Load it where you trust it, and write the learner with rosenblatt.save."
)


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_is_named_and_never_run(protocol, refused):
    class Trap:
        def __reduce__(self):
            return os.mkdir, ("sprung",)

    learner = Perceptron().partial_fit([[1.0, 2.0], [3.0, -1.0]], [0, 1])
    for thing in (learner, Trap(), {"a": [1, 2.5]}):
        assert refused(pickle.dumps(thing, protocol)) == PICKLE
    assert not os.path.exists("sprung")


def test_what_joblib_writes_is_named(refused):
    for compress, words in ((0, PICKLE), (3, "zlib"), (("gzip", 3), "gzip"), (("xz", 3), "xz")):
        target = io.BytesIO()
        joblib.dump({"weights": np.zeros(100)}, target, compress=compress)
        assert words in refused(target.getvalue())


def archive():
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as file:
        file.writestr("schema.json", "{}")
    return target.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (archive(), "this is a zip archive, such as numpy.savez, PyTorch and skops write, not a"),
        (gzip.compress(b"model"), "this is a gzip file, not a rosenblatt model."),
        (b"BZh9" + bytes(40), "this is a bzip2 file, not a rosenblatt model."),
        (b"\xfd7zXZ\x00" + bytes(40), "this is an xz file, not a rosenblatt model."),
        (b"\x28\xb5\x2f\xfd" + bytes(40), "this is a zstandard file, not a rosenblatt model."),
        (b"\x04\x22\x4d\x18" + bytes(40), "this is an lz4 file, not a rosenblatt model."),
        (b"PAR1" + bytes(40), "this is a Parquet file, not a rosenblatt model."),
        (zlib.compress(b"model"), "this is compressed with zlib"),
        (b"\x89HDF\r\n\x1a\n" + bytes(40), "this is an HDF5 file, such as Keras writes, not a"),
        (b"\x08\x09\x12\x07skl2onnx" + bytes(30), "this is an ONNX model, not a rosenblatt"),
        (b"\x93NUMPY\x01\x00" + bytes(40), "this is a NumPy array file, not a rosenblatt"),
        (b'{"weights": [1, 2, 3]}', "this is JSON text, not a rosenblatt model."),
        (b"0.5,1.5,yes\n1.0,2.0,no\n", "this is text, not a rosenblatt model. To train on it:"),
        ("größe,farbe\n1,rot\n".encode() * 9000, "this is text, not a rosenblatt model."),
        (bytes(range(256)), "this is not a rosenblatt model: it does not start as one."),
        (bytes(64), "this is not a rosenblatt model: it does not start as one."),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_file_of_another_kind_is_called_what_it_is(data, message, refused):
    assert refused(data).startswith(message)


def test_a_safetensors_file_of_somebody_else_is_named(refused):
    from safetensors.numpy import save as save_arrays

    arrays = {"weight": np.zeros((2, 3))}
    words = "a safetensors file, but not a rosenblatt model: it has no card."
    assert refused(save_arrays(arrays)) == words
    assert refused(save_arrays(arrays, {"format": "pt"})) == words


def test_files_that_cannot_be_opened_stay_what_they_are(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere.rbt")
    with pytest.raises(IsADirectoryError):
        load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="pipe: not a regular file"):
        load(tmp_path / "pipe")
    assert issubclass(ModelFileError, RosenblattError)


# ---------------------------------------------------------------------- versions


def test_a_newer_format_is_named_before_anything_else_is_judged(small, refused):
    def newer(card):
        card.clear()
        card.update(format=6, version="2.3", digest={"blake3": "…"}, new=[1])

    expected = (
        "written by rosenblatt 2.3 (format 6); this is 0.1.0, which reads up to format 5. Upgrade "
        "with pip install --upgrade rosenblatt."
    )
    assert refused(forged(small, newer)) == expected
    # Neither its digest nor its fields can be known here.
    assert refused(forged(small, lambda card: card.update(format=6, version="2.3"))) == expected
    unsigned = bytearray(forged(small, lambda card: card.update(format=6, version="2.3")))
    unsigned[-1] ^= 1
    assert refused(bytes(unsigned)) == expected


def test_a_format_that_was_never_released_is_refused_with_one_sentence(small, refused):
    """What it is, and what to do; the file is of format 1."""
    old = Path(__file__).parent / "files" / "format1.rbt"
    expected = (
        "a model file of format 1, which was never released: files are read from format 5 on. "
        "Train the model again and save it."
    )
    assert refused(old.read_bytes()) == expected
    # As of a newer one, neither its digest nor its fields are looked at.
    assert refused(forged(small, lambda card: card.update(format=1, sha256=3))) == expected


@pytest.mark.parametrize("version", [0, -1, True, 1.0, "1", None, [1]])
def test_a_format_that_is_no_number_is_refused(version, small, refused):
    message = refused(forged(small, lambda card: card.update(format=version)))
    assert message == f"the card has the format {version!r}; formats count from 1."


# ---------------------------------------------------------------------- JSON


def text_of(data):
    card, arrays = opened(data)
    return json.dumps(card, separators=(",", ":")), arrays


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"random":', '"random":1,"random":', "the card has the key 'random' twice."),
        ('"data":null', '"data":null,"data":null', "the card has the key 'data' twice."),
        ('"ties":', '"ties":"positive","ties":', "the card has the key 'ties' twice."),
        ('"learner":', '"sha256":"","learner":', "the card has the key 'sha256' twice."),
        ('"schema":null', '"schema":NaN', "the card is not JSON: NaN is not JSON."),
        ('"schema":null', '"schema":-Infinity', "the card is not JSON: -Infinity is not JSON."),
        ('"schema":null', '"schema":1e999', "the card is not JSON: '1e999' is beyond all floats."),
        ('"schema":null', '"schema":' + "[" * 90_000, "the card is nested too deeply."),
        ('"schema":null', '"schema":nul', "the card is not JSON: Expecting value"),
    ],
)
def test_a_card_that_is_not_plain_json_is_refused(old, new, message, small, refused):
    text, arrays = text_of(small)
    assert old in text
    assert refused(closed(text.replace(old, new, 1), arrays)).startswith(message)


def test_an_integer_with_too_many_digits_is_refused(small, refused):
    text, arrays = text_of(small)
    message = refused(closed(text.replace('"schema":null', '"schema":' + "1" * 5000), arrays))
    assert message.startswith("the card is not JSON: Exceeds the limit")


@pytest.mark.parametrize("card", ["[]", "null", "3", '"text"'])
def test_a_card_that_is_not_an_object_is_refused(card, small, refused):
    assert "not an object" in refused(closed(card, opened(small)[1]))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (',"coef":', ',"coef":{},"coef":', "the header has the key 'coef' twice."),
        ('"dtype":', '"dtype":"F64","dtype":', "the header has the key 'dtype' twice."),
        ('{"__metadata__":', '{"__metadata__":{},"__metadata__":', "the header has the key '__m"),
        ('{"rosenblatt":', '{"x":"y","rosenblatt":', "the header has 'x' beside the card."),
        (',"coef":', ',"coef":{"shape":[1]},"c":', "the header does not say where the array"),
        (',"coef":', ',"zoo":3,"coef":', "the header does not say where the array 'zoo' is."),
        (',"coef":', ',"zoo":' + "[" * 90_000, "the header is nested too deeply."),
        (',"coef":', ",coef:", "the header is not JSON: "),
        ('"F64"', '"BF16"', "the header is not sound: "),
        ('"F64"', '"Q77"', "the header is not sound: "),
        ('"F64"', '"U64"', "the array '"),
        ('"shape":[1,2]', '"shape":[2,2]', "the header is not sound: "),
        ('"shape":[1,2]', '"shape":[4611686018427387904,8]', "the header is not sound: "),
        ('"shape":[1,2]', '"shape":[-1,2]', "the header is not sound: "),
        ('"data_offsets":[0,', '"data_offsets":[8,', "the header is not sound: "),
        ('"data_offsets":[0,', '"data_offsets":[-8,', "the header does not say where the array"),
        ('"data_offsets":[0,', '"data_offsets":[0.0,', "the header does not say where the array"),
        ('"data_offsets":[0,', '"data_offsets":[4611686018427387904,', "the header does not say"),
        ('"data_offsets":[0,', '"data_offsets":[1000000000000,', "truncated: "),
    ],
)
def test_a_header_that_is_not_sound_is_refused(old, new, message, small, refused):
    header, payload = header_of(small)
    assert old in header
    assert refused(with_header(header.replace(old, new, 1), payload)).startswith(message)


def test_a_header_that_is_not_utf8_is_refused(small, refused):
    header, payload = header_of(small)
    data = with_header(header.encode().replace(b"coef", b"co\xffef", 1), payload)
    assert refused(data).startswith("the header is not UTF-8 at byte ")


def test_a_digest_somewhere_else_in_the_card_does_not_count(small, refused):
    text, arrays = text_of(small)
    card = json.loads(text)
    digest = card.pop("sha256")
    card["schema"] = {"sha256": "0" * 64}
    assert "no SHA-256 of 64 hexadecimal digits" in refused(closed(card, arrays))
    card = {"schema": {"sha256": "0" * 64}, "sha256": digest, **card, "format": 5}
    card["schema"] = {"sha256": "0" * 64}
    assert "does not stand where it should" in refused(closed(card, arrays))


def test_a_digest_in_capitals_is_refused(small, refused):
    card, arrays = opened(small)
    data = closed(card, arrays)
    start = data.find(rb"\"sha256\":\"") + 13
    upper = data[:start] + data[start : start + 64].upper() + data[start + 64 :]
    assert upper != data
    assert refused(upper).startswith("the card has no SHA-256 of 64 hexadecimal digits")
