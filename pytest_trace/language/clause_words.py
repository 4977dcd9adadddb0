"""Words that tell where an English clause starts, goes on or depends on another."""

from __future__ import annotations

from typing import Final

from pytest_trace.language.word_sets import word_set

FINITE_VERBS: Final = word_set("""
    is are was were has have had does did can could will would must may might should shall cannot
    isn't aren't wasn't weren't hasn't haven't hadn't doesn't didn't can't won't mustn't
    contains includes requires provides consists becomes remains occurs exists allows enables
    depends belongs refers begins lasts weighs comes goes gets makes takes gives keeps serves opens
    closes produces receives sells applies expires arrives represents describes involves prevents
    reduces increases improves became began wrote went gave took grew chose fell
""")
"""Verbs that nothing else is spelled like, so that a clause has one where it has such a word."""

PAST_VERBS: Final = word_set("""
    won lost built sold held led met sent spent taught wrote took gave became began grew fell rose
    ran made got sought
""")
"""Those that start a second predicate: "and won two prizes"."""

SUBORDINATORS: Final = word_set("""
    that because since when whenever while although though until till before after once as than
    whereas where how why what lest so according ensure ensures ensuring sure meaning suggesting
    indicating showing
""")
"""What stands after one of them depends on it, up to the end of the sentence."""

WHOLE_SENTENCE: Final = word_set("""
    if unless whether either neither nor otherwise respectively provided assuming both between
    together combined total says said say claims claimed reports reported states stated believes
    believed thinks argues argued suggests suggested likely
""")
"""Conditions, attributions and pairs: a part of such a sentence says more, or less, than it did."""

RELATIVES: Final = word_set("which who whose whom where")
SUBJECTS: Final = word_set("it he she they we you i")
PRONOUNS: Final = SUBJECTS | word_set("this these those its his her their there")
SINGULAR: Final = word_set("it he she")
OBJECTS: Final = word_set("it him her them us me this that these those")
MODALS: Final = word_set("can could will would must may might should shall do does did can't won't")
DETERMINERS: Final = word_set(
    "the a an this these those its his her their our your my each every all some no any another"
)
PREPOSITIONS: Final = word_set("in on at by with from to for into as about over under within")
ADVERBS: Final = word_set(
    "also then therefore thus hence now often usually typically generally still later subsequently "
    "additionally furthermore moreover finally currently always never only"
)
NEGATIONS: Final = word_set("not no never none without nothing cannot hardly")
