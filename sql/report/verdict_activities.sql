-- Waiting
-- Seconds of each activity, and how many of them in no state, beside the seconds of all containers that count in the efficiency of
-- the run; then the states of waiting, by name. :type is the type of states.
WITH counted AS (
    SELECT container_id
    FROM container_activities
    WHERE type = :type
    GROUP BY container_id
    HAVING count(*) FILTER (WHERE activity <> 'unknown') > 0
),
whole AS (
    SELECT (SELECT count(*) FROM counted) * (end_time - start_time) AS all_seconds
    FROM trace_info
),
times AS (
    SELECT
        parts.activity,
        NULL AS value,
        sum(parts.seconds) AS seconds,
        sum(parts.no_state_seconds) AS no_state_seconds
    FROM container_activities AS parts
    JOIN counted
        ON counted.container_id = parts.container_id
    WHERE parts.type = :type
    GROUP BY parts.activity
    UNION ALL
    SELECT
        names.activity,
        profile.value,
        sum(profile.exclusive_seconds) AS seconds,
        0.0 AS no_state_seconds
    FROM flat_profile AS profile
    JOIN state_activities AS names
        ON names.type = profile.type
        AND names.value = profile.value
    WHERE names.type = :type
        AND names.activity = 'waiting'
    GROUP BY names.activity, profile.value
)
SELECT
    times.activity,
    times.value,
    times.seconds,
    times.no_state_seconds,
    whole.all_seconds
FROM times
CROSS JOIN whole
ORDER BY times.seconds DESC, times.activity, times.value
