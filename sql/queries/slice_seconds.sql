-- The aggregates of slices by hand: which part of the run every container spends in the state that takes most time, in
-- each third of the run.
--
-- Times are counted as parts of the run, so that the window is from 0 to 1 whatever the trace. Needs: states.
WITH parameters AS (
    SELECT
        type,
        value
    FROM flat_profile
    GROUP BY type, value
    ORDER BY sum(exclusive_seconds) DESC, type, value
    LIMIT 1
),
parts AS (
    SELECT
        s.container_id,
        s.container,
        s.value,
        (s.start_time - i.start_time) / nullif(i.end_time - i.start_time, 0) AS start_part,
        (s.end_time - i.start_time) / nullif(i.end_time - i.start_time, 0) AS end_part
    FROM states AS s
    JOIN parameters AS p
        ON p.type = s.type
        AND p.value = s.value
    CROSS JOIN trace_info AS i
)
SELECT
    container_id,
    container,
    value,
    slice_seconds(start_part, end_part, 0, 1, 3) AS shares_of_the_run
FROM parts
GROUP BY container_id, container, value
ORDER BY container_id
