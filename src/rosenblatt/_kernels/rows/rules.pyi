from collections.abc import Callable

class Rule:
    name: str
    tie_is_mistake: bool
    raise_only_on_tie: bool
    blames_all_rivals: bool
    aims_at_one: bool
    eta: float
    def __init__(
        self,
        name: str,
        *,
        eta: float = 1.0,
        threshold: float = 0.0,
        C: float = 1.0,
        ties: str = "mistake",
        step: Callable[[float, float, bool], float] | None = None,
        aims_at_one: bool = False,
    ) -> None: ...
    @property
    def counts_tell_all(self) -> bool: ...
    @property
    def asks_every_row(self) -> bool: ...
    @property
    def longest_step(self) -> float: ...
    def step_for(self, margin: float, squared_norm: float, mistaken: bool) -> float: ...

def exp(x: float) -> float: ...
