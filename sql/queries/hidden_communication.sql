-- Which part of the communication is hidden behind computation: messages that are in flight while their
-- sender computes, in states or in no state.
--
-- Needs: states and links.
WITH in_states AS (
    SELECT
        source_id,
        left_seconds,
        overlap_seconds
    FROM overlap_seconds(
        links,
        (
            SELECT
                s.container_id,
                s.start_time,
                s.end_time
            FROM state_segments AS s
            JOIN state_activities AS a
                ON a.type = s.type
                AND a.value = s.value
            WHERE a.activity = 'computation'
        ),
        by => 'source_id = container_id'
    )
),
in_no_state AS (
    SELECT
        source_id,
        overlap_seconds
    FROM overlap_seconds(
        links,
        (
            SELECT
                container_id,
                start_time,
                end_time
            FROM idle_gaps
            WHERE activity = 'computation'
        ),
        by => 'source_id = container_id'
    )
)
SELECT
    c.name AS container,
    s.left_seconds AS communication,
    s.overlap_seconds + coalesce(n.overlap_seconds, 0) AS hidden,
    (s.overlap_seconds + coalesce(n.overlap_seconds, 0)) / s.left_seconds AS share
FROM in_states AS s
LEFT JOIN in_no_state AS n
    ON n.source_id = s.source_id
JOIN containers AS c
    ON c.container_id = s.source_id
WHERE s.left_seconds > 0
ORDER BY share DESC, container
