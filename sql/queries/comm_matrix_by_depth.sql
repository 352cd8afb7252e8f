-- How much stays inside a container and how much leaves it, at every depth of the tree.
--
-- Needs: links.
SELECT
    depth,
    sum(volume) FILTER (WHERE source_id = target_id) AS volume_inside,
    sum(volume) FILTER (WHERE source_id <> target_id) AS volume_between
FROM comm_matrix_by_depth
GROUP BY depth
ORDER BY depth
