-- What time in no state is, for each type of states.
--
-- Tools differ: one records calls of MPI only, so that a rank computes while it is in no state; another records what
-- it computes, so that nothing is known of the rest. The rules of activity_rules without a value_pattern decide, for
-- each type of states of the trace: time in no state is computation where a type has calls of MPI, OpenSHMEM or GASPI
-- and no state of computation; else it is unknown. This holds for the whole life of a container that has states of
-- the type, before the first of them and after the last too.
--
-- Columns:
--   type      TEXT     Type of the states.
--   activity  TEXT     What containers do in no state of the type.
--   rule      INTEGER  Number of the rule that says so; NULL when none fits.
--
-- Example:
--   SELECT type, activity, rule
--   FROM no_state_activities
SELECT DISTINCT
    type,
    no_state_activity AS activity,
    no_state_rule AS rule
FROM state_activities
