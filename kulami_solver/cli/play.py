"""A game against a bot at the terminal, or by lines from a pipe: any game, by its `State`.

a move             play it; the other seats answer
best               play the best move
undo               take back the last move of one's own, and the answers
board, NOTATION    show the board; the position as one line
help, quit         and further questions of a game, such as `values`

grade              the cost of the moves so far, where the game can be graded

Cards and dice come by chance. In games with hidden information, the person who types sees only what
their player knows. With --json every line of output is an object; `by` says who has moved, or which
command was given.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import random
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, help_text
from kulami_solver.cli.bots import started
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.output import EXIT_INTERRUPTED, EXIT_OK, CommandError
from kulami_solver.cli.results import LINE_LIMIT, add_game, check_saved, text_lines
from kulami_solver.core.progress import is_terminal
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.bots.protocol import Player

# Words that are typed for others.
_SHORT: Final = {"?": "help", "exit": "quit", "q": "quit"}

#: The answer to a typed question, as text and as JSON.
Reply = tuple[str, Mapping[str, Any]]


class Valued:
    """The values of every move, by files or a search: a source that always answers.

    Args:
        sources: asked first.
        seconds: most that a search may take.
    """

    def __init__(self, sources: Sequence[ks.game.Source], seconds: float) -> None:
        self._sources = sources
        self._seconds = seconds
        self._known: dict[Any, ks.game.Answer] = {}

    def answer(self, question: ks.game.Question) -> Any:
        """Return the values, an answer of the game's own class; each position is searched once."""
        state = question.state
        if state.position not in self._known:
            asked = ks.game.Question(state, every_move=True, budget=ks.game.Budget(self._seconds))
            self._known[state.position] = ks.game.ask(asked, self._sources)
        return self._known[state.position]


class PlayedGame:
    """A game in progress. It fits any game; a game overrides the methods for its own words.

    Attributes:
        move_word: the game's word for a move.
        notation_word: the command for the position as one line; notation_key is its key in JSON.
        keys: the keys of JSON in their order, if that is not the usual order.
        covered: options that `position_words` replaces when the game goes on later.
        questions: further questions about the position, by name, with the functions that answer.
        states: the players' states so far, without the states of chance.
        turns: the moves played, each with the results of chance after it.
        opponent: the name of the player of the other seats.
        sides: the seats of the person who types, by name.

    Args:
        args: the arguments of the command; `parser` is its parser.
        start: the first state.
        sides: as above.
        choose: returns a move for the seat to move.
    """

    move_word: ClassVar[str] = "move"
    notation_word: ClassVar[str] = "position"
    notation_key: ClassVar[str] = ""
    keys: ClassVar[str] = ""
    covered: ClassVar[tuple[str, ...]] = ("moves",)
    opponent: str = ""

    def __init__(
        self,
        args: argparse.Namespace,
        start: ks.game.State,
        sides: tuple[str, ...],
        choose: Callable[[ks.game.State], str],
    ) -> None:
        self.args = args
        self.sides = sides
        self.choose = choose
        self.dice = random.Random(args.seed)
        self.turns: list[tuple[str, tuple[str, ...]]] = []
        self.questions: dict[str, Callable[[], Reply]] = {"moves": self.legal}
        self.begun: tuple[str, ...] = ()
        state, self.begun = self._after_chance(start)
        self.states = [state]

    @property
    def state(self) -> ks.game.State:
        """The current state."""
        return self.states[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.state.to_move == ks.game.NOBODY

    @property
    def turn(self) -> str:
        """The seat to move; once the game is over, the first seat of the person who types."""
        return (*self.sides, "")[0] if self.is_over else self.state.game.seats[self.state.to_move]

    @property
    def seat(self) -> int:
        """The seat from whose view the game is shown."""
        return self.state.game.seats.index(self.turn if self.turn in self.sides else self.sides[0])

    @property
    def winner(self) -> str | None:
        """The winner of the game; None if there is none, or none yet."""
        if not self.is_over:
            return None
        returns = self.state.returns()
        won = [seat for seat, points in enumerate(returns) if points == max(returns)]
        return self.state.game.seats[won[0]] if len(won) == 1 else None

    def legal(self) -> Reply:
        """Return the legal moves."""
        moves = self.state.moves
        return " ".join(moves) or "the game is over", {"moves": list(moves)}

    def typed(self, text: str) -> str:
        """Return a typed text as the game writes it."""
        return text

    def play(self, text: str) -> str:
        """Play a typed move, and return it as the game writes it.

        Raises:
            KulamiError: if it is no legal move.
        """
        move = self.state.move_of(self.typed(text))
        state, drawn = self._after_chance(self.state.play(move))
        self.states.append(state)
        self.turns.append((move, drawn))
        return move

    def play_reply(self) -> str:
        """Play a move for the seat to move, and return it."""
        return self.play(self.choose(self.state))

    def best(self) -> str:
        """Play the best move that can be found, and return it."""
        return self.play_reply()

    def take_back(self, moves: int) -> None:
        """Take back some moves; at least as many have been played."""
        del self.states[-moves:], self.turns[-moves:]

    def chance(self, state: ks.game.State, number: int) -> str:
        """Return a move of chance; `number` is the number of its moves before."""
        return self.dice.choices(state.moves, [float(part) for part in state.chances()])[0]

    def _after_chance(self, state: ks.game.State) -> tuple[ks.game.State, tuple[str, ...]]:
        """Return the next state with a player to move, and the moves of chance before it."""
        number = len(self.begun) + sum(len(drawn) for _, drawn in self.turns)
        drawn: tuple[str, ...] = ()
        while state.to_move == ks.game.CHANCE:
            drawn = *drawn, self.chance(state, number + len(drawn))
            state = state.play(drawn[-1])
        return state, drawn

    def notation(self) -> str:
        """Return the position as one line, as far as the person who types knows it."""
        state = self.state
        return state.known_to(self.seat) if state.game.has_hidden else state.notation()

    def drawn(self) -> str:
        """Return the board, with the words below it."""
        if self.is_over:
            points = zip(self.state.game.seats, self.state.returns(), strict=True)
            said = "game over: " + ", ".join(f"{seat} {number}" for seat, number in points)
            return f"{self._board()}\n{said}"
        return self._board()

    def _board(self) -> str:
        if self.state.game.has_hidden:
            return self.notation()
        return self.state.drawn(ascii_only=not output.draws_boards())

    def told(self, player: str | None) -> dict[str, Any]:
        """Return the keys of JSON besides the position's notation; `player` has just moved."""
        turn = None if self.is_over else self.turn
        return {"player": player, "turn": turn, "winner": self.winner}

    @property
    def played(self) -> list[str]:
        """All moves from the start that the command names, with those of chance."""
        moves = [*self.begun, *(word for move, drawn in self.turns for word in (move, *drawn))]
        return [*(self.args.moves or "").split(), *moves]

    def position_words(self) -> list[str]:
        """Return the options of the command that give the position, besides the unchanged ones."""
        said = " ".join(self.played)
        return ["--moves", said] if said else []

    def record(self) -> dict[str, Any]:
        """Return the game as a record for a file of games."""
        record = ks.game.options_of(self.state.game)
        start = {} if self.args.position is None else {"start": self.args.position}
        return {**record, **start, "moves": self.played, **self.ended, **self.players}

    @property
    def players(self) -> dict[str, str]:
        """The players, by seat."""
        return {seat: self._player(seat) for seat in self.state.game.seats}

    def _player(self, seat: str) -> str:
        return "you" if seat in self.sides else self.opponent

    @property
    def ended(self) -> dict[str, Any]:
        """The keys of a record about the end of the game: none if it is not over."""
        return {"winner": self.winner} if self.is_over else {}

    def to_go_on(self, before: str = "go on with ") -> str:
        """Return how to go on later: the options of the command that begin at the current state.

        All given options are kept.

        Args:
            before: the words before them.
        """
        parser = self.args.parser
        words = self.position_words()
        for action in parser._actions:
            if not action.option_strings or action.dest in (*self.covered, "help", "json"):
                continue
            given = getattr(self.args, action.dest)
            if action.nargs == 0 and given:
                words.append(action.option_strings[0])
            elif given is not None and _as_typed(given) != _as_typed(action.default):
                words += [action.option_strings[0], _as_typed(given)]
        return before + shlex.join(words)


def _as_typed(value: object) -> str:
    """An option's value as it is given on the command line."""
    return f"{value:g}" if isinstance(value, float) else str(getattr(value, "value", value))


def add_play(commands: Commands, game: GameCommands) -> None:
    """Add `play`."""
    parser = add_command(commands, "play", run_play, "play against a bot", game)
    game.add_position_options(parser)
    game.add_play_options(parser)
    parser.file("--save", "add the game to FILE, a record on each line, when you leave it")
    if "grade" in game.shared:
        parser.switch("--grade", "judge the moves once the game is over")
    parser.set_defaults(parser=parser)


def run_play(game: GameCommands, args: argparse.Namespace) -> int:
    """Play a game at the terminal, or by lines from a pipe."""
    words = help_text(args.parser.prog).partition("\n\n")[0]
    with contextlib.ExitStack() as stack:
        if args.save is not None:
            check_saved(args.save, game)
        own = game.module("play")
        played = _usual(game, args, stack) if own is None else own.game_played(args, stack)
        if "grade" in game.shared:
            played.questions["grade"] = functools.partial(_graded, game, played, stack)
        return play_at_terminal(game, args, played, words)


def _graded(game: GameCommands, played: PlayedGame, stack: contextlib.ExitStack) -> Reply:
    """The cost of the moves of a game."""
    from kulami_solver.cli.records import graded, reader

    found = graded(reader(game, played.args, stack)(played.record(), 1, 1))
    return found.text("play on"), {"grade": found.to_json()}


def _usual(game: GameCommands, args: argparse.Namespace, stack: contextlib.ExitStack) -> PlayedGame:
    """The usual game against a bot, for any game."""
    from kulami_solver.bots.protocol import Clock

    state = game.state(args)
    bot = seated(game, args.bot, args.seed, stack)
    played = PlayedGame(args, state, (), functools.partial(bot.choose, clock=Clock(args.time)))
    played.opponent = bot.name
    played.sides = (args.side or played.turn,)
    return played


def seated(game: GameCommands, name: str, seed: int, stack: contextlib.ExitStack) -> Player:
    """Return a bot at the beginning of a game, which `stack` closes."""
    from kulami_solver.bots.description import described
    from kulami_solver.bots.naming import make_player

    (bot,) = started(
        stack, [described(name)], lambda one, _: make_player(one, seed, True, game=game.name)
    )
    bot.new_game()
    return bot


def entered(prompt: Callable[[], str]) -> Iterator[str]:
    """The lines that a person types, or the lines of a pipe."""
    if is_terminal(sys.stdin) and is_terminal(sys.stdout):
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (gives input() a history)
        with contextlib.suppress(EOFError):
            while True:
                yield input(prompt()).strip()
        return
    yield from text_lines("standard input", "-", LINE_LIMIT, "one move or command")


def play_at_terminal(
    commands: GameCommands, args: argparse.Namespace, game: PlayedGame, words: str
) -> int:
    """Play until the person leaves, and say how to go on from there.

    Args:
        commands: the parts of the game that its commands need.
        args: whether to answer in `json`, and to `grade` the game at its end; the file in which to
            `save` the game when play ends in any way.
        game: the game at its beginning.
        words: the answer to `help`.

    Returns:
        The exit code.

    Raises:
        KulamiError: if the bot cannot go on; how to go on without it has been said.
    """
    table = _Table(args.json, game, words)
    try:
        with contextlib.ExitStack() as leaving:
            if args.save is not None:
                leaving.callback(table.save, args.save, commands)
            table.play()
    except KeyboardInterrupt:
        output.message("interrupted", game.to_go_on())
        return EXIT_INTERRUPTED
    except KulamiError:
        if game.turns and not game.is_over:
            output.message("note", game.to_go_on())
        raise
    return EXIT_OK


class _Table:
    """The table of a game: it takes the typed lines and says what happens."""

    def __init__(self, json: bool, game: PlayedGame, words: str) -> None:
        self._json = json
        self._game = game
        self._words = words

    def play(self) -> None:
        """Play until somebody leaves."""
        game = self._game
        if self._json:
            self._tell(None, "start")
        else:
            output.line(game.drawn())
        texts = entered(lambda: f"{game.turn}> ")
        while True:
            if not game.is_over and game.turn not in game.sides:
                self._tell(game.play_reply(), "computer")
                continue
            text = next(texts, "quit")
            try:
                if not self._obey(text):
                    return
            except (CommandError, KulamiError) as error:
                output.message("error", error)

    def save(self, path: str, commands: GameCommands) -> None:
        """Add the game to a file, if a move was made."""
        game = self._game
        if not game.turns:
            return
        try:
            place = add_game(path, commands, game.record())
        except CommandError:
            output.message("note", game.to_go_on())
            raise
        if self._json:
            output.json_line({"by": "save", "file": path, "game": place})
            return
        unfinished = "" if game.is_over else ", not over (*)"
        output.line(f"saved: {path}, game {place}{unfinished}")
        if "grade" in game.questions:
            command = game.args.parser.prog.rpartition(" ")[0]
            graded = shlex.join([*command.split(), "grade", path, "--game", str(place)])
            output.line(f"to see what the moves cost: {graded}")

    def _obey(self, text: str) -> bool:
        """Carry out a typed line; return False to leave."""
        game = self._game
        asked = _SHORT.get(text.lower(), text.lower())
        if asked == "quit":
            if not self._json and not game.is_over:
                output.line(game.to_go_on("to go on: "))
            return False
        if asked == "help":
            self._say(self._words, {"help": self._words})
        elif asked in ("board", game.notation_word) and self._json:
            self._tell(None, asked)
        elif asked == "board":
            output.line(game.drawn())
        elif asked == game.notation_word:
            output.line(game.notation())
        elif asked in game.questions:
            self._say(*game.questions[asked]())
        elif asked == "undo":
            self._undo()
        elif asked == "best" and not game.is_over:
            self._tell(game.best(), "best")
        elif asked and asked != "best":
            self._tell(game.play(text), "you")
        return True

    def _undo(self) -> None:
        """Take moves back to the last turn of the person who types."""
        game = self._game
        seats = game.state.game.seats
        for back, state in enumerate(reversed(game.states[:-1]), 1):
            if seats[state.to_move] in game.sides:
                game.take_back(back)
                self._tell(None, "undo")
                return
        raise CommandError(f"there is no {game.move_word} of yours to take back")

    def _say(self, text: str, answer: Mapping[str, Any]) -> None:
        if self._json:
            output.json_line(answer)
        else:
            output.line(text)

    def _tell(self, move: str | None, by: str) -> None:
        """Tell the last event, and the position after it."""
        game = self._game
        before = None if move is None else game.states[-2]
        player = None if before is None else before.game.seats[before.to_move]
        if self._json:
            key = game.notation_key or game.notation_word
            named = {key: game.notation(), "over": game.is_over, **game.told(player)}
            answer = {"by": by, game.move_word: move, **named}
            output.json_line({key: answer[key] for key in game.keys.split() or answer})
        else:
            if player is not None and by in ("computer", "best"):
                output.line(f"{player}: {move}")
            output.line(game.drawn())
        if move is not None and game.is_over and "grade" in game.questions:
            self._offer_grade()

    def _offer_grade(self) -> None:
        if self._game.args.grade:
            self._say(*self._game.questions["grade"]())
        elif not self._json:
            output.line("type grade to see what the moves cost")
