-- Critical path
-- What the chain of steps that determines the end consists of; the longest parts first. Messages are told apart by sender and
-- receiver. Starting and ending a program moves no data, and time in no state is computation only where the rules of activities
-- say so. The containers are those that count in the efficiency. :type is the type of states.
WITH counted AS (
    SELECT container_id
    FROM container_activities
    WHERE type = :type
    GROUP BY container_id
    HAVING count(*) FILTER (WHERE activity <> 'unknown') > 0
),
segments AS (
    SELECT segments.*
    FROM state_segments AS segments
    JOIN counted
        ON counted.container_id = segments.container_id
    WHERE segments.type = :type
),
named AS (
    SELECT
        CASE
            WHEN steps.target_id IS NULL AND steps.value IS NULL AND gaps.activity <> 'computation' THEN 'no state'
            WHEN steps.kind IN ('transfer', 'other') AND steps.activity NOT IN ('communication', 'waiting')
                THEN steps.activity
            ELSE steps.kind
        END AS kind,
        steps.container_id,
        steps.container,
        steps.target_id,
        steps.target,
        steps.value,
        steps.seconds
    FROM critical_path((SELECT * FROM segments)) AS steps
    CROSS JOIN no_state_activities AS gaps
    WHERE gaps.type = :type
)
SELECT
    kind,
    container,
    target,
    value,
    sum(seconds) AS seconds,
    sum(seconds) / (SELECT end_time - start_time FROM trace_info) AS share
FROM named
GROUP BY kind, container_id, container, target_id, target, value
ORDER BY seconds DESC, container_id, kind, value, target_id
