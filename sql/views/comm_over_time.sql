-- How much is communicated over time: the links of all containers, in 100 slices of the trace.
--
-- A link counts in every slice that it shares time with (boundary => 'clip'), and its volume is spread evenly
-- over its duration, so that the slices add up to all seconds and volumes. A link that takes no time counts in
-- links, in the slice of its instant. Slices without links have no row. For other slices, a window, or
-- containers one by one, call link_slices.
--
-- Columns:
--   slice              BIGINT  Number of the slice, from 0 on.
--   slice_start        DOUBLE  When the slice begins, in seconds.
--   slice_end          DOUBLE  When it ends, in seconds.
--   type               TEXT    Type of the links.
--   links              BIGINT  How many were under way at some time of the slice.
--   seconds            DOUBLE  How long they were under way within the slice, together.
--   under_way          DOUBLE  How many were under way, on average over the slice.
--   volume             DOUBLE  What they carried within the slice; 0 when none tells.
--   volume_per_second  DOUBLE  Volume / length of the slice.
--
-- Example:
--   SELECT slice_start, type, links, round(under_way, 9) AS under_way, round(volume_per_second, 9) AS
--       volume_per_second
--   FROM comm_over_time
--   WHERE slice IN (65, 70)
--   ORDER BY slice, type

-- A link counts in every slice that it shares time with, and carries its volume evenly from its start
-- to its end. The links of all containers are sliced as if they had one source, which adds them up.
SELECT
    slice,
    slice_start,
    slice_end,
    type,
    links,
    seconds,
    100 * seconds / (SELECT nullif(end_time - start_time, 0) FROM trace_info) AS under_way,
    volume,
    100 * volume / (SELECT nullif(end_time - start_time, 0) FROM trace_info) AS volume_per_second
FROM link_slices(
    (
        SELECT
            CAST(0 AS INTEGER) AS source_id,
            CAST(0 AS INTEGER) AS target_id,
            type,
            volume,
            start_time,
            end_time,
            start_tick,
            end_tick
        FROM links
    ),
    slices => 100,
    boundary => 'clip'
)
WHERE role = 'origin'
