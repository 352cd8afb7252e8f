-- When most bytes are in flight.
--
-- Needs: links.
SELECT
    slice_start,
    slice_end,
    sent,
    in_flight,
    mean_volume
FROM comm_in_flight(slices => 20)
ORDER BY mean_volume DESC, slice_start
LIMIT 5
