-- Who sent how much to whom; collective operations apart from messages from point to point.
--
-- Needs: links.
SELECT
    source_id,
    source,
    target_id,
    target,
    kind,
    count(*) AS messages,
    sum(volume) AS volume,
    avg(duration) AS mean_duration
FROM link_kinds
GROUP BY source_id, source, target_id, target, kind
ORDER BY source_id, target_id, kind
