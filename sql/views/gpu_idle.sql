-- When GPUs were idle: the gaps between activities of each device.
--
-- A device is idle when it runs no kernel and copies no memory on any of its streams, between its first activity and its
-- last. next_value is what ended the gap: the host was late with it, or it waited for something else. The seconds
-- of a device add up to idle_seconds of gpu_overlap. Sorts all activities once.
--
-- Columns:
--   device_id   INTEGER  The container of the device.
--   device      TEXT     Name of the device.
--   start_time  DOUBLE   Start of the gap, in seconds.
--   end_time    DOUBLE   End of it, in seconds.
--   seconds     DOUBLE   How long it is.
--   next_kind   TEXT     kernel or memory: what comes after it.
--   next_value  TEXT     Name of the kernel, or kind of the copy, that comes after it.
--
-- Example:
--   SELECT device, start_time, seconds, next_value
--   FROM gpu_idle
--   ORDER BY seconds DESC, start_time

-- A gap ends with an activity that starts after all before it ended.
WITH preceded AS (
    SELECT
        device_id,
        device,
        kind,
        value,
        start_tick,
        max(end_tick) OVER (
            PARTITION BY device_id
            ORDER BY start_tick, end_tick, stream_id, kind, value
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS busy_until
    FROM gpu_activities
)
SELECT
    device_id,
    device,
    tick_seconds(busy_until, (SELECT ticks_per_second FROM trace_info)) AS start_time,
    tick_seconds(start_tick, (SELECT ticks_per_second FROM trace_info)) AS end_time,
    tick_seconds(start_tick - busy_until, (SELECT ticks_per_second FROM trace_info)) AS seconds,
    kind AS next_kind,
    value AS next_value
FROM preceded
WHERE busy_until < start_tick
