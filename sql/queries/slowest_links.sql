-- The ten links that took longest, with what they carried.
--
-- Needs: links.
SELECT
    source_id,
    source,
    target_id,
    target,
    type,
    value,
    start_time,
    duration,
    volume,
    volume / nullif(duration, 0) AS throughput
FROM links
ORDER BY duration DESC, start_time, source_id, target_id, key
LIMIT 10
