-- The ten pairs that exchange most, in both directions together; collective operations apart.
--
-- Needs: links.
SELECT
    least(source_id, target_id) AS one_id,
    CASE WHEN source_id <= target_id THEN source ELSE target END AS one,
    greatest(source_id, target_id) AS other_id,
    CASE WHEN source_id <= target_id THEN target ELSE source END AS other,
    kind,
    sum(links) AS links,
    sum(volume) AS volume
FROM comm_matrix
GROUP BY one_id, one, other_id, other, kind
ORDER BY volume DESC, links DESC, one_id, other_id, kind
LIMIT 10
