"""GeoPandas: the shapes of the classes as one would write them with data frames."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import pyarrow as pa

from groundframe.eval.bench.classes import Case
from groundframe.eval.bench.contestant import Answered, Peer, answer_rows
from groundframe.eval.bench.tables import GEOMETRY

__all__ = ["GeoPandas"]

TOP = 20


class GeoPandas(Peer):
    """GeoPandas on the tables in memory; its spatial index is built beforehand."""

    tool = "GeoPandas"

    def __init__(self, tables: Mapping[str, pa.Table], events: str) -> None:
        import geopandas
        import shapely

        super().__init__()
        self._gpd = geopandas
        self._tables: dict[str, Any] = {}
        for name, table in tables.items():
            frame = table.to_pandas()
            if GEOMETRY in table.column_names:
                frame = geopandas.GeoDataFrame(
                    frame.drop(columns=GEOMETRY), geometry=shapely.from_wkb(frame[GEOMETRY])
                )
                frame.sindex.query(frame.geometry.iloc[0])
            if "date" in table.column_names:
                frame["date"] = frame["date"].astype("datetime64[s]")
            self._tables[name] = frame
        self._events = events

    def takes(self, case: Case) -> bool:
        return self.given in case.spec.geopandas

    def answer(self, case: Case, limit_s: float) -> Answered:
        arguments = dict(case.spec.geopandas[self.given])
        shape = getattr(self, f"_{arguments.pop('shape')}")
        began = perf_counter()
        rows = shape(case, **arguments)
        return Answered(answer_rows(rows), perf_counter() - began)

    def close(self) -> None:
        self._tables.clear()

    def _chosen(self, case: Case, where: str) -> Any:
        """The events that are asked for."""
        condition = case.where(where)
        events = self._tables[self._events]
        return events.query(condition) if condition else events

    def _in_area(self, case: Case, name: str, area: str | None) -> Any:
        """The sites in the area of the case."""
        sites = self._tables[name]
        if area is None:
            return sites
        areas = self._tables[area]
        wanted = areas.loc[areas["name"] == case.values[area], "id"]
        return sites[sites[f"{area}_id"].isin(wanted)]

    def _near(self, events: Any, sites: Any, metres: float, pairs: str | None) -> Any:
        """Pairs of ids, `event` and `site`."""
        import pandas as pd

        if pairs is not None:
            near = self._tables[pairs]
            near = near[(near["m"] <= metres) & near["a"].isin(sites["id"]) & near["b"].isin(events["id"])]
            return near.rename(columns={"a": "site", "b": "event"})
        found = self._gpd.sjoin(
            events[["id", "geometry"]], sites[["id", "geometry"]], predicate="dwithin", distance=metres
        )
        return pd.DataFrame({"event": found["id_left"].to_numpy(), "site": found["id_right"].to_numpy()})

    def _events_in_area(self, case: Case, area: str, where: str) -> Any:
        areas = self._tables[area]
        wanted = areas.loc[areas["name"] == case.values[area], "id"]
        events = self._chosen(case, where)
        return [(key,) for key in sorted(events.loc[events[f"{area}_id"].isin(wanted), "key"])]

    def _events_near_point(self, case: Case, where: str) -> Any:
        import shapely

        events = self._tables[self._events]
        place = shapely.Point(case.values["x"], case.values["y"])
        found = events.iloc[events.sindex.query(place, predicate="dwithin", distance=case.values["reach"])]
        return [(key,) for key in sorted(found.query(case.where(where))["key"])]

    def _events_near_sites(
        self, case: Case, sites: str, area: str, where: str, pairs: str | None = None
    ) -> Any:
        events = self._chosen(case, where)
        near = self._near(events, self._in_area(case, sites, area), case.values["reach"], pairs)
        return [(key,) for key in sorted(events.loc[events["id"].isin(near["event"]), "key"])]

    def _sites_by_events(
        self,
        case: Case,
        sites: str,
        where: str = "",
        area: str | None = None,
        pairs: str | None = None,
        beside: Mapping[str, Any] | None = None,
        least: int | None = None,
    ) -> Any:
        asked = self._in_area(case, sites, area)
        if beside is not None:
            asked = self._beside(asked, **beside)
        near = self._near(self._chosen(case, where), asked, case.values["reach"], pairs)
        return self._ranked(near.groupby("site").size(), asked, least)

    def _beside(
        self,
        sites: Any,
        others: str,
        metres: float,
        where: str = "",
        negate: bool = False,
        pairs: str | None = None,
    ) -> Any:
        """The sites that have one of the others near, or that have none."""
        other = self._tables[others].query(where) if where else self._tables[others]
        if pairs is not None:
            near = self._tables[pairs]
            some = sites["id"].isin(near.loc[(near["m"] <= metres) & near["b"].isin(other["id"]), "a"])
        else:
            some = sites["id"].isin(self._near(other, sites, metres, None)["site"])
        return sites[~some] if negate else sites[some]

    def _areas_by_events(
        self,
        case: Case,
        areas: str,
        link: str | None = None,
        area: str | None = None,
        near: Mapping[str, Any] | None = None,
    ) -> Any:
        events = self._chosen(case, "")
        if near is not None:
            pairs = self._near(events, self._tables[near["sites"]], case.values["reach"], near.get("pairs"))
            events = events[events["id"].isin(pairs["event"])]
        asked = self._in_area(case, areas, area)
        if link is not None:
            return self._ranked(events.groupby(link).size(), asked, None)
        placed = self._gpd.sjoin(
            events[["id", "geometry"]], asked[["id", "key", "geometry"]], predicate="intersects"
        )
        # Of several that cover one, the first key; without a place, the stated one.
        each = placed.sort_values("key").drop_duplicates("id_left")["id_right"].value_counts()
        stated = events["stated_id"].dropna().astype("int64").value_counts()
        return self._ranked(each.add(stated, fill_value=0), asked, None)

    def _ranked(self, counts: Any, sites: Any, least: int | None) -> Any:
        """Keys and counts, highest first, the first of them; or all from a least count on, by key."""
        found = counts.rename("n").reset_index()
        found.columns = ["id", "n"]
        found = found.merge(sites[["id", "key"]], on="id")
        if least is not None:
            found = found[found["n"] >= least].sort_values("key")
        else:
            found = found.sort_values(["n", "key"], ascending=[False, True]).head(TOP)
        return zip(found["key"], found["n"], strict=True)

    def _by_parts(
        self, case: Case, parts: list[str], where: str = "", link: Mapping[str, str] | None = None
    ) -> Any:
        events = self._chosen(case, where)
        keys = ([link["column"]] if link else []) + parts
        groups = events.groupby(keys, dropna=False, observed=True).size().rename("n").reset_index()
        if link:
            named = self._tables[link["to"]][["id", "key"]]
            groups = groups.merge(named, left_on=link["column"], right_on="id", how="left")
            groups["key"] = groups["key"].where(groups["key"].notna(), None)
            keys = ["key", *parts]
        return groups[[*keys, "n"]].itertuples(index=False, name=None)
