from collections.abc import Callable

class Rule:
    name: str
    tie_is_mistake: bool
    blames_all_rivals: bool
    aims_at_one: bool
    eta: float
    rates: str | None
    def __init__(
        self,
        name: str,
        *,
        eta: float = 1.0,
        threshold: float = 0.0,
        C: float = 1.0,
        r: float = 1.0,
        phi: float = 1.0,
        alpha: float = 1.0,
        B: float = 1.0,
        lambda_: float = 1.0,
        adagrad: bool = False,
        ties: str = "mistake",
        step: Callable[[float, float, bool], float] | None = None,
        aims_at_one: bool = False,
    ) -> None: ...
    def set_eta(self, eta: float) -> None: ...
    counts_tell_all: bool
    asks_every_row: bool
    is_python: bool
    scales: bool
    ends_by_loss: bool
    longest_step: float

def exp(x: float) -> float: ...
