-- How much each container computes for what it communicates: a measure of its efficiency.
--
-- Time is exclusive: that of the innermost state. What a state is for is told by its name, by the rules of
-- state_activities. Containers without states have no row. Rows of several types of state of one container must
-- not be added up.
--
-- Columns:
--   container_id           INTEGER  The container.
--   container              TEXT     Name of the container.
--   type                   TEXT     Type of the states.
--   computation_seconds    DOUBLE   Time in states of computation.
--   communication_seconds  DOUBLE   Time in states of communication.
--   waiting_seconds        DOUBLE   Time in states of waiting.
--   overhead_seconds       DOUBLE   Time in states of overhead.
--   ratio                  DOUBLE   Computation / (communication + waiting); NULL when there is none of these.
--   efficiency             DOUBLE   Computation / time in any state of the type; NULL when that is no time.
--
-- Example:
--   SELECT container, computation_seconds, round(communication_seconds, 9) AS communication_seconds,
--       waiting_seconds, round(ratio, 9) AS ratio
--   FROM computation_vs_communication
--   ORDER BY container_id

-- One of the combinations of Schnorr's thesis, table 4.1: time over time. What a state is for is told
-- by state_activities.
WITH times AS (
    SELECT
        flat_profile.container_id,
        flat_profile.container,
        flat_profile.type,
        coalesce(sum(flat_profile.exclusive_seconds) FILTER (WHERE state_activities.activity = 'computation'), 0)
            AS computation_seconds,
        coalesce(sum(flat_profile.exclusive_seconds) FILTER (WHERE state_activities.activity = 'communication'), 0)
            AS communication_seconds,
        coalesce(sum(flat_profile.exclusive_seconds) FILTER (WHERE state_activities.activity = 'waiting'), 0)
            AS waiting_seconds,
        coalesce(sum(flat_profile.exclusive_seconds) FILTER (WHERE state_activities.activity = 'overhead'), 0)
            AS overhead_seconds,
        sum(flat_profile.exclusive_seconds) AS all_seconds
    FROM flat_profile
    JOIN state_activities
        ON state_activities.type = flat_profile.type
        AND state_activities.value = flat_profile.value
    GROUP BY flat_profile.container_id, flat_profile.container, flat_profile.type
)
SELECT
    container_id,
    container,
    type,
    computation_seconds,
    communication_seconds,
    waiting_seconds,
    overhead_seconds,
    computation_seconds / nullif(communication_seconds + waiting_seconds, 0) AS ratio,
    computation_seconds / nullif(all_seconds, 0) AS efficiency
FROM times
