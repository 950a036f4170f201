"""The area Watch for tests: what its page holds and shows, and the same game without a server."""

import time
from typing import Any

import numpy as np

import mesocosm
from mesocosm.core.beginnings import Beginnings
from mesocosm.core.follow import Follower
from mesocosm.core.scene import Scene
from mesocosm.evaluation.acting import begin_episodes, choose_actions
from mesocosm.learning.policies.answer import read_answer
from mesocosm.web.workers.history import join_actions
from mesocosm.web.workers.players import make_players

WORLDS = {
    "commons": "commons",
    "island": "island",
    "mettagrid": "mettagrid",
    "townlet": "townlet/L7",
}
SEED = 7
HELD = """async () => {
  const { current: { run } } = await import('/watch/store.js');
  return %s;
}"""
# scroll through the list of numbers, and note what every row of it says
READ_NUMBERS = """async () => {
  const box = document.querySelector('.long');
  const found = {};
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  for (let top = 0; top < box.scrollHeight; top += box.clientHeight) {
    box.scrollTop = top;
    box.dispatchEvent(new Event('scroll'));
    await painted();
    for (const cell of box.querySelectorAll('[data-entry]')) {
      found[cell.dataset.entry] = JSON.parse(cell.dataset.value);
    }
  }
  return found;
}"""


def held(page, what: str) -> Any:
    """Give something that the page holds of its run, as an expression in `run`."""
    return page.evaluate(HELD % what)


def wait_until(page, holds: str, seconds: float = 20.0) -> None:
    """Wait until an expression holds on the page, whose policy forbids Playwright's own way."""
    end = time.monotonic() + seconds
    while not page.evaluate(holds):
        assert time.monotonic() < end, holds
        page.wait_for_timeout(20)


def open_run(visitor, name: str, step: int | None = None):
    """Open a run, and wait for its picture."""
    page = visitor.open(f"watch/{name}")
    wait_until(page, "document.querySelector('.scene canvas')?.width > 0")
    page.wait_for_selector(".moment" if step is None else at_step(step))
    return page


def at_step(step: int) -> str:
    return f'.moment[data-step="{step}"]'


def see(page, perspective: str) -> None:
    """Choose a perspective, and wait until its frame is shown."""
    page.select_option(".see", perspective)
    shown = ".received .long" if perspective != "everything" else ".agents table"
    page.wait_for_selector(shown)


def choose_by_key(page, k):
    """Press the key that a button of the first part shows."""
    button = page.locator(".acting .option:enabled:has(kbd)").nth(k % 2)
    signs = {"↑": "ArrowUp", "↓": "ArrowDown", "←": "ArrowLeft", "→": "ArrowRight"}
    key = button.locator("kbd").inner_text()
    page.keyboard.press(signs.get(key, key))
    if page.locator(".act-form").count():
        page.keyboard.press("Enter")


class SameGame:
    """The game of a run, played by an env of its own."""

    def __init__(self, preset: str) -> None:
        self.env = mesocosm.make(preset, target="python", seed=SEED, autoreset="off")
        self.spec = self.env.spec
        self._policies = make_players({}, self.spec).policies
        self._beginnings = Beginnings(self.env)
        self.view = begin_episodes(self.env, self._policies, SEED)
        self._began = self._beginnings.follow(self.view)

    def of(self, value: Any, role) -> Any:
        return value if len(self.spec.roles) == 1 else value[role.name]

    def step(self, own: dict[int, tuple[list[int], list[float]]] | None = None) -> None:
        """Play a step; some agents do what a person wanted."""
        chosen = choose_actions(self._policies, self.view, self._began)
        row = {}
        for name, role in self.spec.roles.items():
            choice, level = read_answer(self.of(chosen, role), role, (1, role.num_agents), name)
            row[name] = np.array(choice[0]), np.array(level[0])
        for agent, (choice, level) in (own or {}).items():
            role = self.spec.role_of(agent)
            row[role.name][0][agent - role.first] = choice
            row[role.name][1][agent - role.first] = level
        self.view = self.env.step(join_actions(self.spec, row))
        self._began = self._beginnings.follow(self.view)

    def received(self, agent: int):
        """Give what an agent received: observation, mask, infos and reward."""
        role = self.spec.role_of(agent)
        slot = agent - role.first
        infos = self.of(self.view.info, role)
        return (
            np.array(self.of(self.view.obs, role)[0, slot]),
            np.array(self.of(self.view.mask, role)[0, slot]),
            {name: np.array(value[0, slot]) for name, value in infos.items()},
            self.of(self.view.reward, role)[0, slot],
        )

    def draw(self, agent: int) -> dict[str, Any]:
        """Draw what an agent received, and nothing else."""
        obs, mask, info, _ = self.received(agent)
        role, core = self.spec.role_of(agent), self.env.config.core
        made: Scene = self.env.world.view(core, role, obs, mask, info)
        return Follower().follow(made).plain()
