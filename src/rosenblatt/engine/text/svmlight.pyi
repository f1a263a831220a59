from rosenblatt.engine.text.parsing import SparseParser

class SvmlightParser(SparseParser):
    widest: int
    def __init__(
        self, float32: bool, limit: float, max_features: int, zero_based: bool, n_features: int
    ) -> None: ...
