"""Links and carried values as they are stored, beside those that the oracle works out from geometry."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from groundframe.eval.subject import Subject

__all__ = ["link_differences"]


def link_differences(subject: Subject) -> Iterator[str]:
    """What is linked or carried otherwise than the oracle says, one line a feature."""
    pack = subject.dataset.pack
    with subject.dataset.database.connect() as connection:
        for entity in pack.entities:
            table = subject.dataset.tables.entities[entity.name]
            features = subject.world.features[entity.name]
            carried = [one.name for one in entity.fields if one.carries is not None]
            columns = [table.c[f"{link.name}_key"] for link in entity.links]
            columns += [table.c[name] for field in carried for name in (field, f"{field}_basis")]
            for key, *stored in connection.execute(sa.select(table.c.key, *columns).order_by(table.c.key)):
                feature = features[key]
                wanted = [feature.links[link.name] for link in entity.links]
                for name in carried:
                    wanted += [feature.values.get(name), feature.bases[name]]
                for column, got, want in zip(columns, stored, wanted, strict=True):
                    if got != want:
                        yield f"{entity.name} {key}: {column.name} is {got!r} instead of {want!r}"
