-- The largest flows between different communities.
--
-- Needs: links.
SELECT
    phase,
    source_id,
    source,
    target_id,
    target,
    messages,
    volume,
    operations
FROM comm_flows(phases => 5, communities => 2)
WHERE source_community <> target_community
ORDER BY volume DESC, phase, source_id, target_id
LIMIT 10
