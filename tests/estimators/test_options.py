"""A parameter is declared once; the constructor, its docstring and its checks follow."""

from __future__ import annotations

import inspect
from typing import Optional

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, Perceptron, StructuredPerceptron
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.catalogue import CATALOGUE
from rosenblatt.linear import LinearLearner, Rule, option

X, y = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]]), ["no", "yes", "no"]
every_learner = pytest.mark.parametrize(
    "learner", [entry.load() for entry in CATALOGUE], ids=lambda learner: learner.__name__
)


class Patient(Perceptron):
    """A perceptron with two parameters more."""

    patience: int = option(
        default=3, at_least=1, at_most=9, cure="It counts rows.", help="Rows to wait."
    )
    mood: str | None = option(default=None, choices=("calm", "cross"), help="How it\ntakes it.")


@every_learner
def test_the_constructor_has_what_is_declared_and_nothing_else(learner):
    parameters = inspect.signature(learner).parameters
    assert list(parameters) == list(learner.options())
    for name, declared in learner.options().items():
        assert parameters[name].default is declared.default or (
            parameters[name].default == declared.default
        )
        assert declared.help
        assert declared.type
    if "space" not in parameters:
        assert all(p.kind is p.KEYWORD_ONLY for p in parameters.values())


@every_learner
def test_the_docstring_names_every_parameter_in_order(learner):
    section = inspect.getdoc(learner).split("Parameters\n----------\n")[1].split("\n\n")[0]
    named = [line.split(" : ")[0] for line in section.split("\n") if not line.startswith(" ")]
    assert named == list(learner.options())


def test_own_parameters_come_first_and_inherited_ones_follow():
    assert list(Patient.options())[:4] == ["patience", "mood", "eta0", "margin"]
    assert list(Patient.options())[2:] == list(Perceptron.options())


def test_an_entry_of_a_docstring_has_the_type_the_default_and_the_help():
    entries = {name: declared.docstring_entry() for name, declared in Patient.options().items()}
    assert entries["patience"] == "patience : int, default=3\n    Rows to wait.\n"
    choices = 'mood : {"calm", "cross"} or None, default=None\n'
    assert entries["mood"] == choices + "    How it\n    takes it.\n"


def test_only_a_default_that_is_text_stands_in_quotes():
    entries = {name: declared.docstring_entry() for name, declared in Patient.options().items()}
    assert entries["patience"] == "patience : int, default=3\n    Rows to wait.\n"
    assert entries["ties"].startswith('ties : {"mistake", "positive"}, default="mistake"\n')


def test_values_are_checked_when_learning_starts_not_before():
    assert Patient(patience="never", mood=7).get_params()["mood"] == 7
    for wrong in (0, 10, 2.5, True, "3"):
        with pytest.raises(ParameterError, match=r"patience=.* a whole number .*It counts rows"):
            Patient(patience=wrong).fit(X, y)
    with pytest.raises(ParameterError, match="mood='sad' is not known: give 'calm' or 'cross'"):
        Patient(mood="sad").partial_fit(X, y)
    assert Patient(patience=np.int64(4), mood=np.str_("calm")).fit(X, y).patience == 4


def test_text_becomes_a_value_of_the_kind_that_is_declared():
    options = Patient.options()
    assert options["patience"].parse("4") == 4
    assert options["eta0"].parse("0.5") == 0.5
    assert options["mood"].parse("calm") == "calm"
    assert options["class_weight"].parse("a=2,b=0.5") == {"a": 2.0, "b": 0.5}
    assert options["class_weight"].parse("balanced") == "balanced"
    with pytest.raises(ParameterError, match="give 'balanced', or a factor for each class"):
        options["class_weight"].parse("a:2")
    with pytest.raises(ParameterError, match="patience='four' is not allowed"):
        options["patience"].check(options["patience"].parse("four"))


def test_a_parameter_that_is_not_declared_is_refused_when_the_class_is_made():
    with pytest.raises(TypeError, match=r"Sloppy\.extra: declare a parameter with option"):

        class Sloppy(Perceptron):
            extra: int = 3


def test_learners_are_equal_only_to_themselves_and_can_be_hashed():
    one, other = Perceptron(), Perceptron()
    assert one == one
    assert one != other
    assert len({one, other}) == 2


def test_what_scikit_learn_has_and_we_have_not_gets_a_sentence():
    with pytest.raises(ParameterError, match=r"Invalid parameter 'penalty'.*has no penalty"):
        Perceptron().set_params(penalty="l2")
    with pytest.raises(TypeError, match=r"has no parameter 'alpha'\. .* no penalty that it would"):
        Perceptron(alpha=0.1)


def test_an_unknown_name_is_a_type_error_that_names_the_parameter_that_was_meant():
    with pytest.raises(
        TypeError, match=r"unexpected keyword argument 'etaO'\. Did you mean 'eta0'"
    ):
        Perceptron(etaO=0.1)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'colour'$"):
        Perceptron(colour="red")


def test_only_a_parameter_that_says_so_is_taken_by_position():
    space = object()
    assert StructuredPerceptron(space).space is space
    assert StructuredPerceptron(space=space, max_iter=3).max_iter == 3
    with pytest.raises(TypeError, match=r"takes 2 positional arguments but 3 were given"):
        StructuredPerceptron(space, 3)
    with pytest.raises(TypeError, match=r"multiple values for argument 'space'"):
        StructuredPerceptron(space, space=space)
    with pytest.raises(TypeError, match=r"takes 1 positional arguments? but 2 were given"):
        Perceptron(0.1)


def test_help_shows_the_constructor_with_types_and_defaults():
    assert str(inspect.signature(Patient)).startswith(
        "(*, patience: 'int' = 3, mood: 'str | None' = None, eta0: 'float' = 1.0, "
    )
    assert Patient.__init__.__qualname__ == "Patient.__init__"
    assert Patient.__init__.__module__ == __name__
    assert Patient.__init__.__annotations__["patience"] == "int"
    assert list(inspect.signature(Patient().__init__).parameters) == list(Patient.options())


def test_a_rule_that_raises_loses_nothing_that_was_learned():
    class Fragile(LinearLearner):
        """Breaks when it is told to."""

        broken: bool = option(default=False, help="Whether it breaks.")

        def rule(self) -> Rule:
            return Rule("fragile", step=self.step, ties=self.ties)

        def step(self, margin: float, squared_norm: float, mistaken: bool) -> float:
            if self.broken:
                raise RuntimeError("out of order")
            return 1.0 if mistaken else 0.0

    learner = Fragile(max_iter=3).partial_fit(X, y)
    before = learner.coef_.tobytes(), learner.t_, learner.n_mistakes_
    learner.set_params(broken=True)
    for learn in (
        lambda: learner.partial_fit(X, y),
        lambda: learner.partial_fit(X[:1], y[:1]),
        lambda: learner.learn_one(X[0], "yes"),
        lambda: learner.fit(X, y),
    ):
        with pytest.raises(RuntimeError, match="out of order"):
            learn()
        assert (learner.coef_.tobytes(), learner.t_, learner.n_mistakes_) == before
    learner.set_params(broken=False).partial_fit(X, y)
    assert learner.t_ == 2 * before[1]


@pytest.mark.parametrize("step", [-1.0, np.nan, np.inf, None, "far"])
def test_a_step_of_a_python_rule_is_a_finite_number(step):
    class Wild(LinearLearner):
        """Steps as it likes."""

        def rule(self) -> Rule:
            return Rule("wild", step=lambda *_: step, ties=self.ties)

    with pytest.raises(ValueError, match=r"the step of the rule wild is .* finite number"):
        Wild().fit(X, y)


def test_a_python_step_may_go_any_distance_whatever_the_rule_is_called():
    for name in ("PA-I", "perceptron"):
        rule = Rule(name, step=lambda margin, squared_norm, mistaken: 5.0, C=1.0)
        assert rule.longest_step == np.inf
        assert not rule.counts_tell_all


def test_labels_are_not_metadata_whatever_they_are_called():
    pytest.importorskip("sklearn")
    for entry in CATALOGUE:
        routing = entry.load()().get_metadata_routing()
        assert not {"y", "ys", "tags", "X", "xs", "sentences"} & set(routing.fit.requests)
        assert not {"y", "ys", "tags"} & set(routing.score.requests)


def test_a_constructor_of_ones_own_is_kept_by_subclasses_and_named_by_get_params():
    class Fast(Perceptron):
        """Steps by its speed."""

        def __init__(self, *, speed=2.0, max_iter=7):
            super().__init__(eta0=speed, max_iter=max_iter)
            self.speed = speed

    class Faster(Fast):
        """The same."""

    assert Faster().get_params() == {"speed": 2.0, "max_iter": 7}
    assert Faster(speed=3.0).fit(X, y).eta0 == 3.0
    base = pytest.importorskip("sklearn.base")
    assert base.clone(Faster(speed=3.0)).get_params() == {"speed": 3.0, "max_iter": 7}


def test_annotations_of_every_spelling_say_whether_none_is_allowed():
    class Spelled(Perceptron):
        """Writes its annotations in several ways."""

        tight: int | None = option(default=None, at_least=1, help="A number.")
        old: Optional[int] = option(default=None, at_least=1, help="A number.")  # noqa: UP045

    Spelled().fit(X, y)
    for name in ("tight", "old"):
        assert (Spelled.options()[name].kind, Spelled.options()[name].optional) == ("whole", True)
        with pytest.raises(ParameterError, match=f"{name}='x' is not allowed"):
            Spelled(**{name: "x"}).fit(X, y)


def test_a_default_is_not_changed_behind_the_declaration():
    with pytest.raises(TypeError, match=r"Short\.max_iter is a parameter: give it another default"):

        class Short(Perceptron):
            max_iter = 5


@pytest.mark.parametrize("linear", [e.load() for e in CATALOGUE if e.family == "linear"])
def test_words_of_the_kernel_perceptron_are_declared_as_those_of_linear_learners(linear):
    ours, theirs = KernelPerceptron.options(), linear.options()
    shared = ours.keys() & theirs.keys()
    assert {"max_iter", "tol", "shuffle", "ties", "early_stopping", "class_weight"} <= shared
    for name in shared - {"combine"} - set(inspect.get_annotations(linear)):
        assert ours[name] == theirs[name]
    if "combine" in shared:  # a vote is what the other is named for, and allows no budget
        assert ours["combine"].choices == theirs["combine"].choices


class Scaled(LinearLearner):
    """A perceptron whose step is the largest entry of an array."""

    scales: object = option(default=None, check=lambda name, value: None, help="Steps.")

    def rule(self) -> Rule:
        return Rule("scaled", step=self.step)

    def step(self, margin: float, squared_norm: float, mistaken: bool) -> float:
        return float(np.max(self.scales)) if mistaken else 0.0


@pytest.mark.parametrize("give", [lambda v: {"a": v, "b": v}, lambda v: np.array([v, v])])
def test_a_parameter_may_be_an_array_that_is_changed_between_two_examples(give):
    learner = Scaled(scales=np.array([1.0, 2.0]), fit_intercept=False)
    learner.learn_one(give(1.0), 0).learn_one(give(-1.0), 1)
    assert learner.coef_.tolist() == [[-2.0, -2.0]]
    learner.set_params(scales=np.array([5.0, 3.0])).learn_one(give(-1.0), 0)
    assert learner.coef_.tolist() == [[3.0, 3.0]]
    assert "scales=array([5., 3.])" in repr(learner)
