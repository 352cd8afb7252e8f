-- Selection of a level of the tree: the machines, how many leaves each has, and how long it lived.
SELECT
    name,
    type,
    leaves,
    end_time - start_time AS seconds
FROM at_depth(1)
ORDER BY preorder
