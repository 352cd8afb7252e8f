-- How long links take, and how much they carry per second: one row per type.
--
-- Median and 95th percentile are durations that occur: the shortest that half, or 95 of 100, of the links do not
-- exceed. Sorts the links by duration once.
--
-- Columns:
--   type                TEXT    Type of the links.
--   links               BIGINT  How many.
--   min_seconds         DOUBLE  The shortest duration.
--   median_seconds      DOUBLE  Half of the links take no longer.
--   p95_seconds         DOUBLE  95 of 100 links take no longer.
--   max_seconds         DOUBLE  The longest duration.
--   mean_seconds        DOUBLE  Mean of the durations.
--   standard_deviation  DOUBLE  How far they spread around the mean (of all links, not of a sample).
--   volume              DOUBLE  What they carried together; NULL when not recorded in the trace.
--   bandwidth           DOUBLE  Volume per second of the links that have one; NULL when they took no time.
--
-- Example:
--   SELECT type, links, min_seconds, median_seconds, max_seconds, mean_seconds, bandwidth
--   FROM link_latency
WITH totals AS (
    SELECT
        type,
        count(*) AS links,
        CAST(sum(CAST(end_tick - start_tick AS DECIMAL(20, 0))) AS DOUBLE) AS ticks,
        stddev_pop(duration) AS standard_deviation,
        sum(volume) AS volume,
        CAST(
            sum(CAST(end_tick - start_tick AS DECIMAL(20, 0))) FILTER (WHERE volume IS NOT NULL) AS DOUBLE
        ) AS ticks_of_volume
    FROM links
    GROUP BY type
),
ranked AS (
    SELECT
        type,
        duration,
        CAST(row_number() OVER (PARTITION BY type ORDER BY duration) AS BIGINT) AS place
    FROM links
),
quantiles AS (
    SELECT
        ranked.type,
        min(ranked.duration) AS min_seconds,
        min(ranked.duration) FILTER (WHERE 2 * ranked.place >= totals.links) AS median_seconds,
        min(ranked.duration) FILTER (WHERE 100 * ranked.place >= 95 * totals.links) AS p95_seconds,
        max(ranked.duration) AS max_seconds
    FROM ranked
    JOIN totals
        ON totals.type = ranked.type
    GROUP BY ranked.type
)
SELECT
    totals.type,
    totals.links,
    quantiles.min_seconds,
    quantiles.median_seconds,
    quantiles.p95_seconds,
    quantiles.max_seconds,
    totals.ticks / totals.links / (SELECT ticks_per_second FROM trace_info) AS mean_seconds,
    totals.standard_deviation,
    totals.volume,
    totals.volume * (SELECT ticks_per_second FROM trace_info) / nullif(totals.ticks_of_volume, 0) AS bandwidth
FROM totals
JOIN quantiles
    ON quantiles.type = totals.type
