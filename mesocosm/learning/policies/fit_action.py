"""Match by names what a policy learnt to do with what a role can do."""

from dataclasses import replace

import numpy as np

from mesocosm.core.action import ActionSpec, Choice
from mesocosm.core.errors import BundleError
from mesocosm.learning.policies.note import list_names


def open_action(action: ActionSpec) -> ActionSpec:
    """Give the same action with a mask over all its options, so that any may be ruled out."""
    choices = tuple(replace(p, masked=True, forbidden=(), reads=()) for p in action.choices)
    return replace(action, choices=choices)


class ActionFit:
    """Turns masks of a role into those of a policy, and the policy's actions into the role's.

    `same` says that nothing has to be turned. Else a mask of the policy has an entry for every
    option of every part, as `open_action` has.
    """

    def __init__(self, known: ActionSpec, here: ActionSpec) -> None:
        self.notes: list[str] = []
        self._known, self._here = known, here
        self.same = _outline(known) == _outline(here)
        self._part_of = {part.name: k for k, part in enumerate(known.choices)}
        self._level_of = {part.name: k for k, part in enumerate(known.levels)}
        self._tables = {}  # option of the policy -> option here or -1, by part
        for part in here.choices:
            if part.name in self._part_of:
                mine = known.choices[self._part_of[part.name]]
                at = {option: k for k, option in enumerate(part.options)}
                self._tables[part.name] = np.array([at.get(o, -1) for o in mine.options], np.int64)
        self._check_common()
        self._note_use()
        if not self.same:
            self._columns = self._pick_columns()
            self._note()

    def translate_mask(self, mask: np.ndarray) -> np.ndarray:
        """Turn bool `[row, mask entry here]` into `[row, mask entry of the policy]`."""
        if self.same:
            return mask
        ends = np.broadcast_to(np.array([True, False]), (len(mask), 2))
        made = np.concatenate((mask, ends), 1)[:, self._columns]
        first = 0
        for part in self._known.choices:  # where nothing is left, it does nothing
            span = made[:, first : first + len(part.options)]
            span[:, part.noop] |= ~span.any(1)
            first += len(part.options)
        return made

    def translate_action(
        self, choice: np.ndarray, level: np.ndarray, mask: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Turn a policy's choices and levels `[row, part]` into those of the role.

        Args:
            mask: The role's own; what it forbids becomes the no-op.
        """
        if self.same:
            return choice, level
        picked = np.empty((len(mask), len(self._here.choices)), np.int32)
        for k, part in enumerate(self._here.choices):
            if part.name not in self._tables:
                picked[:, k] = part.noop
                continue
            options = self._tables[part.name][choice[:, self._part_of[part.name]]]
            allowed = (options >= 0) & self._is_allowed(part, options, mask)
            picked[:, k] = np.where(allowed, options, part.noop)
        set_to = np.empty((len(mask), len(self._here.levels)), np.float32)
        for k, bound in enumerate(self._here.levels):
            given = bound.noop
            if bound.name in self._level_of:
                given = np.clip(level[:, self._level_of[bound.name]], bound.low, bound.high)
            set_to[:, k] = given
        return picked, set_to

    def _is_allowed(self, part: Choice, options: np.ndarray, mask: np.ndarray) -> np.ndarray:
        allowed = ~np.isin(options, part.forbidden)
        if part.masked:
            at = self._here.mask_offset(part.name)
            allowed &= mask[np.arange(len(mask)), at + np.maximum(options, 0)]
        return allowed

    def _pick_columns(self) -> np.ndarray:
        """Give for each option of the policy its entry in the role's mask, or one of two more.

        The two entries after the mask are True (the option is always allowed) and False (never).
        """
        always, never = self._here.mask_size, self._here.mask_size + 1
        shown = {part.name: part for part in self._here.choices}
        columns: list[int] = []
        for part in self._known.choices:
            table = self._tables.get(part.name)
            for option in range(len(part.options)):
                column = never
                if table is None:  # decides nothing here
                    column = always if option == part.noop else never
                elif table[option] >= 0 and option not in part.forbidden:
                    other = shown[part.name]
                    if other.masked:
                        column = self._here.mask_offset(part.name) + int(table[option])
                    elif table[option] not in other.forbidden:
                        column = always
                    if table[option] in other.forbidden:
                        column = never
                columns.append(column)
        return np.array(columns, np.int64)

    def _check_common(self) -> None:
        """Refuse a policy that could do nothing here."""
        for part in self._here.choices:
            table = self._tables.get(part.name, np.full(1, -1))
            if any(k >= 0 and k != part.noop for k in table.tolist()):
                return
        if not any(part.name in self._level_of for part in self._here.levels):
            mine, other = _name_parts(self._known), _name_parts(self._here)
            raise BundleError(
                f"nothing that the policy does ({mine}) is an action of the role ({other})"
            )

    def _note(self) -> None:
        here = {part.name: part for part in self._here.choices}
        for part in self._known.choices:
            if part.name not in here:
                self.notes.append(f"action: {part.name}: missing here, decides nothing")
                continue
            self._note_options(part, here[part.name])
        for part in self._here.choices:
            if part.name not in self._part_of:
                what = part.options[part.noop]
                self.notes.append(f"action: {part.name}: unknown to the policy, always {what}")
        self._note_levels()

    def _note_use(self) -> None:
        """Say which parts stay at their no-op although they may count here."""
        here = {part.name: dict(part.used_with) for part in self._here.parts}
        for part in self._known.parts:
            learnt = dict(part.used_with)
            if learnt and here.get(part.name, learnt) != learnt:
                use = ", ".join(f"{name}: {list_names([*v])}" for name, v in learnt.items())
                self.notes.append(f"action: {part.name}: learnt to count only with {use}")

    def _note_options(self, known: Choice, here: Choice) -> None:
        lacks = [option for option in known.options if option not in here.options]
        if lacks:
            self.notes.append(f"action: {known.name}: not there: {list_names(lacks)}")
        learnt = [o for k, o in enumerate(known.options) if k not in known.forbidden]
        never = [option for option in here.options if option not in learnt]
        if never:
            self.notes.append(f"action: {known.name}: never chosen: {list_names(never)}")

    def _note_levels(self) -> None:
        here = {part.name: part for part in self._here.levels}
        for part in self._known.levels:
            if part.name not in here:
                self.notes.append(f"action: {part.name}: missing here, decides nothing")
            elif (part.low, part.high) != (here[part.name].low, here[part.name].high):
                other = here[part.name]
                self.notes.append(
                    f"action: {part.name}: learnt in {part.low:g}..{part.high:g}, kept in "
                    f"{other.low:g}..{other.high:g}"
                )
        for part in self._here.levels:
            if part.name not in self._level_of:
                what = f"always {part.noop:g}"
                self.notes.append(f"action: {part.name}: unknown to the policy, {what}")


def _outline(action: ActionSpec) -> tuple[object, ...]:
    """Give what must be equal for masks and actions to mean the same."""
    choices = [(p.name, p.options, p.masked, p.noop, set(p.forbidden)) for p in action.choices]
    return choices, [(part.name, part.low, part.high) for part in action.levels]


def _name_parts(action: ActionSpec) -> str:
    return list_names([*(p.name for p in action.choices), *(p.name for p in action.levels)])
