"""What a role sees when all layers have had their say: its own row, earlier ones, and additions."""

from dataclasses import replace

from mesocosm.core.observation import Feature, Layout, Read, Token
from mesocosm.core.spec import LAYER, Role
from mesocosm.layers.added import TOKEN_WIDTH
from mesocosm.layers.draft import Draft, RoleDraft
from mesocosm.layers.validity import place_flags


def finish_role(entry: RoleDraft, draft: Draft) -> Role:
    """Give a role its whole layout: the newest row, earlier ones, and what layers add."""
    layout = entry.layout
    place_flags(entry)
    features = [*layout.features]
    past = (Read(f"{LAYER}frames_{entry.role.name}", "self"), Read(f"{LAYER}since", "self"))
    for back in range(1, entry.history):
        features += [
            replace(feature, name=f"{feature.name}@{back}", reads=past)
            for feature in layout.features
        ]
    if layout.tokens is not None:
        made = _finish_tokens(entry, draft, tuple(features))
    else:
        shape = layout.shape_override if entry.history == 1 and not entry.extras else None
        made = Layout((*features, *entry.extras), layout.dtype, shape)
    return replace(entry.role, observation=made)


def _finish_tokens(entry: RoleDraft, draft: Draft, features: tuple[Feature, ...]) -> Layout:
    """Lay out rows of tokens: numbers that layers add become tokens of new ids."""
    tokens = entry.layout.tokens
    if tokens is None:
        raise AssertionError("only for rows of tokens")
    entry.is_changed = entry.keeps_views = True  # tokens that do not get through close the ranks
    names = [name for extra in entry.extras for name in Layout((extra,)).names()]
    first = 1 + max((kind.id for kind in tokens.kinds), default=-1)
    if first + len(names) > tokens.empty:
        what = f"{len(names)} numbers more do not fit beside {first} feature ids"
        raise draft.refuse("temporal", what)
    entry.first_added_id = first
    added = tuple(Token(first + i, name) for i, name in enumerate(names))
    reads = tuple(read for extra in entry.extras for read in extra.reads)
    newest = tuple(
        replace(feature, reads=(*feature.reads, *reads)) if i == 0 else feature
        for i, feature in enumerate(features)
    )
    shape = (tokens.num * entry.history, TOKEN_WIDTH)
    kinds = (*tokens.kinds, *added)
    more = replace(tokens, kinds=kinds, num=tokens.num * entry.history)
    return Layout(newest, entry.layout.dtype, shape, more)
