class Rule:
    tie_is_mistake: bool
    raise_only_on_tie: bool
    blames_all_rivals: bool
    name: str
    def __init__(
        self,
        name: str,
        *,
        eta: float = ...,
        threshold: float = ...,
        C: float = ...,
        tie_is_mistake: bool = ...,
    ) -> None: ...
    @property
    def counts_tell_all(self) -> bool: ...
    @property
    def eta(self) -> float: ...
    @property
    def longest_step(self) -> float: ...
    def step_for(self, margin: float, squared_norm: float, mistaken: bool) -> float: ...

def exp(x: float) -> float: ...
