-- What all containers together were doing over time: the time in each state, in 100 slices of the trace.
--
-- The states of all containers are sliced as if they were of one, which adds them up exactly.
--
-- slice        number of the slice, from 0 on
-- slice_start  when the slice begins, in seconds
-- slice_end    when it ends, in seconds
-- type         type of the state
-- value        name of the state
-- seconds      time in it, of all containers together; the innermost state counts
-- containers   how many containers were in it, on average over the slice
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
