-- Which part of the communication is hidden behind computation: messages that are in flight while their
-- sender computes, in states or in no state.
--
-- By type of states: those of two types are two views of the same time. A type of some calls only, such as the
-- collectives of Extrae, counts all others as time in no state. Needs: states and links.
WITH recorded AS (
    SELECT DISTINCT
        s.container_id,
        s.type
    FROM state_segments AS s
    JOIN state_activities AS a
        ON a.type = s.type
    WHERE 'computation' IN (a.activity, a.no_state_activity)
),
sent AS (
    SELECT
        r.container_id,
        r.type,
        l.start_time,
        l.end_time
    FROM links AS l
    JOIN recorded AS r
        ON r.container_id = l.source_id
),
computing AS (
    SELECT
        s.container_id,
        s.type,
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
        type,
        start_time,
        end_time
    FROM idle_gaps
    WHERE activity = 'computation'
)
SELECT
    c.name AS container,
    o.type,
    o.left_seconds AS communication,
    o.overlap_seconds AS hidden,
    o.share
FROM overlap_seconds(sent, computing, by => 'container_id, type') AS o
JOIN containers AS c
    ON c.container_id = o.container_id
WHERE o.left_seconds > 0
ORDER BY o.type, share DESC, container
