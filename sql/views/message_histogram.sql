-- How many links carry how much: a histogram of volumes by powers of two.
--
-- type          type of the links
-- from_volume   smallest volume of the class; NULL for links without one
-- to_volume     where the class ends, itself not in it
-- links         how many
-- volume        what they carried together
-- mean_seconds  mean of their durations
-- bandwidth     volume per second of link; NULL when they took no time
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
