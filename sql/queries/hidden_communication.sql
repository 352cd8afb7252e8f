-- Which part of the communication is hidden behind computation: messages that are in flight while their
-- sender computes, in states or in no state.
--
-- Needs: states and links.
WITH computation AS (
    SELECT
        s.container_id,
        s.start_time,
        s.end_time
    FROM state_segments AS s
    JOIN state_activities AS a
        ON a.type = s.type
        AND a.value = s.value
    WHERE a.activity = 'computation'
    UNION ALL
    SELECT
        container_id,
        start_time,
        end_time
    FROM idle_gaps
    WHERE activity = 'computation'
)
SELECT
    c.name AS container,
    o.left_seconds AS communication,
    o.overlap_seconds AS hidden,
    o.share
FROM overlap_seconds(links, computation, by => 'source_id = container_id') AS o
JOIN containers AS c
    ON c.container_id = o.source_id
WHERE o.left_seconds > 0
ORDER BY o.share DESC, container
