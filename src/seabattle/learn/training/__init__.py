"""Training: how the networks in `learn/models` were made.

A `Trainer` (see `trainer`) does one unit of work per call and can put its whole state
into arrays. `training_run.train` drives any of them: budget, progress, metrics, checkpoints that
survive `kill -9`, plots, and the export to ONNX with its provenance. One file per
algorithm; what they share stands in small modules beside them.
"""
