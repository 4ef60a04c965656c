"""From goals to an answer: the problem and its objective, restarts around a method, the result.

``problem`` and ``objective`` are what methods evaluate and import no method; the others stand above
the methods.
"""
