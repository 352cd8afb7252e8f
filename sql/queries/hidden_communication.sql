-- Which part of the communication is hidden behind computation: messages that are under way while their
-- sender computes.
--
-- Needs: states and links.
WITH computation AS (
    SELECT
        container_id,
        start_time,
        end_time
    FROM state_segments
    WHERE value NOT LIKE 'MPI_%'
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
