"""Assertions read the same in coroutines."""

import asyncio

import pytest
from helpdesk import Assistant
from traces import trace_of

from pytest_trace import assert_adherent


@pytest.mark.asyncio
async def test_one_answer(assistant: Assistant) -> None:
    """Await the answer, then assert on its trace."""
    answer = await assistant.aask("When is the Hamburg shop open on Saturday?")
    assert_adherent(trace_of(answer))
    assert "10:00 to 18:00" in answer.text


@pytest.mark.asyncio
async def test_many_answers_at_once(assistant: Assistant) -> None:
    """A test can have several traces; each gets a row in the report."""
    questions = ["When is standard delivery free?", "Do you record phone calls?"]
    for answer in await asyncio.gather(*map(assistant.aask, questions)):
        assert_adherent(trace_of(answer))
