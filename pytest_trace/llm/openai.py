"""The client of OpenAI and compatible servers: the only module that imports `openai`."""

from __future__ import annotations

from pytest_trace.errors import JudgeUnavailable
from pytest_trace.llm.chat import SdkClient
from pytest_trace.llm.client import Usage
from pytest_trace.llm.transport import Sdk
from pytest_trace.llm.vendor import Vendor


class OpenAiClient(SdkClient):
    """Asks a model on a server that speaks OpenAI's chat completions."""

    vendor = Vendor(
        kind="openai",
        key_variable="OPENAI_API_KEY",
        base_url_variable="OPENAI_BASE_URL",
        base_url="https://api.openai.com/v1",
    )

    def placeholder_key(self) -> str:
        """Servers of one's own seldom ask for a key, but the SDK does."""
        return "" if self.base_url == self.vendor.base_url else "no-key"

    def connect(self, *, is_async: bool) -> Sdk:
        try:
            import openai
        except ImportError:
            raise JudgeUnavailable(
                "the openai judge needs the openai package: pip install 'pytest-rag-trace[openai]'"
            ) from None
        make = openai.AsyncOpenAI if is_async else openai.OpenAI
        client = make(api_key=self.key, base_url=self.base_url, max_retries=0)
        return Sdk.of(openai, client)

    def price(self, usage: Usage) -> float | None:  # noqa: ARG002 - prices are those of Groq
        """Unknown: servers set their own."""
        return None
