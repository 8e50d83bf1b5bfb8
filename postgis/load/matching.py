"""Which feature a stated name means, by the one folding of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groundframe.schema.model import Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["NameMatcher"]


class NameMatcher:
    """Matches names as reports state them with the names that features bear.

    Two names mean the same when they fold to the same, the pack's alias sets counted as one name. A name that
    means nothing so is tried again without the pack's affixes.

    Parameters
    ----------
    entity : str
        The entity whose features bear the names.
    names : iterable of str
        The names that they bear.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> matcher = NameMatcher(load_pack("massachusetts"), "Town", ["Manchester", "Quincy"])
    >>> (
    ...     matcher.match("City of Quincy, MA"),
    ...     matcher.match("MANCHESTER-BY-THE-SEA"),
    ...     matcher.match("Springfield"),
    ... )
    ('quincy', 'manchester', None)
    """

    def __init__(self, pack: Pack, entity: str, names: Iterable[str]) -> None:
        self._pack = pack
        self._aliases: Mapping[str, str] = {
            fold_name(alias, pack): fold_name(same[0], pack)
            for same in pack.name_aliases.get(entity, ())
            for alias in same
        }
        self._affixes = sorted(
            {fold_name(affix, pack) for affix in pack.name_affixes}, key=lambda a: (-len(a), a)
        )
        self._known = {self.folded(name) for name in names}

    def folded(self, name: str) -> str:
        """The name as it is compared."""
        plain = fold_name(name, self._pack)
        return self._aliases.get(plain, plain)

    def match(self, stated: str) -> str | None:
        """The folded name that `stated` means; None when no feature bears it."""
        plain = self.folded(stated)
        while plain and plain not in self._known:
            shorter = self._without_affix(plain)
            if shorter == plain:
                return None
            plain = self._aliases.get(shorter, shorter)
        return plain or None

    def _without_affix(self, plain: str) -> str:
        for affix in self._affixes:
            if plain.startswith(f"{affix} "):
                return plain[len(affix) + 1 :]
            if plain.endswith(f" {affix}"):
                return plain[: -len(affix) - 1]
        return plain
