-- Kernels by time: how often each ran on GPUs, and how long.
--
-- Seconds are added up over all devices and streams: kernels that run at the same time count each. gpu_overlap says how
-- long devices ran any. Names are those of gpu_activities.
--
-- Columns:
--   kernel        TEXT    Name of the kernel.
--   runs          BIGINT  How often it ran.
--   devices       BIGINT  On how many devices.
--   seconds       DOUBLE  How long it ran together.
--   share         DOUBLE  Its part of the time of all kernels; NULL when none took time.
--   min_seconds   DOUBLE  The shortest run.
--   mean_seconds  DOUBLE  Mean of the runs.
--   max_seconds   DOUBLE  The longest run.
--
-- Example:
--   SELECT kernel, runs, seconds, share, mean_seconds
--   FROM gpu_kernels
--   ORDER BY seconds DESC, kernel
WITH totals AS (
    SELECT
        value AS kernel,
        count(*) AS runs,
        count(DISTINCT device_id) AS devices,
        CAST(sum(end_tick - start_tick) AS BIGINT) AS ticks,
        min(end_tick - start_tick) AS min_ticks,
        max(end_tick - start_tick) AS max_ticks
    FROM gpu_activities
    WHERE kind = 'kernel'
    GROUP BY value
)
SELECT
    kernel,
    runs,
    devices,
    tick_seconds(ticks, (SELECT ticks_per_second FROM trace_info)) AS seconds,
    CAST(ticks AS DOUBLE) / nullif(CAST(sum(ticks) OVER () AS DOUBLE), 0) AS share,
    tick_seconds(min_ticks, (SELECT ticks_per_second FROM trace_info)) AS min_seconds,
    CAST(ticks AS DOUBLE) / runs / (SELECT ticks_per_second FROM trace_info) AS mean_seconds,
    tick_seconds(max_ticks, (SELECT ticks_per_second FROM trace_info)) AS max_seconds
FROM totals
