"""Data sets in Minari's format, which offline reinforcement learning reads.

    dataset = minari.load_dataset("seabattle/mini-exact-v0")

Each episode is stored with its layout as the option of `reset`, so the environment can replay
it; the provenance is in the metadata under `seabattle`. A data set is written beside its
place and moved there when it is whole.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DatasetError, MissingPart, OutputError, reason
from ..rules import Rules
from .episodes import DuelSide, Episode, Provenance, record_of

ID = re.compile(r"([-_\w]+/)*[-_\w]+-v[0-9]+")
FORMAT = "arrow"
"""how Minari stores the episodes; its other format needs h5py"""


def write_minari(
    episodes: Iterable[Episode],
    provenance: Provenance,
    dataset_id: str,
    root: Path | None = None,
) -> tuple[Path, int]:
    """Write a data set; returns its folder and the number of episodes.

    `root` is the folder of all data sets; by default Minari's, which `MINARI_DATASETS_PATH`
    sets.
    """
    minari = _minari()
    folder = dataset_folder(dataset_id, root)
    if folder.exists():
        raise OutputError(
            f"There is a data set {dataset_id} already ({folder}); choose another version, such "
            f"as {_next_version(dataset_id)}."
        )
    from minari.data_collector.episode_buffer import EpisodeBuffer
    from minari.dataset.minari_storage import MinariStorage

    def buffers() -> Iterator[Any]:
        for episode in episodes:
            yield EpisodeBuffer(
                id=episode.number,
                options={"layout": episode.record.layout.to_text()},
                observations=episode.observations,
                actions=episode.actions,
                rewards=episode.rewards,
                terminations=episode.terminations,
                truncations=episode.truncations,
                infos=_infos(episode),
            )
            facts = {} if episode.duel is None else episode.duel.facts
            players.append({"player": episode.record.player, **facts})

    players: list[dict[str, Any]] = []
    with _moved_into_place(folder) as beside:
        env = _environment(provenance)
        storage = MinariStorage.new(
            beside / "data",
            observation_space=env.observation_space,
            action_space=env.action_space,
            env_spec=env.spec,
            data_format=FORMAT,
        )
        storage.update_metadata(
            {
                "dataset_id": dataset_id,
                "minari_version": minari.__version__,
                "algorithm_name": provenance.source,
                "description": f"Battleship, {provenance.rules}; games of {provenance.source}.",
                "requirements": [f"seabattle=={provenance.version}"],
                "seabattle": provenance.to_json(),
            }
        )
        with _size_measured_once(storage):
            storage.update_episodes(buffers())
            if not players:
                raise DatasetError("There is no game to write.")
            storage.update_episode_metadata(players)
        storage.update_metadata({"dataset_size": float(storage.get_size())})
    return folder, len(players)


def _infos(episode: Episode) -> dict[str, Any] | None:
    """One row more than there are shots, as of the observations."""
    infos: dict[str, Any] = {}
    if episode.posterior is not None:
        infos["posterior"] = episode.posterior
    if episode.duel is not None:
        # No shot follows the last. Minari would read single numbers back as text.
        infos["move"] = np.append(episode.duel.moves, -1)[:, None]
    return infos or None


def read_minari(folder: Path) -> tuple[Provenance, Iterator[Episode]]:
    """The provenance and the episodes of a data set that `write_minari` wrote."""
    _minari()
    from minari.dataset.minari_storage import MinariStorage

    storage = MinariStorage.read(folder / "data")
    provenance = Provenance.from_json(storage.metadata.get("seabattle"))
    return provenance, _episodes(storage, provenance)


def _episodes(storage: Any, provenance: Provenance) -> Iterator[Episode]:
    rules = Rules.from_text(provenance.rules)
    for number in range(storage.total_episodes):
        (stored,) = storage.get_episodes([number])
        (about,) = storage.get_episode_metadata([number])
        ships, player = about["options"]["layout"], about["player"]
        posterior = stored["infos"].get("posterior")
        if len(stored["actions"]) != about["total_steps"]:
            raise DatasetError(f"episode {number} has lost some of its steps")
        yield Episode(
            number,
            record_of(rules, ships, stored["actions"].tolist(), player),
            stored["observations"],
            stored["actions"],
            np.asarray(stored["rewards"], dtype=np.float64),
            bool(stored["terminations"][-1]),
            posterior,
            DuelSide.of(about, stored["infos"]["move"][:-1, 0]) if provenance.sides == 2 else None,
        )


def dataset_folder(dataset_id: str, root: Path | None = None) -> Path:
    """Where a data set is, or would be written."""
    if not ID.fullmatch(dataset_id):
        raise DatasetError(
            f"A data set in Minari's format is named like 'seabattle/mini-exact-v0', with a "
            f"version at the end, not {dataset_id!r}."
        )
    if root is not None:
        return root / dataset_id
    _minari()
    from minari.storage.datasets_root_dir import get_dataset_path

    return Path(get_dataset_path(dataset_id))


def _environment(provenance: Provenance) -> Any:
    import gymnasium

    from ..envs import ID as ENVIRONMENT

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not about this environment: a checker's remarks
        return gymnasium.make(ENVIRONMENT, rules=provenance.rules, reward=provenance.reward)


def _next_version(dataset_id: str) -> str:
    name, _, version = dataset_id.rpartition("-v")
    return f"{name}-v{int(version) + 1}"


def _minari() -> Any:
    try:
        import minari
        import minari.dataset._storages.arrow_storage
    except ImportError as error:
        raise MissingPart(
            f"Data sets in Minari's format need {_package(error)}: pip install 'seabattle[data]'"
        ) from None
    return minari


def _package(error: ImportError) -> str:
    return (error.name or "minari").partition(".")[0]


@contextmanager
def _moved_into_place(folder: Path) -> Iterator[Path]:
    """A folder that takes its place only if everything was written."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise OutputError(f"Cannot write to {folder.parent}: {reason(error)}.") from error
    try:
        yield beside
        beside.chmod(0o755)
        os.rename(beside, folder)
    except OSError as error:
        raise OutputError(f"Cannot write {folder}: {reason(error)}.") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


@contextmanager
def _size_measured_once(storage: Any) -> Iterator[None]:
    """Minari measures the size of all files after each episode, which takes quadratic time."""
    storage.get_size = lambda: 0.0
    try:
        yield
    finally:
        del storage.get_size
