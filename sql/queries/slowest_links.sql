-- The ten links that took longest, with what they carried.
SELECT
    source,
    target,
    value,
    start_time,
    duration,
    volume,
    volume / nullif(duration, 0) AS throughput
FROM links
ORDER BY duration DESC, start_time
LIMIT 10
