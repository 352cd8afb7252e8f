-- Pairs every container with each of its ancestors, itself included.
--
-- The containers below an ancestor are those whose preorder lies from its own to its last
-- descendant's: each ancestor is unfolded into these numbers, and one equi-join finds who has them.
-- So a condition on the ancestor, or on the container, is met before anything is unfolded or joined.
--
-- container_id    the container
-- container       name of the container
-- ancestor_id     the container itself, or one above it
-- ancestor        name of that one
-- ancestor_type   container type of that one
-- ancestor_depth  depth of that one; 0 for a root
-- distance        steps up from the container; 0 for itself
WITH unfolded AS (
    SELECT
        container_id AS ancestor_id,
        name AS ancestor,
        type AS ancestor_type,
        depth AS ancestor_depth,
        CAST(unnest(range(preorder, last_descendant + 1)) AS INTEGER) AS place
    FROM containers
)
SELECT
    containers.container_id,
    containers.name AS container,
    unfolded.ancestor_id,
    unfolded.ancestor,
    unfolded.ancestor_type,
    unfolded.ancestor_depth,
    containers.depth - unfolded.ancestor_depth AS distance
FROM containers
JOIN unfolded
    ON unfolded.place = containers.preorder
