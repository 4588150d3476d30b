"""The example programs learn, in short runs with fixed seeds."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

from tests.conftest import Run

EXAMPLES = Path(__file__).parent.parent / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """So that the sums, and with them the games, are the same everywhere."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_reinforce_fits_one_screen_and_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len((EXAMPLES / "reinforce.py").read_text().splitlines()) < 100
    reinforce = example("reinforce")
    monkeypatch.setattr(reinforce, "GAMES", 96)
    history = reinforce.train("mini", rounds=30, seed=1)
    # Random shooting takes 21.67 shots, with a standard error of 0.36 over 96 games.
    assert 20 < history[0] < 23.5
    assert sum(history[-5:]) / 5 < 17


def test_maskable_ppo_trains_on_the_environment_as_it_is() -> None:
    ppo = example("ppo")
    model = ppo.train("mini", steps=1024, seed=1)
    assert model.num_timesteps == 1024
    # The longest game without a repeated cell has 25 shots, and random ones have 21.67.
    assert ppo.mean_shots(model, "mini", games=40, seed=2) < 23.5


def test_behaviour_cloning_learns_from_an_exported_data_set(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import minari

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    code, _, err = run(
        "dataset", "export", "seabattle/mini-exact-v0",
        *("--rules", "mini", "--games", "250", "--set", "train"),
    )  # fmt: skip
    assert code == 0, err
    cloning = example("behaviour_cloning")
    dataset = minari.load_dataset("seabattle/mini-exact-v0")
    network = cloning.train(dataset, seed=1, epochs=25)
    # Random shooting takes 21.67 shots; the player that it learns from takes 11.
    assert cloning.mean_shots(network, dataset.recover_environment(), games=100, seed=5) < 15.5
