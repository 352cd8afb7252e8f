-- How much is communicated over time: the links of all containers, in 100 slices of the trace.
--
-- A link counts in every slice that it shares time with, and carries its volume evenly from its start
-- to its end. The links of all containers are sliced as if they had one source, which adds them up.
--
-- slice              number of the slice, from 0 on
-- slice_start        when the slice begins, in seconds
-- slice_end          when it ends, in seconds
-- type               type of the links
-- links              how many were under way at some time of the slice
-- seconds            how long they were under way within the slice, together
-- under_way          how many were under way, on average over the slice
-- volume             what they carried within the slice; 0 when none tells
-- volume_per_second  volume / length of the slice
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
