"""The flaws that probe can be given, by name; rules compare with these numbers."""

NAMES = (
    "own_hidden", "other_private", "unseen_position", "future_shock", "through_mask",
    "through_info", "stale_derived", "other_group",
    "impure_terms", "impure_observe", "obs_range", "term_bounds", "reset_keeps",
    "derived_drifts", "terminal_early", "body_moves", "state_range", "env_dependent",
    "unseeded", "warning_light", "zero_sign", "turn_hidden", "last_words", "late_secret",
    "terms_frame", "impure_second", "info_range", "never_ends", "row_bounds", "row_unwritten",
    "unseen_stone", "other_stone", "rare_pay", "march_pay",
    "ghost_seen", "ghost_masks", "ghost_informs", "ghost_pays", "ghost_haunts",
    "estate_lost", "estate_kept", "estate_doubled",
)  # fmt: skip
(
    OWN_HIDDEN, OTHER_PRIVATE, UNSEEN_POSITION, FUTURE_SHOCK, THROUGH_MASK, THROUGH_INFO,
    STALE_DERIVED, OTHER_GROUP, IMPURE_TERMS, IMPURE_OBSERVE, OBS_RANGE, TERM_BOUNDS,
    RESET_KEEPS, DERIVED_DRIFTS, TERMINAL_EARLY, BODY_MOVES, STATE_RANGE, ENV_DEPENDENT, UNSEEDED,
    WARNING_LIGHT, ZERO_SIGN, TURN_HIDDEN, LAST_WORDS, LATE_SECRET, TERMS_FRAME, IMPURE_SECOND,
    INFO_RANGE, NEVER_ENDS, ROW_BOUNDS, ROW_UNWRITTEN,
    UNSEEN_STONE, OTHER_STONE, RARE_PAY, MARCH_PAY,
    GHOST_SEEN, GHOST_MASKS, GHOST_INFORMS, GHOST_PAYS, GHOST_HAUNTS,
    ESTATE_LOST, ESTATE_KEPT, ESTATE_DOUBLED,
) = range(1, len(NAMES) + 1)  # fmt: skip
