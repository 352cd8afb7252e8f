-- The ten pairs that exchange most, in both directions together.
SELECT
    least(source_id, target_id) AS one_id,
    greatest(source_id, target_id) AS other_id,
    sum(links) AS links,
    sum(volume) AS volume
FROM comm_matrix
GROUP BY least(source_id, target_id), greatest(source_id, target_id)
ORDER BY volume DESC, one_id, other_id
LIMIT 10
