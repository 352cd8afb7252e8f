-- Events with their dates.
--
-- The dates are in UTC: trace_info.origin plus the seconds. A filter on them reads only those row groups.
--
-- container_id  the container that it belongs to
-- container     name of that container
-- type          name of the event type
-- value         value of the event
-- time          when it happened
-- happened_at   date of time
-- tick          time as stored
SELECT
    container_id,
    container,
    type,
    value,
    time,
    happened_at,
    tick
FROM dated(events)
