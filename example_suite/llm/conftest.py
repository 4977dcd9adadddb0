import os
import sys
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--scripted", action="store_true", help="judge by a scripted server, which is no model"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--scripted"):
        sys.path.insert(0, str(Path(__file__).parent))
        import scripted_server

        os.environ["GROQ_BASE_URL"] = scripted_server.start()
        os.environ["GROQ_API_KEY"] = "scripted"


def pytest_report_header(config: pytest.Config) -> str | None:
    if config.getoption("--scripted"):
        return "replies are scripted: they show that everything works, and are no model's opinion"
    return None
