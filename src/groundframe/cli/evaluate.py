"""``groundframe eval``: measuring groundframe itself; here, how well it reads what is nearly right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundframe.cli import evaluate_mutants, evaluate_oracle, evaluate_published, evaluate_questions
from groundframe.cli.figures import Form, FormOption, print_table
from groundframe.cli.run import DatasetOption
from groundframe.cli.terminal import print_json, print_line, say

if TYPE_CHECKING:
    from groundframe.eval.repairs.ground import Ground
    from groundframe.eval.repairs.report import RepairReport

__all__ = ["add_to"]

evaluation = typer.Typer(
    help="Measure groundframe itself: its repairs, its answers, its figures.", no_args_is_help=True
)
SHOWN = 10


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    evaluate_published.add_to(evaluation)
    evaluate_oracle.add_to(evaluation)
    evaluate_mutants.add_to(evaluation)
    evaluate_questions.add_to(evaluation)
    app.add_typer(evaluation, name="eval", rich_help_panel="Quality")


@evaluation.command()
def repairs(
    fresh: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Draw N new mutations instead of the shipped set.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="What new mutations are drawn from.")] = 1,
    family: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only families or a group of this name.", show_default=False),
    ] = None,
    dataset: DatasetOption = None,
    form: FormOption = Form.table,
) -> None:
    """Change frames whose meaning is known, and see what the validator makes of them.

    Every mutation ends restored, asked back, rejected or repaired wrongly; the exit code is 1 where one of
    the shipped set is repaired wrongly. Names are those of --dataset or, without it, of the synthetic state,
    which needs no database.
    """
    from groundframe.errors import UsageError
    from groundframe.eval.repairs.measuring import SHIPPED, SHIPPED_SEED, families_named, measure
    from groundframe.eval.repairs.report import repair_report

    families = families_named(family)
    if not families:
        groups = ", ".join(sorted({one.group for one in families_named(None)}))
        raise UsageError(f"There is no family '{family}'.", f"The groups are: {groups}.")
    drawn = SHIPPED_SEED if fresh is None else str(seed)
    with _ground(dataset, synthetic=dataset is None) as ground:
        report = repair_report(measure(ground, fresh or SHIPPED, drawn, families))
        about = {"ground": ground.label, "seed": drawn, "pack": f"{ground.pack.name} {ground.pack.version}"}
    if form is Form.json:
        print_json({**about, **report.as_dict()})
    else:
        _show_repairs(about, report)
    if fresh is None and report.wrong:
        raise typer.Exit(1)


@evaluation.command()
def names(
    entity: Annotated[
        list[str] | None,
        typer.Option(metavar="ENTITY", help="Entity by canonical name, repeatable; by default all places."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="What the typos are drawn from.")] = 1,
    dataset: DatasetOption = None,
    form: FormOption = Form.table,
) -> None:
    """Type every name that only one feature of the dataset bears with one typo, and look it up."""
    from groundframe.errors import UsageError
    from groundframe.eval.repairs.place_names import NAME_GRADES, mistyped_names, name_figures

    with _ground(dataset) as ground:
        known = [one.name for one in ground.pack.entities if one.name_field]
        for asked in entity or ():
            if asked not in known:
                raise UsageError(
                    f"There is no entity '{asked}' with names.", f"There are: {', '.join(known)}."
                )
        found = list(mistyped_names(ground, entity or (), seed))
        label = ground.label
    figures = name_figures(found)
    wrong = [one for one in found if one.grade == "wrong"]
    if form is Form.json:
        examples = [
            {"entity": o.entity, "name": o.name, "typed": o.typed, "read_as": list(o.read_as)} for o in wrong
        ]
        print_json({"ground": label, "seed": seed, "entities": figures, "wrong": examples})
        return
    rows = [
        (name, str(one["n"]), *(_share(one, grade) for grade in NAME_GRADES)) for name, one in figures.items()
    ]
    print_table(f"Names with one typo ({label})", ("entity", "names", *NAME_GRADES), rows)
    for one in wrong[:SHOWN]:
        print_line(
            f"wrong: {one.entity} '{one.name}', typed '{one.typed}', was read as {', '.join(one.read_as)}"
        )


def _share(figures: Mapping[str, Any], grade: str) -> str:
    share = figures["shares"].get(grade)
    return str(figures[grade]) if share is None else f"{figures[grade]} ({share:.1%})"


@contextmanager
def _ground(dataset: str | None, *, synthetic: bool = False) -> Iterator[Ground]:
    from groundframe.api import connect
    from groundframe.cli.schema import chosen_pack
    from groundframe.eval.repairs.ground import Ground, HeldNames, synthetic_ground
    from groundframe.postgis.names import DatasetNames
    from groundframe.schema.packs import load_pack

    if synthetic:
        say("Making the synthetic state in memory.")
        yield synthetic_ground(load_pack(chosen_pack(None)))
        return
    with connect(dataset=dataset) as gis:
        names = HeldNames(DatasetNames(gis.dataset))
        yield Ground(gis.pack, names, f"dataset {gis.dataset.name}")


def _show_repairs(about: Mapping[str, str], report: RepairReport) -> None:
    columns = ("family", "n", "restored", "asked", "rejected", "wrong", "another word")
    rows: list[tuple[str, ...]] = []
    for title, figures in (
        *report.families.items(),
        ("", None),
        *((f"all {name}", one) for name, one in report.groups.items()),
        ("", None),
        ("single changes", report.single_changes),
        ("as near another", report.as_near),
        ("total", report.total),
    ):
        if figures is None:
            rows.append(("",) * len(columns))
            continue
        shares = figures.as_dict()["shares"]
        rows.append(
            (
                title,
                str(figures.n),
                *(f"{share:.1%}" for share in shares.values()),
                str(figures.grades["other"]),
            )
        )
    print_table(f"Repairs on {about['ground']}, seed {about['seed']}", columns, rows)
    print_line(
        f"Validation (processor time): median {report.median_ms:.1f} ms, slowest {report.slowest_ms:.1f} ms."
    )
    for one in report.wrong[:SHOWN]:
        change = one.mutant.change
        what = f"{one.mutant.family.name}: {change.path} {change.before!r} -> {change.after!r}"
        print_line(f"{one.grade}: {what}. {one.said}")
