-- Containers whose states of one type say when they wait, and that type: the one whose states have most computation, where it has
-- states of communication or waiting, too. What states of other types of these containers say of waiting is the same again.
WITH times AS (
    SELECT
        slices.container_id,
        slices.type,
        activities.activity,
        slices.seconds
    FROM given.plans.slices AS slices
    JOIN given.plans.chosen AS chosen
        ON chosen.container_id = slices.container_id
    JOIN state_activities AS activities
        ON activities.type = slices.type
        AND activities.value = slices.value
),
types AS (
    SELECT
        type,
        sum(seconds) FILTER (WHERE activity = 'computation') AS work,
        sum(seconds) FILTER (WHERE activity IN ('communication', 'waiting')) AS blocked
    FROM times
    GROUP BY type
),
main AS (
    SELECT
        type,
        blocked
    FROM types
    WHERE work > 0
    ORDER BY work DESC, type
    LIMIT 1
)
SELECT DISTINCT
    times.container_id AS told_container_id,
    times.type AS told_type
FROM times
JOIN main
    ON main.type = times.type
WHERE main.blocked > 0
