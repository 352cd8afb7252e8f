-- How much each container computes for what it communicates: a measure of its efficiency.
--
-- One of the combinations of Schnorr's thesis, table 4.1: time over time. What a state is for is told
-- by state_activities.
--
-- container_id           the container
-- container              name of the container
-- type                   type of the states
-- computation_seconds    time in states of computation
-- communication_seconds  time in states of communication
-- waiting_seconds        time in states of waiting
-- overhead_seconds       time in states of overhead
-- ratio                  computation / (communication + waiting); NULL when there is none of these
-- efficiency             computation / time in any state of the type; NULL when that is no time
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
