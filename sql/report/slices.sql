-- States over time
-- Seconds in each state for each of 30 slices of the trace.
SELECT slice, slice_start, slice_end, container_id, container, type, value, seconds, share
FROM state_slices(slices => 30)
ORDER BY slice, container_id, type, value
