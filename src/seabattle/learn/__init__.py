"""Networks: their inputs, their files, their training and their evaluation.

`encoding`    what a shooter knows, as the planes that networks and environments read
`onnx_model`  model files, run by onnxruntime; the shipped ones are in `models/`
`training`    one module per algorithm, and `training_run`, which runs them (extra `learn`)
`evaluation`  how far a model is from exact play
"""
