-- Who belongs together in each phase.
--
-- Needs: links.
SELECT
    phase,
    community,
    string_agg(container, ', ' ORDER BY place) AS members,
    max(modularity) AS modularity
FROM comm_communities(phases => 5)
GROUP BY phase, community
ORDER BY phase, community
