"""Kulami as an environment of PettingZoo: two agents that place marbles in turn.

    player_0    red                     player_1    black

`env` makes one; importing this also registers it, so that `pettingzoo.make("aec",
"kulami/Kulami-v0", layout="square")` does.

    observation   the planes of `kulami_solver.adapters.planes.PLANES` as the agent sees them, an
                  array (planes, height, width)
    action        the number of a field; `action_mask` in `infos`, or in the observation if that is
                  asked for, shows the legal ones
    reward        at the end of the game, the margin or the outcome

An illegal field ends the game, and the agent gets the worst possible return.

Needs PettingZoo, the `pettingzoo` extra. Source: pettingzoo.farama.org, "AEC API".

Examples:
    >>> environment = env(layout="ABBCD/ABBCD/ABBEE/FFFEE")
    >>> environment.reset(seed=1)
    >>> for agent in environment.agent_iter():
    ...     observation, reward, terminated, truncated, info = environment.last()
    ...     over = terminated or truncated
    ...     environment.step(None if over else int(info["action_mask"].argmax()))
    >>> agent, reward
    ('player_0', -2.0)
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

try:
    import pettingzoo
    from gymnasium import spaces
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper
except ImportError as error:
    from ..errors import Phrase

    named = {"package": "PettingZoo", "extra": "pettingzoo"}
    raise ImportError(Phrase("extra_missing", **named)) from error

from ..core.budgets import number_or_none
from ..core.whole_numbers import seeded, whole
from ..errors import IllegalMoveError, KulamiError, quoted
from ..kulami.drawing.render import board_ansi
from ..kulami.game import KulamiGame, make_game
from ..kulami.position.layout import Layout
from ..kulami.position.layout_text import MAX_FIELDS
from ..kulami.position.position import Position
from .planes import HIGHEST, Planes, checked_returns, returned, widest_margin

__all__ = ["env", "parallel_env"]

IDENTIFIER: Final = "kulami/Kulami-v0"
"""The environment's name in PettingZoo's registries."""

_RANDOM: Final = {"random": (False, 8), "irregular": (True, 10)}  # and the side of the planes
_MASKS: Final = ("info", "observation")
_RENDER_MODES: Final = ("human", "rgb_array")
_PICTURE: Final = (640, 720)  # pixels, whatever the layout
_PAPER: Final = (246, 241, 232)
_SEEDS: Final = 2**31


class LegalFields(spaces.Discrete):
    """The numbers of fields; without a mask, only legal ones are sampled."""

    def __init__(self, fields: int, mask: Callable[[], NDArray[np.int8]]) -> None:
        super().__init__(fields)
        self._legal = mask

    def contains(self, x: Any) -> bool:
        """Whether it is the number of a field; True and False are none."""
        return whole(x) is not None and super().contains(x)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a field that is legal now, or one of `mask` or by `probability`."""
        if mask is None and probability is None:
            mask = self._legal()
        return super().sample(mask, probability)


class KulamiEnv(pettingzoo.AECEnv):  # type: ignore[misc]  # pettingzoo has no types
    """The environment itself, which takes legal fields only; `env` wraps it.

    Args:
        layout: square, rulebook, a layout's rows, or a `Layout`; random for another 8x8 at each
            reset, or irregular for one of any shape inside 10x10. The seed given to `reset` is that
            of `Layout.random`.
        returns: what is rewarded, margin (in points) or outcome (1, 0 or -1).
        action_mask: where the mask of legal fields is, info or observation; in the latter case an
            observation is a dict with `observation` and `action_mask`.
        render_mode: human prints the board in the terminal's colours after each marble; with
            rgb_array `render` returns it, 640 pixels wide, 720 high.
        most_marbles: marbles of both colours after which the game is truncated; None for never.
        options: further options of `kulami_solver.game.load_game`: scoring, first, marbles ...

    Raises:
        KulamiError: if one of them makes no sense.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "kulami_v0",
        "render_modes": list(_RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        layout: Layout | str = "square",
        *,
        returns: str = "margin",
        action_mask: str = "info",
        render_mode: str | None = None,
        most_marbles: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        if action_mask not in _MASKS:
            raise KulamiError(f"action_mask is {quoted(action_mask)}: write {' or '.join(_MASKS)}")
        if render_mode is not None and render_mode not in _RENDER_MODES:
            raise KulamiError(
                f"render_mode is {quoted(render_mode)}: write {', '.join(_RENDER_MODES)} or None"
            )
        self._returns = checked_returns(returns)
        self._in_observation = action_mask == "observation"
        self.render_mode = render_mode
        self._most_marbles = number_or_none("max_cycles", most_marbles)
        self._random: tuple[bool, int] | None = _RANDOM.get(str(layout))
        if self._random is not None:
            layout = Layout.random(0, self._random[0])
        self._game: KulamiGame = make_game(layout, **options)
        side = None if self._random is None else self._random[1]
        self._planes = Planes(self._game.layout, side, side)
        self._seeds = random.Random()
        self.position: Position = self._game.start().position
        """The position."""

        fields = len(self._game.layout)
        planes = spaces.Box(0, HIGHEST, self._planes.shape, np.float32)
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        self._action_spaces = {
            agent: LegalFields(fields, self._legal) for agent in self.possible_agents
        }
        mask = spaces.Box(0, 1, (fields,), np.int8)
        self._observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Dict({"observation": planes, "action_mask": mask})
            if self._in_observation
            else planes
            for agent in self.possible_agents
        }

    @property
    def layout(self) -> Layout:
        """The layout that is played on."""
        return self._game.layout

    @property
    def worst(self) -> float:
        """A lower bound of the returns of all games."""
        if self._returns == "outcome":
            return -1.0
        if self._random is None:
            return -float(widest_margin(self.layout, self._game.scoring, self._game.marbles))
        # A bound for any layout: each marble is in at most one area and four chains.
        own = min(self._game.marbles, MAX_FIELDS // 2)
        scoring = self._game.scoring
        return -float(MAX_FIELDS + own * (scoring.area + 4 * scoring.chains))

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> LegalFields:
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: of the layout, if that is random, and of those of the following resets.
            options: ignored.
        """
        if seed is not None:
            self._seeds = seeded(seed)
        if self._random is not None:
            irregular, side = self._random
            number = self._seeds.randrange(_SEEDS) if seed is None else seed
            self._game = replace(self._game, layout=Layout.random(number, irregular))
            self._planes = Planes(self._game.layout, side, side)
        self.position = self._game.start().position
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._turn()

    def observe(self, agent: str) -> Any:
        planes = self._planes.of(self.position, self.possible_agents.index(agent))
        if not self._in_observation:
            return planes
        return {"observation": planes, "action_mask": self._mask_of(agent)}

    def step(self, action: int | None) -> None:
        """Place a marble for the agent to move; None once the game is over for it.

        Raises:
            IllegalMoveError: if the field is not legal, or no whole number; what `env` returns
                takes any field.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        field = whole(action)
        if field is None:
            last = len(self.layout) - 1
            raise IllegalMoveError("no_field_number", number=action, last=last)
        self.position = self.position.play(field)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        placed = len(self.layout) - self.position.free_count
        if self.position.is_over:
            red = returned(self.position.score(self._game.scoring).margin, self._returns)
            self.rewards = dict(zip(self.agents, (red, -red), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        elif self._most_marbles is not None and placed >= self._most_marbles:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._turn()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Print the board, or return it as an array of pixels, as `render_mode` says.

        Raises:
            KulamiError: if there is no mode, or Pillow is missing, which draws pixels.
        """
        if self.render_mode is None:
            raise KulamiError(
                f"nothing is drawn without a render_mode: give {' or '.join(_RENDER_MODES)}"
            )
        if self.render_mode == "human":
            print(board_ansi(self.position), flush=True)
            return None
        png = self.position.png()
        from PIL import Image, ImageOps

        with Image.open(io.BytesIO(png)) as image:
            return np.array(ImageOps.pad(image.convert("RGB"), _PICTURE, color=_PAPER))

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def _turn(self) -> None:
        """Select the next agent, and set the masks of legal fields."""
        self.agent_selection = self.possible_agents[self.position.turn == "black"]
        self.infos = {
            agent: {} if self._in_observation else {"action_mask": self._mask_of(agent)}
            for agent in self.agents
        }

    def _legal(self) -> NDArray[np.int8]:
        """Which fields are legal, whoever is to move."""
        mask = self.position.legal_mask
        bits = np.unpackbits(np.array([mask], "<u8").view(np.uint8), bitorder="little")
        return bits[: len(self.layout)].astype(np.int8)

    def _mask_of(self, agent: str) -> NDArray[np.int8]:
        """Which fields an agent may play: none if it is not its turn."""
        if agent == self.agent_selection:
            return self._legal()
        return np.zeros(len(self.layout), np.int8)


class AllAtOnce(turn_based_aec_to_parallel_wrapper):  # type: ignore[misc]
    """PettingZoo's view of the environment for all agents at once, which explains wrong actions."""

    def step(self, actions: Mapping[str, int | None]) -> tuple[dict[str, Any], ...]:
        """Place a marble for the agent whose turn it is; nothing once the game is over.

        Raises:
            KulamiError: if that agent has no action, or there is no game yet.
        """
        agents = getattr(self, "agents", None)
        if agents is None:
            raise KulamiError("there is no game yet: call reset before step")
        if not agents:
            return {}, {}, {}, {}, {}
        agent = self.aec_env.agent_selection
        if not isinstance(actions, Mapping) or actions.get(agent) is None:
            raise KulamiError(
                f"the actions are {quoted(actions)}: give a dict with the field of {agent}, whose "
                "turn it is"
            )
        stepped: tuple[dict[str, Any], ...] = super().step(actions)
        return stepped


def env(*, max_cycles: int | None = None, **options: Any) -> pettingzoo.AECEnv:
    """Return the environment, with the usual wrappers.

    Args:
        max_cycles: marbles of each colour after which the game is truncated; None for never.
        options: those of `KulamiEnv`: layout and the other options of the game, returns,
            action_mask and render_mode.

    Raises:
        KulamiError: if an option makes no sense.

    Examples:
        >>> environment = env(layout="random", scoring="level2")
        >>> environment.reset(seed=5)
        >>> environment.unwrapped.layout == Layout.random(5)
        True
    """
    cycles = number_or_none("max_cycles", max_cycles)
    return _wrapped(most_marbles=None if cycles is None else 2 * cycles, **options)


def parallel_env(*, max_cycles: int | None = None, **options: Any) -> pettingzoo.ParallelEnv:
    """Return the environment for programs that step all agents at once.

    A step is one marble: the action of the agent whose turn it is counts. `active_agent` in the
    infos of a step says whose it is next; after `reset` it is `first`'s.

    Args:
        max_cycles: number of steps after which the game is truncated; None for never.
        options: as for `env`.

    Raises:
        KulamiError: if an option makes no sense.
    """
    return AllAtOnce(_wrapped(most_marbles=max_cycles, **options))


def _wrapped(**options: Any) -> pettingzoo.AECEnv:
    """The environment in the usual order of wrappers.

    An illegal action is found before one out of bounds.
    """
    raw = KulamiEnv(**options)
    wrapped = wrappers.TerminateIllegalWrapper(raw, illegal_reward=raw.worst)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


for _kind, _registry, _maker in (
    ("aec", pettingzoo.aec_registry, "env"),
    ("parallel", pettingzoo.parallel_registry, "parallel_env"),
):
    if IDENTIFIER not in _registry:  # registering twice would cause a warning
        pettingzoo.register(_kind, IDENTIFIER, entry_point=f"{__name__}:{_maker}")
