"""Training a regressor: a head with one output on a sentence-embedding model.

`train` does it from examples to a directory.  The modules below it: what can be set (`settings`), the model to start
from (`base`), texts as tokens (`windows`), which examples when (`order`), what runs where (`machine`, `memory`), the
way to a score (`predictors`, `features`), the loop and its checkpoints, the directory that comes out (`output`).
"""

from gpucurate.classifier.train.settings import TrainSettings
from gpucurate.classifier.train.training import Trained, train

__all__ = ["TrainSettings", "Trained", "train"]
