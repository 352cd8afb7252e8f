-- The slowest senders, by the mean of what their messages carry per second.
--
-- Needs: links.
SELECT
    container_id,
    container,
    type,
    links,
    mean_bytes_per_second
FROM bytes_per_second
WHERE role = 'origin'
ORDER BY mean_bytes_per_second, container_id, type
LIMIT 10
