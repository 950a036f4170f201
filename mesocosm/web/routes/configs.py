"""Routes for configs: whether one is valid, and what it is."""

from fastapi import APIRouter

from mesocosm.config.identity import config_hash, dump
from mesocosm.core.errors import MesocosmError
from mesocosm.web.configs import (
    describe_roles,
    differences,
    find_problems,
    resolve_request,
    ways_to_write,
)
from mesocosm.web.encoding import finite
from mesocosm.web.models.config import ConfigRequest, LayerNote, RoleInfo, Validation

router = APIRouter(tags=["configs"])


@router.post("/configs/validate")
def validate(asked: ConfigRequest) -> Validation:
    """Check a config: say at which fields it is wrong, or all that it means."""
    try:
        resolved = resolve_request(asked)
    except MesocosmError as error:
        return Validation(valid=False, problems=find_problems(error))
    identity = resolved.config.identity
    changes = differences(asked, resolved)
    return Validation(
        valid=True,
        preset=f"{identity.world}/{identity.preset}",
        config=dump(resolved.config),
        config_hash=config_hash(resolved.config),
        differences=changes,
        layers=[LayerNote(**note._asdict()) for note in resolved.spec.notes],
        roles=[RoleInfo(**finite(role)) for role in describe_roles(resolved.spec)],
        written=ways_to_write(asked, resolved),
    )
