-- States with their dates: when each began and ended, as a clock on the wall tells it.
--
-- The dates are in UTC: trace_info.origin plus the seconds. A filter on them reads only those row groups.
--
-- container_id  the container that it belongs to
-- container     name of that container
-- type          name of the state type
-- value         name of the state
-- start_time    when the state began
-- end_time      when the state ended; the interval is half-open
-- duration      end_time - start_time
-- depth         how many states of the same type lie beneath it on the stack; 0 for the outermost
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
    depth,
    started_at,
    ended_at,
    start_tick,
    end_tick
FROM dated(states)
