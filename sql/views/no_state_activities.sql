-- What time in no state is, for each container and type of states that it has.
--
-- Tools differ: one records calls of MPI only, so that a rank computes while it is in no state; another records what
-- it computes, so that nothing is known of the rest. The rules of activity_rules without a value_pattern decide, for
-- each type of states of the trace: time in no state is computation where a type has calls of MPI, OpenSHMEM or GASPI
-- and no state of computation; else it is unknown.
--
-- This holds from start_time to end_time, which are those of the container, with two exceptions. Where its first state
-- is of start and end, such as MPI_Init, the tool began to record with it, and the time before it is start and
-- end, too; and likewise the time after its last state, such as MPI_Finalize. A container without states of a type
-- has no row.
--
-- Columns:
--   container_id  INTEGER  The container.
--   container     TEXT     Name of the container.
--   type          TEXT     Type of the states.
--   activity      TEXT     What it does in no state of the type, from start_time to end_time.
--   rule          INTEGER  Number of the rule that says so; NULL when none fits.
--   start_time    DOUBLE   Start of that span, in seconds; before it, time in no state is start and end.
--   end_time      DOUBLE   End of it, in seconds; after it, time in no state is start and end.
--   start_tick    BIGINT   Start_time as stored.
--   end_tick      BIGINT   End_time as stored.
--
-- Example:
--   SELECT DISTINCT type, activity, rule
--   FROM no_state_activities

--   container  |.......................|
--   states         I##..##.####..##F         I: MPI_Init, F: MPI_Finalize
--   span           [                )        before and after it: start and end
WITH totals AS (
    SELECT
        container_id,
        container,
        type,
        value,
        min(start_tick) AS first_tick,
        max(end_tick) AS last_tick
    FROM state_segments
    GROUP BY container_id, container, type, value
),
carriers AS (
    SELECT
        totals.container_id,
        totals.container,
        totals.type,
        names.no_state_activity,
        names.no_state_rule,
        min(totals.first_tick) AS first_tick,
        max(totals.last_tick) AS last_tick,
        min(totals.first_tick) FILTER (WHERE names.activity = 'start and end') AS start_tick,
        max(totals.last_tick) FILTER (WHERE names.activity = 'start and end') AS end_tick
    FROM totals
    JOIN state_activities AS names
        ON names.type = totals.type
        AND names.value = totals.value
    GROUP BY totals.container_id, totals.container, totals.type, names.no_state_activity, names.no_state_rule
),
spans AS (
    SELECT
        carriers.container_id,
        carriers.container,
        carriers.type,
        carriers.no_state_activity,
        carriers.no_state_rule,
        CASE WHEN carriers.start_tick = carriers.first_tick THEN carriers.first_tick ELSE containers.start_tick END
            AS start_tick,
        CASE WHEN carriers.end_tick = carriers.last_tick THEN carriers.last_tick ELSE containers.end_tick END
            AS end_tick
    FROM carriers
    JOIN containers
        ON containers.container_id = carriers.container_id
)
SELECT
    container_id,
    container,
    type,
    no_state_activity AS activity,
    no_state_rule AS rule,
    tick_seconds(start_tick, (SELECT ticks_per_second FROM trace_info)) AS start_time,
    tick_seconds(end_tick, (SELECT ticks_per_second FROM trace_info)) AS end_time,
    start_tick,
    end_tick
FROM spans
