"""The client of Groq: the only module that imports its SDK, at the first call."""

from __future__ import annotations

from typing import Final

from pytest_trace.llm.chat import SdkClient
from pytest_trace.llm.client import Usage
from pytest_trace.llm.prices import batch_cost, cost
from pytest_trace.llm.transport import Sdk
from pytest_trace.llm.vendor import Vendor

_STRICT: Final = frozenset({"openai/gpt-oss-20b", "openai/gpt-oss-120b"})
_PATH: Final = "/openai/v1"


class GroqClient(SdkClient):
    """Asks a model on Groq."""

    vendor = Vendor(
        kind="groq",
        key_variable="GROQ_API_KEY",
        base_url_variable="GROQ_BASE_URL",
        base_url="https://api.groq.com",
        models=tuple(sorted(_STRICT)),
    )

    @property
    def can_take_schema(self) -> bool:
        return self.model in _STRICT

    @property
    def takes_reasoning_effort(self) -> bool:
        return self.model in _STRICT

    def corrected(self, base_url: str) -> str:
        """Without the path that the SDK puts behind it."""
        return base_url.removesuffix(_PATH)

    def connect(self, *, is_async: bool) -> Sdk:
        import groq

        make = groq.AsyncGroq if is_async else groq.Groq
        client = make(api_key=self.key, base_url=self.base_url, max_retries=0)
        return Sdk.of(groq, client)

    def price(self, usage: Usage) -> float | None:
        return cost(self.model, usage)

    def batch_price(self, usage: Usage) -> float | None:
        """US dollars for so many tokens in a batch; None where unknown."""
        return batch_cost(self.model, usage)
