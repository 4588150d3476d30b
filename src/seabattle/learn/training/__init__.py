"""Training: how the networks in `learn/models` were made.

A `Trainer` (see `trainer`) does one unit of work per call and can save its whole state as
arrays. `training_run.train` runs any of them: budget, progress, metrics, checkpoints that
survive `kill -9`, plots, and the export to ONNX with its provenance. There is one module per
algorithm (`cnn`, `cnn_deep`, `reinforce`, `ppo`, `neat`); their base classes are in
`gradient_trainer`, `supervised_trainer` and `policy_trainer`.
"""
