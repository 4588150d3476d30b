"""The contract on kernels keeps what it promises, and notices what breaks it."""

from __future__ import annotations

import pytest
from grimp import ImportGraph, build_graph

from tests.import_contracts import KernelsContract

CONTRACT = KernelsContract("kernels", session_options={}, contract_options={})


def graph_of(*imports: tuple[str, str]) -> ImportGraph:
    graph = ImportGraph()
    for importer, imported in imports:
        graph.add_import(importer=f"seabattle.{importer}", imported=f"seabattle.{imported}")
    return graph


def test_kernels_may_import_compiled_code_and_one_another() -> None:
    graph = graph_of(
        ("search.tree_kernels", "compiled.bits"),
        ("search.tree_kernels", "belief.evidence_kernels"),
        ("search.mcts", "rules"),
    )
    assert CONTRACT.check(graph, verbose=False).kept


@pytest.mark.parametrize(
    "imported", ["rules", "observation", "search.mcts", "compiled.rules_tables", "compiled_rules"]
)
def test_kernels_may_import_nothing_else(imported: str, capsys: pytest.CaptureFixture[str]) -> None:
    graph = graph_of(("search.tree_kernels", "compiled.bits"), ("search.tree_kernels", imported))
    check = CONTRACT.check(graph, verbose=False)
    assert not check.kept
    CONTRACT.render_broken_contract(check)
    assert f"seabattle.search.tree_kernels imports seabattle.{imported}" in capsys.readouterr().out


def test_one_wrong_import_in_the_package_breaks_the_contract() -> None:
    graph = build_graph("seabattle", cache_dir=None)
    kernels = [module for module in graph.modules if module.endswith("_kernels")]
    assert len(kernels) > 15
    assert CONTRACT.check(graph, verbose=False).kept
    for module in kernels:
        graph.add_import(importer=module, imported="seabattle.rules")
        check = CONTRACT.check(graph, verbose=False)
        assert check.metadata["broken"] == [(module, "seabattle.rules")]
        graph.remove_import(importer=module, imported="seabattle.rules")
