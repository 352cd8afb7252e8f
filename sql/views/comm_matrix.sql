-- Who sent how much to whom: one row per pair of containers, type of link and kind.
--
-- Pairs without links have no row. Links of every type are counted, collective operations apart from messages from point
-- to point (link_kinds says which is which): choose with WHERE type = … and WHERE kind = ….
-- comm_matrix_by_depth shows machines or sites instead of processes, link_slices a window of time.
--
-- Columns:
--   source_id  INTEGER  Where the links start.
--   source     TEXT     Name of that container.
--   target_id  INTEGER  Where they end.
--   target     TEXT     Name of that container.
--   type       TEXT     Type of the links.
--   kind       TEXT     point to point or collective.
--   links      BIGINT   How many.
--   volume     DOUBLE   What they carried together; NULL when not recorded in the trace.
--   seconds    DOUBLE   Their durations together.
--
-- Example:
--   SELECT source, target, kind, links, volume, seconds
--   FROM comm_matrix
--   ORDER BY source_id, target_id
WITH pairs AS (
    SELECT
        source_id,
        source,
        target_id,
        target,
        type,
        kind,
        count(*) AS links,
        sum(volume) AS volume,
        sum(end_tick - start_tick) AS ticks
    FROM link_kinds
    GROUP BY source_id, source, target_id, target, type, kind
)
SELECT
    pairs.source_id,
    pairs.source,
    pairs.target_id,
    pairs.target,
    pairs.type,
    pairs.kind,
    pairs.links,
    pairs.volume,
    tick_seconds(pairs.ticks, (SELECT ticks_per_second FROM trace_info)) AS seconds
FROM pairs
