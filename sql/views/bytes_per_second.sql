-- How fast the links of each container are: what they carry per second, as origin and as destination.
--
-- bytes_per_second adds up the volume / duration of every link, as in table 4.2 of the thesis; volume / seconds
-- is the bandwidth while links are in flight. Links that take no time or have no volume count in links only.
-- link_slices gives the same over time.
--
-- Columns:
--   container_id           INTEGER  The container.
--   container              TEXT     Name of the container.
--   role                   TEXT     Origin: the links start there; destination: they end there.
--   type                   TEXT     Type of the links.
--   links                  BIGINT   How many.
--   volume                 DOUBLE   What they carried together; NULL when not recorded in the trace.
--   seconds                DOUBLE   Their durations together.
--   bytes_per_second       DOUBLE   Volume / duration of each, added up; links without volume or duration add
--                                   nothing.
--   mean_bytes_per_second  DOUBLE   The mean of those that have both.
--
-- Example:
--   SELECT container, links, volume, bytes_per_second
--   FROM bytes_per_second
--   WHERE role = 'origin'
--   ORDER BY container_id

-- One of the combinations of Schnorr's thesis, table 4.1: quantity over time. Each link counts with
-- its own volume / duration, as in table 4.2: 10 bytes in 2 s and 40 bytes in 2 s are 5 + 20 = 25.
WITH ends AS (
    SELECT
        source_id AS container_id,
        source AS container,
        'origin' AS role,
        type,
        volume,
        end_tick - start_tick AS ticks,
        volume / nullif(duration, 0) AS rate
    FROM links
    UNION ALL
    SELECT
        target_id AS container_id,
        target AS container,
        'destination' AS role,
        type,
        volume,
        end_tick - start_tick AS ticks,
        volume / nullif(duration, 0) AS rate
    FROM links
)
SELECT
    container_id,
    container,
    role,
    type,
    count(*) AS links,
    sum(volume) AS volume,
    tick_seconds(sum(ticks), (SELECT ticks_per_second FROM trace_info)) AS seconds,
    sum(rate) AS bytes_per_second,
    avg(rate) AS mean_bytes_per_second
FROM ends
GROUP BY container_id, container, role, type
