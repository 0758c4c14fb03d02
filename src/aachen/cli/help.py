"""Help for a player: a short text, and the rules in a few paragraphs."""

from aachen.carolus import State
from aachen.carolus.words import LEAST_REGIONS, TILES, castles_at, cubes_at, reserve_at
from aachen.cli.terminal import MOST_WIDTH, text_columns, wrap

AIM = """\
The aim: get all your castles onto the board first. Where the Emperor halts, a castle goes up for the side that
counts most there: its castles, and the cubes of the clans that it controls. You control a clan (it stands in
brackets) if your court has more of its cubes than any other court."""
ROUND = """\
A round: everyone lays a disc, and the lowest goes first. A turn: play cubes from your reserve to your court or to
regions, move the Emperor at most as far as your disc says, throw dice for new cubes. More: help rules"""
ACTIONS = {
    "d3": "lay disc 3",
    "rE": "red cube to region E",
    "r@": "red cube to your court",
    "m2": "Emperor moves 2 regions",
    "=r": "name red (crown, joker)",
    "all": "choose no die, throw all",
    "#4": "number 4 of the list",
    "r@ gE": "several on one line",
}
COMMANDS = {
    "list": "what you may do now (or Enter)",
    "forecast": "what each region would bring",
    "board": "draw the board again",
    "undo": "take your last action back",
    "save FILE": "write the game to a file",
    "load FILE": "go on with a saved game",
    "help rules": "how the game is played",
    "quit": "stop; the game is kept",
}


def help_text() -> str:
    """What to type, and the game in a few words."""
    actions = ["Actions", *(f"  {word:<6} {meaning}" for word, meaning in ACTIONS.items())]
    commands = ["Commands", *(f"  {word:<10} {meaning}" for word, meaning in COMMANDS.items())]
    if text_columns() < MOST_WIDTH:
        table = [*actions, "", *commands]
    else:
        table = [f"{left:<34}{right}" for left, right in zip(actions, commands, strict=True)]
    return "\n".join([wrap(AIM), "", wrap(ROUND), "", *table])


def rules_text(state: State) -> str:
    """The rules for this game: its number of players and its variants."""
    return "\n\n".join(wrap(paragraph, "  ") for paragraph in _paragraphs(state))


def _paragraphs(state: State) -> list[str]:
    s = state.position[0]
    players, cubes, castles = state.players, cubes_at(state.players), castles_at(state.players)
    told = [
        f"Table: {TILES} tiles in a ring, each with a cube. You have {reserve_at(players)} cubes in reserve, and your "
        f"side has {castles} castles to place.",
    ]
    if players == 4:
        told.append(
            "Partners: those who sit opposite each other share their castles, and win or lose together. Courts, "
            "reserves and discs are each one's own. A partner's clans count for the side all the same."
        )
    told += [
        "Discs: everyone lays one of the discs 1 to 5 that are left. A number that somebody has laid in this round is "
        "barred, unless you have no other. The lowest number has the first turn; of equal ones, the one laid first. "
        "After every five rounds all discs come back.",
        f"Cubes: a turn begins with {cubes} cubes from your reserve (all you have, if they are fewer), each to your "
        "court or to any region. What is played stays.",
        "Control: whoever has more cubes of a clan at court than every other player gets its marker. A tie moves no "
        "marker. The first cube of a clan at any court takes a marker that nobody has.",
        "The Emperor: he goes clockwise, at least 1 region and at most as many as your disc says. Then the region "
        "where he halts is counted: for each side its castles there, and the cubes of the clans that it controls. "
        "It does not matter who moved him.",
        "Build: the side that counts most in a region without castles builds one. With a tie for the most nobody "
        "does, and nothing changes.",
        "Takeover: if the region has castles and another side counts more than their owner and everybody else, it "
        "puts its own castles in their place, one for each; the owner gets his back. A side gets nothing more from "
        "a region that is its own already.",
        "Joining: a region that was built on or taken over joins its neighbours that bear castles of the same side. "
        "Joined regions stay one for good.",
        f"Dice: at the end of your turn you throw {cubes}, and take a cube for each clan that they show."
        + _crowns(bool(s["deferred"])),
    ]
    if s["choose_one"]:
        told.append("Choosing: before the throw you may take one cube of your choice, and throw one die fewer.")
    told += [
        "Short supply: if a clan has run out, all courts give back equally many cubes of it, as many as the smallest "
        "court has. If a court has none, a die with that clan counts as a crown.",
        f"The end: a side that has placed its {castles} castles has won at once. If fewer than {LEAST_REGIONS} regions "
        "are left, or nobody has a cube in reserve when a round begins, or "
        f"{int(s['round_limit'])} rounds have been played, most castles on the board win; equally many are a draw.",
    ]
    return told


def _crowns(deferred: bool) -> str:
    if not deferred:
        return " For a crown you name the clan."
    return " A crown becomes a joker (*) in your reserve; when your next turn begins, you name a clan for each."
