-- Variables with their dates: one row per interval of constant value.
--
-- The dates are in UTC: trace_info.origin plus the seconds; 1970-01-01 is the origin when neither the format nor
-- --origin sets another. A filter on them reads only the row groups of those times. Columns that a trace adds of
-- its own are in dated(variables).
--
-- Columns:
--   container_id  INTEGER    The container that it belongs to.
--   container     TEXT       Name of that container.
--   type          TEXT       Name of the variable type.
--   value         DOUBLE     Value during the interval.
--   start_time    DOUBLE     When the value began.
--   end_time      DOUBLE     When the value ended; the interval is half-open.
--   duration      DOUBLE     end_time - start_time.
--   started_at    TIMESTAMP  Date of start_time.
--   ended_at      TIMESTAMP  Date of end_time.
--   start_tick    BIGINT     start_time as stored.
--   end_tick      BIGINT     end_time as stored.
--
-- Example:
--   SELECT container, type, value, started_at
--   FROM dated_variables
--   ORDER BY started_at, container, type
--   LIMIT 2
SELECT
    container_id,
    container,
    type,
    value,
    start_time,
    end_time,
    duration,
    started_at,
    ended_at,
    start_tick,
    end_tick
FROM dated(variables)
