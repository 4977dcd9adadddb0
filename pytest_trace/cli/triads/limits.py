"""What the deterministic triad does not see, and what stands beside it: sentences for a report."""

from __future__ import annotations

from typing import Final

LIMITS: Final = (
    (
        "They count words and know no meaning. Groundedness does not see a negation, a relation "
        "turned around, or a figure that stands in the passages beside something else; a fluent "
        "invention in the words of the passages scores 1."
    ),
    (
        'Words count as they are written, but for case: "returned" is not "return", "two" is not '
        '"2", and a right paraphrase scores low. Where response and passages are in different '
        "languages, groundedness says nothing."
    ),
    (
        "Context relevance by judgements is 1 as soon as one relevant passage is shown; passages "
        "that nobody judged count as not relevant. Without judgements it is the share of the "
        "query's content words that the passages have, which they may have without an answer."
    ),
    (
        "Answer relevance is the token F1 with the best reference: a right answer that is longer "
        "or worded otherwise scores low, a wrong one that shares its words scores high. Tokens "
        "stand between spaces; for Chinese, Japanese, Korean, Thai and the like use "
        "`--normalisation multilingual`."
    ),
    (
        "What is undefined counts in no mean. The triad of a row is the mean of those of the three "
        "that are defined: where rows lack references or judgements, compare complete rows."
    ),
    (
        "Means of configurations are over their own rows. Where their queries differ, compare them "
        "by the differences to the baseline, which are over common rows."
    ),
)

TRACE_LIMITS: Final = (
    (
        "TRACe scores are a judge's. They are averaged with none of the above, and those of "
        "different judges do not compare; `rag-trace calibrate` measures how good a judge is."
    ),
)
