-- How long kernels and copies waited from their call on the host to their start on a GPU.
--
-- Launches are the links of the type launch (Nsight Systems, rocpd) and the flows ac2g (PyTorch): from the start of the
-- call to the start of what it launched. The time holds the call itself and waiting for what was
-- launched before: if it grows, the host is ahead of the device. A call of a graph launches all of its
-- kernels. Median and 95th percentile are latencies that occur. value is NULL where no activity starts when the link
-- ends. Sorts the launches once.
--
-- Columns:
--   device_id       INTEGER  The container of the device.
--   device          TEXT     Name of the device.
--   kind            TEXT     kernel or memory.
--   value           TEXT     Name of the kernel, or kind of the copy.
--   launches        BIGINT   How many.
--   min_seconds     DOUBLE   The shortest latency.
--   median_seconds  DOUBLE   Half of the launches take no longer.
--   p95_seconds     DOUBLE   95 of 100 launches take no longer.
--   max_seconds     DOUBLE   The longest latency.
--   mean_seconds    DOUBLE   Mean of the latencies.
--
-- Example:
--   SELECT device, value, launches, min_seconds, median_seconds, max_seconds
--   FROM gpu_launch_latency
--   ORDER BY device_id, value
WITH streams AS (
    SELECT DISTINCT
        stream_id,
        device_id,
        device
    FROM gpu_activities
),
-- Of several activities that start at once on a stream, one is enough to name a launch.
started AS (
    SELECT
        stream_id,
        start_tick,
        min(kind) AS kind,
        min(value) AS value
    FROM gpu_activities
    GROUP BY stream_id, start_tick
),
launches AS (
    SELECT
        streams.device_id,
        streams.device,
        started.kind,
        started.value,
        links.end_tick - links.start_tick AS ticks
    FROM links
    JOIN streams
        ON streams.stream_id = links.target_id
    LEFT JOIN started
        ON started.stream_id = links.target_id
        AND started.start_tick = links.end_tick
    WHERE links.type = 'launch'
        OR links.type = 'flow' AND links.value = 'ac2g'
),
ranked AS (
    SELECT
        device_id,
        device,
        kind,
        value,
        ticks,
        row_number() OVER (PARTITION BY device_id, kind, value ORDER BY ticks) AS place,
        count(*) OVER (PARTITION BY device_id, kind, value) AS launches
    FROM launches
)
SELECT
    device_id,
    device,
    kind,
    value,
    count(*) AS launches,
    tick_seconds(min(ticks), (SELECT ticks_per_second FROM trace_info)) AS min_seconds,
    tick_seconds(min(ticks) FILTER (WHERE 2 * place >= launches), (SELECT ticks_per_second FROM trace_info)) AS median_seconds,
    tick_seconds(min(ticks) FILTER (WHERE 100 * place >= 95 * launches), (SELECT ticks_per_second FROM trace_info)) AS p95_seconds,
    tick_seconds(max(ticks), (SELECT ticks_per_second FROM trace_info)) AS max_seconds,
    CAST(sum(ticks) AS DOUBLE) / count(*) / (SELECT ticks_per_second FROM trace_info) AS mean_seconds
FROM ranked
GROUP BY device_id, device, kind, value
