"""Print the lower bound of every run-time dependency as a pip constraint: name==bound."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))


def main() -> None:
    project = PROJECT["project"]
    extras = [item for extra in project["optional-dependencies"].values() for item in extra]
    for requirement in [*project["dependencies"], *extras]:
        print(re.sub(r"(\[.*\])?>=", "==", requirement))


if __name__ == "__main__":
    main()
