"""`aachen migrate`: brings the service's database up to date."""

import argparse
import asyncio

from aachen.server.migrate import upgrade
from aachen.server.settings import from_environment


def run(args: argparse.Namespace) -> int:
    asyncio.run(upgrade(from_environment()))
    print("The database is up to date.")
    return 0
