from benchmarks.poller import Poller

A, B, C = "sales/part=1/a", "sales/part=1/b", "sales/part=2/c"


def test_a_poller_sees_holes_and_doubles_from_one_listing_to_the_next() -> None:
    listings = iter([[A, C], [C], [A, B, C], [B, C]])
    poller = Poller(lambda: next(listings), "sales")
    for _ in range(3):
        poller.look()
    seen = poller.seen()
    assert (poller.polls, seen.missing_partitions) == (3, 1)
    assert seen.missing_longest_seconds >= 0
    assert seen.doubled_seconds is not None
    poller_sees_nothing = Poller(lambda: [A], "sales")
    poller_sees_nothing.look()
    assert poller_sees_nothing.seen().missing_partitions == 0


def test_a_poller_lists_by_itself_until_its_block_ends() -> None:
    calls = 0

    def keys() -> list[str]:
        nonlocal calls
        calls += 1
        return [A]

    with Poller(keys, "sales") as poller:
        while poller.polls < 2:
            pass
    ended = calls
    assert ended == poller.polls + 1  # One more to know what was there.
    assert poller.seen().missing_seconds == 0
