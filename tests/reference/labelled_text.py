"""`label<TAB>text`, line by line; the label without the blanks around it."""


class Bad(Exception):
    """The line cannot be read."""


def row(line: bytes) -> tuple[str, str] | None:
    """Label and text in a line without its line feed; None if it is blank."""
    line = line.removesuffix(b"\r")
    label, tab, text = line.partition(b"\t")
    label = label.strip(b" ")
    if not tab and not label:
        return None
    if not tab or not label or b"\0" in line:
        raise Bad
    try:
        return label.decode(), text.decode()
    except UnicodeDecodeError:
        raise Bad from None
