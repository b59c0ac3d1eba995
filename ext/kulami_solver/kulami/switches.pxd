# The compile-time options of the search: its thresholds, its weights, and its optional parts
#
# Each option is a C macro, with its default below, and a constant for the compiler: a part that is
# switched off compiles to nothing. scripts/bench/experiments.py builds copies with other values,
# which setup.py takes from the environment variable KULAMI_DEFINES:
#
#     KULAMI_DEFINES="KULAMI_TABLE_PLIES=10 KULAMI_EARLY_CUTOFFS=0" python setup.py build_ext ...
#
# All values that keep the conditions below give true answers; they only change the time.

cdef extern from *:
    """
    /* Key and table: plies to come from which a position has a key, and is looked up. */
    #ifndef KULAMI_KEY_PLIES
    #define KULAMI_KEY_PLIES 4
    #endif
    #ifndef KULAMI_TABLE_PLIES
    #define KULAMI_TABLE_PLIES 6
    #endif
    #ifndef KULAMI_COLOURS_IN_KEY
    #define KULAMI_COLOURS_IN_KEY 0
    #endif
    #ifndef KULAMI_EFFORT
    #define KULAMI_EFFORT 1
    #endif
    #ifndef KULAMI_PREFETCH
    #define KULAMI_PREFETCH 1
    #endif

    /* Bounds */
    #ifndef KULAMI_KNAPSACK
    #define KULAMI_KNAPSACK 1
    #endif
    #ifndef KULAMI_FORCED_WASTE
    #define KULAMI_FORCED_WASTE 1
    #endif
    #ifndef KULAMI_LIVE_FIELDS
    #define KULAMI_LIVE_FIELDS 1
    #endif
    #ifndef KULAMI_EXACT_PLIES
    #define KULAMI_EXACT_PLIES 2
    #endif

    /* Which question is asked next */
    #ifndef KULAMI_GUESS
    #define KULAMI_GUESS 1
    #endif
    #ifndef KULAMI_HALVE
    #define KULAMI_HALVE 0
    #endif

    /* The order in which moves are looked at and searched */
    #ifndef KULAMI_BOUND_FIRST
    #define KULAMI_BOUND_FIRST 1
    #endif
    #ifndef KULAMI_EARLY_PLIES
    #define KULAMI_EARLY_PLIES 15
    #endif
    #ifndef KULAMI_ORACLE_PLIES
    #define KULAMI_ORACLE_PLIES 12
    #endif
    #ifndef KULAMI_EARLY_CUTOFFS
    #define KULAMI_EARLY_CUTOFFS 1
    #endif
    #ifndef KULAMI_LOOK_AHEAD_PLIES
    #define KULAMI_LOOK_AHEAD_PLIES 18
    #endif
    #ifndef KULAMI_LOOK_DEEPER_PLIES
    #define KULAMI_LOOK_DEEPER_PLIES 24
    #endif
    #ifndef KULAMI_DEFER_PLIES
    #define KULAMI_DEFER_PLIES 8
    #endif

    /* Weights of the heuristic value: where only panels count, and where areas or chains do */
    #ifndef KULAMI_WEIGHT_BOUNDS
    #define KULAMI_WEIGHT_BOUNDS 3
    #endif
    #ifndef KULAMI_WEIGHT_PRESENT
    #define KULAMI_WEIGHT_PRESENT 3
    #endif
    #ifndef KULAMI_WEIGHT_REPLIES
    #define KULAMI_WEIGHT_REPLIES 8
    #endif
    #ifndef KULAMI_WEIGHT_BOUNDS_MIXED
    #define KULAMI_WEIGHT_BOUNDS_MIXED 2
    #endif
    #ifndef KULAMI_WEIGHT_PRESENT_MIXED
    #define KULAMI_WEIGHT_PRESENT_MIXED 4
    #endif
    #ifndef KULAMI_WEIGHT_REPLIES_MIXED
    #define KULAMI_WEIGHT_REPLIES_MIXED 12
    #endif
    #ifndef KULAMI_WEIGHT_HOTTEST
    #define KULAMI_WEIGHT_HOTTEST 4
    #endif
    #ifndef KULAMI_WEIGHT_EXPECTED
    #define KULAMI_WEIGHT_EXPECTED 8
    #endif

    /* ... and of all of it, where moves are looked at ahead as well */
    #ifndef KULAMI_WEIGHT_RULE_OF_THUMB
    #define KULAMI_WEIGHT_RULE_OF_THUMB 4
    #endif

    /* Endings: the most plies to come, and the most live fields */
    #ifndef KULAMI_PANEL_ENDING
    #define KULAMI_PANEL_ENDING 14
    #endif
    #ifndef KULAMI_PANEL_ENDING_FIELDS
    #define KULAMI_PANEL_ENDING_FIELDS 40
    #endif
    #ifndef KULAMI_MIXED_ENDING
    #define KULAMI_MIXED_ENDING 12
    #endif
    #ifndef KULAMI_MIXED_ENDING_FIELDS
    #define KULAMI_MIXED_ENDING_FIELDS 20
    #endif
    """
    enum:
        # Positions with fewer plies to come have no key. Those with fewer than TABLE_PLIES (not
        # less than KEY_PLIES) are not looked up in the table.
        KEY_PLIES "KULAMI_KEY_PLIES"
        TABLE_PLIES "KULAMI_TABLE_PLIES"
        COLOURS_IN_KEY "KULAMI_COLOURS_IN_KEY"      # whether the key has all marbles as well
        EFFORT "KULAMI_EFFORT"          # whether the cheapest entry of a full bucket gives way
        PREFETCH "KULAMI_PREFETCH"      # whether lines of the table are prefetched

        KNAPSACK "KULAMI_KNAPSACK"      # whether the number of marbles bounds the panels' gains
        FORCED_WASTE "KULAMI_FORCED_WASTE"  # whether a first marble that cannot gain is deducted
        LIVE_FIELDS "KULAMI_LIVE_FIELDS"    # whether free fields out of reach are dropped
        EXACT_PLIES "KULAMI_EXACT_PLIES"    # this many last plies, 1 or 2, are never searched

        GUESS "KULAMI_GUESS"            # whether the first question is at a guess of the margin
        HALVE "KULAMI_HALVE"            # whether questions halve the bounds, instead of MTD(f)

        BOUND_FIRST "KULAMI_BOUND_FIRST"    # whether moves are bounded before they are made
        # With at least this many plies to come, all moves are made and evaluated before the first
        # is searched. With an oracle, ORACLE_PLIES are enough, so that it can be asked about them.
        EARLY_PLIES "KULAMI_EARLY_PLIES"
        ORACLE_PLIES "KULAMI_ORACLE_PLIES"
        EARLY_CUTOFFS "KULAMI_EARLY_CUTOFFS"    # whether the table is asked about them first
        # With at least this many plies to come (EARLY_PLIES or more), moves are ordered by a look
        # one ply ahead, and with LOOK_DEEPER_PLIES or more, three.
        LOOK_AHEAD_PLIES "KULAMI_LOOK_AHEAD_PLIES"
        LOOK_DEEPER_PLIES "KULAMI_LOOK_DEEPER_PLIES"
        # With at least this many, a search puts off positions that another one is searching.
        DEFER_PLIES "KULAMI_DEFER_PLIES"

        WEIGHT_BOUNDS "KULAMI_WEIGHT_BOUNDS"
        WEIGHT_PRESENT "KULAMI_WEIGHT_PRESENT"
        WEIGHT_REPLIES "KULAMI_WEIGHT_REPLIES"
        WEIGHT_BOUNDS_MIXED "KULAMI_WEIGHT_BOUNDS_MIXED"
        WEIGHT_PRESENT_MIXED "KULAMI_WEIGHT_PRESENT_MIXED"
        WEIGHT_REPLIES_MIXED "KULAMI_WEIGHT_REPLIES_MIXED"
        WEIGHT_HOTTEST "KULAMI_WEIGHT_HOTTEST"
        WEIGHT_EXPECTED "KULAMI_WEIGHT_EXPECTED"
        WEIGHT_RULE_OF_THUMB "KULAMI_WEIGHT_RULE_OF_THUMB"

        # Games with at most this many plies to come and this many live fields are endings.
        PANEL_ENDING "KULAMI_PANEL_ENDING"                  # where only panels count
        PANEL_ENDING_FIELDS "KULAMI_PANEL_ENDING_FIELDS"
        MIXED_ENDING "KULAMI_MIXED_ENDING"                  # where areas or chains count
        MIXED_ENDING_FIELDS "KULAMI_MIXED_ENDING_FIELDS"
