-- Who sent how much to whom: one row per pair of containers and type of link.
--
-- source_id  where the links start
-- source     name of that container
-- target_id  where they end
-- target     name of that container
-- type       type of the links
-- links      how many
-- volume     what they carried together; NULL when none tells
-- seconds    their durations together
WITH pairs AS (
    SELECT
        source_id,
        source,
        target_id,
        target,
        type,
        count(*) AS links,
        sum(volume) AS volume,
        sum(end_tick - start_tick) AS ticks
    FROM links
    GROUP BY source_id, source, target_id, target, type
)
SELECT
    pairs.source_id,
    pairs.source,
    pairs.target_id,
    pairs.target,
    pairs.type,
    pairs.links,
    pairs.volume,
    tick_seconds(pairs.ticks, (SELECT ticks_per_second FROM trace_info)) AS seconds
FROM pairs
