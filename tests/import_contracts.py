"""A contract of our own for import-linter (see `pyproject.toml`)."""

from __future__ import annotations

from typing import Any

from importlinter import Contract, ContractCheck, output


class KernelsContract(Contract):
    """Modules named `*_kernels` import only `compiled` and one another."""

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        broken = [
            (module, imported)
            for module in sorted(graph.modules)
            if module.endswith("_kernels")
            for imported in sorted(graph.find_modules_directly_imported_by(module))
            if (
                not imported.endswith("_kernels") and not imported.startswith("seabattle.compiled.")
            )
            or imported == "seabattle.compiled.rules_tables"
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for module, imported in check.metadata["broken"]:
            output.print_error(f"{module} imports {imported}", bold=False)
