-- How long each GPU computed and copied, how much of it at once, and how long it was idle.
--
-- A device is looked at from the start of its first activity to the end of its last. Kernels that run at the same time
-- count once, and so do copies: kernel_seconds + memory_seconds - overlap_seconds is the time in which it was busy, and with
-- idle_seconds the whole. hidden_share is the part of the copies that kernels hide. Sorts all activities once.
--
-- Columns:
--   device_id        INTEGER  The container of the device.
--   device           TEXT     Name of the device.
--   start_time       DOUBLE   Start of the first activity, in seconds.
--   end_time         DOUBLE   End of the last activity, in seconds.
--   kernel_seconds   DOUBLE   How long at least one kernel ran.
--   memory_seconds   DOUBLE   How long memory was copied or set.
--   overlap_seconds  DOUBLE   How long both happened at once.
--   idle_seconds     DOUBLE   How long neither did.
--   hidden_share     DOUBLE   overlap_seconds / memory_seconds; NULL without copies.
--   idle_share       DOUBLE   idle_seconds / (end_time - start_time); NULL when that is no time.
--
-- Example:
--   SELECT device, kernel_seconds, memory_seconds, overlap_seconds, idle_seconds
--   FROM gpu_overlap
--   ORDER BY device_id

-- How many kernels and copies run changes at starts and ends; between two changes it stays:
--
--   kernels  ..######..##
--   memory   ####........
--   both     ..##........
WITH changes AS (
    SELECT
        device_id,
        start_tick AS tick,
        CASE WHEN kind = 'kernel' THEN 1 ELSE 0 END AS kernels,
        CASE WHEN kind = 'memory' THEN 1 ELSE 0 END AS copies
    FROM gpu_activities
    UNION ALL
    SELECT
        device_id,
        end_tick AS tick,
        CASE WHEN kind = 'kernel' THEN -1 ELSE 0 END AS kernels,
        CASE WHEN kind = 'memory' THEN -1 ELSE 0 END AS copies
    FROM gpu_activities
),
changed AS (
    SELECT
        device_id,
        tick,
        sum(kernels) AS kernels,
        sum(copies) AS copies
    FROM changes
    GROUP BY device_id, tick
),
levels AS (
    SELECT
        device_id,
        tick,
        coalesce(lead(tick) OVER (PARTITION BY device_id ORDER BY tick), tick) - tick AS ticks,
        sum(kernels) OVER (PARTITION BY device_id ORDER BY tick ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS kernels,
        sum(copies) OVER (PARTITION BY device_id ORDER BY tick ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS copies
    FROM changed
),
totals AS (
    SELECT
        device_id,
        min(tick) AS start_tick,
        max(tick) AS end_tick,
        CAST(sum(CASE WHEN kernels > 0 THEN ticks ELSE 0 END) AS BIGINT) AS kernel_ticks,
        CAST(sum(CASE WHEN copies > 0 THEN ticks ELSE 0 END) AS BIGINT) AS memory_ticks,
        CAST(sum(CASE WHEN kernels > 0 AND copies > 0 THEN ticks ELSE 0 END) AS BIGINT) AS overlap_ticks,
        CAST(sum(CASE WHEN kernels = 0 AND copies = 0 THEN ticks ELSE 0 END) AS BIGINT) AS idle_ticks
    FROM levels
    GROUP BY device_id
)
SELECT
    totals.device_id,
    containers.name AS device,
    tick_seconds(totals.start_tick, (SELECT ticks_per_second FROM trace_info)) AS start_time,
    tick_seconds(totals.end_tick, (SELECT ticks_per_second FROM trace_info)) AS end_time,
    tick_seconds(totals.kernel_ticks, (SELECT ticks_per_second FROM trace_info)) AS kernel_seconds,
    tick_seconds(totals.memory_ticks, (SELECT ticks_per_second FROM trace_info)) AS memory_seconds,
    tick_seconds(totals.overlap_ticks, (SELECT ticks_per_second FROM trace_info)) AS overlap_seconds,
    tick_seconds(totals.idle_ticks, (SELECT ticks_per_second FROM trace_info)) AS idle_seconds,
    CAST(totals.overlap_ticks AS DOUBLE) / nullif(totals.memory_ticks, 0) AS hidden_share,
    CAST(totals.idle_ticks AS DOUBLE) / nullif(totals.end_tick - totals.start_tick, 0) AS idle_share
FROM totals
JOIN containers
    ON containers.container_id = totals.device_id
