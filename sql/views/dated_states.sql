-- States with their dates: when each began and ended, in wall-clock time.
--
-- The dates are in UTC: trace_info.origin plus the seconds; 1970-01-01 is the origin when neither the format nor
-- --origin sets another. A filter on them reads only the row groups of those times. Columns that a trace adds of
-- its own are in dated(states).
--
-- Columns:
--   container_id  INTEGER    The container that it belongs to.
--   container     TEXT       Name of that container.
--   type          TEXT       Name of the state type.
--   value         TEXT       Name of the state.
--   start_time    DOUBLE     When the state began.
--   end_time      DOUBLE     When the state ended; the interval is half-open.
--   duration      DOUBLE     end_time - start_time.
--   depth         INTEGER    How many states of the same type lie beneath it on the stack; 0 for the outermost.
--   started_at    TIMESTAMP  Date of start_time.
--   ended_at      TIMESTAMP  Date of end_time.
--   start_tick    BIGINT     start_time as stored.
--   end_tick      BIGINT     end_time as stored.
--
-- Example:
--   SELECT container, value, started_at, ended_at
--   FROM dated_states
--   WHERE started_at >= '1970-01-01T00:00:02.4Z'
--   ORDER BY container, started_at
SELECT
    container_id,
    container,
    type,
    value,
    start_time,
    end_time,
    duration,
    depth,
    started_at,
    ended_at,
    start_tick,
    end_tick
FROM dated(states)
