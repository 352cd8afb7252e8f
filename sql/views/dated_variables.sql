-- Variables with their dates: one row per interval of constant value.
--
-- The dates are in UTC: trace_info.origin plus the seconds. A filter on them reads only those row groups.
--
-- container_id  the container that it belongs to
-- container     name of that container
-- type          name of the variable type
-- value         value during the interval
-- start_time    when the value began
-- end_time      when the value ended; the interval is half-open
-- duration      end_time - start_time
-- started_at    date of start_time
-- ended_at      date of end_time
-- start_tick    start_time as stored
-- end_tick      end_time as stored
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
