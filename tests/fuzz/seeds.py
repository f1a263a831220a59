"""Sound texts of every format to begin from, and the words that mean something in them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tempfile
from typing import Any

import numpy as np

import rosenblatt

CSV = [
    b"a,b,c\n1,2,x\n3,4.5,y\n-5e3,.5,x\n",
    b'a,b\r\n"one, two","he said ""no"""\r\n\r\n"line\nfeed",3\r\n',
    b"\xef\xbb\xbfa;b\n1;?\n2; 3 \n",
    b'1,"2"\n"3",\n,\xc3\xa9\n',
]
JSON = [
    b'{"a": 1, "b": "x", "y": true}\n{"y": false, "b": "\\u00e9\\n", "a": -2.5e-3}\n',
    b'{"a": null, "y": "no", "b": ""}\r\n\n{"b": "\\ud83d\\ude00", "y": 1, "a": 0, "c": 7}\n',
    '{"a": "é", "b": "?", "y": "\\\\"}\n{"a": 12, "b": 3, "y": 0}'.encode(),
]
CONLLU = (
    b"# text = Dogs bark.\n"
    b"1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n"
    b"2-3\tbark.\t_\t_\t_\t_\t_\t_\t_\t_\n"
    b"2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_\n"
    b"3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n"
    b"1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n"
)
CONLL = [
    b"He PRP B-NP\nreckons VBZ B-VP\n\nConfidence NN B-NP\n",
    b"-DOCSTART- -X- O\n\nEU\tNNP\tB-ORG\n#\t#\tO\r\n\r\n",
]
TAGGED = [b"half/DET of/ADP it/N\n\n1/2/N \xc3\xa9/N\r\n", b"the_D dog_N\n# _N\n"]
TEXT = b"first line\nsecond \xc3\xa9 line\n\nlast" * 3


def _models() -> list[bytes]:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(12, 3)), np.arange(12) % 3
    rows = ((X, y), (X[:6, :1], np.array(["no", "yes"] * 3)))
    words, tags = [["the", "dog"], ["Dogs", "bark", "é"]], [["D", "N"], ["N", "V", "V"]]
    tokens = [[{"word": word, "long": len(word) > 3} for word in sentence] for sentence in words]
    learners = (
        rosenblatt.AveragedPerceptron,
        rosenblatt.VotedPerceptron,
        rosenblatt.KernelPerceptron,
    )
    return [
        *(_file_of(make().partial_fit(*some)) for make in learners for some in rows),
        _file_of(rosenblatt.SequenceTagger(record=True).partial_fit(words, tags)),
        _file_of(rosenblatt.SequenceTagger(order=2).partial_fit(tokens, tags)),
    ]


def _file_of(learner: Any) -> bytes:
    handle, path = tempfile.mkstemp(suffix=".rbt")
    os.close(handle)
    try:
        rosenblatt.save(learner, path)
        with open(path, "rb") as file:
            return file.read()
    finally:
        os.unlink(path)


def _zstd(data: bytes) -> list[bytes]:
    try:
        from backports import zstd
    except ImportError:
        return []
    return [zstd.compress(data)]


def _gzip(data: bytes) -> bytes:
    file = io.BytesIO()
    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packer:
        packer.write(data)
    return file.getvalue()


SEEDS: dict[str, list[bytes]] = {
    "svmlight": [
        b"+1 1:0.5 3:2 # a row\n-1 2:1e-3\n\n# nothing\n1\n",
        b"-1 qid:3 1:.5 2:-7. 10:1e3\r\nyes 7:0\r\n",
        b"\xef\xbb\xbf0 0:1 5:2\n1.5 1:3",
    ],
    "vw": [
        b"1 |f a:1 b |g:2 c:0.5\n-1 2.5 'tag |f b b\n",
        b"yes 'x| a:3\nno | 12:4 |f:.5 7\r\n\n| b\n",
    ],
    "csv": CSV,
    "tsv": [text.replace(b",", b"\t") for text in CSV],
    "jsonl": JSON,
    "text": [b'ham\tSee you at "six"\nspam\tYou\twon\r\n\n1\t', TEXT],
    "encoded": [TEXT.decode().encode(encoding) for encoding in ("utf-16", "utf-32", "latin-1")],
    "conll": CONLL,
    "conllu": [CONLLU],
    "sentences": [CONLLU, *CONLL, *TAGGED],
    "numbers": [
        b"1.5,-0,.5e-3 7.e+2",
        b"9007199254740993 2.2250738585072012e-308,4.9e-324",
        b"123456789012345678901234567890.5e-30,1e400",
    ],
    "packed": [
        _gzip(TEXT),
        _gzip(TEXT) + _gzip(b"more\n"),
        bz2.compress(TEXT),
        lzma.compress(TEXT),
        *_zstd(TEXT),
        b"1 1:2\n",
    ],
    "model": _models(),
}
_NUMBERS = [
    b"0",
    b"1",
    b"-",
    b"+",
    b".",
    b"e",
    b"E9",
    b"1e400",
    b"nan",
    b"inf",
    b"99999999999999999999",
]
_ANY = [
    b"\n",
    b"\r",
    b"\r\n",
    b" ",
    b"\t",
    b"\0",
    b"\xff",
    b"\xc3\xa9",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
]
_CONLL = [*_ANY, b"-DOCSTART-", b"\n\n", b"a b c\n", b"a\tb\tc\n"]
_CONLLU = [*_ANY, b"#", b"1\t", b"1-2\t", b"1.1\t", b"_", b"\n\n", b"2\t" + b"x\t" * 8 + b"x\n"]
WORDS: dict[str, list[bytes]] = {
    "svmlight": [*_NUMBERS, *_ANY, b":", b"#", b"qid:1", b"1:1", b" 2147483647:1", b"0:1"],
    "vw": [*_NUMBERS, *_ANY, b"|", b":", b"'", b"|f ", b" |", b"^", b"shared", b",", b"a:1"],
    "csv": [*_NUMBERS, *_ANY, b",", b'"', b'""', b'","', b'"\n', b"?", b"a,b\n"],
    "tsv": [*_NUMBERS, *_ANY, b'"', b'""', b'"\n', b"NA"],
    "jsonl": [
        *_NUMBERS,
        *_ANY,
        *[
            b"{",
            b"}",
            b'"',
            b":",
            b",",
            b"[",
            b"]",
            b"\\",
            b"\\u",
            b"\\ud800",
            b"\\udc00",
            b"\\u0000",
        ],
        *[b"null", b"true", b"NaN", b'"a":', b'"c": 1,', b"{}", b'{"a": 1, "b": 2, "y": 3}\n'],
    ],
    "text": [*_ANY, b"a\t", b"1\t"],
    "encoded": [*_ANY, b"\xff\xfe", b"\xfe\xff", b"\0\xd8", b"\n\0", b"\0\n", b"\x81"],
    "conll": _CONLL,
    "conllu": _CONLLU,
    "sentences": [*_CONLL, *_CONLLU, b"/", b"a/N ", b"/N", b"_", b"//"],
    "numbers": [*_NUMBERS, b" ", b"5" * 25, b"0" * 20],
    "packed": [b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"\0", b"\xff"],
    "model": [b"\0", b"\xff", b'"', b"{", b"}", b"NaN", b"1e999", b"-1", b"null", b"[]"],
}
