-- Events with their dates.
--
-- The dates are in UTC: trace_info.origin plus the seconds; 1970-01-01 is the origin when neither the format nor
-- --origin sets another. A filter on them reads only the row groups of those times. Columns that a trace adds of
-- its own are in dated(events).
--
-- Columns:
--   container_id  INTEGER    The container that it belongs to.
--   container     TEXT       Name of that container.
--   type          TEXT       Name of the event type.
--   value         TEXT       Value of the event.
--   time          DOUBLE     When it happened.
--   happened_at   TIMESTAMP  Date of time.
--   tick          BIGINT     time as stored.
--
-- Example:
--   SELECT container, value, happened_at
--   FROM dated_events
--   ORDER BY happened_at, container
--   LIMIT 2
SELECT
    container_id,
    container,
    type,
    value,
    time,
    happened_at,
    tick
FROM dated(events)
