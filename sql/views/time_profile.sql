-- What all containers together were doing over time: the time in each state, in 100 slices of the trace.
--
-- Counts the innermost state (state_segments). States that do not occur in a slice give no row. For other slices
-- or a window, call state_slices(state_segments, slices => …, start => …, stop => …) and sum over containers, as
-- the cookbook does.
--
-- Columns:
--   slice        BIGINT  Slice index, from 0.
--   slice_start  DOUBLE  Start of the slice, in seconds.
--   slice_end    DOUBLE  End of it, in seconds.
--   type         TEXT    Type of the state.
--   value        TEXT    Name of the state.
--   seconds      DOUBLE  Time in it, of all containers together; the innermost state counts.
--   containers   DOUBLE  How many containers were in it, on average over the slice.
--
-- Example:
--   SELECT slice_start, slice_end, value, seconds, containers
--   FROM time_profile
--   WHERE slice = 39
--   ORDER BY value

-- The states of all containers are sliced as if they were of one, which adds them up exactly.
SELECT
    slice,
    slice_start,
    slice_end,
    type,
    value,
    seconds,
    share AS containers
FROM state_slices(
    (SELECT CAST(0 AS INTEGER) AS container_id, type, value, start_time, end_time, start_tick, end_tick FROM state_segments),
    slices => 100
)
