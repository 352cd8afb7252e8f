-- How many communities each phase has where its modularity is largest.
--
-- Needs: links.
SELECT
    phase,
    first_value(communities ORDER BY modularity DESC, communities DESC) AS communities,
    max(modularity) AS modularity
FROM community_tree(phases => 5)
GROUP BY phase
ORDER BY phase
