-- How many links carry how much: a histogram of volumes by powers of two.
--
-- A class holds the volumes from from_volume up to, not including, to_volume: [0, 1), [1, 2), [2, 4), [4, 8) and
-- so on. Links without a volume, or with a negative one, are a class of their own, with NULL as its bounds.
-- Classes without links have no row.
--
-- Columns:
--   type          TEXT    Type of the links.
--   from_volume   DOUBLE  Smallest volume of the class; NULL for links without one.
--   to_volume     DOUBLE  Where the class ends, itself not in it.
--   links         BIGINT  How many.
--   volume        DOUBLE  What they carried together.
--   mean_seconds  DOUBLE  Mean of their durations.
--   bandwidth     DOUBLE  Volume per second of link; NULL when they took no time.
--
-- Example:
--   SELECT from_volume, to_volume, links, volume, mean_seconds
--   FROM message_histogram
--   ORDER BY from_volume
WITH classes AS (
    SELECT
        type,
        CASE
            WHEN volume >= 1 THEN power(2.0, floor(log2(volume)))
            WHEN volume >= 0 THEN 0.0
        END AS from_volume,
        volume,
        end_tick - start_tick AS ticks
    FROM links
),
totals AS (
    SELECT
        type,
        from_volume,
        count(*) AS links,
        sum(volume) AS volume,
        CAST(sum(CAST(ticks AS DECIMAL(20, 0))) AS DOUBLE) AS ticks
    FROM classes
    GROUP BY type, from_volume
)
SELECT
    totals.type,
    totals.from_volume,
    totals.from_volume + greatest(totals.from_volume, 1) AS to_volume,
    totals.links,
    totals.volume,
    totals.ticks / totals.links / (SELECT ticks_per_second FROM trace_info) AS mean_seconds,
    totals.volume * (SELECT ticks_per_second FROM trace_info) / nullif(totals.ticks, 0) AS bandwidth
FROM totals
