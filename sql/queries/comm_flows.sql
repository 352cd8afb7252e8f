-- The largest flows between different communities. A community has the name of its smallest container.
--
-- Needs: links.
SELECT
    phase,
    source_community,
    source_id,
    source,
    target_community,
    target_id,
    target,
    senders,
    receivers,
    messages,
    volume,
    operations
FROM comm_flows(phases => 5, communities => 2)
WHERE source_community <> target_community
ORDER BY volume DESC, phase, source_id, target_id
LIMIT 10
