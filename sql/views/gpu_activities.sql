-- What GPUs did: every kernel and every copy, with its device and stream.
--
-- In traces of Nsight Systems and rocpd these are the states of the types kernel, graph and memory on the streams of devices; a
-- graph stands for its kernels where they were not recorded. In Chrome traces of PyTorch they are the slices of the
-- categories kernel, gpu_memcpy and gpu_memset; the device is the process that stands for the GPU. Memory is copied or
-- set. Synchronization is no activity: the device does nothing for it. A trace without GPUs has no rows. A process
-- has devices of its own: a GPU that two processes use is two devices.
--
-- Columns:
--   device_id   INTEGER  The container of the device.
--   device      TEXT     Name of the device.
--   stream_id   INTEGER  The container of the stream or queue.
--   stream      TEXT     Name of the stream or queue.
--   kind        TEXT     kernel or memory.
--   value       TEXT     Name of the kernel, or kind of the copy.
--   start_time  DOUBLE   When it started on the device, in seconds.
--   end_time    DOUBLE   When it ended, in seconds.
--   duration    DOUBLE   How long it took, in seconds.
--   start_tick  BIGINT   When it started, in ticks.
--   end_tick    BIGINT   When it ended, in ticks.
--
-- Example:
--   SELECT device, stream, kind, value, start_time, duration
--   FROM gpu_activities
--   ORDER BY start_tick, stream_id

-- Only some formats have a column category: the first branch, which has no rows, makes it NULL in the others. It is why
-- the second one selects all columns.
WITH recorded AS (
    SELECT CAST(NULL AS TEXT) AS category
    WHERE false
    UNION ALL BY NAME
    SELECT *
    FROM states
),
marked AS (
    SELECT
        container_id,
        type,
        CASE
            WHEN type IN ('kernel', 'graph') THEN 'kernel'
            WHEN type = 'memory' THEN 'memory'
            WHEN CAST(category AS TEXT) = 'kernel' THEN 'kernel'
            ELSE 'memory'
        END AS kind,
        value,
        start_time,
        end_time,
        duration,
        start_tick,
        end_tick
    FROM recorded
    WHERE type IN ('kernel', 'graph', 'memory')
        OR type = 'slice' AND CAST(category AS TEXT) IN ('kernel', 'gpu_memcpy', 'gpu_memset')
),
-- What overlaps others of its stream is on a lane below it.
on_streams AS (
    SELECT
        marked.type,
        marked.kind,
        marked.value,
        marked.start_time,
        marked.end_time,
        marked.duration,
        marked.start_tick,
        marked.end_tick,
        CASE WHEN places.type = 'lane' THEN places.parent_id ELSE places.container_id END AS stream_id
    FROM marked
    JOIN containers AS places
        ON places.container_id = marked.container_id
)
SELECT
    devices.container_id AS device_id,
    devices.name AS device,
    on_streams.stream_id,
    streams.name AS stream,
    on_streams.kind,
    on_streams.value,
    on_streams.start_time,
    on_streams.end_time,
    on_streams.duration,
    on_streams.start_tick,
    on_streams.end_tick
FROM on_streams
JOIN containers AS streams
    ON streams.container_id = on_streams.stream_id
JOIN containers AS devices
    ON devices.container_id = streams.parent_id
WHERE on_streams.type = 'slice'
    OR devices.type = 'device'
