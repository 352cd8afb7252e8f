-- Who sends how much to whom
-- One row per pair of containers, type of link and kind, the largest volume first.
SELECT source, target, type, kind, links, volume, seconds
FROM comm_matrix
ORDER BY volume DESC NULLS LAST, links DESC, source_id, target_id, type, kind
