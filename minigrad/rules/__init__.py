r"""The catalogue: what each op computes, the rule for each input, and their formulas.

A file holds a family of ops. Formulas name the op's inputs as its function does; the name on the
left of ``=`` is the output, and a bar marks a gradient: ``\bar z`` is what the rule calls ``g``.
"""
