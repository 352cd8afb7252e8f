-- Selection of a level of the tree: its containers, how many leaves each has, and how long it lived.
--
-- Depth 0 are the roots, 1 what lies below them.
SELECT
    container_id,
    name,
    type,
    leaves,
    end_time - start_time AS seconds
FROM at_depth(0)
ORDER BY preorder
