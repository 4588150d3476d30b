"""`seabattle dataset`: games as data sets for other programs, and from other people."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ..errors import DatasetError, MissingPart
from ..rules import Rules
from . import completion
from .experiments import placer_words, seed_words, store_path
from .help import CommandGroup
from .options import Json, PlacerOption, Seed, rules_given, with_rules
from .runs import both_sides

if TYPE_CHECKING:
    from ..record import DuelRecord, GameRecord

T = TypeVar("T")

dataset = typer.Typer(
    cls=CommandGroup,
    help="Export games as data sets, import games, check data sets, make priors.",
    rich_markup_mode=None,
)

Root = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of the data sets in Minari's format.",
        show_default="MINARI_DATASETS_PATH, or ~/.minari/datasets",
    ),
]


@dataset.command("export")
@with_rules
def export(
    ctx: typer.Context,
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="A file ending in .parquet, or the id of a data set in Minari's format, such as "
            "seabattle/mini-exact-v0.",
        ),
    ],
    rules: Rules,
    player: Annotated[
        str,
        typer.Option(
            metavar="PLAYER",
            help="Whose games to write; they are played now.",
            autocompletion=completion.players,
        ),
    ] = "exact",
    opponent: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Write two-sided games against this player; each side is an episode.",
            autocompletion=completion.players,
        ),
    ] = None,
    games: Annotated[int, typer.Option(help="Number of games to play.")] = 1000,
    seed: Seed = 0,
    layout_set: Annotated[
        str | None, typer.Option("--set", metavar="SET", help="Use the training layouts: train.")
    ] = None,
    placer: PlacerOption = "uniform",
    records: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the games of this file, made by 'dataset import', instead.",
        ),
    ] = None,
    run: Annotated[
        int | None, typer.Option(help="Write the games of this run of a results file instead.")
    ] = None,
    store: Annotated[
        str, typer.Option(metavar="FILE", help="The results file of --run.")
    ] = "default",
    reward: Annotated[
        str,
        typer.Option(
            metavar="REWARD",
            help="shots, hits, advantage or finish.",
            autocompletion=completion.values("envs.rewards", "REWARDS"),
        ),
    ] = "shots",
    posterior: Annotated[
        bool, typer.Option("--posterior", help="Also write the exact chance of each cell.")
    ] = False,
    root: Root = None,
) -> None:
    """Write games as a data set for offline reinforcement learning.

    Examples:
      seabattle dataset export mini.parquet --rules mini --posterior
      seabattle dataset export seabattle/mini-exact-v0 --rules mini --set train
      seabattle dataset export duels.parquet --player exact --opponent density
      seabattle dataset export human.parquet --records games.jsonl
    """
    from ..experiment.batches import at_least_one

    with _data_parts():
        from ..dataset import write_minari, write_parquet
        from ..dataset.duels import duel_episodes, played_duels
        from ..dataset.episodes import Provenance, episodes_of, played_records
    from ..envs.rewards import reward_number
    from ..experiment.layout_sets import TEST, checked_set

    reward_number(reward)
    layout_set = checked_set(layout_set)
    if layout_set == TEST:
        raise DatasetError("The test set is for final figures; no data set is made from it.")
    given = rules_given(ctx)
    words = ["seabattle", "dataset", "export", out]
    if records is not None or run is not None:
        kept, source = _kept_records(records, run, store)
        rules = _their_rules(kept, rules if given else None, source)
        found: Iterable[GameRecord | DuelRecord] = kept
        words += ["--records", str(records)] if records else ["--run", str(run), "--store", store]
    elif opponent is not None:
        source = f"{player} against {opponent}"
        count = at_least_one("games", games)
        found = played_duels(player, opponent, rules, count, seed, layout_set)
        words += ["--player", player, "--opponent", opponent, "--rules", rules.to_text()]
        words += ["--games", str(games), *seed_words(seed, layout_set)]
    else:
        source = player
        found = played_records(
            player, rules, at_least_one("games", games), seed, layout_set, placer
        )
        words += ["--player", player, "--rules", rules.to_text(), "--games", str(games)]
        words += [*seed_words(seed, layout_set), *placer_words(placer)]
    words += ["--reward", reward, *(["--posterior"] if posterior else [])]
    one, two = _of_one_or_two(found, source)
    sides = 1 if two is None else 2
    provenance = Provenance.now(rules, reward, posterior, source, shlex.join(words), sides)
    if two is not None:
        episodes = duel_episodes(two, rules, reward, posterior)
    else:
        episodes = episodes_of(one, rules, reward, posterior)
    if out.endswith(".parquet"):
        written = write_parquet(episodes, provenance, Path(out))
        print(f"Written: {out} ({_count(written, sides)})")
        return
    folder, written = write_minari(episodes, provenance, out, root)
    print(f"Written: {folder} ({_count(written, sides)})")
    print(f"Load it: minari.load_dataset({out!r})", end="")
    print("" if root is None else f" with MINARI_DATASETS_PATH={root}")


@dataset.command("import")
@with_rules
def import_games(
    file: Annotated[Path, typer.Argument(metavar="CSV", help="One row per game: ships, shots.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A file ending in .jsonl.")],
    rules: Rules,
    player: Annotated[
        str, typer.Option(metavar="NAME", help="Who shot, in rows that do not say.")
    ] = "human",
) -> None:
    """Read recorded games from CSV, check them, and write our records.

    Examples:
      seabattle dataset import games.csv games.jsonl --rules mini
    """
    with _data_parts():
        from ..dataset import read_csv, write_records

    if out.suffix != ".jsonl":
        raise DatasetError(f"The file of records must end in .jsonl, not {out.name!r}.")
    written = write_records(read_csv(file, rules, player), out)
    print(f"Written: {out} ({written:,} games)")


@dataset.command("prior")
@with_rules
def prior(
    layouts: Annotated[
        Path,
        typer.Argument(
            metavar="LAYOUTS",
            help="Recorded layouts: a text file with one per line, or a .csv file with a column "
            "'ships'.",
        ),
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write, such as p.json.")],
    rules: Rules,
) -> None:
    """Make a prior from recorded layouts.

    It says where ships lie more often than by chance; the player exact:prior=OUT plays with it.

    Examples:
      seabattle dataset prior layouts.txt people.json --rules classic
    """
    from ..learners.prior_file import model_of, write_prior
    from ..report.outputs import checked_file

    checked_file(out, out.suffix)
    model = model_of(layouts, rules)
    write_prior(model, out)
    found = "look random: it plays as 'exact'" if model.uniform else "do not look random"
    print(f"Written: {out} ({model.games:,} layout{'s' * (model.games != 1)}, which {found})")
    print(f"Play it: exact:prior={out}")


@dataset.command("check")
@with_rules
def check(
    ctx: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="DATASET",
            help="A .parquet or .jsonl file, or a data set in Minari's format by id or folder.",
        ),
    ],
    rules: Rules,
    root: Root = None,
    json_output: Json = False,
) -> None:
    """Replay every game of a data set and compute every number again.

    Examples:
      seabattle dataset check mini.parquet --rules mini
      seabattle dataset check seabattle/mini-exact-v0
    """
    with _data_parts():
        from ..dataset import check_dataset

    given = rules_given(ctx)
    found = check_dataset(name, rules if given else None, root)
    if json_output:
        print(json.dumps(found.to_json()))
        return
    print(f"{name}: {found.games:,} games with {found.shots:,} shots, all as they should be.")
    print(f"Rules: {found.rules.to_text()}")
    if found.provenance is not None:
        about = found.provenance
        more = ", with the exact posterior" if about.posterior else ""
        print(f"Source: {about.source}; reward {about.reward}{more}")
        print(f"Made by: {about.command} (version {about.version}, {about.date})")


@contextmanager
def _data_parts() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingPart(f"Data sets need {error.name}: pip install 'seabattle[data]'") from None


def _kept_records(
    records: Path | None, run: int | None, store: str
) -> tuple[list[GameRecord | DuelRecord], str]:
    """The games of a file of records or of a run, and where they are from."""
    from ..dataset import read_records
    from ..experiment.store import Store

    if records is not None and run is not None:
        raise DatasetError("Give --records or --run, not both.")
    if records is not None:
        return list(read_records(records)), records.name
    assert run is not None
    with Store(store_path(store), create=False) as opened:
        games = list(opened.games_of(run))
    if any(game.opponent for game in games):
        return list(both_sides(games)), f"run {run}"
    return [game.record() for game in games], f"run {run}"


def _of_one_or_two(
    records: Iterable[GameRecord | DuelRecord], source: str
) -> tuple[Iterator[GameRecord], Iterator[DuelRecord] | None]:
    """The records as those of one shooter, or as those of two; the first one decides."""
    from ..record import DuelRecord, GameRecord

    rest = iter(records)
    first = next(rest, None)

    def all_of(kind: type[T]) -> Iterator[T]:
        for record in [] if first is None else chain([first], rest):
            if not isinstance(record, kind):
                raise DatasetError(f"{source} has games of one shooter and two-sided games.")
            yield record

    return all_of(GameRecord), all_of(DuelRecord) if isinstance(first, DuelRecord) else None


def _count(episodes: int, sides: int) -> str:
    return f"{episodes:,} games" if sides == 1 else f"{episodes:,} sides of two-sided games"


def _their_rules(
    records: list[GameRecord | DuelRecord], wanted: Rules | None, source: str
) -> Rules:
    if not records:
        raise DatasetError(f"There are no games in {source}.")
    found = records[0].rules
    if wanted is not None and wanted != found:
        raise DatasetError(
            f"The games of {source} are for the rules {found.to_text()!r}, not "
            f"{wanted.to_text()!r}."
        )
    return found
