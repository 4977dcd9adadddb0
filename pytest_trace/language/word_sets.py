"""Lists of words as they are written down in this package."""


def word_set(listed: str) -> frozenset[str]:
    """The words of `listed`, which are parted by spaces and line ends."""
    return frozenset(listed.split())
