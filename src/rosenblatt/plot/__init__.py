"""Pictures of models, runs and results.

Every function takes a fitted model, a ledger or a result of `theory` and returns a display: an
object that holds the picture as plain numbers. Its `plot` and `save` methods draw them; Matplotlib
is loaded only then (``pip install "rosenblatt[plot]"``).
"""

from rosenblatt import lazy

# Each function lives in a module of the same name. The imports below are not lazy: importing a
# module later would otherwise replace the function by the module as an attribute of this package.
from rosenblatt.plot.animate import animate as animate
from rosenblatt.plot.boundary import boundary as boundary
from rosenblatt.plot.confusion import confusion as confusion
from rosenblatt.plot.contributions import contributions as contributions
from rosenblatt.plot.kernel_boundary import kernel_boundary as kernel_boundary
from rosenblatt.plot.lift import lift as lift
from rosenblatt.plot.losses import losses as losses
from rosenblatt.plot.mistakes import mistakes as mistakes
from rosenblatt.plot.one_hot import one_hot as one_hot
from rosenblatt.plot.orders import orders as orders
from rosenblatt.plot.projection import projection as projection
from rosenblatt.plot.proof import proof as proof
from rosenblatt.plot.regions import regions as regions
from rosenblatt.plot.reliability import reliability as reliability
from rosenblatt.plot.score_curves import score_curves as score_curves
from rosenblatt.plot.side_by_side import side_by_side as side_by_side
from rosenblatt.plot.tag_path import tag_path as tag_path
from rosenblatt.plot.updates import updates as updates
from rosenblatt.plot.vote import vote as vote
from rosenblatt.plot.weights import weights as weights

__all__ = lazy.offered(__name__)
