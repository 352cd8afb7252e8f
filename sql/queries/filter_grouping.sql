-- Grouping, as a filter of Paje: what belongs to a member of a group is shown as belonging to the group.
WITH members AS (
    SELECT
        column1 AS container,
        column2 AS group_name
    FROM (VALUES ('rank-1', 'the middle'), ('rank-2', 'the middle'))
),
grouped_states AS (
    SELECT
        coalesce(m.group_name, s.container) AS container,
        s.value,
        s.duration
    FROM state_segments AS s
    LEFT JOIN members AS m
        ON m.container = s.container
)
SELECT
    container,
    value,
    count(*) AS states,
    sum(duration) AS seconds
FROM grouped_states
GROUP BY container, value
ORDER BY container, value
