"""A better pose after a drag that ended short: shown as a ghost, taken by one key."""

from __future__ import annotations

from dataclasses import replace

from limbik.poser.document.document import Document
from limbik.poser.drag.answer import Answer
from limbik.poser.drag.other_starts import OtherStarts
from limbik.poser.protocol.messages import OfferInfo

NO_NEARER = "; other starts come no nearer"


class Offer:
    """What other starts found for a document, in which a drag of ``effector`` ended short.

    It holds for that document alone: whatever a person does next ends it.  ``better`` is the answer
    that is offered, None as long as nothing better was found.
    """

    def __init__(
        self, document: Document, answer: Answer, effector: int, starts: OtherStarts
    ) -> None:
        self.document, self.effector = document, effector
        self.better: Answer | None = None
        self._answer, self._starts = answer, starts
        self.searching = starts.released(answer)

    def search(self) -> None:
        """Try a few more starts, for some hundredths of a second."""
        if self.searching:
            self.searching = self._starts.search(self._answer)
            if self._starts.q is not None:
                self.better = self._starts.answer(self._answer)

    @property
    def sentence(self) -> str:
        """What the page says of the pose that is offered; empty where there is none."""
        if self.better is None:
            return ""
        return (
            "Another pose reaches the target." if self.better.ok else "Another pose comes nearer."
        )

    def shown(self, answer: Answer | None) -> Answer | None:
        """The answer for the pose that is shown, with a sentence that knows of other starts."""
        if answer is None or answer is not self._answer:
            return answer
        if self._starts.q is not None:
            return self._starts.explained(answer)
        return replace(answer, why=answer.why + NO_NEARER) if self._starts.tried else answer


def offer_of(offer: Offer | None) -> OfferInfo | None:
    """An offer as the page needs it, None where nothing is looked for or offered."""
    if offer is None or not (offer.searching or offer.better):
        return None
    return OfferInfo(offer.searching, offer.sentence)
