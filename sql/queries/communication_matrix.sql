-- Who sent how much to whom.
--
-- Needs: links.
SELECT
    source_id,
    source,
    target_id,
    target,
    count(*) AS messages,
    sum(volume) AS volume,
    avg(duration) AS mean_duration
FROM links
GROUP BY source_id, source, target_id, target
ORDER BY source_id, target_id
