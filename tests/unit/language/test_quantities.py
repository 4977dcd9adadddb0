"""Numbers, dates and units as values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.language.quantities import quantities
from pytest_trace.language.quantity_hints import digit_groups, digits_of
from pytest_trace.language.words import words


def only(text):
    (quantity,) = quantities(text)
    return quantity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,234.5", "1234.5"),
        ("1 234,5", "1234.5"),
        ("1.234,50", "1,234.50"),
        ("1,23,456", "123456"),
        ("five days", "5 days"),
        ("twenty-five", "25"),
        ("one hundred and twenty", "120"),
        ("67 million", "67,000,000"),
        ("$5m", "5 million dollars"),
        ("50 %", "50 percent"),
        ("50%", "fünfzig Prozent"),
        ("3 May 2024", "May 3, 2024"),
        ("3 May 2024", "2024-05-03"),
        ("3. Mai 2024", "03.05.2024"),
        ("le 3 mai 2024", "2024年5月3日"),
        ("3 de mayo de 2024", "May 3rd, 2024"),
        ("€5", "5 euros"),
        ("US$20", "$20"),
        ("5 pm", "17:00"),
        ("the 19th century", "the nineteenth century"),
        ("30-day", "30 calendar days"),
        ("30 दिन", "पाँच दिन".replace("पाँच", "30")),
        ("छह दिन", "6 दिन"),
        ("पचास दिन", "५० दिन"),
        ("दो सौ दिन", "200 दिन"),
        ("15 अगस्त 1947", "15 August 1947"),
        ("मार्च १९९८", "March 1998"),
        ("siebzig Prozent", "70 %"),
        ("fünfundzwanzig Jahre", "25 years"),
        ("zwei hundert Euro", "200 €"),
        ("dieciséis años", "16 years"),
        ("treize jours", "13 days"),
        ("30天", "30 days"),
        ("两年", "2 years"),
        ("保修期为五年", "5 years"),
        ("十五天", "15天"),
        ("37 degrees Celsius", "37 °C"),
        ("49 percentage", "49%"),
        ("½ cup", "1/2 cup"),
        ("5万", "50,000"),
    ],
)
def test_spellings_of_one_value_are_equal(one, other):
    """A value is the same however it is spelled."""
    assert only(one) == only(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("30 days", "30 hours"),
        ("67 million", "999 million"),
        ("50 %", "50 dollars"),
        ("3 May 2024", "4 May 2024"),
        ("5 am", "5 pm"),
        ("1,234.5", "12,345"),
        ("May 2024", "June 2024"),
        ("2019", "2020"),
    ],
)
def test_other_values_and_units_disagree(one, other):
    """Another value, or the same number in another unit, is another quantity."""
    assert not only(one).agrees_with(only(other))
    assert not only(other).agrees_with(only(one))


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("7 days", "1 week"),
        ("24 months", "two years"),
        ("30", "30 days"),
        ("1.234", "1234"),
        ("03/05/2024", "5 March 2024"),
        ("03/05/2024", "3 May 2024"),
        ("May 2024", "3 May 2024"),
        ("2024", "3 May 2024"),
        ("at 5:00", "5 pm"),
    ],
)
def test_evidence_says_a_claim(claim, evidence):
    """Units are converted, ambiguous spellings may mean either, a date says its parts."""
    assert only(claim).agrees_with(only(evidence))


def test_a_vague_date_does_not_say_a_precise_one():
    """A year alone is no evidence for a day in it."""
    assert not only("3 May 2024").agrees_with(only("2024"))
    assert not only("May 2024").agrees_with(only("2024"))


def test_a_date_may_be_put_together():
    """Day and year of a date may stand apart in the evidence."""
    assert only("3 May 2024").is_among(quantities("In 2024 the sale starts on May 3."))
    assert not only("4 May 2024").is_among(quantities("In 2024 the sale starts on May 3."))


@pytest.mark.parametrize(
    "text",
    [
        "1. Open the settings",
        "2) Close it",
        "as stated [2]",
        "see [1, 3]",
        "Step 3",
        "passages 2 and 3",
        "X-200",
        "COVID-19",
        "version 2.4.1",
        "v2.4",
        "192.168.0.1",
        "omega-3",
        "indole-3-carbinol",
        "follow these steps: 1.",
        "Select General 2. Press OK 3.",
        "4. May prevent it",
        "[1 and 2]",
        "一些",
        "one of the reasons",
        "you may",
        "https://example.org/2024",
        "they march on",
        "no digits",
        "",
    ],
)
def test_these_are_no_quantities(text):
    """Markers, citations, labels, codes, versions and addresses claim no number."""
    assert quantities(text) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It takes 45 days.", ["45 days"]),
        ("It costs $50 or 60 €.", ["$50", "60 €"]),
        ("On May 3, 2024 at 5 pm", ["May 3, 2024", "5 pm"]),
        ("5 to 7 days", ["5", "7 days"]),
        ("opens at 9 am.", ["9 am"]),
        ("twenty-five people", ["twenty-five"]),
    ],
)
def test_text_is_what_was_read(text, shown):
    """A quantity remembers its spelling for the message."""
    assert [quantity.text for quantity in quantities(text)] == shown


def test_a_range_shares_its_unit():
    """In a range the first number has the unit of the second."""
    assert [quantity.unit for quantity in quantities("5-7 days, 10 to 20 %")] == [
        "day",
        "day",
        "%",
        "%",
    ]


@pytest.mark.parametrize("text", ["9" * 5000 + " am", "9" * 2000, "99/99/9999", "0:99", "1/0"])
def test_odd_numbers_do_no_harm(text):
    """Numbers that mean nothing are read without a crash."""
    assert isinstance(quantities(text), list)


@given(
    st.text(
        alphabet=st.sampled_from("0123456789.,/:-–%$€ \n年月日天万二十MmayAprilpmonestwhd'()[]")
    )
)
def test_any_mixture_is_read(text):
    """No mixture of digits, separators and units makes reading fail; reading is deterministic."""
    found = quantities(text)
    assert found == quantities(text)
    assert all(quantity.agrees_with(quantity) for quantity in found)


@given(st.text())
def test_any_text_is_read(text):
    """No text makes reading fail."""
    assert all(quantity.text for quantity in quantities(text))


@given(st.integers(0, 10**12))
def test_grouping_changes_no_value(number):
    """A grouped number may always mean the plain one."""
    assert only(str(number)).agrees_with(only(f"{number:,}"))


_AMOUNTS = st.tuples(
    st.sampled_from(
        ["7", "07", "1,005", "1005", "1.005", "0.5", "1/2", "168", "2024", "five", "5k"]
    ),
    st.sampled_from(["", " days", " week", " hours", "%", " million", " May 2024", " pm", " 元"]),
).map("".join)


@given(_AMOUNTS, st.lists(_AMOUNTS, max_size=3).map(" and ".join))
def test_a_hint_overlooks_nothing(claim, evidence):
    """A text whose digits are said not to fit has no quantity that says the claim."""
    groups = digit_groups(evidence, words(evidence))
    for quantity in quantities(claim):
        digits = digits_of(quantity)
        if digits is not None and groups is not None and groups.isdisjoint(digits):
            assert not quantity.is_among(quantities(evidence))
