from rosenblatt.engine.text.names import Names
from rosenblatt.engine.text.parsing import SparseParser

class VWParser(SparseParser):
    names: Names
    def __init__(
        self,
        float32: bool,
        limit: float,
        max_features: int,
        labelled: bool,
        bits: int,
        names: Names,
        closed: bool,
    ) -> None: ...
