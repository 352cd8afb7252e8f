-- The largest flows between different communities.
SELECT
    phase,
    source,
    target,
    messages,
    volume,
    operations
FROM comm_flows(phases => 5, communities => 2)
WHERE source_community <> target_community
ORDER BY volume DESC, phase, source
LIMIT 10
