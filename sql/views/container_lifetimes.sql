-- When each container lived, and for which part of the trace.
--
-- A container that is never destroyed lives to the end of the trace.
--
-- Columns:
--   container_id  INTEGER  The container.
--   container     TEXT     Name of the container.
--   type          TEXT     Type of the container.
--   path          TEXT     Names from the root down to it.
--   depth         INTEGER  Distance from the root.
--   start_time    DOUBLE   When it was created, in seconds.
--   end_time      DOUBLE   When it was destroyed, in seconds.
--   seconds       DOUBLE   How long it lived.
--   share         DOUBLE   Share of the length of the trace; NULL when the trace takes no time.
--   began_after   DOUBLE   Seconds from the start of the trace to its creation.
--   ended_before  DOUBLE   Seconds from its end to the end of the trace.
--
-- Example:
--   SELECT container, start_time, end_time, seconds, share
--   FROM container_lifetimes
--   ORDER BY container_id
SELECT
    containers.container_id,
    containers.name AS container,
    containers.type,
    containers.path,
    containers.depth,
    containers.start_time,
    containers.end_time,
    tick_seconds(containers.end_tick - containers.start_tick, trace_info.ticks_per_second) AS seconds,
    CAST(containers.end_tick - containers.start_tick AS DOUBLE)
        / nullif(trace_info.end_tick - trace_info.start_tick, 0) AS share,
    tick_seconds(containers.start_tick - trace_info.start_tick, trace_info.ticks_per_second) AS began_after,
    tick_seconds(trace_info.end_tick - containers.end_tick, trace_info.ticks_per_second) AS ended_before
FROM trace_info
CROSS JOIN containers
