"""Marks: which of them hold under which policy, and what each response sentence is."""

from __future__ import annotations

import pytest
from building import keyed, marked, supported, unsupported, verdict
from hypothesis import given
from strategies import judged_traces

from pytest_trace.errors import UnknownName
from pytest_trace.marks import check_support

POLICIES = ("default", "strict", "ragbench")
CLAIM = "You have 30 days."
REFUSAL = "The documents do not say."
TRANSITION = "Here is what I found:"

# What the judge said of a sentence, and whether it holds and what the sentence is, by policy.
CASES = {
    "document sentence": (CLAIM, supported(), ("claim", True), ("claim", True), ("claim", True)),
    "unsupported": (CLAIM, unsupported(), ("claim", False), ("claim", False), ("claim", False)),
    "unknown document sentence": (
        CLAIM,
        supported(0, "doc_9_s9"),
        ("claim", False),
        ("claim", False),
        ("claim", True),
    ),
    "general, nothing new": (
        TRANSITION,
        marked(0, "general"),
        ("filler", True),
        ("claim", False),
        ("filler", True),
    ),
    "general, known number and name": (
        "So 30 days for laptops at the Shop.",
        marked(0, "general"),
        ("filler", True),
        ("claim", False),
        ("filler", True),
    ),
    "general, new number": (
        "In short, 45 days.",
        marked(0, "general"),
        ("claim", False),
        ("claim", False),
        ("filler", True),
    ),
    "general, new name": (
        "In short, ask Acme Corp.",
        marked(0, "general"),
        ("claim", False),
        ("claim", False),
        ("filler", True),
    ),
    "general, unsupported": (
        TRANSITION,
        unsupported(mark="general"),
        ("claim", False),
        ("claim", False),
        ("claim", False),
    ),
    "general, with a document sentence": (
        TRANSITION,
        marked(0, "general", "doc_0_s0"),
        ("filler", True),
        ("claim", True),
        ("filler", True),
    ),
    "reasoning with operands": (
        "It is open for 9 hours.",
        marked(0, "numerical_reasoning", "doc_1_s0", "doc_1_s1"),
        ("claim", True),
        ("claim", True),
        ("claim", True),
    ),
    "reasoning without operands": (
        "It is open for 9 hours.",
        marked(0, "numerical_reasoning"),
        ("claim", False),
        ("claim", False),
        ("claim", True),
    ),
    "reasoning from a sentence without a number": (
        "It is open for 9 hours.",
        marked(0, "numerical_reasoning", "doc_0_s1"),
        ("claim", False),
        ("claim", True),
        ("claim", True),
    ),
    "pure refusal": (
        REFUSAL,
        marked(0, "supported_without_sentence"),
        ("refusal", True),
        ("refusal", False),
        ("refusal", True),
    ),
    "contradicted refusal": (
        REFUSAL,
        unsupported(0, "doc_0_s0"),
        ("refusal", False),
        ("refusal", False),
        ("claim", False),
    ),
    "refusal that claims": (
        "Not sure, but five years.",
        marked(0, "supported_without_sentence"),
        ("claim", False),
        ("claim", False),
        ("refusal", True),
    ),
    "well-known fact": (
        "Water boils at 100 degrees.",
        marked(0, "well_known_fact"),
        ("claim", False),
        ("claim", False),
        ("claim", True),
    ),
    "neither key nor mark": (
        CLAIM,
        marked(0, None),
        ("claim", False),
        ("claim", False),
        ("claim", True),
    ),
}


@pytest.mark.parametrize(
    ("text", "support", "policy", "expected"),
    [
        pytest.param(text, support, policy, expected, id=f"{name}-{policy}")
        for name, (text, support, *by_policy) in CASES.items()
        for policy, expected in zip(POLICIES, by_policy, strict=True)
    ],
)
def test_policy_decides_what_a_sentence_is(text, support, policy, expected):
    """Each policy has its own answer to each way of supporting a sentence."""
    (checked,) = check_support(keyed([text]), verdict(support), policy)
    assert (checked.role, checked.is_supported) == expected


@pytest.mark.parametrize(
    ("text", "support", "policy", "reason"),
    [
        ("In short, 45 days.", marked(0, "general"), "default", "'45 days' is new"),
        ("In short, ask Acme Corp.", marked(0, "general"), "default", "'Acme Corp' is new"),
        (CLAIM, marked(0, "supported_without_sentence"), "default", "but it is no refusal"),
        (CLAIM, marked(0, "well_known_fact"), "default", "known to the judge is not in the doc"),
        (CLAIM, marked(0, "numerical_reasoning"), "default", "no sentence with its operands"),
        (CLAIM, marked(0, None), "default", "the judge names no document sentence and no mark"),
        (
            TRANSITION,
            marked(0, "general"),
            "strict",
            "no document sentence is named (marks=strict)",
        ),
        (CLAIM, unsupported(reason="nothing about it"), "default", "nothing about it"),
        (CLAIM, supported(reason="says so"), "strict", "says so"),
    ],
)
def test_reason_says_why(text, support, policy, reason):
    """The reason is the policy's where it overruled the judge, and else the judge's."""
    (checked,) = check_support(keyed([text]), verdict(support), policy)
    assert reason in checked.reason


def test_filler_falls_with_a_claim():
    """A summary is not better than what it sums up."""
    sentences = keyed([TRANSITION, CLAIM, "It is 45 days."])
    checked = check_support(sentences, verdict(marked(0, "general"), supported(1), unsupported(2)))
    assert [(item.role, item.is_supported, item.reason) for item in checked] == [
        ("filler", False, "falls with resp_s2"),
        ("claim", True, None),
        ("claim", False, None),
    ]


def test_filler_does_not_fall_with_a_refusal():
    """A contradicted refusal is unsupported by itself; it is nothing that a filler sums up."""
    sentences = keyed([TRANSITION, REFUSAL])
    filler, refusal = check_support(sentences, verdict(marked(0, "general"), unsupported(1)))
    assert (filler.is_supported, refusal.is_supported) == (True, False)


def test_summary_may_name_what_a_supported_sentence_named():
    """A number in a sentence with evidence is not new in its summary, in whatever spelling."""
    response = ["You have thirty days.", "Ask Anna for the receipt.", "Anna: 30 days."]
    given_verdict = verdict(supported(0), supported(1, "doc_0_s1"), marked(2, "general"))
    assert check_support(keyed(response), given_verdict)[2].role == "filler"


@pytest.mark.parametrize(
    ("response", "support", "expected"),
    [
        ([REFUSAL], [marked(0, "supported_without_sentence")], [True]),
        ([REFUSAL], [marked(0, None)], [True]),
        ([TRANSITION], [marked(0, "general")], [False]),
        ([CLAIM], [marked(0, None)], [False]),
        ([CLAIM], [marked(0, "numerical_reasoning")], [False]),
        ([CLAIM], [supported(0, "doc_0_s0")], [False]),
        (
            ["Thank you for asking.", REFUSAL],
            [marked(0, "general"), marked(1, "supported_without_sentence")],
            [True, True],
        ),
        (
            [TRANSITION, REFUSAL],
            [marked(0, "general"), unsupported(1)],
            [False, False],
        ),
    ],
)
def test_without_documents_only_a_refusal_has_support(response, support, expected):
    """Where retrieval found nothing, a response may decline, and be polite about it."""
    checked = check_support(keyed(response, documents=()), verdict(*support))
    assert [item.is_supported for item in checked] == expected


def test_unknown_document_keys_are_left_out():
    """Of the keys that a judge gave, those remain that stand for a sentence."""
    given_verdict = verdict(supported(0, "doc_0_s0", "doc_7_s0"))
    assert check_support(keyed(), given_verdict)[0].document_keys == ("doc_0_s0",)


def test_unknown_policy_is_refused():
    """The message lists the known ones."""
    with pytest.raises(
        UnknownName, match=r"^unknown mark policy 'lax'; known: default, strict, ragbench$"
    ):
        check_support(keyed(), verdict(supported()), "lax")


@given(judged_traces())
def test_stricter_policies_support_no_more(judged):
    """What holds under `strict` holds as marked, and so does what holds by `default`."""
    strict, default, as_marked = (
        {item.key for item in check_support(*judged, policy) if item.is_supported}
        for policy in ("strict", "default", "ragbench")
    )
    assert strict <= as_marked
    assert default <= as_marked
