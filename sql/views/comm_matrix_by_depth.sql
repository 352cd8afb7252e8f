-- Who sent how much to whom, at every depth of the container tree: between machines, sites and so on.
--
-- At depth d, each end is replaced by its ancestor at depth d; an end above depth d stays as it is, so the links
-- of every depth add up to all links. Depths go from 0 to the deepest end of any link. What stays inside a
-- container has it as source and target. Choose a depth with WHERE depth = …, a kind (see link_kinds) with WHERE kind = ….
--
-- Columns:
--   depth      INTEGER  Depth of the containers that are shown.
--   source_id  INTEGER  The container that holds the starts.
--   source     TEXT     Name of that container.
--   target_id  INTEGER  The container that holds the ends; the source itself for what stays inside.
--   target     TEXT     Name of that container.
--   type       TEXT     Type of the links.
--   kind       TEXT     point to point or collective.
--   links      BIGINT   How many.
--   volume     DOUBLE   What they carried together; NULL when not recorded in the trace.
--   seconds    DOUBLE   Their durations together.
--
-- Example:
--   SELECT source, target, links, volume
--   FROM comm_matrix_by_depth
--   WHERE depth = 1
--   ORDER BY source_id, target_id
WITH pairs AS (
    SELECT
        source_id,
        target_id,
        type,
        kind,
        count(*) AS links,
        sum(volume) AS volume,
        sum(end_tick - start_tick) AS ticks
    FROM link_kinds
    GROUP BY source_id, target_id, type, kind
),
ends AS (
    SELECT source_id AS container_id FROM pairs
    UNION
    SELECT target_id AS container_id FROM pairs
),
climbs AS (
    SELECT
        ends.container_id,
        ancestors.ancestor_depth AS depth,
        ancestors.ancestor_id,
        ancestors.ancestor
    FROM ends
    JOIN container_ancestors AS ancestors
        ON ancestors.container_id = ends.container_id
),
depths AS (
    SELECT DISTINCT depth
    FROM climbs
),
lifted AS (
    SELECT
        container_id,
        depth,
        ancestor_id,
        ancestor
    FROM climbs
    UNION ALL
    SELECT
        ends.container_id,
        depths.depth,
        containers.container_id AS ancestor_id,
        containers.name AS ancestor
    FROM ends
    JOIN containers
        ON containers.container_id = ends.container_id
    CROSS JOIN depths
    WHERE depths.depth > containers.depth
),
totals AS (
    SELECT
        sources.depth,
        sources.ancestor_id AS source_id,
        sources.ancestor AS source,
        targets.ancestor_id AS target_id,
        targets.ancestor AS target,
        pairs.type,
        pairs.kind,
        sum(pairs.links) AS links,
        sum(pairs.volume) AS volume,
        CAST(sum(CAST(pairs.ticks AS DECIMAL(20, 0))) AS DOUBLE) AS ticks
    FROM pairs
    JOIN lifted AS sources
        ON sources.container_id = pairs.source_id
    JOIN lifted AS targets
        ON targets.container_id = pairs.target_id
        AND targets.depth = sources.depth
    GROUP BY
        sources.depth,
        sources.ancestor_id,
        sources.ancestor,
        targets.ancestor_id,
        targets.ancestor,
        pairs.type,
        pairs.kind
)
SELECT
    totals.depth,
    totals.source_id,
    totals.source,
    totals.target_id,
    totals.target,
    totals.type,
    totals.kind,
    totals.links,
    totals.volume,
    totals.ticks / (SELECT ticks_per_second FROM trace_info) AS seconds
FROM totals
