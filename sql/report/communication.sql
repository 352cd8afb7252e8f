-- Who sends how much to whom
-- One row per pair of containers and type of link, the largest volume first.
SELECT source, target, type, links, volume, seconds
FROM comm_matrix
ORDER BY volume DESC NULLS LAST, links DESC, source_id, target_id, type
