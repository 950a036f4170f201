"""What pages about runs are made of, and the page about one training.

Imports point down: page → curves | compared | document → facts | chart | forest | heat | lines,
which are over svg.
`mesocosm.evaluation.pages` has the pages about runs of other kinds.
"""
