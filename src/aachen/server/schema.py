"""The database's tables. A change here needs a migration in `migrations/versions`; a test compares the two."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()

#: Rows get rising numbers; SQLite gives them to INTEGER keys alone.
NUMBER = BigInteger().with_variant(Integer, "sqlite")

players = Table(
    "players",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(40), nullable=False),
    Column("key", String(80), unique=True),  # the name in lower case; only accounts have one
    Column("password", String(200)),  # Argon2; none for a guest
    Column("email", String(200)),
    Column("settings", JSON, nullable=False),
    Column("created", Float, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("hash", String(64), primary_key=True),  # SHA-256 of the cookie or token
    Column("player", ForeignKey("players.id"), nullable=False, index=True),
    Column("kind", String(8), nullable=False),  # `cookie` or `token`
    Column("label", String(80), nullable=False),
    Column("created", Float, nullable=False),
    Column("expires", Float),  # tokens do not
)

tables = Table(
    "tables",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("game", String(40), nullable=False, index=True),
    Column("layout", JSON, nullable=False),  # all of entries.Layout but the seed
    Column("seed", LargeBinary, nullable=False),  # of the dice: never leaves the server before the end
    Column("owner", String(32), nullable=False),
    Column("is_public", Boolean, nullable=False),
    Column("status", String(12), nullable=False, index=True),
    Column("result", String(80), nullable=False),
    Column("opened", Float, nullable=False),
    Column("changed", Float, nullable=False),
    Column("due", Float, index=True),  # when a process has to do something here; 0 is at once
    Column("lease", Float, nullable=False),  # until when a process has taken that on
    Column("lease_by", String(32), nullable=False),
)

#: Who sits where, as the entries tell; kept for look-ups.
seats = Table(
    "seats",
    metadata,
    Column("table", ForeignKey("tables.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player", String(32), index=True),
    Column("name", String(40), nullable=False),
    Column("bot", String(20), nullable=False),
    Column("is_asked", Boolean, nullable=False),
)

entries = Table(
    "entries",
    metadata,
    Column("table", ForeignKey("tables.id"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(10), nullable=False),
    Column("at", Float, nullable=False),
    Column("seat", Integer),
    Column("text", Text, nullable=False),
    Column("draw", Integer),
    Column("player", String(32), nullable=False),
    Column("ref", String(64), nullable=False),
    Column("check", Text, nullable=False, quote=True),
    Column("facts", Text, nullable=False),
)

chat = Table(
    "chat",
    metadata,
    Column("id", NUMBER, primary_key=True),
    Column("table", ForeignKey("tables.id"), nullable=False, index=True),
    Column("player", String(32), nullable=False),
    Column("name", String(40), nullable=False),
    Column("side", Integer),  # of partners' talk; none for the whole table's
    Column("text", String(1000), nullable=False),
    Column("at", Float, nullable=False),
)

ratings = Table(
    "ratings",
    metadata,
    Column("game", String(40), primary_key=True),
    Column("player", String(32), primary_key=True),  # a person's id, or `bot:LEVEL`
    Column("name", String(40), nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("wins", Float, nullable=False),
)

#: What is to be told to people who are not there; a row is removed when it was sent.
notices = Table(
    "notices",
    metadata,
    Column("id", NUMBER, primary_key=True),
    Column("player", String(32), nullable=False),
    Column("table", String(32), nullable=False),
    Column("channel", String(10), nullable=False),  # `webhook` or `email`
    Column("target", String(500), nullable=False),
    Column("code", String(40), nullable=False),
    Column("due", Float, nullable=False, index=True),
    Column("tries", Integer, nullable=False),
)

#: Tables whose result has been counted in the ratings, so that it is counted once.
rated = Table("rated", metadata, Column("table", String(32), primary_key=True))

Index("my_turn", seats.c.player, seats.c.is_asked)
