"""An NLI model for tests: it counts words as tokens, and says what a test told it to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Said = Mapping[tuple[str, str], tuple[float, float]]


class FakeClassifier:
    """Entailment and contradiction by premise and hypothesis; any other pair is neutral."""

    def __init__(
        self,
        said: Said | None = None,
        *,
        labels: Sequence[str] = ("entailment", "neutral", "contradiction"),
        room: int = 100,
    ) -> None:
        self.labels = labels
        self.room = room
        self.calls: list[list[tuple[str, str]]] = []
        self._said = said or {}

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def classify(
        self, pairs: Sequence[tuple[str, str]], batch_size: int
    ) -> list[Mapping[str, float]]:
        self.calls.append(list(pairs))
        return [self._probabilities(*self._said.get(pair, (0.02, 0.03))) for pair in pairs]

    def _probabilities(self, entailment: float, contradiction: float) -> Mapping[str, float]:
        if "contradiction" not in self.labels:
            return {"entailment": entailment, "not_entailment": 1 - entailment}
        rest = 1 - entailment - contradiction
        return {"entailment": entailment, "neutral": rest, "contradiction": contradiction}
