"""The versions of the engine, for the record of an answer."""

from __future__ import annotations

import sqlalchemy as sa

from groundframe.postgis.connect import Database

__all__ = ["engine_versions"]

_VERSIONS = sa.text(
    """
    SELECT current_setting('server_version') AS postgresql, postgis_lib_version() AS postgis,
      postgis_geos_version() AS geos, postgis_proj_version() AS proj
    """
)


def engine_versions(database: Database) -> dict[str, str]:
    """Versions of PostgreSQL, PostGIS and the libraries under it.

    They come without what a distribution adds: a build, or the folder where PROJ has its files.
    """
    with database.connect() as connection:
        found = connection.execute(_VERSIONS).one()._mapping
    return {str(name): str(text).split(" ", 1)[0] for name, text in found.items()}
