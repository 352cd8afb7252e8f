-- The tree cut at depth 1, as a treemap draws it: the time of each part of the machine in every state.
--
-- Containers at the cut stand for all that lies below them, and leaves above it stay. Without depth,
-- every container has its rows. Needs: states.
WITH measured AS (
    SELECT
        container_id,
        value,
        duration AS seconds
    FROM state_segments
)
SELECT
    h.container_id,
    h.container,
    h.container_type,
    h.value,
    h.seconds
FROM hierarchy_aggregate(measured, measure => 'seconds', agg => 'sum', depth => 1) AS h
JOIN containers AS c
    ON c.container_id = h.container_id
WHERE h.depth = 1 OR c.is_leaf
ORDER BY c.preorder, h.seconds DESC, h.value
