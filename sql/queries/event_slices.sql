-- When events occur: how many of each type in every tenth of the run, zeros included.
--
-- Needs: events.
SELECT
    slice,
    slice_start,
    type,
    sum(events) AS events
FROM event_slices(slices => 10, fill => true)
GROUP BY slice, slice_start, type
ORDER BY type, slice
