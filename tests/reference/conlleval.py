"""The rules of conlleval: which pairs of neighbouring tags end a chunk, and which start one.

The script walks through both columns at once. A chunk is correct when it starts at the same token
in both, goes on and ends at the same token in both, and has the same type. A sentence ends as if
an O followed. Tags are a letter, then -, then a type; O has no type.
"""

ENDS = {("B", "B"), ("B", "S"), ("B", "O"), ("I", "B"), ("I", "S"), ("I", "O")} | {
    (last, any_letter) for last in "ES" for any_letter in "BIESO"
}
STARTS = {("E", "E"), ("E", "I"), ("S", "E"), ("S", "I"), ("O", "E"), ("O", "I")} | {
    (any_letter, first) for first in "BS" for any_letter in "BIESO"
}


def parts(tag: str) -> tuple[str, str]:
    letter, _, kind = tag.partition("-")
    return letter, kind


def end_of_chunk(before: tuple[str, str], now: tuple[str, str]) -> bool:
    return (before[0], now[0]) in ENDS or (before[0] != "O" and before[1] != now[1])


def start_of_chunk(before: tuple[str, str], now: tuple[str, str]) -> bool:
    return (before[0], now[0]) in STARTS or (now[0] != "O" and before[1] != now[1])


def count(
    gold: list[list[str]], guessed: list[list[str]]
) -> tuple[dict[str, int], dict[str, int], dict[str, int], int]:
    """Chunks of each type: true, guessed, correct; and the tokens whose tags are equal."""
    true: dict[str, int] = {}
    found: dict[str, int] = {}
    correct: dict[str, int] = {}
    equal = 0
    for right, answer in zip(gold, guessed, strict=True):
        last_right = last_answer = ("O", "")
        in_correct = False
        for a, b in zip([*right, "O"], [*answer, "O"], strict=True):
            now_right, now_answer = parts(a), parts(b)
            if in_correct:
                ends = end_of_chunk(last_right, now_right), end_of_chunk(last_answer, now_answer)
                if all(ends) and last_right[1] == last_answer[1]:
                    in_correct = False
                    correct[last_right[1]] = correct.get(last_right[1], 0) + 1
                elif ends[0] != ends[1] or now_right[1] != now_answer[1]:
                    in_correct = False
            starts = start_of_chunk(last_right, now_right), start_of_chunk(last_answer, now_answer)
            if all(starts) and now_right[1] == now_answer[1]:
                in_correct = True
            if starts[0]:
                true[now_right[1]] = true.get(now_right[1], 0) + 1
            if starts[1]:
                found[now_answer[1]] = found.get(now_answer[1], 0) + 1
            last_right, last_answer = now_right, now_answer
        equal += sum(a == b for a, b in zip(right, answer, strict=True))
    return true, found, correct, equal
