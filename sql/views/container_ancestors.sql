-- Pairs every container with each of its ancestors, itself included.
--
-- Joining it with a table on container_id and grouping by ancestor adds up the tree. A container at depth d has
-- d + 1 rows.
--
-- Columns:
--   container_id    INTEGER  The container.
--   container       TEXT     Name of the container.
--   ancestor_id     INTEGER  The container itself, or one above it.
--   ancestor        TEXT     Name of that one.
--   ancestor_type   TEXT     Container type of that one.
--   ancestor_depth  INTEGER  Depth of that one; 0 for a root.
--   distance        INTEGER  Steps up from the container; 0 for itself.
--
-- Example:
--   SELECT container, ancestor, distance
--   FROM container_ancestors
--   ORDER BY container_id, distance

-- The containers below an ancestor are those whose preorder lies from its own to its last
-- descendant's: each ancestor is unfolded into these numbers, and one equi-join finds who has them.
-- So a condition on the ancestor, or on the container, is met before anything is unfolded or joined.
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
