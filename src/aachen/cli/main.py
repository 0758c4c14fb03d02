"""The command line. Only what a subcommand needs is imported, so that help comes at once."""

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import NoReturn

from aachen import __version__
from aachen.cli.terminal import accept_any_text, clean, without_rule

EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


def main(argv: list[str] | None = None) -> int:
    """Runs the command; the exit code is 0, 1 where `verify` finds something wrong, 2 after an error, or 130 after
    Ctrl-C."""
    accept_any_text()
    args = parser().parse_args(argv)
    try:
        return _run(args)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return 0
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
        print(f"aachen: {clean(reason)}", file=sys.stderr)
        return EXIT_ERROR


def _run(args: argparse.Namespace) -> int:
    from aachen.core.errors import AachenError

    try:
        command = import_module(f"aachen.cli.{args.command}")
        code = int(command.run(args) or 0)
        sys.stdout.flush()
        return code
    except AachenError as error:
        print(f"aachen: {without_rule(clean(str(error)))}", file=sys.stderr)
        return EXIT_ERROR


def _forget_output() -> None:
    """Nobody reads on (as with `aachen replay FILE | head`): what is not written yet goes nowhere."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the arguments."""

    def error(self, message: str) -> NoReturn:
        print(f"aachen: {clean(message)} (see: {self.prog} --help)", file=sys.stderr)
        sys.exit(EXIT_ERROR)


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Reads an argument that is a whole number within these bounds."""

    def read(text: str) -> int:
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"{clean(text, 40)!r} is no whole number from {least} to {most}")
        return int(text)

    return read


def seconds(text: str) -> float:
    """Reads an argument that is a time."""
    try:
        time = float(text)
    except ValueError:
        time = 0.0
    if not 0 < time <= 3600:
        raise argparse.ArgumentTypeError(f"{clean(text, 40)!r} is no time in seconds, above 0 and up to 3600")
    return time


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="aachen", description="Carolus Magnus: play it, replay it, simulate it.")
    top.add_argument("--version", action="version", version=f"aachen {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_play(commands.add_parser("play", help="play in the terminal, with people and bots"))
    _add_replay(commands.add_parser("replay", help="look through a game record, step by step"))
    _add_show(commands.add_parser("show", help="draw a position"))
    _add_verify(commands.add_parser("verify", help="check that the dice of a game were fair"))
    _add_simulate(commands.add_parser("simulate", help="let bots play many games, and count"))
    _add_analyse(commands.add_parser("analyse", help="ask a bot about a position: chances to win, best actions"))
    _add_review(commands.add_parser("review", help="judge a game: mistakes, luck, and the chances to win"))
    _add_arena(commands.add_parser("arena", help="let bots play matches, and rate them"))
    _add_train(commands.add_parser("train", help="teach the bots' network by self-play"))
    _add_serve(commands.add_parser("serve", help="open tables for people: the service"))
    _add_migrate(commands.add_parser("migrate", help="bring the service's database up to date"))
    return top


def _add_play(play: argparse.ArgumentParser) -> None:
    play.description = "Play Carolus Magnus. Without options you are asked; any option skips the questions."
    play.add_argument("--players", type=int, choices=(2, 3, 4), help="number of players")
    play.add_argument(
        "--seats", metavar="WHO,WHO", help="who sits where: human, human:NAME, or a bot (page to emperor), by commas"
    )
    _add_variants(play)
    play.add_argument("--talk", choices=("open", "none"), help="whether partners may talk, with 4 players (C26)")
    _add_seed(play, "a number that makes dice and bots the same each time")
    play.add_argument("--new", action="store_true", help="a new game at once; one under way is kept under another name")
    _add_colour(play)


def _add_replay(replay: argparse.ArgumentParser) -> None:
    replay.description = "Look through a game record: step by step on a terminal, else all of it."
    replay.add_argument("file", metavar="FILE", help="a saved game (- for standard input)")
    replay.add_argument(
        "--step", type=whole_number(0, 1_000_000), metavar="N", help="begin at the position after step N"
    )
    replay.add_argument("--all", action="store_true", help="print every step, and the board at each round's start")
    _add_colour(replay)


def _add_show(show: argparse.ArgumentParser) -> None:
    show.description = "Draw a position, or the one in which a game record ends."
    show.add_argument(
        "position", metavar="POSITION", help="a position's text, a file that has it or a game, or - for input"
    )
    _add_colour(show)


def _add_verify(verify: argparse.ArgumentParser) -> None:
    verify.description = (
        "Check that the deals and throws of a game with fair dice are those that its seed, table and nonces give. "
        "The exit code is 0 if they are, and 1 if not."
    )
    verify.add_argument("file", metavar="RECORD", help="a saved game (- for standard input)")


def _add_train(train: argparse.ArgumentParser) -> None:
    train.description = "Teach the network by self-play. The same command goes on after an interruption."
    train.add_argument("--folder", metavar="FOLDER", required=True, help="where the run is kept")
    train.add_argument("--players", type=int, choices=(2, 3, 4), help="number of players (2)")
    train.add_argument("--games", type=whole_number(16, 10**9), default=100_000, metavar="N", help="how many (100000)")
    train.add_argument("--seed", type=whole_number(1, 2**63), metavar="N", help="a number that makes another run (1)")
    train.add_argument("--jobs", type=whole_number(1, 1024), metavar="N", help="threads that share the work")
    _add_ray(train)


def _add_serve(serve: argparse.ArgumentParser) -> None:
    serve.description = "Serve tables over HTTP and WebSocket. Settings come from the environment (docs/deploy.md)."
    serve.add_argument("--host", default="127.0.0.1", help="the address to listen at (127.0.0.1)")
    serve.add_argument("--port", type=whole_number(0, 65535), default=8000, help="the port (8000); 0 takes a free one")
    serve.add_argument("--no-browser", action="store_true", help="do not open the browser")


def _add_migrate(migrate: argparse.ArgumentParser) -> None:
    migrate.description = "Bring the schema of the database of AACHEN_DATABASE_URL up to date."


def _add_simulate(simulate: argparse.ArgumentParser) -> None:
    simulate.description = "Let bots play many games, and tell who wins and how."
    games = whole_number(1, 10_000_000)
    simulate.add_argument("--games", type=games, default=10_000, metavar="N", help="how many games (10000)")
    simulate.add_argument("--players", type=int, choices=(2, 3, 4), help="number of players (2)")
    simulate.add_argument("--seats", metavar="BOT,BOT", help="the bots by seat, by commas (all random)")
    _add_seed(simulate, "a number that makes the games the same each time (0)")
    simulate.add_argument("--jobs", type=whole_number(1, 256), metavar="N", help="threads that share the work")
    _add_variants(simulate)
    simulate.add_argument("--output", metavar="FILE", help="also write the results to a .json or .csv file")


def _add_analyse(analyse: argparse.ArgumentParser) -> None:
    analyse.description = "Ask a bot about a position: each side's chance to win, the best actions, and what follows."
    analyse.add_argument(
        "position", metavar="POSITION", help="a position's text, a file that has it or a game, or - for input"
    )
    analyse.add_argument("--step", type=whole_number(0, 1_000_000), metavar="N", help="of a game: after step N (last)")
    analyse.add_argument("--level", default="emperor", help="the bot: emperor, paladin or search (emperor)")
    _add_budget(analyse, "for the whole analysis (as the level thinks for a turn)")
    analyse.add_argument("--lines", type=whole_number(1, 1000), default=3, metavar="K", help="how many actions (3)")


def _add_review(review: argparse.ArgumentParser) -> None:
    review.description = "Judge a whole game: chances to win, what each turn lost, the worst mistakes, luck and skill."
    review.add_argument("file", metavar="RECORD", help="a saved game (- for standard input)")
    _add_budget(review, "for each decision (10000 positions)")
    review.add_argument("--plot", metavar="FILE", help="draw the chances to win: a .svg or .png file")
    review.add_argument("--output", metavar="FILE", help="also write everything to a .json file")


def _add_budget(command: argparse.ArgumentParser, words: str) -> None:
    budget = command.add_mutually_exclusive_group()
    budget.add_argument("--seconds", type=seconds, metavar="S", help=f"think so long {words}")
    most = whole_number(1, 1_000_000_000)
    budget.add_argument("--positions", type=most, metavar="N", help="or look at so many positions")


def _add_arena(arena: argparse.ArgumentParser) -> None:
    arena.description = "Let bots play pairs of games, on the same dice with seats swapped, and rate them."
    arena.add_argument(
        "bots", nargs="+", metavar="BOT", help="two or more; with a budget for a turn: emperor@0.2s, paladin@2000"
    )
    games = whole_number(1, 10_000_000)
    arena.add_argument("--games", type=games, default=400, metavar="N", help="games for each two bots (400)")
    arena.add_argument("--players", type=int, choices=(2, 3, 4), default=2, help="number of players (2)")
    _add_seed(arena, "a number that makes deals and dice the same each time (0)")
    arena.add_argument("--jobs", type=whole_number(1, 256), metavar="N", help="games at the same time (all cores)")
    _add_variants(arena)
    sprt = "stop when it is clear which of two differences is right (0 50)"
    arena.add_argument("--sprt", nargs="*", type=float, metavar="ELO", help=sprt)
    arena.add_argument("--output", metavar="FILE", help="write every game to a .json or .csv file; go on if it exists")
    arena.add_argument("--plot", metavar="FILE", help="draw the ratings to a .svg or .png file")
    _add_ray(arena)


def _add_variants(command: argparse.ArgumentParser) -> None:
    command.add_argument("--dice", choices=("all", "choose-one"), help="throw all dice, or may choose one (C24)")
    command.add_argument("--crowns", choices=("at-once", "deferred"), help="when crowns are named (C25)")
    limit = whole_number(1, 9999)
    command.add_argument("--round-limit", type=limit, metavar="N", help="the game ends after N rounds (100)")


def _add_ray(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--ray", nargs="?", const="", metavar="ADDRESS", help="play on a Ray cluster, or on a local Ray"
    )


def _add_seed(command: argparse.ArgumentParser, words: str) -> None:
    command.add_argument("--seed", type=whole_number(0, 2**63 - 1), metavar="N", help=words)


def _add_colour(command: argparse.ArgumentParser) -> None:
    command.add_argument("--colour", choices=("auto", "always", "never"), default="auto", help="colours (auto)")


if __name__ == "__main__":
    sys.exit(main())
