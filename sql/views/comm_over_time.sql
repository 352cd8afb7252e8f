-- How much is communicated over time: the links of all containers, in 100 slices of the trace.
--
-- A link counts in every slice that it shares time with (boundary => 'clip'), and its volume is spread evenly
-- over its duration, so that the slices add up to all seconds and volumes. A link that takes no time counts in
-- links, in the slice of its instant. One that ends before it starts (clocks that differ) has no time to count in:
-- it is left out, with its volume; comm_in_flight counts it where it starts. Slices without links have no row. For
-- other slices, a window, or containers one by one, call link_slices.
--
-- Columns:
--   slice              BIGINT  Slice index, from 0.
--   slice_start        DOUBLE  Start of the slice, in seconds.
--   slice_end          DOUBLE  End of it, in seconds.
--   type               TEXT    Type of the links.
--   links              BIGINT  How many were in flight at some time of the slice.
--   seconds            DOUBLE  How long they were in flight within the slice, together.
--   in_flight          DOUBLE  How many were in flight, on average over the slice.
--   volume             DOUBLE  What they carried within the slice; 0 when not recorded.
--   volume_per_second  DOUBLE  Volume / length of the slice.
--
-- Example:
--   SELECT slice_start, type, links, round(in_flight, 9) AS in_flight, round(volume_per_second, 9) AS
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
    100 * seconds / (SELECT nullif(end_time - start_time, 0) FROM trace_info) AS in_flight,
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
