"""Scenes one after the other: paths of the last steps, and a frame that does not jump."""

from collections import deque
from dataclasses import replace

from mesocosm.core.scene import Box, Polyline, Primitive, Scene, Trail, union

HOLD = 40  # frames for which a frame stays as wide as what was in it
GLIDE = 0.2  # of the way that the frame moves per step
SNAP = 0.002  # of its width: what is nearer is reached
TRAIL_OPACITY = 0.55


class Follower:
    """Turns the scenes of one env, in their order, into what is shown.

    Args:
        camera: Whether the frame follows what happens; else every scene keeps its own focus.
        stride: Steps between two scenes.
    """

    def __init__(self, *, camera: bool = True, stride: int = 1) -> None:
        self._stride = stride
        self._camera = Camera() if camera else None
        self._paths: dict[str, deque[tuple[float, float]]] = {}

    def reset(self) -> None:
        """Forget what was: another episode begins, or a step elsewhere is shown."""
        self._paths.clear()
        if self._camera is not None:
            self._camera = Camera()

    def follow(self, scene: Scene) -> Scene:
        """Draw the paths of the last steps into a scene, and choose the part that is shown."""
        seen: set[str] = set()
        drawn: list[Primitive] = []
        for p in scene.primitives:
            if type(p) is not Trail:
                drawn.append(p)
                continue
            seen.add(p.key)
            points = self._extend(p)
            if len(points) > 1 and len(set(points)) > 1:
                flat = tuple(value for point in points for value in point)
                drawn.append(Polyline(flat, p.size, p.colour, TRAIL_OPACITY, fade=True, key=p.key))
        for key in set(self._paths) - seen:
            del self._paths[key]
        box = scene.box if self._camera is None else self._camera.follow(scene.box)
        return replace(scene, primitives=tuple(drawn), focus=box)

    def _extend(self, p: Trail) -> deque[tuple[float, float]]:
        points = self._paths.get(p.key)
        if points is None or points.maxlen != p.steps + 1:
            points = self._paths[p.key] = deque(points or (), maxlen=p.steps + 1)
        if points and abs(points[-1][0] - p.x) + abs(points[-1][1] - p.y) > p.reach * self._stride:
            points.clear()
        points.append((p.x, p.y))
        return points


class Camera:
    """Keeps a frame on what happens: it widens and narrows slowly, and rests while it can."""

    def __init__(self) -> None:
        self._recent: deque[Box] = deque(maxlen=HOLD)
        self._box: Box | None = None

    def follow(self, focus: Box) -> Box:
        """Return what is shown when things happen in `focus`."""
        self._recent.append(focus)
        goal = union(tuple(self._recent))
        if self._box is None:
            self._box = goal
        near = SNAP * max(goal.width, goal.height)
        moved = [
            target if abs(target - now) <= near else now + GLIDE * (target - now)
            for now, target in zip(self._box, goal, strict=True)
        ]
        self._box = Box(*moved)
        return self._box
