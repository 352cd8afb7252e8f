-- Grouping, as a filter of Pajé: what belongs to a member of a group is shown as belonging to the group.
--
-- The group are the first two containers with states; write others into members. Needs: states.
WITH members AS (
    SELECT DISTINCT
        container_id,
        'the first two' AS group_name
    FROM state_segments
    ORDER BY container_id
    LIMIT 2
),
grouped_states AS (
    SELECT
        coalesce(m.group_name, s.container) AS container,
        s.value,
        s.duration
    FROM state_segments AS s
    LEFT JOIN members AS m
        ON m.container_id = s.container_id
)
SELECT
    container,
    value,
    count(*) AS states,
    sum(duration) AS seconds
FROM grouped_states
GROUP BY container, value
ORDER BY container, value
