-- Links with their dates: when each was sent and received.
--
-- The dates are in UTC: trace_info.origin plus the seconds; 1970-01-01 is the origin when neither the format nor
-- --origin sets another. A filter on them reads only the row groups of those times. Columns that a trace adds of
-- its own are in dated(links).
--
-- Columns:
--   container_id  INTEGER    The container that holds both ends; NULL when the root of the tree does.
--   container     TEXT       Name of that container.
--   type          TEXT       Name of the link type.
--   value         TEXT       Value of the link.
--   key           TEXT       What matched the start to the end.
--   source_id     INTEGER    The container where it started.
--   source        TEXT       Name of that container.
--   target_id     INTEGER    The container where it ended.
--   target        TEXT       Name of that container.
--   start_time    DOUBLE     When the link began.
--   end_time      DOUBLE     When the link ended; the interval is half-open.
--   duration      DOUBLE     end_time - start_time.
--   volume        DOUBLE     Size of what was sent: a Size or Volume field, else a numeric value, else NULL.
--   started_at    TIMESTAMP  Date of start_time.
--   ended_at      TIMESTAMP  Date of end_time.
--   start_tick    BIGINT     start_time as stored.
--   end_tick      BIGINT     end_time as stored.
--
-- Example:
--   SELECT source, target, started_at, ended_at
--   FROM dated_links
--   ORDER BY started_at, source
--   LIMIT 2
SELECT
    container_id,
    container,
    type,
    value,
    key,
    source_id,
    source,
    target_id,
    target,
    start_time,
    end_time,
    duration,
    volume,
    started_at,
    ended_at,
    start_tick,
    end_tick
FROM dated(links)
