-- The tree of containers, in the order of a walk through it.
SELECT container_id, parent_id, name, type, path, depth, is_leaf, leaves, preorder, last_descendant, start_time, end_time
FROM containers
ORDER BY preorder
