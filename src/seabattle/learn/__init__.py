"""Networks: what they see, how they are stored, how they are trained and measured.

`encoding`    what a shooter knows as the planes that networks and environments read
`onnx_model`  model files, run by onnxruntime; the ones that ship are in `models/`
`training`    one module per algorithm, and the run that drives them (needs the extra `learn`)
`evaluation`  how far a model is from exact play
"""
