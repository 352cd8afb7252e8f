-- Which states are spread most unevenly over the leaves, and who has most of each.
--
-- Needs: states.
SELECT
    type,
    value,
    containers,
    mean_seconds,
    max_seconds,
    imbalance,
    worst_id,
    worst
FROM load_imbalance
WHERE depth = (SELECT max(depth) FROM load_imbalance)
ORDER BY imbalance DESC, type, value
