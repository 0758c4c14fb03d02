"""The same games on a Ray cluster. Ray is an extra: it is imported only here, and only when it is asked for."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from aachen.arena.match import Result, Settings, in_order, play
from aachen.core.errors import BadOptions


def run(settings: Settings, numbers: range, address: str | None = None, jobs: int | None = None) -> Iterator[Result]:
    """Plays these games as Ray tasks, and gives them in order: the same ones as `match.run`.

    Without an address a Ray of this machine's own is started, if this process has none yet, with as many processes as
    there are jobs. On the machines of a cluster, this package must be installed. Raises BadOptions.
    """
    ray = connected(address, jobs)
    task = ray.remote(play).options(num_cpus=1)
    shared = ray.put(settings)
    ahead = jobs or 3 * max(1, int(ray.cluster_resources().get("CPU", 1)))
    under_way: dict[int, Any] = {}

    def submit(number: int) -> Any:
        under_way[number] = task.remote(shared, number)
        return under_way[number]

    def get(game: Any) -> Result:
        result: Result = ray.get(game)
        del under_way[result.number]
        return result

    try:
        yield from in_order(submit, get, numbers, ahead)
    finally:
        for game in under_way.values():
            ray.cancel(game, force=True)


def mapper(address: str | None = None, jobs: int | None = None) -> Callable[..., list[Any]]:
    """A `map` whose calls are Ray tasks; for training. Raises BadOptions."""
    ray = connected(address, jobs)
    task = ray.remote(lambda function, item: function(item)).options(num_cpus=1)

    def run(function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        shared = ray.put(function)
        results: list[Any] = ray.get([task.remote(shared, item) for item in items])
        return results

    return run


def connected(address: str | None, jobs: int | None) -> Any:
    """Ray, connected. Raises BadOptions."""
    try:
        import ray
    except ImportError:
        raise BadOptions("no-ray", 'Ray is not installed; install it with: pip install "aachen[ray]"') from None
    if ray.is_initialized():
        return ray
    quiet: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False, "logging_level": "error"}
    try:
        own = {"address": "local", "num_cpus": jobs, **quiet}
        ray.init(**(own if address is None else {"address": address, "log_to_driver": False}))
    except (ConnectionError, RuntimeError, ValueError, AssertionError, OSError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise BadOptions("no-cluster", "there is no Ray cluster to be had at {address}: {why}",
                         address=address or "this machine", why=why) from None  # fmt: skip
    return ray
