-- Links with their dates: when each was sent and received.
--
-- The dates are in UTC: trace_info.origin plus the seconds. A filter on them reads only those row groups.
--
-- container_id  the container that holds both ends; NULL when the root of the tree does
-- container     name of that container
-- type          name of the link type
-- value         value of the link
-- key           what matched the start to the end
-- source_id     the container where it started
-- source        name of that container
-- target_id     the container where it ended
-- target        name of that container
-- start_time    when the link began
-- end_time      when the link ended; the interval is half-open
-- duration      end_time - start_time
-- volume        size of what was sent: a Size or Volume field, else a numeric value, else NULL
-- started_at    date of start_time
-- ended_at      date of end_time
-- start_tick    start_time as stored
-- end_tick      end_time as stored
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
