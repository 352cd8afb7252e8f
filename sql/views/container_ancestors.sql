-- Pairs every container with each of its ancestors, itself included.
--
-- Only containers that hold others climb the tree, one level at a time; all others join once with
-- what their parent has found. Every step is an equi-join, and the leaves, which are nearly all
-- containers of a large trace, take part in one of them only.
--
-- container_id    the container
-- container       name of the container
-- ancestor_id     the container itself, or one above it
-- ancestor        name of that one
-- ancestor_type   container type of that one
-- ancestor_depth  depth of that one; 0 for a root
-- distance        steps up from the container; 0 for itself
WITH RECURSIVE climb AS (
    SELECT
        container_id,
        container_id AS ancestor_id,
        name AS ancestor,
        type AS ancestor_type,
        depth AS ancestor_depth,
        parent_id AS next_id,
        CAST(0 AS INTEGER) AS distance
    FROM containers
    WHERE NOT is_leaf
    UNION ALL
    SELECT
        climb.container_id,
        parents.container_id AS ancestor_id,
        parents.name AS ancestor,
        parents.type AS ancestor_type,
        parents.depth AS ancestor_depth,
        parents.parent_id AS next_id,
        CAST(climb.distance + 1 AS INTEGER) AS distance
    FROM climb
    JOIN containers AS parents
        ON parents.container_id = climb.next_id
    WHERE NOT parents.is_leaf
)
SELECT
    container_id,
    name AS container,
    container_id AS ancestor_id,
    name AS ancestor,
    type AS ancestor_type,
    depth AS ancestor_depth,
    CAST(0 AS INTEGER) AS distance
FROM containers
UNION ALL
SELECT
    containers.container_id,
    containers.name AS container,
    climb.ancestor_id,
    climb.ancestor,
    climb.ancestor_type,
    climb.ancestor_depth,
    CAST(climb.distance + 1 AS INTEGER) AS distance
FROM containers
JOIN climb
    ON climb.container_id = containers.parent_id
