-- Who sends how much to whom within the window, between the containers at a depth.
SELECT
    sources.ancestor_id AS source_id, sources.ancestor AS source,
    targets.ancestor_id AS target_id, targets.ancestor AS target,
    count(*) AS links, sum(volume) AS volume, sum(duration) AS seconds
FROM links
JOIN container_ancestors AS sources
    ON sources.container_id = links.source_id
    AND (sources.ancestor_depth = :depth OR (sources.distance = 0 AND sources.ancestor_depth < :depth))
JOIN container_ancestors AS targets
    ON targets.container_id = links.target_id
    AND (targets.ancestor_depth = :depth OR (targets.distance = 0 AND targets.ancestor_depth < :depth))
WHERE links.end_time >= :start AND links.start_time <= :stop AND :condition
GROUP BY sources.ancestor_id, sources.ancestor, targets.ancestor_id, targets.ancestor
ORDER BY source_id, target_id
